package orchestrator

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"autobuild/internal/text"
	"autobuild/plan"
	"autobuild/state"
)

// EditedRun is the plan of a run after an edit, and what follows from it.
type EditedRun struct {
	// Plan is the edited plan, with the phases at its end that it does not have any more and that
	// are in work or complete.
	Plan    *plan.Plan
	Options Options       // for the phases of Plan
	Events  []state.Event // resets, then plan.edited where the plan is another one
}

// EditRun decides what an edited plan means for a run that goes on. It is pure. The options are
// those for the phases of the edited plan; they take over which phases are held. New phases are
// pending. Removed ones leave unless they are in work or complete. Phases that failed begin again
// if their text has changed, and so do those which nothing blocks any more. Phases in work or
// complete keep to the text with which they began. An engine asks again when an attempt has ended:
// what stayed or failed may leave or begin again then.
func EditRun(
	was *plan.Plan, run *state.Run, old Options, edited *plan.Plan, options Options,
) (EditedRun, error) {
	r := EditedRun{Plan: edited, Options: options}
	edit := difference(was, run, edited)
	stay := remaining(was, run, edited)
	if edit.IsZero() && edited.Len()+len(stay) == was.Len() {
		return EditedRun{Plan: was, Options: old, Events: freed(run, was, edited)}, nil
	}
	if len(stay) > 0 {
		var err error
		if r.Plan, err = edited.With(stay); err != nil {
			return EditedRun{}, err
		}
		r.Options = options.extended(was, old, stay)
	}
	r.Options.Held = held(was, old, r.Plan)
	r.Options.GoOn = old.GoOn
	r.Events = freed(run, r.Plan, edited)
	seeds := Seeds(r.Plan, 0)
	for i := range seeds {
		s := &seeds[i]
		s.MaxAttempts = r.Options.policy(s.ID).Attempts()
		_, in := edited.Index(s.ID)
		s.Removed = !in
		if p, ok := run.Find(s.ID); ok && in && kept(p) && p.Fingerprint != "" {
			s.Changed = r.Plan.At(i).Fingerprint != p.Fingerprint
		}
	}
	bounded := edit.Bounded()
	r.Events = append(r.Events, state.Event{
		Type: state.PlanEdited, Phases: seeds, Edit: &bounded, Text: editText(bounded),
		User: true,
	})
	return r, nil
}

// kept reports whether a phase stays in the run although the plan does not have it any more.
func kept(p *state.Phase) bool {
	return p.Status == state.Running || p.Status == state.Complete
}

// remaining are the phases of a run that an edited plan does not have and that stay.
func remaining(was *plan.Plan, run *state.Run, edited *plan.Plan) []plan.Phase {
	var stay []plan.Phase
	for i, phase := range was.Phases() {
		if _, in := edited.Index(phase.ID); !in && kept(&run.Phases[i]) {
			stay = append(stay, phase)
		}
	}
	return stay
}

// difference says what an edit has changed of the plan by which the run goes. A phase that has left
// the plan before, and stays, is no difference.
func difference(was *plan.Plan, run *state.Run, edited *plan.Plan) state.PlanEdit {
	e := state.PlanEdit{
		Hash: edited.Hash, Meaning: Fingerprint(edited), Title: edited.Title,
		Counts: state.Counts{Phases: edited.Len(), Batches: len(edited.Batches())},
		Whole:  !sameWhole(was, edited),
	}
	last := -1
	for _, phase := range edited.Phases() {
		e.Counts.Tasks += len(phase.Tasks)
		i, known := was.Index(phase.ID)
		if !known {
			e.Added = append(e.Added, phase.Label)
			continue
		}
		e.Whole, last = e.Whole || i < last, i
		old, p := was.At(i), &run.Phases[i]
		if p.Removed {
			e.Added = append(e.Added, phase.Label) // it is back
		}
		if !sameWork(old, phase) {
			e.Changed = append(e.Changed, phase.Label)
			if kept(p) && p.Fingerprint != phase.Fingerprint {
				e.Look = append(e.Look, phase.Label)
			}
		}
		if !p.Removed && !slices.Equal(old.DependsOn, phase.DependsOn) {
			e.Edges = append(e.Edges, phase.Label)
		}
	}
	for i, phase := range was.Phases() {
		p := &run.Phases[i]
		if _, in := edited.Index(phase.ID); in || p.Removed && kept(p) {
			continue
		}
		e.Removed = append(e.Removed, phase.Label)
		if kept(p) {
			e.Kept = append(e.Kept, phase.Label)
		}
	}
	return e
}

// SamePlan reports whether two texts of a plan ask for the same. Ticks are no difference.
func SamePlan(a, b *plan.Plan) bool { return a == b || Fingerprint(a) == Fingerprint(b) }

// Fingerprint is a hash, in hex, of what a plan asks for. Two texts of a plan that ask for the same
// have the same.
func Fingerprint(p *plan.Plan) string {
	h := sha256.New()
	say := func(parts ...string) { h.Write(fmt.Appendf(nil, "%q\n", parts)) }
	gates := func(all []plan.Gate) {
		for _, g := range all {
			say("gate", g.Name, g.Command)
		}
	}
	say("plan", p.Title)
	gates(p.Final)
	for _, c := range p.Constraints {
		say("constraint", c.Text)
	}
	for _, phase := range p.Phases() {
		say("phase", phase.ID, phase.Fingerprint, phase.Label, phase.Name)
		gates(phase.Gates)
		say(phase.Setup...)
		for _, s := range phase.Settings {
			say("setting", s.Name, s.Value)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// sameWhole compares what a plan states for all of its phases.
func sameWhole(a, b *plan.Plan) bool {
	return a.Title == b.Title && sameGates(a.Final, b.Final) &&
		slices.EqualFunc(a.Constraints, b.Constraints,
			func(a, b plan.Constraint) bool { return a.Text == b.Text })
}

// sameWork reports whether two texts of a phase ask for the same work in the same way.
func sameWork(a, b plan.Phase) bool {
	return a.Fingerprint == b.Fingerprint && a.Label == b.Label && a.Name == b.Name &&
		sameGates(a.Gates, b.Gates) && slices.Equal(a.Setup, b.Setup) &&
		slices.EqualFunc(a.Settings, b.Settings,
			func(a, b plan.Setting) bool { return a.Name == b.Name && a.Value == b.Value })
}

func sameGates(a, b []plan.Gate) bool {
	return slices.EqualFunc(a, b,
		func(a, b plan.Gate) bool { return a.Name == b.Name && a.Command == b.Command })
}

// extended are options of an edited plan, with those that the phases that stay had before.
func (o Options) extended(was *plan.Plan, old Options, stay []plan.Phase) Options {
	o.Selected, o.Agents = slices.Clone(o.Selected), slices.Clone(o.Agents)
	for _, phase := range stay {
		i, _ := was.Index(phase.ID)
		if o.Selected != nil {
			o.Selected = append(o.Selected, true)
		}
		if o.Agents == nil {
			continue
		}
		var agents []Agent
		if old.Agents != nil {
			agents = old.Agents[i]
		}
		o.Agents = append(o.Agents, agents)
	}
	return o
}

// held are the positions in now of the phases that are held and whose text is the same; nil: none.
func held(was *plan.Plan, old Options, now *plan.Plan) []bool {
	var all []bool
	for i := range old.Held {
		j, in := now.Index(was.At(i).ID)
		if !old.Held[i] || !in || was.At(i).Fingerprint != now.At(j).Fingerprint {
			continue
		}
		if all == nil {
			all = make([]bool, now.Len())
		}
		all[j] = true
	}
	return all
}

// freed resets the phases that an edit lets begin again: those that failed with another text, and
// those whose blocker is gone, begins again, or is not needed any more.
func freed(run *state.Run, now, edited *plan.Plan) []state.Event {
	var events []state.Event
	again := make(map[string]bool)
	for i := range run.Phases {
		p := &run.Phases[i]
		j, in := edited.Index(p.ID)
		if in && p.Status == state.Failed && p.Fingerprint != edited.At(j).Fingerprint {
			again[p.ID] = true
			events = append(events, reset(p, "its text in the plan was edited"))
		}
	}
	for i := range run.Phases {
		p := &run.Phases[i]
		j, in := now.Index(p.ID)
		if p.Status != state.Blocked || !in {
			continue
		}
		root, there := now.Index(p.BlockedBy)
		switch {
		case again[p.BlockedBy]:
			events = append(events, reset(p, "what blocked it begins again"))
		case !there || !slices.Contains(now.Ancestors(j), root):
			events = append(events, reset(p, "the plan was edited: what blocked it does not any more"))
		}
	}
	return events
}

// editText says what an edit changes: "new: 4; removed: 2; changed: 3".
func editText(e state.PlanEdit) string {
	var parts []string
	say := func(what string, labels []string) {
		if len(labels) > 0 {
			parts = append(parts, what+" "+text.JoinSome(labels, 5))
		}
	}
	say("new:", e.Added)
	say("removed:", e.Removed)
	say("changed:", e.Changed)
	say("other dependencies:", e.Edges)
	if e.Whole {
		parts = append(parts, "order, title, constraints or final gates changed")
	}
	say("begun with the text before, look at:", e.Look)
	say("begun before it was removed, work stays:", e.Kept)
	return strings.Join(parts, "; ")
}
