// Package resume finds the stored run that a call goes on with, and decides with which phases. A
// Request holds the call and the plan; loading, archiving and deciding are its three steps. It does
// not know how phases run.
package resume

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"autobuild/failure"
	"autobuild/failure/policy"
	"autobuild/internal/text"
	"autobuild/orchestrator"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/calls"
	"autobuild/orchestrator/session/spec"
	"autobuild/orchestrator/session/workspace"
	"autobuild/plan"
	"autobuild/render"
	"autobuild/state"
	"autobuild/state/store"
)

// historyKept is how many runs stay in history.
const historyKept = 10

// Request is a call that may go on with a stored run. Dir is required by every method but Decide.
type Request struct {
	Call    *call.Call
	Project *call.Project
	Plan    *plan.Plan
	Spec    spec.RunSpec
	Dir     *store.Dir
	Over    bool // set by Load: what is stored is the complete run of another plan
}

// Load loads the run that is to go on; nil when a new one starts. An error of another plan's run
// names both ways out.
func (r *Request) Load() (*state.Run, error) {
	c, asked := r.Call, r.Spec.Resume
	if !store.Exists(r.Project.StateDir) {
		if asked.Asked {
			c.Note("nothing to resume here; starting")
		}
		return nil, nil
	}
	if asked.Fresh {
		return nil, nil
	}
	run, notes, err := r.Dir.Load(Seeds(r.Plan))
	if errors.Is(err, store.ErrNoRun) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err = r.samePlan(run); err != nil {
		if r.Over = !asked.Asked && complete(run); r.Over {
			return nil, nil
		}
		return nil, err
	}
	if r.PlanDisputed(run) {
		c.Note("%s is not what the run went by, and an agent that can write it may have changed it: "+
			"look at the file, and put it back if the edit is not yours; until you say that it is, "+
			"the run ends with exit code %d: %s", r.Spec.Plan.Name, call.ExitUnproven, render.Command(
			append(c.Program(), c.Shown(r.Spec.Plan.Path), "--resume=edited")))
	}
	for _, n := range notes {
		c.Note("%s", text.Clean(n.String(), 400))
	}
	if !asked.Asked && !run.Finished() {
		c.Note("resuming the unfinished run %s of %s (--fresh starts again)", run.Config.RunID,
			r.Spec.Plan.Name)
	}
	return run, nil
}

// complete reports whether nothing of a run is left to do.
func complete(run *state.Run) bool {
	return run.End != nil && run.End.Outcome == state.Done && run.Finished()
}

// samePlan refuses the run of another plan. A plan that has moved is the same one.
func (r Request) samePlan(run *state.Run) error {
	have, want := run.Config.Plan, r.Spec.Plan.Name
	if have != want && run.Config.PlanTitle == r.Plan.Title && r.Plan.Title != "" {
		if _, err := os.Stat(r.Project.PlanPath(have)); err != nil {
			r.Call.Note("the plan has moved from %s to %s", have, want)
			return nil
		}
	}
	if call.SamePlan(run.Config, want, r.Plan.Hash) {
		return nil
	}
	return &otherPlanError{
		have: have, want: want, resume: calls.Stored(r.Call, r.Project, run, store.Holder{}).Next(),
		fresh: append(r.Call.Program(), r.Call.Shown(r.Spec.Plan.Path), "--fresh"),
	}
}

// PlanDisputed reports whether the plan asks for something else than what the run went by, a
// program of the run can have written that, and the user has not said that it is theirs.
func (r Request) PlanDisputed(run *state.Run) bool {
	return run.PlanDisputed() && !r.Spec.Resume.Edited &&
		orchestrator.Fingerprint(r.Plan) != run.Config.PlanMeaning
}

// Seeds are the phases of a plan as a run begins with them.
func Seeds(p *plan.Plan) []state.Seed { return orchestrator.Seeds(p, policy.Single{}.Attempts()) }

// otherPlanError says that the state here belongs to another plan.
type otherPlanError struct {
	have, want    string
	resume, fresh []string // the calls for the one and for the other
}

// Error names both plans and both ways out.
func (e *otherPlanError) Error() string {
	return fmt.Sprintf(
		"the state in .autobuild belongs to another plan, %s, not %s; go on with it: %s; or set "+
			"it aside: %s",
		e.have, e.want, render.Command(e.resume), render.Command(e.fresh))
}

// Archive makes room for a fresh start. It returns the files of each phase that the archived run
// has completed and whose text is unchanged since, by id; nil where nothing is archived.
func (r Request) Archive() (finished map[string][]string, err error) {
	if !r.Over && !r.Spec.Resume.Fresh || !store.Exists(r.Project.StateDir) {
		return nil, nil
	}
	finished = r.workDone()
	archived, err := r.Dir.Fresh(historyKept)
	if err != nil {
		return nil, err
	}
	if r.Over {
		r.Call.Note("the run that is stored here was of another plan and is complete; it is kept in %s",
			r.Call.Shown(filepath.Join(r.Project.StateDir, archived)))
		return nil, nil
	}
	r.Call.Note(
		"starting again; the old run is kept in %s (commits that it made stay; a phase whose "+
			"work is there already, and passes its gates, is complete)",
		r.Call.Shown(filepath.Join(r.Project.StateDir, archived)))
	return finished, nil
}

// workDone is what Archive returns. An unreadable run counts as none: its work is done again.
func (r Request) workDone() map[string][]string {
	run, _, err := r.Dir.Load(Seeds(r.Plan))
	if err != nil || run.Config.Plan != r.Spec.Plan.Name {
		return nil
	}
	done := make(map[string][]string)
	for i := range run.Phases {
		p := &run.Phases[i]
		phase, known := r.Plan.Find(p.ID)
		last, tried := p.Last()
		if p.Status == state.Complete && known && tried && p.Fingerprint == phase.Fingerprint &&
			last.Verdict.Passed() {
			done[p.ID] = slices.Concat(last.Changes.Created, last.Changes.Modified,
				last.Changes.Standing)
		}
	}
	return done
}

// Decisions are what becomes of the phases of a stored run.
type Decisions struct {
	All     []orchestrator.Decision
	Nothing bool // no phase is left to run
	Arrived bool // and the work has been delivered, which is still to be recorded
}

// Decide decides what becomes of each phase's past. policy is the retry policy of a phase; resume
// is the call that resumes the run.
func (r Request) Decide(
	ctx context.Context, run *state.Run, space workspace.Space, skip map[string]string,
	policy func(phase string) failure.Policy, resume []string,
) (Decisions, error) {
	past, err := space.Past(ctx)
	if err != nil {
		return Decisions{}, err
	}
	past.Rerun, past.Skip = r.Spec.Resume.Changed, skip
	past.Thaws = func(p *state.Phase) string { return r.thaws(ctx, space, p, policy(p.ID)) }
	d := Decisions{All: orchestrator.Resume(r.Plan, run, past)}
	again := slices.ContainsFunc(d.All,
		func(d orchestrator.Decision) bool { return d.Verb != orchestrator.Keep })
	// A run that was cut off, or interrupted, when all its phases were complete still lacks its
	// end.
	open := run.End == nil || run.End.Merge != "" || run.End.Outcome != state.Done ||
		slices.ContainsFunc(run.End.Requests, func(q state.PullRequest) bool { return q.Why != "" })
	if !again && !open {
		return Decisions{Nothing: true}, nil
	}
	// the final gates are still to pass
	unjudged := (len(r.Plan.Final) > 0 || run.Warm()) && run.End != nil &&
		run.End.Outcome != state.Done
	if !again && run.End != nil && !unjudged {
		if d.Nothing, err = space.Arrived(ctx); err != nil {
			return d, err
		}
		d.Arrived = d.Nothing
	}
	return d, r.unseenFix(run, d.All, space.Uncommitted(), resume)
}

// Kept reports which phases stay complete.
func Kept(decisions []orchestrator.Decision) func(id string) bool {
	done := make(map[string]bool)
	for _, d := range decisions {
		done[d.Phase] = d.Verb == orchestrator.Keep || d.Verb == orchestrator.Mend ||
			d.Verb == orchestrator.Adopt
	}
	return func(id string) bool { return done[id] }
}

// thaws says why a frozen phase is tried again; empty where it stays frozen.
func (r Request) thaws(
	ctx context.Context, space workspace.Space, p *state.Phase, decides failure.Policy,
) string {
	last, _ := p.Last()
	if limited, is := decides.(policy.Limited); is {
		decides = limited.Policy
	}
	if _, simple := decides.(policy.Single); simple {
		return "policy single freezes nothing"
	}
	switch {
	case r.unconstrained(last):
		return "the plan does not state the constraint any more that it contradicted"
	case last.Base == "":
		return ""
	}
	if committed, err := space.Committed(ctx, last.Base); err != nil || !committed {
		return ""
	}
	return "you have committed something since"
}

// unconstrained reports whether an attempt failed at a constraint that the plan does not state
// any more.
func (r Request) unconstrained(last state.Attempt) bool {
	if last.Failure == nil || last.Failure.Class.Class != failure.Architectural {
		return false
	}
	class := last.Failure.Class
	return !slices.ContainsFunc(r.Plan.Constraints,
		func(c plan.Constraint) bool { return class.Contradicts(c.Text) })
}
