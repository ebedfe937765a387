package dialect

import (
	"strings"

	"autobuild/internal/text"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/reading"
	"autobuild/plan/markdown/section"
	"autobuild/plan/markdown/words"
)

// speckit is the task file of spec-kit: "## Phase N" sections of tasks T001…, and a chapter that
// says in sentences what depends on what.
type speckit struct{}

func (speckit) name() string { return "speckit" }

func (speckit) signs(d *document.Document) bool {
	tasks := 0
	for i := range d.Items {
		if it := &d.Items[i]; it.Box != 0 && words.IsTaskNumber(it.Raw) {
			tasks++
		}
	}
	if tasks < 3 {
		return false
	}
	for i := range d.Headings {
		if speckitHead(&d.Headings[i]) {
			return true
		}
	}
	return false
}

func speckitHead(h *document.Heading) bool { return h.Title.Kind == "phase" && h.Level > 1 }

func (speckit) read(r *reading.Reading) {
	r.AddHeadings(speckitHead)
	var stories, before []string
	for i := range r.Units {
		u := &r.Units[i]
		name, _, _ := strings.Cut(u.Name, "(")
		name, _, _ = strings.Cut(name, "（")
		name, _, _ = strings.Cut(name, "&")
		if name = strings.TrimSpace(name); name != "" && inline.IsASCII(name) {
			u.Aliases = append(u.Aliases, name)
			if first, _, more := strings.Cut(name, " "); more && len(first) > 3 &&
				!strings.EqualFold(first, "user") {
				u.Aliases = append(u.Aliases, first)
			}
		}
		if isStory(u.Name) {
			stories = append(stories, "Phase "+u.Label)
		}
		before = append(before, "Phase "+u.Label)
	}
	// what "all user stories" and "all implementation" mean in this file
	r.Groups = []reading.Group{
		{
			Words: []string{
				"all user stories", "user stories being", "stories being", "desired user stories",
				"desired stories", "selected user stories", "selected stories", "implemented stories",
				"implemented user stories", "story set", "all stories", "every user story",
				"every story", "each user story", "all story ", "全us", "all us",
			},
			Labels: stories,
		},
		{
			Words:  []string{"all implementation", "all desired"},
			Labels: without(before, r.Units, "setup", "foundational", "polish"),
		},
	}
}

// isStory reports whether a name says that a phase is a user story, also where the words are
// misspelt.
func isStory(name string) bool {
	const words, most = "user story", 2
	name = strings.ToLower(name)
	return strings.Contains(name, words) ||
		text.Distance(name[:min(len(name), len(words))], words, most) <= most
}

// without filters out the phases whose names begin with certain words.
func without(labels []string, units []section.Unit, starts ...string) []string {
	var kept []string
	for i, label := range labels {
		skip := false
		for _, start := range starts {
			skip = skip || strings.HasPrefix(strings.ToLower(units[i].Name), start)
		}
		if !skip {
			kept = append(kept, label)
		}
	}
	return kept
}
