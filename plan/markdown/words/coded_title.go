package words

import (
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/inline"
)

// marked puts a colon behind an id that begins a text in bold or as code: "**T1** Model".
func marked(raw string) string {
	raw = strings.TrimSpace(raw)
	for _, mark := range []string{"**", "__", "`"} {
		inner, found := strings.CutPrefix(raw, mark)
		id, rest, closed := strings.Cut(inner, mark)
		if !found || !closed || !strings.HasPrefix(rest, " ") {
			continue
		}
		kind, core := plan.SplitKind(id)
		if label, tail := IDAt(core); label == "" || tail != "" || kind == "" && !CodeLike(label) {
			continue
		}
		if _, _, ok := SplitSeparator(rest); !ok {
			return id + ":" + rest
		}
	}
	return raw
}

// CodedTitle reads a text that begins with a code, or with the number of an issue, whatever
// follows: "be-1 Model", "#12 lexer (after #11)".
func CodedTitle(raw string) Title {
	if t := ReadTitle(raw); t.Label != "" && t.Kind == "" && !IsNumeric(t.Label) {
		return t
	}
	text, issue := strings.CutPrefix(Bare(inline.Plain(raw)), "#")
	label, rest := IDAt(text)
	label, rest = strings.TrimSuffix(label, ".md"), strings.TrimPrefix(rest, ".md")
	if label == "" || IsNumeric(label) != issue || !strings.ContainsAny(label, "0123456789") ||
		!strings.HasPrefix(rest, " ") {
		return Title{}
	}
	t := Title{
		Strikethrough: inline.IsStrikethrough(raw), Status: StatusOf(text, false),
		Label: label, Sep: " ", Loose: true,
	}
	t.Name, t.Asides = SplitAsides(strings.TrimSpace(rest))
	return t
}
