package dialect

import (
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/reading"
	"autobuild/plan/markdown/words"
)

// bmad is an epic of "### Story 14.1" sections, which may depend on the stories of other epics.
type bmad struct{}

func (bmad) name() string { return "bmad" }

func bmadHead(h *document.Heading) bool { return h.Title.Kind == "story" }

func (bmad) signs(d *document.Document) bool {
	for i := range d.Headings {
		if h := &d.Headings[i]; bmadHead(h) && (epicOf(h.Title.Label) != "" || h.Level == 1) {
			return d.PhaseKind() == "story" || len(d.Headings) > 0 &&
				d.Headings[0].Title.Kind == "epic"
		}
	}
	return false
}

func (bmad) read(r *reading.Reading) {
	r.AddHeadings(bmadHead)
	epics := map[string]bool{}
	for i := range r.Units {
		epics[epicOf(words.NormalID(r.Units[i].Label))] = true
	}
	r.Elsewhere = func(label string) (string, bool) {
		kind, core := plan.SplitKind(label)
		first, rest, _ := strings.Cut(strings.TrimSpace(label), " ")
		if kind == "epic" || strings.HasPrefix(strings.ToUpper(first), "EPIC-") {
			if kind == "epic" {
				first, rest, _ = strings.Cut(core, " ")
				first = "EPIC-" + first
			}
			if story, _ := words.IDAt(storyNumber(rest)); story != "" {
				return first + "/" + story, true
			}
			return first, true
		}
		id, tail := words.IDAt(core)
		epic := epicOf(words.NormalID(id))
		return id, strings.TrimSpace(tail) == "" && epic != "" && !epics[epic]
	}
}

func storyNumber(s string) string {
	_, core := plan.SplitKind(s)
	return core
}

// epicOf is the epic that a story number begins with: "pm-02" of "pm-02.10".
func epicOf(id string) string {
	if at := strings.LastIndexAny(id, ".-"); at > 0 {
		return id[:at]
	}
	return ""
}
