package markdown

import (
	"slices"
	"strings"

	"autobuild/plan/markdown/words"

	"autobuild/plan"
)

// listed looks for boxes outside all sections that stand for whole phases: "- [ ] Step 3: Wire it
// up" in a checklist at the top. Such a box is the state of its phase, and its only task where the
// section has none.
func (r *reading) listed() {
	byID := map[string]int{}
	boxed := make([]bool, len(r.units)) // has boxes of its own
	for i := range r.units {
		byID[words.Normal(r.units[i].Label)] = i
		boxed[i] = len(r.units[i].Tasks)+len(r.units[i].Criteria) > 0
		for _, twin := range r.units[i].twins {
			r.covered[r.doc.Items[twin].Line] = true
		}
	}
	for k := range r.doc.Items {
		it := &r.doc.Items[k]
		if it.Box == 0 || r.covered[it.Line] {
			continue
		}
		t := words.ReadTitle(it.Raw)
		i, ok := byID[words.Normal(t.Label)]
		if part, sub := byID[words.Normal(parentLabel(t.Label))]; !ok && sub && t.Kind != "" && r.units[part].from > 0 && !boxed[part] {
			// "- [ ] Phase 2.1: Name"
			r.units[part].Tasks = append(r.units[part].Tasks, boxTask(r.doc, *it))
			continue
		}
		if t.Kind == "" || !ok || r.units[i].own > 0 {
			continue
		}
		u := &r.units[i]
		u.own = k + 1
		if u.Status == plan.StatusUnknown && len(u.stated) == 0 && len(u.Tasks) == 0 {
			u.Status = words.BoxStatus(it.Box)
		}
		if len(u.Tasks)+len(u.Criteria) == 0 && u.from > 0 {
			u.Tasks = []plan.Task{boxTask(r.doc, *it)}
		}
	}
}

// parentLabel is what a dotted label is a part of: "2" of "2.1".
func parentLabel(label string) string {
	if at := strings.LastIndexByte(label, '.'); at > 0 {
		return label[:at]
	}
	return ""
}

// headed takes the sub-headings of a section as its tasks, where it has no boxes: "#### Task 1.1:
// Name", "#### F1-T1: Name".
func (r *reading) headed() {
	for i := range r.units {
		u := &r.units[i]
		if u.from == 0 || u.own > 0 && len(u.Tasks) > 0 || len(u.Tasks) > 0 || (len(u.Criteria) > 0 && !r.headingTasks) {
			continue
		}
		id := words.Normal(u.Label)
		for _, h := range r.doc.HeadsIn(u.from+1, u.to) {
			sub := words.Normal(h.Title.Label)
			below := strings.HasPrefix(sub, id+".") || strings.HasPrefix(sub, id+"-")
			if h.Title.Label != "" && (h.Title.Kind == "task" || below) {
				u.Tasks = append(u.Tasks, plan.Task{Text: h.Text, Pos: r.doc.HeadPos(&h)})
			}
		}
	}
}

// unheaded adds the phases that have no section but stand in a list of phases: "- [x] Phase 3:
// Name" under "Phases".
func (r *reading) unheaded() {
	if r.units[0].title.Kind != "phase" || r.units[0].rowLine > 0 {
		return
	}
	ids := map[string]bool{}
	for _, u := range r.units {
		ids[words.Normal(u.Label)] = true
	}
	for k := range r.doc.Items {
		it := &r.doc.Items[k]
		if it.Box == 0 || it.Depth > 0 {
			continue
		}
		t := words.ReadTitle(it.Raw)
		if t.Kind != "phase" || ids[words.Normal(t.Label)] || r.covered[it.Line] {
			continue
		}
		ids[words.Normal(t.Label)] = true
		u := unit{title: t, own: k + 1, offset: it.Offset, raw: it.Raw}
		u.Label, u.Name, u.Status = t.Label, t.Name, words.BoxStatus(it.Box)
		u.Pos, u.Width = r.doc.Pos(it.Offset), len(it.Raw)
		r.units = append(r.units, u)
	}
	slices.SortStableFunc(r.units, func(a, b unit) int { return a.Pos.Line - b.Pos.Line })
}
