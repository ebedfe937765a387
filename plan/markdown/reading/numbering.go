package reading

import (
	"slices"
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/section"
	"autobuild/plan/markdown/words"
)

// readOverviewBoxes reads boxes outside all sections that stand for whole phases: "- [ ] Step 3:
// Wire it up" in a checklist at the top. Such a box gives the status of its phase, and is its only
// task where the section has none.
func (r *Reading) readOverviewBoxes() {
	byID := map[string]int{}
	boxed := make([]bool, len(r.Units)) // has boxes of its own
	for i := range r.Units {
		byID[words.NormalID(r.Units[i].Label)] = i
		boxed[i] = len(r.Units[i].Tasks)+len(r.Units[i].Criteria) > 0
		for _, twin := range r.Units[i].OtherBoxes {
			r.Covered[r.Doc.Items[twin].Line] = true
		}
	}
	for k := range r.Doc.Items {
		it := &r.Doc.Items[k]
		if it.Box == 0 || r.Covered[it.Line] {
			continue
		}
		t := words.ReadTitle(it.Raw)
		i, ok := byID[words.NormalID(t.Label)]
		if part, sub := byID[words.NormalID(parentLabel(t.Label))]; !ok && sub && t.Kind != "" &&
			r.Units[part].From > 0 && !boxed[part] {
			// "- [ ] Phase 2.1: Name"
			r.Units[part].Tasks = append(r.Units[part].Tasks, section.TaskOf(r.Doc, *it))
			continue
		}
		if t.Kind == "" || !ok || r.Units[i].Own > 0 {
			continue
		}
		u := &r.Units[i]
		u.Own = k + 1
		if u.Status == plan.StatusUnknown && len(u.Stated) == 0 && len(u.Tasks) == 0 {
			u.Status = words.BoxStatus(it.Box)
		}
		if len(u.Tasks)+len(u.Criteria) == 0 && u.From > 0 {
			u.Tasks = []plan.Task{section.TaskOf(r.Doc, *it)}
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

// readHeadingTasks takes the sub-headings of a section as its tasks, where it has no boxes: "####
// Task 1.1: Name", "#### F1-T1: Name".
func (r *Reading) readHeadingTasks() {
	for i := range r.Units {
		u := &r.Units[i]
		if u.From == 0 || u.Own > 0 && len(u.Tasks) > 0 || len(u.Tasks) > 0 ||
			(len(u.Criteria) > 0 && !r.HeadingTasks) {
			continue
		}
		id := words.NormalID(u.Label)
		for _, h := range r.Doc.HeadingsIn(u.From+1, u.To) {
			sub := words.NormalID(h.Title.Label)
			below := strings.HasPrefix(sub, id+".") || strings.HasPrefix(sub, id+"-")
			if h.Title.Label != "" && (h.Title.Kind == "task" || below) {
				u.Tasks = append(u.Tasks, plan.Task{Text: h.Text, Pos: r.Doc.HeadingPos(&h)})
			}
		}
	}
}

// addListedPhases adds the phases that have no section but stand in a list of phases: "- [x] Phase
// 3: Name" under "Phases".
func (r *Reading) addListedPhases() {
	if r.Units[0].Title.Kind != "phase" || r.Units[0].RowLine > 0 {
		return
	}
	ids := map[string]bool{}
	for _, u := range r.Units {
		ids[words.NormalID(u.Label)] = true
	}
	for k := range r.Doc.Items {
		it := &r.Doc.Items[k]
		if it.Box == 0 || it.Depth > 0 {
			continue
		}
		t := words.ReadTitle(it.Raw)
		if t.Kind != "phase" || ids[words.NormalID(t.Label)] || r.Covered[it.Line] {
			continue
		}
		ids[words.NormalID(t.Label)] = true
		u := section.Unit{Title: t, Own: k + 1, Offset: it.Offset, Raw: it.Raw}
		u.Label, u.Name, u.Status = t.Label, t.Name, words.BoxStatus(it.Box)
		u.Pos, u.Width = r.Doc.Pos(it.Offset), len(it.Raw)
		r.Units = append(r.Units, u)
	}
	slices.SortStableFunc(r.Units, func(a, b section.Unit) int { return a.Pos.Line - b.Pos.Line })
}
