package plan

import (
	"fmt"
	"slices"
)

// Descendants lists the positions of all phases that need phase i, directly or not, ascending.
func (p *Plan) Descendants(i int) []int { return reach(p.dependents, i) }

// Ancestors lists the positions of all phases that phase i needs, directly or not, ascending.
func (p *Plan) Ancestors(i int) []int { return reach(p.needs, i) }

// reach lists what can be reached from start, without start, ascending.
func reach(edges [][]int, start int) []int {
	seen := make([]bool, len(edges))
	seen[start] = true
	queue := []int{start}
	for at := 0; at < len(queue); at++ {
		for _, next := range edges[queue[at]] {
			if !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
	found := queue[1:]
	slices.Sort(found)
	return found
}

// invert reverses every edge. The results are ascending because the sources are visited in order.
func invert(edges [][]int) [][]int {
	inverse := make([][]int, len(edges))
	for from, targets := range edges {
		for _, to := range targets {
			inverse[to] = append(inverse[to], from)
		}
	}
	return inverse
}

// order sorts the phases topologically, needs first. It is shorter than needs when there is a
// cycle.
func order(needs, dependents [][]int) []int {
	open := make([]int, len(needs))
	var sorted []int
	for i, n := range needs {
		open[i] = len(n)
		if open[i] == 0 {
			sorted = append(sorted, i)
		}
	}
	for at := 0; at < len(sorted); at++ {
		for _, d := range dependents[sorted[at]] {
			open[d]--
			if open[d] == 0 {
				sorted = append(sorted, d)
			}
		}
	}
	return sorted
}

// components numbers the strongly connected components of a graph. Two phases are on a common cycle
// if and only if they have the same number.
func components(edges [][]int) []int {
	n := len(edges)
	t := tarjan{edges: edges, low: make([]int, n), index: make([]int, n), component: make([]int, n)}
	for i := range n {
		t.index[i], t.component[i] = -1, -1
	}
	for root := range n {
		if t.index[root] < 0 {
			t.visit(root)
		}
	}
	return t.component
}

// tarjan is Tarjan's algorithm with a stack of its own, because a chain of phases may be longer
// than a goroutine's stack should grow.
type tarjan struct {
	edges                 [][]int
	low, index, component []int
	open                  []int // visited, and not yet in a component
	calls                 []call
	visited, found        int
}

// call is an unfinished visit; edge is the next edge to follow.
type call struct{ node, edge int }

func (t *tarjan) visit(root int) {
	t.enter(root)
	for len(t.calls) > 0 {
		top := &t.calls[len(t.calls)-1]
		v := top.node
		if top.edge == len(t.edges[v]) {
			t.leave(v)
			continue
		}
		w := t.edges[v][top.edge]
		top.edge++
		switch {
		case t.index[w] < 0:
			t.enter(w)
		case t.component[w] < 0:
			t.low[v] = min(t.low[v], t.index[w])
		}
	}
}

func (t *tarjan) enter(v int) {
	t.index[v], t.low[v] = t.visited, t.visited
	t.visited++
	t.open = append(t.open, v)
	t.calls = append(t.calls, call{node: v})
}

func (t *tarjan) leave(v int) {
	t.calls = t.calls[:len(t.calls)-1]
	if len(t.calls) > 0 {
		parent := t.calls[len(t.calls)-1].node
		t.low[parent] = min(t.low[parent], t.low[v])
	}
	if t.low[v] != t.index[v] {
		return
	}
	for w := -1; w != v; {
		w = t.open[len(t.open)-1]
		t.open = t.open[:len(t.open)-1]
		t.component[w] = t.found
	}
	t.found++
}

// cycles gives one shortest cycle through the first phase of every strongly connected component, as
// positions that start and end with that phase.
func cycles(needs [][]int) [][]int {
	component := components(needs)
	size := make([]int, len(needs))
	for _, c := range component {
		size[c]++
	}
	var all [][]int
	reported := make([]bool, len(needs))
	for i := range needs {
		c := component[i]
		if reported[c] || (size[c] == 1 && !slices.Contains(needs[i], i)) {
			continue
		}
		reported[c] = true
		all = append(all, loop(needs, component, i))
	}
	return all
}

// loop finds a shortest way from start back to start that stays within its component.
func loop(needs [][]int, component []int, start int) []int {
	from := map[int]int{}
	queue := []int{start}
	for at := 0; at < len(queue); at++ {
		v := queue[at]
		for _, w := range needs[v] {
			if w == start {
				path := []int{start}
				for u := v; u != start; u = from[u] {
					path = append(path, u)
				}
				path = append(path, start)
				slices.Reverse(path)
				return path
			}
			if _, seen := from[w]; !seen && component[w] == component[start] {
				from[w] = v
				queue = append(queue, w)
			}
		}
	}
	return nil
}

// connected reports for every pair of positions whether the second is reachable from the first. One
// pass over the sorted graph handles 64 different starts, so many pairs cost little more than few.
func connected(pairs [][2]int, dependents [][]int, sorted []int) []bool {
	answer := make([]bool, len(pairs))
	byStart := map[int][]int{}
	var starts []int
	for k, pair := range pairs {
		if len(byStart[pair[0]]) == 0 {
			starts = append(starts, pair[0])
		}
		byStart[pair[0]] = append(byStart[pair[0]], k)
	}
	for batch := range slices.Chunk(starts, 64) {
		mask := make([]uint64, len(dependents))
		for bit, start := range batch {
			mask[start] |= 1 << bit
		}
		for _, v := range sorted {
			if mask[v] == 0 {
				continue
			}
			for _, d := range dependents[v] {
				mask[d] |= mask[v]
			}
		}
		for bit, start := range batch {
			for _, k := range byStart[start] {
				answer[k] = mask[pairs[k][1]]&(1<<bit) != 0
			}
		}
	}
	return answer
}

// levels gives each phase one more than the highest level it needs, from 0.
func levels(needs [][]int, sorted []int) []int {
	level := make([]int, len(needs))
	for _, v := range sorted {
		for _, n := range needs[v] {
			level[v] = max(level[v], level[n]+1)
		}
	}
	return level
}

// batches lists the positions of each level.
func batches(level []int) [][]int {
	var all [][]int
	for i, l := range level {
		for len(all) <= l {
			all = append(all, nil)
		}
		all[l] = append(all[l], i)
	}
	return all
}

// rests gives each phase the weight of the heaviest chain that starts with it.
func rests(weight func(int) float64, dependents [][]int, sorted []int) []float64 {
	rest := make([]float64, len(dependents))
	for _, v := range slices.Backward(sorted) {
		for _, d := range dependents[v] {
			rest[v] = max(rest[v], rest[d])
		}
		rest[v] += weight(v)
	}
	return rest
}

// Graph makes a plan of phases whose DependsOn are ids of phases among them, as they are. Nothing
// is resolved, and no fingerprint is made. It returns an error for ids that are double or unknown,
// and a *CycleError.
func Graph(phases []Phase) (*Plan, error) {
	p := &Plan{phases: phases, index: make(map[string]int, len(phases))}
	for i, phase := range phases {
		if _, twice := p.index[phase.ID]; twice {
			return nil, fmt.Errorf("two phases have the id %s", phase.ID)
		}
		p.index[phase.ID] = i
	}
	p.needs = make([][]int, len(phases))
	for i, phase := range phases {
		for _, id := range phase.DependsOn {
			need, ok := p.index[id]
			if !ok {
				return nil, fmt.Errorf("phase %s needs %s, which is none", phase.ID, id)
			}
			p.needs[i] = append(p.needs[i], need)
		}
		p.needs[i] = unique(p.needs[i])
	}
	p.dependents = invert(p.needs)
	sorted := order(p.needs, p.dependents)
	if len(sorted) < len(phases) {
		var path []string
		for _, i := range cycles(p.needs)[0] {
			path = append(path, phases[i].Label)
		}
		return nil, &CycleError{Path: path}
	}
	p.level = levels(p.needs, sorted)
	p.batches = batches(p.level)
	p.rest = rests(func(i int) float64 { return p.phases[i].weight() }, p.dependents, sorted)
	return p, nil
}

// With is the plan with further phases at its end. They need none and none needs them. It returns
// an error for ids that are double.
func (p *Plan) With(more []Phase) (*Plan, error) {
	phases := slices.Clone(p.phases)
	for _, phase := range more {
		phase.DependsOn, phase.SoftDeps, phase.Parallel = nil, nil, nil
		phases = append(phases, phase)
	}
	g, err := Graph(phases)
	if err != nil {
		return nil, err
	}
	q := *p
	q.phases, q.index, q.needs, q.dependents = g.phases, g.index, g.needs, g.dependents
	q.level, q.batches, q.rest = g.level, g.batches, g.rest
	return &q, nil
}
