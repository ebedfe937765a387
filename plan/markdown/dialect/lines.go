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
	addLines(r, titleLines(r.Doc), lineTitle)
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
		if p.Item >= 0 || len(p.Raw) > most || words.SentenceEnd(p.Raw) < len(p.Raw) {
			continue
		}
		t := lineTitle(p.Raw)
		if t.Label == "" || t.Loose && strings.HasSuffix(p.Raw, ".") {
			continue
		}
		if len(found) == 0 {
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

// lineTitle reads a line as the title of a phase, by a kind word, or by the number of a part of a
// work breakdown structure: "1.0 Name".
func lineTitle(raw string) words.Title {
	t := words.ReadTitle(raw)
	if word, _ := plan.SplitKind(raw); word != "" && slices.Contains(words.UnitKinds, t.Kind) {
		return t
	}
	label, rest := words.IDAt(raw)
	if words.IsNumeric(label) && strings.HasSuffix(label, ".0") &&
		strings.Count(label, ".") == 1 && words.CanBeName(rest) {
		t = words.Title{Label: label, Sep: " ", Loose: true, Status: t.Status}
		t.Name, t.Asides = words.SplitAsides(strings.TrimSpace(rest))
		return t
	}
	return words.Title{}
}
