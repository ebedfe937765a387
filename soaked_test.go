package autobuild_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"autobuild/failure"
	"autobuild/orchestrator"
	"autobuild/orchestrator/local"
	"autobuild/state"
	"autobuild/state/store"
)

// Attempt is the worker: an agent, its gates and git in one.
func (w *soaked) Attempt(ctx context.Context, task state.Task, report func(state.Event)) (state.Result, error) {
	return state.ResultOf(w.try(ctx, task, report))
}

func (w *soaked) try(ctx context.Context, task state.Task, report func(state.Event)) (state.Attempt, error) {
	i, _ := w.plan.Index(task.Phase.ID)
	w.mu.Lock()
	w.calls[i]++
	w.tried++
	nth, f, takes := w.tried, w.fault, time.Duration(1+w.random.IntN(20))*time.Minute
	w.mu.Unlock()
	report(state.Event{Type: state.Activity, Text: "busy"})
	does := w.does[i]
	if does == hangs || does == hangsOnce && len(task.Earlier) == 0 {
		takes = time.Hour // its deadline
	}
	select {
	case <-time.After(takes):
	case <-ctx.Done():
		if nth%2 == 0 { // an agent that is stopped looks just like one that fails
			return state.Attempt{}, &failure.Failure{Diagnosis: failure.Diagnosis{Type: failure.AgentError, Message: "killed", Retryable: true}}
		}
		return state.Attempt{}, context.Cause(ctx)
	}
	switch {
	case f.kind == "panic" && nth == f.at:
		panic("a fault of the program's own")
	case f.kind == "broken machinery" && nth == f.at:
		return state.Attempt{}, errMachine
	}
	report(state.Event{Type: state.GateFinished, Gate: &state.Gate{Name: "test"}})
	if kind := does.failure(len(task.Earlier)); kind != "" {
		return state.Attempt{Verdict: state.Refused}, &failure.Failure{Diagnosis: failure.Diagnosis{
			Type: kind, Message: "broken", Retryable: kind != failure.IsolationBreach, Fingerprint: fmt.Sprint(task.Attempt),
		}}
	}
	commit, err := w.land(task.Phase.ID, task.Key)
	return state.Attempt{Verdict: state.Verified, Commit: commit}, err
}

// failure is how an attempt fails that follows this many failed ones; empty if it does not.
func (n nature) failure(earlier int) failure.Type {
	switch {
	case n == fails, n == failsOnce && earlier == 0:
		return failure.TestFailure
	case n == hangs, n == hangsOnce && earlier == 0:
		return failure.Timeout
	case n == clashes && earlier == 0:
		return failure.FileConflict
	case n == breaches:
		return failure.IsolationBreach
	}
	return ""
}

// land is git: by its key, an attempt lands once.
func (w *soaked) land(phase, key string) (*state.Commit, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.dead {
		return nil, errPower
	}
	if i := slices.Index(w.keys, key); i >= 0 {
		return &w.commits[i], nil
	}
	c := state.Commit{SHA: fmt.Sprintf("%040x", len(w.commits)+1), Message: phase, Delivered: true}
	w.commits, w.keys = append(w.commits, c), append(w.keys, key)
	return &c, nil
}

// past is what git tells of it.
func (w *soaked) past() orchestrator.ResumeOptions {
	return orchestrator.ResumeOptions{
		Landed: func(phase, key string) (orchestrator.Found, bool) {
			if i := slices.Index(w.keys, key); i >= 0 && w.commits[i].Message == phase {
				return orchestrator.Found{Commit: w.commits[i], Verdict: state.Verified}, true
			}
			return orchestrator.Found{}, false
		},
		Present: func(c state.Commit) bool {
			return slices.ContainsFunc(w.commits, func(have state.Commit) bool { return have.SHA == c.SHA })
		},
	}
}

// sink breaks at its fault, and watches what must hold at every moment.
type soakSink struct {
	w       *soaked
	heard   int
	running map[string]bool
}

// Event is an event that is on disk already.
func (s *soakSink) Event(e state.Event, r *state.Run) error {
	s.heard++
	if s.w.fault.kind == "sink" && s.heard == s.w.fault.at {
		return errSink
	}
	switch e.Type {
	case state.PhaseStarted:
		i, _ := s.w.plan.Index(e.Phase)
		for _, need := range s.w.plan.Needs(i) {
			if r.Phases[need].Status != state.Complete {
				s.w.t.Errorf("%s started before %s was complete", e.Phase, r.Phases[need].ID)
			}
		}
		if s.running[e.Phase] = true; len(s.running) > s.w.opts.Jobs {
			s.w.t.Errorf("%d run at once, %d may", len(s.running), s.w.opts.Jobs)
		}
	case state.AttemptFinished, state.PhaseInterrupted:
		delete(s.running, e.Phase)
	}
	return nil
}

// session is a call of the program, in the process of a test.
func (w *soaked) session(f fault) {
	w.mu.Lock()
	w.fault, w.dead, w.tried, w.steps = f, false, 0, 0
	w.mu.Unlock()
	w.total.add(f.kind)
	d, err := store.Open(w.dir, "", store.Holder{PID: 1, Host: "h", Started: w.now()}, w.now)
	if err != nil {
		w.t.Fatalf("opening: %v", err)
	}
	defer func() {
		if failed := d.Close(); failed != nil {
			w.t.Errorf("closing: %v", failed)
		}
	}()
	run, _, err := d.Load(orchestrator.Seeds(w.plan, 2))
	if errors.Is(err, store.ErrNoRun) {
		run, err = &state.Run{}, nil
	}
	if err != nil {
		w.t.Fatalf("loading: %v", err)
	}
	session := orchestrator.Session{Config: state.Config{RunID: "r1", Plan: "plan.md", Isolation: state.Worktree}}
	if run.Config.RunID != "" {
		session.Decisions = orchestrator.Resume(w.plan, run, w.past())
	}
	d.Watch(w.step)
	ctx, cancel := context.WithCancelCause(w.t.Context())
	defer cancel(nil)
	switch f.kind {
	case "cancelled":
		defer time.AfterFunc(f.then, func() { cancel(&orchestrator.Interrupted{Signal: "SIGINT"}) }).Stop()
	case "clock":
		defer time.AfterFunc(f.then, func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.jump += time.Duration(w.random.IntN(200)-100) * time.Hour
		}).Stop()
	}
	options := w.opts
	options.Policy = retryOnce{}
	o := &local.Engine{
		Plan: w.plan, Worker: w, Sinks: []orchestrator.Sink{d, &soakSink{w: w, running: map[string]bool{}}}, Options: options, Now: w.now,
		Key: func() string { w.key++; return fmt.Sprintf("k%d", w.key) },
	}
	err = o.Run(ctx, run, session)
	w.story = append(w.story, fmt.Sprintf("%s (at %d, after %v): %v", f.kind, f.at, f.then, err))
	w.total.add("ended by " + kindOf(err))
	w.truth(f, run, err)
}

// kindOf names the end that an error is.
func kindOf(err error) string {
	_, halted := errors.AsType[*orchestrator.HaltError](err)
	_, panicked := errors.AsType[*local.PanicError](err)
	switch {
	case err == nil:
		return "success"
	case halted:
		return "halt"
	case panicked:
		return "panic"
	case errors.Is(err, context.Canceled):
		return "cancellation"
	}
	return "error"
}

// truth: what Run returns, what the run says of its end, and what has become of the phases are one
// story.
func (w *soaked) truth(f fault, run *state.Run, err error) {
	complete := run.Totals().Complete == len(run.Phases)
	if err == nil && !complete {
		w.t.Errorf("%s: success, and %+v", f.kind, run.Totals())
	}
	switch kindOf(err) {
	case "error":
		if f.kind == "clock" || f.kind == "cancelled" || f.kind == "nothing" {
			w.t.Errorf("%s ends with %v", f.kind, err)
		}
	case "success", "halt", "cancellation":
		if run.End == nil || (run.End.Outcome == state.Done) != (err == nil) {
			w.t.Errorf("%s: Run = %v, and the end says %+v", f.kind, err, run.End)
		}
	}
	if run.End != nil && run.End.Elapsed < 0 {
		w.t.Errorf("%s: the run took %v", f.kind, run.End.Elapsed)
	}
}

// load is what is on disk.
func (w *soaked) load() *state.Run {
	run, _, err := store.Load(w.dir, orchestrator.Seeds(w.plan, 2))
	if errors.Is(err, store.ErrNoRun) {
		return &state.Run{}
	}
	if err != nil {
		w.t.Fatalf("loading: %v", err)
	}
	return run
}

// check is what must hold in the end.
func (w *soaked) check() {
	run := w.load()
	if len(run.Phases) != w.plan.Len() {
		w.t.Fatalf("%d phases are on disk", len(run.Phases))
	}
	want := make([]state.Status, w.plan.Len())
	for i := range want { // what a phase needs comes before it in these plans
		want[i] = w.does[i].ends()
		for _, need := range w.plan.Needs(i) {
			if want[need] != state.Complete {
				want[i] = state.Blocked
			}
		}
		p := &run.Phases[i]
		if p.Status != want[i] {
			w.t.Errorf("phase %s, which %s, is %s, want %s", p.ID, w.does[i], p.Status, want[i])
		}
		made := 0
		switch {
		case w.before[i] == state.Complete, want[i] == state.Blocked:
		case p.Status == state.Complete && w.calls[i] == 0: // adopted: it had landed, and nobody had written it down
		default:
			made = w.does[i].tries()
		}
		if w.calls[i] != made {
			w.t.Errorf("phase %s, which %s and was %s, was tried %d times in the last session, want %d", p.ID, w.does[i], w.before[i], w.calls[i], made)
		}
		w.landed(p)
	}
	w.diary(run)
}

// landed: a complete phase has one commit and says which; the others have none.
func (w *soaked) landed(p *state.Phase) {
	var found []string
	for _, c := range w.commits {
		if c.Message == p.ID {
			found = append(found, c.SHA)
		}
	}
	switch {
	case p.Status != state.Complete && len(found) > 0:
		w.t.Errorf("phase %s is %s and has landed as %v", p.ID, p.Status, found)
	case p.Status == state.Complete && (len(found) != 1 || p.Commit == nil || p.Commit.SHA != found[0]):
		w.t.Errorf("phase %s is complete, says %+v, and has landed as %v", p.ID, p.Commit, found)
	}
}

// diary: its lines are whole, their numbers never go back, and the last word about each phase is
// the state's.
func (w *soaked) diary(run *state.Run) {
	last, seq := make(map[string]state.Status), int64(0)
	for e, err := range store.ReadDiary(w.dir) {
		if err != nil {
			w.t.Error(err)
		}
		if e.Seq != 0 && e.Seq < seq {
			w.t.Errorf("event %d comes after event %d", e.Seq, seq)
		}
		seq = max(seq, e.Seq)
		if e.Phase != "" && e.Type.Lifecycle() {
			last[e.Phase] = e.Status
		}
	}
	for i := range run.Phases {
		if p := &run.Phases[i]; last[p.ID] != p.Status {
			w.t.Errorf("the diary leaves phase %s %s, and it is %s", p.ID, last[p.ID], p.Status)
		}
	}
}
