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
	for i := range d.Heads {
		if h := &d.Heads[i]; bmadHead(h) && (epicOf(h.Title.Label) != "" || h.Level == 1) {
			return d.HeadKind() == "story" || len(d.Heads) > 0 && d.Heads[0].Title.Kind == "epic"
		}
	}
	return false
}

func (bmad) read(r *reading.Reading) {
	r.Headings(bmadHead)
	epics := map[string]bool{}
	for i := range r.Units {
		epics[epicOf(words.Normal(r.Units[i].Label))] = true
	}
	r.Elsewhere = func(label string) (string, bool) {
		kind, core := plan.SplitKind(label)
		first, rest, _ := strings.Cut(strings.TrimSpace(label), " ")
		if kind == "epic" || strings.HasPrefix(strings.ToUpper(first), "EPIC-") {
			if kind == "epic" {
				first, rest, _ = strings.Cut(core, " ")
				first = "EPIC-" + first
			}
			if story, _ := words.IdAt(storyNumber(rest)); story != "" {
				return first + "/" + story, true
			}
			return first, true
		}
		id, tail := words.IdAt(core)
		epic := epicOf(words.Normal(id))
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
