package reading

import (
	"slices"
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/words"
)

// unlock is what a sentence puts behind a phase.
type unlock struct {
	first int
	later plan.Ref
}

// readInverse reads a sentence whose subject comes first: "Phase 2 blocks Phase 4". A phase that
// states its own dependencies keeps them.
func (r *Reading) readInverse(s document.Sentence) {
	rel, ok := words.Relate(s.Text)
	if !ok || !rel.Inverse || rel.Soft || rel.Denied || rel.Colon {
		return
	}
	first := r.Subjects(rel.Subject)
	if len(first) == 0 || !r.namesOnlyPhases(rel.Object) || !words.NamesByKind(rel.Subject) {
		return
	}
	ref := plan.Ref{Text: rel.Object, Pos: r.Doc.Pos(s.Offset), Sentence: true}
	for _, i := range first {
		r.unlocks = append(r.unlocks, unlock{i, ref})
	}
	r.take(s, first, []plan.Ref{ref})
}

// readOthers reads what a sentence says of the phases that it does not name: "only Phase 5 depends on
// 4, the others are independent". It counts for the phases that state nothing.
func (r *Reading) readOthers(s document.Sentence, grouped map[int][]plan.Ref) {
	named := r.takenBefore(s.Line)
	if len(named) == 0 || !words.OthersFree(s.Text) || words.IsSoft(s.Text) {
		return
	}
	for i := range r.Units {
		if !slices.Contains(named, i) {
			grouped[i] = []plan.Ref{{Text: "none", Pos: r.Doc.Pos(s.Offset)}}
		}
	}
	r.OrderSentences = append(r.OrderSentences, OrderSentence{Line: s.Line, Text: s.Text})
}

// readGroup reads a sentence about all phases: "everything else depends on Phase 1". It counts for
// the phases that state nothing.
func (r *Reading) readGroup(s document.Sentence, grouped map[int][]plan.Ref) {
	rel, ok := words.Relate(s.Text)
	if !ok || rel.Inverse || rel.Soft || rel.Denied || rel.Beside || rel.Post || rel.None {
		return
	}
	behind, all := words.AllPhases(rel.Subject)
	if !all || behind != "" || !rel.Strong || !r.namesOnlyPhases(rel.Object) {
		return
	}
	object := r.Index().Mentions(rel.Object)
	for i := range r.Units {
		if !slices.Contains(object, i) {
			ref := plan.Ref{
				Text: strings.TrimSpace(rel.Object), Pos: r.Doc.Pos(s.Offset), Sentence: true,
			}
			grouped[i] = append(grouped[i], ref)
		}
	}
	r.OrderSentences = append(r.OrderSentences, OrderSentence{Line: s.Line, Text: s.Text, Phases: object})
}

// takenBefore lists the phases that wait for others by the sentences of the paragraph at a line.
func (r *Reading) takenBefore(line int) (subjects []int) {
	for i := range r.OrderSentences {
		if t := &r.OrderSentences[i]; t.Line == line {
			subjects = append(subjects, t.Subject...)
		}
	}
	return subjects
}
