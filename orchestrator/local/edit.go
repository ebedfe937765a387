package local

import (
	"errors"

	"autobuild/orchestrator"
	"autobuild/plan"
	"autobuild/state"
)

// Edit is a plan that a user has saved while its run goes on.
type Edit struct {
	Plan *plan.Plan // nil where Why says something
	Text string     // of the plan; for a Remote
	// Why is what keeps the run from going by the saved text.
	Why string
	// Settle makes the parts of the session that depend on the plan. It may read the run. Its error
	// keeps the run from going by the plan.
	Settle func(run *state.Run) (Parts, error)
}

// Parts are what an engine gets with an edited plan.
type Parts struct {
	Options orchestrator.Options // for the phases of the plan
	Worker  orchestrator.Worker  // of the attempts that start from now on
	Take    func()               // called once, after the edit was recorded; may be nil
}

// edited is the plan that a user has saved last, and the options for its phases.
type edited struct {
	plan    *plan.Plan
	options orchestrator.Options
}

// noticeEdit takes an edit that the engine has found, and records why where it cannot.
func (l *loop) noticeEdit(e Edit) {
	if _, err := l.edit(e); err != nil && l.goesOn() {
		l.emit(state.Event{
			Type: state.Notice,
			Text: "the plan was edited, and the run goes on as it was: " + err.Error(),
		})
	}
}

// edit makes the run go by an edited plan, and says what that changes.
func (l *loop) edit(e Edit) (answer string, err error) {
	switch {
	case !l.goesOn():
		return "", orchestrator.ErrEnding
	case e.Plan == nil:
		return "", &orchestrator.CommandError{Why: e.Why}
	}
	parts, err := e.Settle(l.run)
	if err != nil {
		return "", &orchestrator.CommandError{Why: err.Error()}
	}
	was := l.edited
	l.edited = &edited{e.Plan, parts.Options}
	answer, err = l.applyEdit()
	if err != nil {
		l.edited = was
		return "", err
	}
	if l.worker = parts.Worker; parts.Take != nil {
		parts.Take()
	}
	return answer, nil
}

// applyEdit makes the run go by the plan that was edited last. It is called again when an attempt
// has ended: a phase that stayed because it was in work may leave then, and one that failed with
// its old text begins again.
func (l *loop) applyEdit() (answer string, err error) {
	if l.edited == nil {
		return "", nil
	}
	r, err := orchestrator.EditRun(l.plan, l.run, l.options, l.edited.plan, l.edited.options)
	if err != nil {
		return "", &orchestrator.CommandError{Why: err.Error()}
	}
	answer = "the plan says what it said before"
	for _, e := range r.Events {
		if e.Type == state.PlanEdited {
			// events name the phases of the plan by which the run goes after them
			l.plan, l.options, answer = r.Plan, r.Options, e.Text
		}
		if !l.emit(e) {
			return "", errors.Join(orchestrator.ErrEnding, l.ending.Err)
		}
	}
	return answer, nil
}

// applyEditAgain calls applyEdit where the run has changed since.
func (l *loop) applyEditAgain() {
	if !l.goesOn() {
		return
	}
	if _, err := l.applyEdit(); err != nil && l.goesOn() {
		l.emit(state.Event{Type: state.Notice, Text: err.Error()})
	}
}

// reload answers a command to go by the plan as it is saved now.
func (l *loop) reload(r orchestrator.Request) {
	if l.Reload == nil {
		r.Answer("", &orchestrator.CommandError{
			Why:  "this run reads its plan when a session begins",
			Next: "stop it, and go on with --resume",
		})
		return
	}
	r.Answer(l.edit(l.Reload()))
}
