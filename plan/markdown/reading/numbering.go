package reading

import (
	"fmt"
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
	at := map[string]int{} // by id: the place among the phases, plus one
	for i, u := range r.Units {
		at[words.NormalID(u.Label)] = i + 1
	}
	after := 0 // the place behind the entry before
	for k := range r.Doc.Items {
		it := &r.Doc.Items[k]
		if it.Box == 0 || it.Depth > 0 {
			continue
		}
		t := words.ReadTitle(it.Raw)
		id := words.NormalID(t.Label)
		if t.Kind != "phase" || r.Covered[it.Line] {
			continue
		}
		if at[id] > 0 {
			after = at[id]
			continue
		}
		u := section.Unit{Title: t, Own: k + 1, Offset: it.Offset, Raw: it.Raw}
		u.Label, u.Name, u.Status = t.Label, t.Name, words.BoxStatus(it.Box)
		u.Pos, u.Width = r.Doc.Pos(it.Offset), len(it.Raw)
		if u.Status == plan.StatusTodo && after > 0 && after < len(r.Units) {
			r.Warn("W-ONLY-TABLE", u.Pos,
				fmt.Sprintf("phase %s stands in the list, but has no section", u.Label),
				"add a heading for it, so that the agent knows what to do")
		}
		r.Units = slices.Insert(r.Units, after, u)
		for other, place := range at {
			if place > after {
				at[other]++
			}
		}
		after++
		at[id] = after
	}
}
