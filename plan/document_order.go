package plan

import (
	"fmt"
	"slices"
)

// followDocumentOrder puts a phase that states nothing behind all earlier phases, but for those
// that wait for it, and for those that it is said to run beside with all that waits for these.
func (b *builder) followDocumentOrder() {
	implicit := make([]bool, len(b.phases))
	count := 0
	beside := b.besideEarlier()
	var last []int // the phases so far that none of them waits for
	for i := range b.phases {
		if i > 0 && b.phases[i].Unstated && len(b.phases[i].Implied) == 0 {
			b.needs[i] = slices.Clone(last)
			if len(beside[i]) > 0 {
				b.needs[i] = b.lastBefore(i, beside[i])
			}
			implicit[i] = true
			count++
		}
		last = slices.DeleteFunc(last, func(k int) bool { return slices.Contains(b.needs[i], k) })
		last = append(last, i)
	}
	if count == 0 {
		return
	}
	component := components(b.needs)
	for i := range implicit {
		if implicit[i] && slices.ContainsFunc(b.needs[i], func(k int) bool {
			return component[k] == component[i]
		}) {
			b.needs[i] = nil
		}
	}
	for i := range implicit {
		if implicit[i] && b.needs[i] == nil {
			b.needs[i] = b.lastBefore(i, beside[i])
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

// besideEarlier lists for each phase the earlier ones that one of the two is said to run beside.
func (b *builder) besideEarlier() map[int][]int {
	earlier := map[int][]int{}
	for i, list := range b.parallel {
		for _, k := range list {
			earlier[max(i, k)] = append(earlier[max(i, k)], min(i, k))
		}
	}
	return earlier
}

// lastBefore lists the phases before phase i that no other phase before it waits for, without those
// that wait for i, and without the phases beside it and those that wait for one of these.
func (b *builder) lastBefore(i int, beside []int) (last []int) {
	dependents := invert(b.needs)
	out := make([]bool, len(b.phases))
	for _, k := range append([]int{i}, beside...) {
		out[k] = true
		for _, later := range reach(dependents, k) {
			out[later] = true
		}
	}
	waited := make([]bool, i)
	for k := i - 1; k >= 0; k-- {
		if out[k] {
			continue
		}
		if !waited[k] {
			last = append(last, k)
		}
		for _, j := range b.needs[k] {
			if j < i {
				waited[j] = true
			}
		}
	}
	slices.Sort(last)
	return last
}

// reportUnstated reports phases without stated dependencies where most phases state them: a line
// may be lost.
func (b *builder) reportUnstated() {
	said := 0
	for i := range b.phases {
		p := &b.phases[i]
		switch {
		case !p.Unstated:
			said++
		case i > 0 && len(p.Implied) == 0 && p.Status != StatusDone && p.Status != StatusSkipped:
			b.silent = append(b.silent, i)
		}
	}
	if len(b.silent) == 0 || said < 2 || said <= len(b.silent) {
		b.silent = nil
		return
	}
	p := &b.phases[b.silent[0]]
	var labels []string
	for _, i := range b.silent {
		labels = append(labels, b.phases[i].Label)
	}
	b.problem("W-UNSTATED", Warning, p.Pos, p.Width, unstatedMessage(labels),
		"add \"**Depends on:** none\", or the phases it needs")
}

func unstatedMessage(silent []string) string {
	return fmt.Sprintf(
		"%s %s nothing of dependencies, while most phases do: document order is followed",
		phases(silent), verb("says", "say", silent))
}

// MarkStated takes phases out of the warning that they say nothing of dependencies. heard holds for
// each phase whether it says something that was not read.
func (p *Plan) MarkStated(heard []bool) {
	at := slices.IndexFunc(p.Notes, func(n Problem) bool { return n.Code == "W-UNSTATED" })
	if at < 0 {
		return
	}
	var labels []string
	first := -1
	for _, i := range p.silent {
		if i < len(heard) && heard[i] {
			continue
		}
		if labels = append(labels, p.phases[i].Label); first < 0 {
			first = i
		}
	}
	if first < 0 {
		p.Notes = slices.Delete(p.Notes, at, at+1)
		return
	}
	note := &p.Notes[at]
	if note.Message = unstatedMessage(labels); first != p.silent[0] {
		phase := &p.phases[first]
		note.Pos, note.Line, note.Width = phase.Pos, "", 0
	}
}
