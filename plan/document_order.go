package plan

import (
	"fmt"
	"slices"
)

// followDocumentOrder makes a phase that states nothing depend on its predecessor, or, where that
// one waits for it, on the nearest earlier phase that does not.
func (b *builder) followDocumentOrder() {
	implicit := make([]bool, len(b.phases))
	count := 0
	for i := 1; i < len(b.phases); i++ {
		if b.phases[i].Unstated && len(b.phases[i].Implied) == 0 {
			b.needs[i] = []int{i - 1}
			implicit[i] = true
			count++
		}
	}
	if count == 0 {
		return
	}
	component := components(b.needs)
	for i := range implicit {
		if implicit[i] && component[i] == component[i-1] {
			b.needs[i] = nil
		}
	}
	for i := range implicit {
		if !implicit[i] || b.needs[i] != nil {
			continue
		}
		waiting := reach(invert(b.needs), i)
		for k := i - 1; k >= 0; k-- {
			if _, waits := slices.BinarySearch(waiting, k); !waits {
				b.needs[i] = []int{k}
				break
			}
		}
	}
	b.reportUnstated()
	what := fmt.Sprintf("%d phases state no dependencies and follow document order", count)
	if count == 1 {
		what = "1 phase states no dependencies and follows document order"
	}
	b.problem("I-IMPLICIT", Info, Pos{}, 0, what,
		"add a \"Depends On\" column, or a line \"**Depends on:** none\"")
}

// reportUnstated reports phases without stated dependencies where most phases state them: a line
// may be lost.
func (b *builder) reportUnstated() {
	var silent []string
	at, said := -1, 0
	for i := range b.phases {
		p := &b.phases[i]
		switch {
		case !p.Unstated:
			said++
		case i > 0 && len(p.Implied) == 0 && p.Status != StatusDone && p.Status != StatusSkipped:
			silent = append(silent, p.Label)
			if at < 0 {
				at = i
			}
		}
	}
	if len(silent) == 0 || said < 2 || said <= len(silent) {
		return
	}
	p := &b.phases[at]
	b.problem("W-UNSTATED", Warning, p.Pos, p.Width,
		fmt.Sprintf(
			"%s %s nothing of dependencies, while most phases do: document order is followed",
			phases(silent), verb("says", "say", silent)),
		"add \"**Depends on:** none\", or the phases it needs")
}
