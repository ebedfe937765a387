package reading

import (
	"fmt"
	"slices"
	"strconv"

	"autobuild/internal/text"
	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/section"
	"autobuild/plan/markdown/words"
)

// separateRepeated gives ids of their own to the phases of a group in which the ids begin again,
// such as Week 1 below Autumn and below Spring. It changes nothing where a statement of order names
// one of these ids, where two phases of one group share theirs, or where the groups are mixed: such
// plans are refused.
func (r *Reading) separateRepeated() {
	first := map[string]int{}  // by id
	taken := map[string]bool{} // ids
	again := map[int]int{}     // by the line of a group: the group before that has its ids
	own := map[string]bool{}   // ids of the current group
	current, last := -1, 0
	for i := range r.Units {
		u := &r.Units[i]
		id, group, line := words.NormalID(u.Label), r.groupLine(u), max(u.From, u.RowLine)
		if group != current {
			current, own = group, map[string]bool{}
		}
		if own[id] || line < last {
			return
		}
		own[id], taken[id], last = true, true, line
		at, twice := first[id]
		switch {
		case !twice:
			first[id] = i
		case r.groupLine(&r.Units[at]) == group:
			return
		case again[group] == 0:
			again[group] = r.groupLine(&r.Units[at])
		}
	}
	merged := slices.ContainsFunc(r.Found, func(p plan.Problem) bool { return p.Code == "W-DUP" })
	if merged || len(again) == 0 || r.namesGroups(again) {
		return
	}
	for i := 0; i < len(r.Units); {
		group := r.groupLine(&r.Units[i])
		end := i + 1
		for end < len(r.Units) && r.groupLine(&r.Units[end]) == group {
			end++
		}
		if before, found := again[group]; found {
			r.renameGroup(i, end, before, taken)
		}
		i = end
	}
	r.Known = nil
}

// groupLine is the line of the heading under which a unit stands with others, 0 for none.
func (r *Reading) groupLine(u *section.Unit) int {
	if u.From > 0 && u.Own == 0 {
		return r.Doc.ParentHeading(document.Heading{Line: u.From, Level: u.Level}).Line
	}
	return r.Doc.HeadingAbove(max(u.From, u.RowLine)).Line
}

// namesGroups reports whether a statement of order names a phase of one of the groups, or of a
// group that has the same ids.
func (r *Reading) namesGroups(again map[int]int) bool {
	groups := map[int]bool{}
	for group, before := range again {
		groups[group], groups[before] = true, true
	}
	said := r.dependencyTexts()
	for i := range r.Units {
		u := &r.Units[i]
		for _, refs := range [][]plan.Ref{u.Beside, u.Unlocks, u.Soft} {
			for _, ref := range refs {
				said[i] = append(said[i], ref.Text)
			}
		}
		for _, text := range said[i] {
			for _, k := range r.Index().Mentions(text[:min(len(text), words.MaxSentence)]) {
				if groups[r.groupLine(&r.Units[k])] && !plan.SaysAll(text) {
					return true
				}
			}
		}
	}
	return false
}

// renameGroup renames the units from to end of one group, whose ids the group before has too.
func (r *Reading) renameGroup(from, end, before int, taken map[string]bool) {
	group := r.groupLine(&r.Units[from])
	called := r.Doc.HeadingAbove(group + 1).Text
	_, letters := plan.ShortNames(r.Doc.HeadingAbove(before+1).Text, called)
	var old, now []string
	for i := from; i < end; i++ {
		u := &r.Units[i]
		label := letters + u.Label
		for n := 2; letters == "" || taken[words.NormalID(label)]; n++ {
			if label = u.Label + "-" + strconv.Itoa(n); !taken[words.NormalID(label)] {
				break
			}
		}
		taken[words.NormalID(label)] = true
		old, now = append(old, u.Label), append(now, label)
		u.Label, u.Aliases, u.Word = label, nil, ""
	}
	const most = 6 // ids in a message
	r.Warn("W-DUP", r.Units[from].Pos,
		fmt.Sprintf("the ids begin again below %q: %s %s called %s there",
			text.Clip(called, maxSaid), text.JoinSome(old, most), isAre(len(old)),
			text.JoinSome(now, most)),
		"give each phase an id of its own, so that others can depend on it")
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}
