package document

import (
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/words"
)

// LabelRefs is the value of a label, or, when it has none, the items of the list below it.
func (d *Document) LabelRefs(l Label, ref plan.Ref) []plan.Ref {
	if l.Value != "" {
		if end := words.SentenceEnd(ref.Text); end < len(ref.Text) && !continues(ref.Text[:end], ref.Text[end:]) {
			// "Phase 9. Can run in parallel with 2"
			ref.Text = strings.TrimRight(ref.Text[:end], ". ")
		}
		return []plan.Ref{ref}
	}
	var refs []plan.Ref
	end := l.Line + 40
	if l.Item >= 0 {
		end = d.Items[l.Item].End
	}
	previous, boxes := l.Line, false
	for k, it := range d.ItemsIn(l.Line+1, end) {
		if boxes = boxes || k == 0 && it.Box != 0; it.Line > previous+2 || boxes != (it.Box != 0) {
			break // what is to be done begins
		}
		previous = it.End - 1
		refs = append(refs, plan.Ref{Text: inline.References(it.Raw), Pos: d.Pos(it.Offset)})
	}
	return refs
}

// continues reports whether what follows the first sentence of a list goes on with the list:
// "Phase 1. Phase 2", "Phase 1; the schema".
func continues(first, rest string) bool {
	if words.HasRelation(rest) {
		return false
	}
	rest = strings.TrimSpace(strings.Trim(rest, " .;"))
	return !strings.HasSuffix(first, ".") && !words.SaysBeside(rest) || onlyIDs(rest)
}

// onlyIDs reports whether a list holds ids with kind words at most, and what stands in brackets.
func onlyIDs(list string) bool {
	for part := range strings.SplitSeq(words.WithoutBrackets(list), ",") {
		_, core := plan.SplitKind(strings.TrimSpace(part))
		if label, rest := words.IDAt(core); label == "" || strings.TrimSpace(rest) != "" {
			return false
		}
	}
	return true
}
