package markdown

import (
	"strings"

	"autobuild/plan"
)

// bmad is an epic of "### Story 14.1" sections, which may depend on the stories of other epics.
type bmad struct{}

func (bmad) name() string { return "bmad" }

func bmadHead(h *heading) bool { return h.title.kind == "story" }

func (bmad) signs(d *document) bool {
	for i := range d.heads {
		if h := &d.heads[i]; bmadHead(h) && (epicOf(h.title.label) != "" || h.level == 1) {
			return d.headKind() == "story" || len(d.heads) > 0 && d.heads[0].title.kind == "epic"
		}
	}
	return false
}

func (bmad) read(r *reading) {
	r.headings(bmadHead)
	epics := map[string]bool{}
	for i := range r.units {
		epics[epicOf(normal(r.units[i].Label))] = true
	}
	r.elsewhere = func(label string) (string, bool) {
		kind, core := plan.SplitKind(label)
		first, rest, _ := strings.Cut(strings.TrimSpace(label), " ")
		if kind == "epic" || strings.HasPrefix(strings.ToUpper(first), "EPIC-") {
			if kind == "epic" {
				first, rest, _ = strings.Cut(core, " ")
				first = "EPIC-" + first
			}
			if story, _ := idAt(storyNumber(rest)); story != "" {
				return first + "/" + story, true
			}
			return first, true
		}
		id, tail := idAt(core)
		epic := epicOf(normal(id))
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
