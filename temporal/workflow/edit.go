package workflow

import (
	"slices"

	"autobuild/orchestrator"
	"autobuild/plan"
	"autobuild/state"
	"go.temporal.io/sdk/workflow"

	"autobuild/temporal/wire"
)

// edited is the plan that a user has saved last, and the options for its phases.
type edited struct {
	plan    *plan.Plan
	options orchestrator.Options
	phases  []wire.Phase
	spec    string
}

// edit makes the run go by an edited plan, as package local does, and says what that changes.
func (d *driver) edit(c wire.Command) (answer string, err error) {
	p, err := c.Edit.Graph()
	if err != nil {
		return "", &orchestrator.CommandError{Why: err.Error()}
	}
	was := d.edited
	d.edited = &edited{p, d.optionsOf(c.Edit.Options, c.Edit.Phases), c.Edit.Phases, c.Ref}
	answer, err = d.applyEdit()
	if err != nil {
		d.edited = was
		return "", err
	}
	d.in.Spec = c.Ref // of the attempts that start from now on
	return answer, nil
}

// applyEdit makes the run go by the plan that was edited last. It is called again when an attempt
// has ended: a phase that stayed because it was in work may leave then, and one that failed with
// its old text begins again.
func (d *driver) applyEdit() (answer string, err error) {
	if d.edited == nil {
		return "", nil
	}
	r, err := orchestrator.EditRun(d.plan, d.run, d.options, d.edited.plan, d.edited.options)
	if err != nil {
		return "", &orchestrator.CommandError{Why: err.Error()}
	}
	answer = "the plan says what it said before"
	for _, e := range r.Events {
		if e.Type != state.PlanEdited {
			d.emit(wire.Event{Event: e})
			continue
		}
		answer = e.Text
		d.goBy(r)
		d.emit(wire.Event{Event: e, Command: d.edited.spec})
	}
	return answer, nil
}

// goBy takes over the plan and the options of an edit.
func (d *driver) goBy(r orchestrator.EditedRun) {
	phases := slices.Clone(d.edited.phases)
	for _, p := range r.Plan.Phases()[len(phases):] {
		i, _ := d.plan.Index(p.ID)
		stays := d.in.Phases[i]
		stays.Needs = nil // the plan may not have them any more
		phases = append(phases, stays)
	}
	d.plan, d.options, d.in.Phases, d.in.Whole = r.Plan, r.Options, phases, r.Plan.Title
	o := &d.in.Options
	o.Selected, o.Held, o.Agents, o.Tiers = r.Options.Selected, r.Options.Held, r.Options.Agents,
		r.Options.Tiers
}

// applyEditAgain calls applyEdit where the run has changed since.
func (d *driver) applyEditAgain() {
	if !d.takesCommands() {
		return
	}
	if _, err := d.applyEdit(); err != nil {
		workflow.GetLogger(d.ctx).Warn("the edited plan is not applied again", "error", err)
	}
}
