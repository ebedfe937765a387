package session

import (
	"maps"
	"slices"
	"strings"

	"autobuild/plan"
	"autobuild/state"
)

// markedDone is why a phase is not run that the plan marks as done and of which no run knows
// anything.
const markedDone = "the plan marks it as done; --redo runs it"

// marks are the phases, by id, that are left out because the plan marks them as done. A new run
// takes the plan's word for all phases; one that goes on, for those which it has left out before,
// since it marks its own phases itself. A phase that --only names is run, and --redo and --fresh
// run all of them.
func (s *session) marks(stored *state.Run) map[string]string {
	done := make(map[string]string)
	for _, p := range s.plan.Phases() {
		if p.Status != plan.StatusDone || s.o.Redo || s.o.Fresh || s.asksFor(p) {
			continue
		}
		if stored != nil {
			old, known := stored.Find(p.ID)
			if !known || old.Status != state.Skipped || !strings.HasPrefix(old.Reason, markedDone) {
				continue
			}
		}
		done[p.ID] = markedDone
	}
	return done
}

// asksFor reports whether --only names a phase.
func (s *session) asksFor(p plan.Phase) bool {
	return slices.ContainsFunc(s.o.Only, func(label string) bool {
		named, ok := s.plan.Find(label)
		return ok && named.ID == p.ID
	})
}

// leaveMarked adds the phases that the plan marks as done to those that are left out.
func (s *session) leaveMarked() {
	if len(s.marked) == 0 {
		return
	}
	s.begin.Skip = maps.Clone(s.begin.Skip)
	if s.begin.Skip == nil {
		s.begin.Skip = make(map[string]string)
	}
	for i, p := range s.plan.Phases() {
		why, marked := s.marked[p.ID]
		if _, told := s.begin.Skip[p.ID]; !marked || told {
			continue
		}
		s.begin.Skip[p.ID] = why
		if s.selected != nil {
			s.selected[i] = false
		}
	}
}

// noteMarked says which phases a fresh start runs although the plan marks them as done.
func (s *session) noteMarked() {
	var labels []string
	for _, p := range s.plan.Phases() {
		if p.Status == plan.StatusDone && !s.asksFor(p) {
			labels = append(labels, p.Label)
		}
	}
	if len(labels) > 0 && s.o.Fresh && !s.o.Redo {
		s.Note("the plan marks %s as done; --fresh runs all phases", strings.Join(labels[:min(len(labels), 20)], ", "))
	}
}
