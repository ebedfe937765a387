package plan

import (
	"container/heap"
	"slices"
	"sort"
	"strings"

	"autobuild/internal/text"
)

// overlap is a pair of phases that name the same files although neither waits for the other.
type overlap struct {
	first, second int
	files         []string
}

// overlaps lists the pairs by place. Of more than two phases that name one file it lists neighbours
// only: when each comes after the one before, all of them are in order.
func overlaps(p *Plan) []overlap {
	users := map[string][]int{}
	var files []string
	for i := range p.phases {
		for _, file := range merged(p.phases[i].Files.All(), nil) {
			if len(users[file]) == 0 {
				files = append(files, file)
			}
			users[file] = append(users[file], i)
		}
	}
	sorted := steady(p.needs, p.dependents)
	rank := make([]int, len(sorted))
	for at, i := range sorted {
		rank[i] = at
	}
	var pairs [][2]int
	var shared []string // the file of each pair
	for _, file := range files {
		list := users[file]
		if len(list) < 2 {
			continue
		}
		slices.SortFunc(list, func(a, b int) int { return rank[a] - rank[b] })
		for k := 1; k < len(list); k++ {
			pairs, shared = append(pairs, [2]int{list[k-1], list[k]}), append(shared, file)
		}
	}
	at := map[[2]int]int{}
	var found []overlap
	for k, ordered := range connected(pairs, p.dependents, sorted) {
		if ordered {
			continue
		}
		n, seen := at[pairs[k]]
		if !seen {
			n = len(found)
			at[pairs[k]] = n
			found = append(found, overlap{first: pairs[k][0], second: pairs[k][1]})
		}
		found[n].files = append(found[n].files, shared[k])
	}
	slices.SortStableFunc(found, func(a, b overlap) int {
		if a.second != b.second {
			return rank[a.second] - rank[b.second]
		}
		return rank[a.first] - rank[b.first]
	})
	return found
}

// steady sorts topologically and keeps document order where it can.
func steady(needs, dependents [][]int) []int {
	open := make([]int, len(needs))
	ready := &positions{}
	for i, n := range needs {
		if open[i] = len(n); open[i] == 0 {
			heap.Push(ready, i)
		}
	}
	sorted := make([]int, 0, len(needs))
	for ready.Len() > 0 {
		i := heap.Pop(ready).(int) //nolint:errcheck,forcetypeassert // positions hold nothing else
		sorted = append(sorted, i)
		for _, d := range dependents[i] {
			if open[d]--; open[d] == 0 {
				heap.Push(ready, d)
			}
		}
	}
	return sorted
}

// positions is a heap, the smallest first.
type positions struct{ sort.IntSlice }

// Push and Pop are for package heap.
func (h *positions) Push(x any) { h.IntSlice = append(h.IntSlice, x.(int)) } //nolint:errcheck,forcetypeassert // see steady

// Pop takes off the last.
func (h *positions) Pop() any {
	last := len(h.IntSlice) - 1
	x := h.IntSlice[last]
	h.IntSlice = h.IntSlice[:last]
	return x
}

// weight is what a phase counts on the critical path.
func (p *Phase) weight() float64 {
	if p.Estimate.Weight > 0 {
		return p.Estimate.Weight
	}
	return 1
}

// merged joins two lists without duplicates.
func merged(a, b []string) []string {
	seen := make(map[string]bool, len(a)+len(b))
	var all []string
	for _, s := range slices.Concat(a, b) {
		if !seen[s] {
			seen[s] = true
			all = append(all, s)
		}
	}
	return all
}

// phases is "phase 1", "phases 1 and 2", and of many only the first.
func phases(labels []string) string {
	const most = 8
	if len(labels) == 1 {
		return "phase " + labels[0]
	}
	if len(labels) > most {
		return "phases " + text.JoinSome(labels, most)
	}
	return "phases " + strings.Join(labels[:len(labels)-1], ", ") + " and " + labels[len(labels)-1]
}

// verb agrees with a subject.
func verb(one, many string, labels []string) string {
	if len(labels) == 1 {
		return one
	}
	return many
}
