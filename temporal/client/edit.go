package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"autobuild/orchestrator"
	"autobuild/orchestrator/local"
	"autobuild/orchestrator/session"
	"autobuild/state"

	"autobuild/temporal/dataplane"
	"autobuild/temporal/wire"
)

// edit sends a plan that the user has saved: its text in a spec, its graph as an update of the
// workflow. The answer comes once the edit has been mirrored.
func (f *follower) edit(
	ctx context.Context, run *state.Run, e local.Edit, answer func(string, error),
) {
	c, err := f.edited(ctx, run, e)
	if err != nil {
		answer("", err)
		return
	}
	f.send(ctx, orchestrator.Request{Command: c.Command, Answer: answer}, c)
}

// edited pushes the spec of an edited plan, and returns the command that makes the run go by it.
// The error is a *orchestrator.CommandError where the user can mend it.
func (f *follower) edited(
	ctx context.Context, run *state.Run, e local.Edit,
) (c wire.Command, err error) {
	if e.Plan == nil {
		return c, &orchestrator.CommandError{Why: e.Why}
	}
	parts, err := e.Settle(run)
	if err != nil {
		return c, &orchestrator.CommandError{Why: err.Error()}
	}
	stored := f.standing(run, parts.Options, e)
	spec, err := f.spec(ctx, stored, e.Text)
	if err != nil {
		return c, err
	}
	ref, err := spec.Write(ctx, f.git)
	if err != nil {
		return c, err
	}
	edit := &wire.Edit{
		Phases:  f.thin(e.Plan, stored, parts.Options),
		Options: wire.ThinOptions(parts.Options, parts.Options.Policy.Attempts()),
		Whole:   wire.Whole(e.Plan),
	}
	edit.Options.Jobs = min(orDefault(parts.Options.Jobs), wire.MaxJobs)
	for i := range edit.Phases {
		edit.Phases[i].Standing = wire.Standing{} // the workflow knows better
	}
	c = wire.Command{
		Command: orchestrator.Command{Kind: orchestrator.ReloadPlan}, Ref: ref, Edit: edit,
	}
	if raw, failed := json.Marshal(c); failed != nil || len(raw) > maxInput {
		return c, &orchestrator.CommandError{
			Why: fmt.Sprintf("the edited plan has %d phases, too many for one payload of Temporal",
				e.Plan.Len()),
			Next: "stop the run, and go on with --resume --only",
		}
	}
	return c, f.remote.Push(ctx, f.git, nil,
		"+"+ref+":"+dataplane.CommandRef(run.Config.RunID, ref))
}

// standing is the run with the phases of an edited plan alone, in its order: new ones are pending.
// Workers take from it what does not travel.
func (f *follower) standing(
	run *state.Run, o orchestrator.Options, e local.Edit,
) *state.Run {
	stored := *run
	stored.Phases = make([]state.Phase, e.Plan.Len())
	for i, seed := range orchestrator.Seeds(e.Plan, o.Policy.Attempts()) {
		p := state.Phase{
			ID: seed.ID, Status: state.Pending, MaxAttempts: seed.MaxAttempts,
			Created: f.now(), Updated: f.now(),
		}
		if old, ok := run.Find(seed.ID); ok {
			p = *old
		}
		p.Label, p.Name, p.DependsOn = seed.Label, seed.Name, seed.DependsOn
		stored.Phases[i] = p
	}
	stored.Index()
	return &stored
}

// noticeEdit records why the run does not go by a plan that was saved.
func (f *follower) noticeEdit(_ string, err error) {
	refused, ok := errors.AsType[*orchestrator.CommandError](err)
	if ending := ok && refused.Why == errEnding.Why; err != nil && !ending {
		f.emit(state.Event{
			Type: state.Notice,
			Text: "the plan was edited, and the run goes on as it was: " + err.Error(),
		})
	}
}

// compare sends what was saved in the plan while no process followed the run here.
func (f *follower) compare(ctx context.Context, run *state.Run) {
	if f.current == "" {
		return // an earlier version
	}
	var was local.Edit
	goes, err := f.specOf(ctx, f.current)
	if err == nil {
		was, err = f.Edit(goes.Text)
	}
	if err != nil {
		f.noticeEdit("", err)
		return
	}
	saved := f.Local.Reload()
	if saved.Plan == nil || !orchestrator.SamePlan(was.Plan, saved.Plan) {
		if !f.PlanProtected {
			saved = local.Edit{Why: session.Doubt}
		}
		f.edit(f.asking, run, saved, f.noticeEdit)
	}
}

// specOf reads a spec, here or from the remote.
func (f *follower) specOf(ctx context.Context, commit string) (dataplane.Spec, error) {
	if err := f.remote.Fetch(ctx, commit); err != nil {
		return dataplane.Spec{}, err
	}
	return dataplane.ReadSpec(ctx, f.git, commit)
}

// takeEdit mirrors that the run goes by another plan: the same decision, about the whole plans.
func (f *follower) takeEdit(ctx context.Context, run *state.Run, e wire.Event) error {
	spec, err := f.specOf(ctx, e.Command)
	if err != nil {
		return err
	}
	edit, err := f.Edit(spec.Text)
	if err != nil {
		return err
	}
	parts, err := edit.Settle(run)
	if err != nil {
		return err
	}
	p, o, err := wire.WholeEdit(&e.Event, f.Local.Plan, run, f.Local.Options, edit.Plan,
		parts.Options)
	if err != nil {
		return err
	}
	f.Local.Plan, f.Local.Options = p, o
	e.Seq = 0
	if !f.emit(e.Event) {
		return errNotSaved
	}
	if parts.Take != nil {
		parts.Take()
	}
	return nil
}
