package plan

import (
	"fmt"
	"slices"

	"autobuild/internal/text"
)

// compareSecondStatements compares second statements of dependencies with the first. They add no
// edges.
func (b *builder) compareSecondStatements() {
	silent := *b.names
	silent.expanded = 0
	quiet := resolver{names: &silent, draft: b.draft}
	for i, p := range b.phases {
		quiet.found = nil
		if again := quiet.all(i, p.Again); len(p.Again) > 0 && !again.onlyOwnTasks() &&
			len(quiet.found.Errors()) == 0 && !again.all &&
			!p.Unstated && !b.implies(again.hard, b.stated[i]) {
			b.problem("W-DEP-CONFLICT", Warning, p.Again[0].Pos, 0,
				fmt.Sprintf("phase %s depends on %s, but its text says %s", p.Label,
					b.joinLabels(b.stated[i]), b.joinLabels(again.hard)),
				"the table counts; make them agree")
		}
		b.unknownDependents(&quiet, &p)
		b.laterDependents(i)
		unlocked := quiet.all(i, p.Unlocks).hard
		var waiting []int
		if len(unlocked) > 0 {
			waiting = reach(invert(b.needs), i)
		}
		for _, k := range unlocked {
			if _, waits := slices.BinarySearch(waiting, k); !waits && !b.phases[k].Unstated {
				b.problem("W-INVERSE", Warning, p.Unlocks[0].Pos, 0,
					fmt.Sprintf("phase %s is said to unlock %s, which does not depend on it",
						p.Label,
						b.phases[k].Label), "")
			}
		}
	}
}

// laterDependents reports a phase that all later ones are said to wait for, and one of them does
// not.
func (b *builder) laterDependents(i int) {
	p := &b.phases[i]
	if !slices.ContainsFunc(p.Unlocks, func(ref Ref) bool { return SaysLater(ref.Text) }) {
		return
	}
	waiting := reach(invert(b.needs), i)
	for k := i + 1; k < len(b.phases); k++ {
		if _, waits := slices.BinarySearch(waiting, k); !waits {
			b.problem("W-INVERSE", Warning, p.Unlocks[0].Pos, 0,
				fmt.Sprintf("phase %s is said to unlock all later phases, and %s does not depend on it",
					p.Label, b.phases[k].Label), "")
			return
		}
	}
}

// unknownDependents reports what a phase is said to unlock and is no phase of the plan.
func (b *builder) unknownDependents(r *resolver, p *DraftPhase) {
	for _, ref := range p.Unlocks {
		for _, item := range r.splitList(ref.Text) {
			if e := r.read(item.text); !e.namesPhase() && e.quantity == "" && refers(item.text) {
				b.problem("W-INVERSE", Warning, ref.Pos, 0,
					fmt.Sprintf("phase %s is said to unlock %q, which is not in the plan", p.Label,
						text.Clip(item.text, maxQuoted)), nameOne)
			}
		}
	}
}

// implies reports whether two lists of dependencies lead to the same order: each entry of one is in
// the other, or needed by an entry of it.
func (b *builder) implies(x, y []int) bool {
	for _, pair := range [][2][]int{{x, y}, {y, x}} {
		for _, i := range pair[0] {
			if !slices.Contains(pair[1], i) &&
				!slices.ContainsFunc(pair[1],
					func(k int) bool { return slices.Contains(reach(b.needs, k), i) }) {
				return false
			}
		}
	}
	return true
}
