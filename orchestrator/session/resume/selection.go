package resume

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"autobuild/orchestrator"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/spec"
	"autobuild/plan"
	"autobuild/state"
)

// markedDone is why a phase is not run that the plan marks as done and that no run has completed.
const markedDone = "the plan marks it as done; --only or --fresh runs it"

// Selection is the part of a plan that a session runs.
type Selection struct {
	Phases []bool            // by position; nil: all
	Skip   map[string]string // by id: why a phase is recorded as skipped
	Marked map[string]string // those of Skip that the plan itself marks as done
}

// Marks are the phases, by id, that are left out because the plan marks them as done. A new run
// leaves out all of them; one that is resumed, those which it has left out before, since it marks
// its own phases itself. A phase that --only names runs, and --fresh runs all of them.
// stored is nil for a new run.
func Marks(p *plan.Plan, s spec.RunSpec, stored *state.Run) map[string]string {
	done := make(map[string]string)
	for _, phase := range p.Phases() {
		if phase.Status != plan.StatusDone || s.Resume.Fresh ||
			named(p, s.Part.Only, phase) {
			continue
		}
		if stored != nil {
			old, known := stored.Find(phase.ID)
			if !known || old.Status != state.Skipped || !strings.HasPrefix(old.Reason, markedDone) {
				continue
			}
		}
		done[phase.ID] = markedDone
	}
	return done
}

// RunsMarked are the labels of the phases that a fresh start runs although the plan marks them as
// done.
func RunsMarked(p *plan.Plan, s spec.RunSpec) []string {
	var labels []string
	for _, phase := range p.Phases() {
		if s.Resume.Fresh && phase.Status == plan.StatusDone &&
			!named(p, s.Part.Only, phase) {
			labels = append(labels, phase.Label)
		}
	}
	return labels
}

// named reports whether one of the labels is a phase's.
func named(p *plan.Plan, labels []string, phase plan.Phase) bool {
	return slices.ContainsFunc(labels, func(label string) bool {
		found, ok := p.Find(label)
		return ok && found.ID == phase.ID
	})
}

// Select turns a part into positions. done reports whether a phase is complete already. The error
// is a *call.UsageError.
func Select(
	p *plan.Plan, part spec.Part, marked map[string]string, done func(id string) bool,
) (Selection, error) {
	s := Selection{Marked: marked}
	if !part.Whole() {
		var err error
		s.Phases, s.Skip,
			err = orchestrator.Select(p, part.Of(), func(id string) bool {
			return done(id) || marked[id] != ""
		})
		if wrong, ok := errors.AsType[*orchestrator.PartError](err); ok {
			return s, call.Usage(wrong.What, wrong.Next)
		}
		if err != nil {
			return s, err
		}
	}
	if len(marked) == 0 {
		return s, nil
	}
	if s.Skip = maps.Clone(s.Skip); s.Skip == nil {
		s.Skip = make(map[string]string)
	}
	for i, phase := range p.Phases() {
		why, left := marked[phase.ID]
		if _, already := s.Skip[phase.ID]; !left || already {
			continue
		}
		s.Skip[phase.ID] = why
		if s.Phases != nil {
			s.Phases[i] = false
		}
	}
	return s, nil
}

// Starts reports whether any selected phase is not complete.
func (s Selection) Starts(p *plan.Plan, done func(id string) bool) bool {
	for i, phase := range p.Phases() {
		if (s.Phases == nil || s.Phases[i]) && !done(phase.ID) {
			return true
		}
	}
	return false
}
