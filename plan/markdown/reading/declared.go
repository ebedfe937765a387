package reading

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"autobuild/internal/text"
	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/section"
	"autobuild/plan/markdown/words"
)

// reportUnknown reports a field that states the status of a phase in a word of no table.
func (r *Reading) reportUnknown(u *section.Unit) {
	said := inline.Plain(u.StatusAt.Raw)
	if u.StatusAt.Title || !strings.ContainsFunc(said, unicode.IsLetter) || plan.SaysNone(said) ||
		words.Limited(u.StatusAt.Raw) ||
		words.FieldStatus(u.StatusAt.Raw) != plan.StatusUnknown {
		return
	}
	r.Warn("W-STATUS", r.Doc.Pos(u.StatusAt.Offset),
		fmt.Sprintf("the status of phase %s is not understood: %q", u.Label,
			text.Clip(said, maxSaid)),
		"a run does the phase; write a word such as pending, done, blocked or skipped")
}

// inheritStatuses gives a phase that states no status the one that a heading around it, or the
// line above its list, states for all below it: "Completed", "Done so far:".
func (r *Reading) inheritStatuses() {
	for i := range r.Units {
		u := &r.Units[i]
		if u.StatusAt.Raw != "" || u.Status != plan.StatusUnknown && u.Own == 0 ||
			u.Status == plan.StatusDone || u.Status == plan.StatusSkipped {
			continue
		}
		if status := r.statusAround(u); status != plan.StatusUnknown {
			u.Status = status
		}
	}
}

// statusAround is the status that the headings around a phase, or the lead-in of its list, state.
func (r *Reading) statusAround(u *section.Unit) plan.Status {
	line := max(u.From, u.RowLine)
	h := r.Doc.HeadingAbove(line + 1)
	if h.Line == line {
		h = r.Doc.ParentHeading(h)
	} else if s := r.statusOfList(u, line); s != plan.StatusUnknown {
		return s
	}
	for ; h.Line > 0; h = r.Doc.ParentHeading(h) {
		if s := words.GroupStatus(h.Text); s != plan.StatusUnknown && h.Title.Label == "" {
			return s
		}
	}
	return plan.StatusUnknown
}

// statusOfList is the status that the item around a phase, or the lead-in of its list or table,
// states.
func (r *Reading) statusOfList(u *section.Unit, line int) plan.Status {
	if u.Own > 0 {
		for at := r.Doc.Items[u.Own-1].Parent; at >= 0; at = r.Doc.Items[at].Parent {
			if s := words.GroupStatus(inline.FirstLine(r.Doc.Items[at].Raw)); s != plan.StatusUnknown {
				return s
			}
		}
	}
	return words.GroupStatus(r.leadIn(line))
}

// leadIn is the line above the list or the table that a line stands in, where it announces what
// follows: it ends with a colon, or is bold.
func (r *Reading) leadIn(line int) string {
	for n := line - 1; n > 0; n-- {
		raw := r.Doc.Line(n)
		text := strings.TrimSpace(raw)
		switch {
		case text == "" || text[0] == '|' || raw[0] == ' ' || raw[0] == '\t' ||
			document.AfterMarker(text) != "":
		case strings.HasSuffix(text, ":") || strings.HasSuffix(text, "：") ||
			strings.HasPrefix(text, "**") && strings.HasSuffix(text, "**"):
			return text
		default:
			return ""
		}
	}
	return ""
}

// progressNames are names of labels that say how far a phase has come, beside those of a status.
var progressNames = []string{
	"progress", "completion", "fortschritt", "stand", "avancement", "progression", "progreso",
	"avance", "progresso", "andamento", "stato", //nolint:misspell // Portuguese, Italian
	"прогресс", "进度", "進度", "進捗", "진행", "진행률",
}

// readStatusLabels reads the labels outside a phase's own section that state its status: "Phase 1
// progress: 2/2 plans complete".
func (r *Reading) readStatusLabels() {
	for i := range r.Doc.Labels {
		l := &r.Doc.Labels[i]
		if l.Value == "" || !strings.ContainsAny(l.Name, "0123456789") {
			continue
		}
		k, ok := r.statusOwner(l.Name)
		if !ok || r.inSection(l.Line, k) && r.Units[k].StatusAt.Offset == l.Offset {
			continue
		}
		said := document.Cell{Raw: l.Value, Offset: l.Offset}
		u := &r.Units[k]
		if u.StatusAt.Offset > 0 {
			r.compareStatus(u, said)
			continue
		}
		u.StatusAt = said
		u.Stated = append(u.Stated, said)
		if status := words.FieldStatus(said.Raw); status != plan.StatusUnknown {
			u.Status = status
		}
	}
}

// inSection reports whether a line stands in the section of phase i.
func (r *Reading) inSection(line, i int) bool {
	return line >= r.Units[i].From && line < r.Units[i].To
}

// statusOwner is the phase whose status a label with some name states.
func (r *Reading) statusOwner(name string) (i int, ok bool) {
	var rest []string
	states := false
	for _, word := range strings.Fields(name) {
		switch {
		case slices.Contains(words.StatusLabels, word) || slices.Contains(progressNames, word):
			states = true
		case slices.Contains([]string{"of", "von", "der", "de", "la", "da", "des"}, word):
		default:
			rest = append(rest, word)
		}
	}
	label := strings.Join(rest, " ")
	if kind, _ := plan.SplitKind(label); !states || kind == "" || !r.ofKind(label) {
		return 0, false
	}
	return r.Index().Find(label)
}
