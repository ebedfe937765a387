package cmd

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"autobuild/failure"
	"autobuild/orchestrator/attempt"
	"autobuild/orchestrator/verify"
	"autobuild/orchestrator/worktree"
	"autobuild/plan"
	"autobuild/state"
)

// What becomes of what guards find.
const (
	guardOff    = "off"    // nothing is looked for
	guardWarn   = "warn"   // it is told; secrets refuse the work, because a commit cannot be taken back
	guardStrict = "strict" // it refuses the work
)

// guards hold the work of phases against what must not land.
type guards struct {
	plan    *plan.Plan
	edits   func(ctx context.Context, t attempt.Tree, phase string) ([]worktree.Edit, error)
	strict  bool
	secrets []string

	began map[string]int // gate → how many tests ran before any phase

	mu    sync.Mutex
	tests map[string]map[string]int // phase → gate → how many tests ran on work that was not refused
}

// guards are nil where nothing is to be looked for.
func (s *session) guards() attempt.Guard {
	if s.o.guard.value == guardOff {
		return nil
	}
	values := slices.DeleteFunc(secrets(s.environ), func(v string) bool {
		return strings.HasPrefix(v, "/") || strings.HasPrefix(v, "~") || strings.HasPrefix(v, ".") // where a secret lies is none
	})
	g := &guards{
		plan: s.plan, edits: s.space.edits, strict: s.o.guard.value == guardStrict, secrets: values, began: s.began, tests: map[string]map[string]int{},
	}
	for i := range s.run.Phases { // what earlier sessions saw
		if p := &s.run.Phases[i]; p.Status == state.Complete && len(p.Attempts) > 0 {
			g.tests[p.ID] = counts(p.Attempts[len(p.Attempts)-1].Gates)
		}
	}
	return g
}

// counts are how many tests each gate ran, where it tells.
func counts(ran []state.Gate) map[string]int {
	counts := map[string]int{}
	for _, gate := range ran {
		if gate.Count > 0 {
			counts[gate.Name] = gate.Count
		}
	}
	return counts
}

// Look is verify.Guard on what would land.
func (g *guards) Look(ctx context.Context, t attempt.Tree, work attempt.Work) ([]attempt.Objection, error) {
	edits, err := g.edits(ctx, t, work.Phase.ID)
	if err != nil {
		return nil, err
	}
	look := verify.Look{
		Message: work.Message, Gates: work.Gates, Ran: work.Ran.Gates, Before: g.before(work.Phase.ID),
		Declared: work.Phase.Files.All(), Deleted: work.Phase.Files.Delete, Text: work.Phase.Text, Secrets: g.secrets,
	}
	for _, e := range edits {
		look.Changes = append(look.Changes, verify.Change{
			Path: e.Path, OldMode: e.OldMode, NewMode: e.NewMode, Old: string(e.Old), New: string(e.New), Size: e.Size, Unread: e.Unread,
		})
	}
	var found []attempt.Objection
	refused := false
	for _, f := range verify.Guard(look) {
		o := attempt.Objection{
			Place:   failure.Place{File: f.File, Line: f.Line, Rule: f.Rule, Message: f.Text},
			Refuses: f.Weight == verify.Grave || g.strict && f.Weight == verify.Objection,
		}
		refused = refused || o.Refuses
		found = append(found, o)
	}
	if !refused {
		g.remember(work)
	}
	return found, nil
}

// remember keeps how many tests each gate ran, for the phases that build on this one.
func (g *guards) remember(work attempt.Work) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tests[work.Phase.ID] = counts(work.Ran.Gates)
}

// before is how many tests each gate ran at the least on what a phase began from: what the baseline and any phase before it ran. Phases
// beside it say nothing about it.
func (g *guards) before(phase string) map[string]int {
	g.mu.Lock()
	defer g.mu.Unlock()
	most := maps.Clone(g.began)
	if most == nil {
		most = map[string]int{}
	}
	seen := map[string]bool{}
	var visit func(id string)
	visit = func(id string) {
		i, ok := g.plan.Index(id)
		if !ok || seen[id] {
			return
		}
		seen[id] = true
		for _, needed := range g.plan.At(i).DependsOn {
			for gate, n := range g.tests[needed] {
				most[gate] = max(most[gate], n)
			}
			visit(needed)
		}
	}
	visit(phase)
	return most
}

func (l *lineSpace) edits(ctx context.Context, t attempt.Tree, phase string) ([]worktree.Edit, error) {
	edits, err := l.line.Edits(ctx, toTree(phase, t))
	return edits, l.own(err)
}

func (d *sharedSpace) edits(ctx context.Context, t attempt.Tree, phase string) ([]worktree.Edit, error) {
	edits, err := d.files.Edits(ctx, toTree(phase, t))
	return edits, d.own(err)
}

var _ attempt.Guard = (*guards)(nil)
