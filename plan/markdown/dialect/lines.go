package dialect

import (
	"slices"
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/reading"
	"autobuild/plan/markdown/words"
)

// plainLines is the form of phases below lines without any mark: "Phase 1 - Set up" and a list. It
// is a guess.
type plainLines struct{}

func (plainLines) name() string { return "lines" }

func (plainLines) prior(*document.Document) int { return -12 }

func (plainLines) signs(d *document.Document) bool { return len(titleLines(d)) > 0 }

func (plainLines) read(r *reading.Reading) {
	addLines(r, titleLines(r.Doc))
	r.WarnDoubt("lines that only look like titles", "these lines")
}

// titleLines finds the lines that are nothing but the title of a phase, all of one kind and with
// ids that go up one by one.
func titleLines(d *document.Document) []document.Paragraph {
	const most = 120 // bytes of a title
	var found []document.Paragraph
	var labels []string
	kind := ""
	for _, p := range d.Paragraphs {
		if word, _ := plan.SplitKind(p.Raw); word == "" || p.Item >= 0 || len(p.Raw) > most ||
			words.SentenceEnd(p.Raw) < len(p.Raw) {
			continue
		}
		t := words.ReadTitle(p.Raw)
		if !slices.Contains(words.UnitKinds, t.Kind) || t.Loose && strings.HasSuffix(p.Raw, ".") {
			continue
		}
		if kind == "" {
			kind = t.Kind
		}
		if t.Kind == kind {
			found, labels = append(found, p), append(labels, t.Label)
		}
	}
	if !words.CountUp(labels) {
		return nil
	}
	return found
}
