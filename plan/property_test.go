package plan_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"autobuild/plan"
)

// TestGraphLaws checks the laws of a Plan over random graphs: New accepts exactly those without a
// cycle, and what it derives from the edges agrees with them.
func TestGraphLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		edges := make([][]int, n)
		for i := range n {
			edges[i] = rapid.SliceOfNDistinct(rapid.IntRange(0, n-1), 0, min(3, n), rapid.ID[int]).Draw(t, "needs")
			slices.Sort(edges[i])
		}
		d := plan.Draft{}
		for i, needs := range edges {
			p := plan.DraftPhase{}
			p.Label = fmt.Sprintf("P%d", i)
			p.Estimate.Weight = float64(rapid.IntRange(0, 5).Draw(t, "weight"))
			p.Needs = []plan.Ref{{Text: "none"}}
			for _, k := range needs {
				p.Needs = append(p.Needs, plan.Ref{Text: fmt.Sprintf("P%d", k)})
			}
			d.Phases = append(d.Phases, p)
		}
		p, err := plan.New(d)
		if cycle := cyclic(edges); cycle != (err != nil) {
			t.Fatalf("cyclic %v, but error %v", cycle, err)
		}
		if err != nil {
			lawfulCycle(t, err, edges)
			return
		}
		lawfulPlan(t, p, edges)
	})
}

// cyclic removes phases that need nothing until none is left, or no such phase is.
func cyclic(edges [][]int) bool {
	gone := map[int]bool{}
	for range edges {
		for i, needs := range edges {
			if !gone[i] && !slices.ContainsFunc(needs, func(k int) bool { return !gone[k] }) {
				gone[i] = true
			}
		}
	}
	return len(gone) < len(edges)
}

func lawfulCycle(t *rapid.T, err error, edges [][]int) {
	cycle, ok := errors.AsType[*plan.CycleError](err)
	if !ok || len(cycle.Path) < 2 || cycle.Path[0] != cycle.Path[len(cycle.Path)-1] {
		t.Fatalf("no closed path: %v", err)
	}
	for k := 1; k < len(cycle.Path); k++ {
		var from, to int
		if _, err := fmt.Sscanf(cycle.Path[k-1]+" "+cycle.Path[k], "P%d P%d", &from, &to); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(edges[from], to) {
			t.Fatalf("%v: %d does not need %d", cycle.Path, from, to)
		}
	}
}

func lawfulPlan(t *rapid.T, p *plan.Plan, edges [][]int) {
	for i := range edges {
		if !slices.Equal(p.Needs(i), edges[i]) {
			t.Fatalf("needs of %d: %v, want %v", i, p.Needs(i), edges[i])
		}
		level, rest := 0, 0.0
		for _, k := range p.Needs(i) {
			level = max(level, p.Level(k)+1)
			if !slices.Contains(p.Dependents(k), i) || !slices.Contains(p.Descendants(k), i) || !slices.Contains(p.Ancestors(i), k) {
				t.Fatalf("%d needs %d, which does not know", i, k)
			}
			for _, above := range p.Ancestors(k) {
				if !slices.Contains(p.Ancestors(i), above) {
					t.Fatalf("ancestors of %d lack %d", i, above)
				}
			}
		}
		for _, k := range p.Dependents(i) {
			rest = max(rest, p.Rest(k))
		}
		weight := p.At(i).Estimate.Weight
		if weight == 0 {
			weight = 1
		}
		if p.Level(i) != level || p.Rest(i) != rest+weight {
			t.Fatalf("level %d, want %d; rest %v, want %v", p.Level(i), level, p.Rest(i), rest+weight)
		}
	}
	path := p.CriticalPath()
	for k := 1; k < len(path); k++ {
		if !slices.Contains(path[k].DependsOn, path[k-1].ID) {
			t.Fatalf("the critical path has a gap: %v", plan.Labels(path))
		}
	}
	count := 0
	for _, batch := range p.Batches() {
		count += len(batch)
	}
	if count != len(edges) {
		t.Fatalf("%d phases in batches, want %d", count, len(edges))
	}
}
