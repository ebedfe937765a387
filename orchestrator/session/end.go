package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"autobuild/internal/text"
	"autobuild/orchestrator"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/calls"
	"autobuild/orchestrator/session/preflight"
	"autobuild/orchestrator/session/report"
	"autobuild/orchestrator/session/workspace"
	"autobuild/plan"
	"autobuild/render"
	"autobuild/render/term"
	"autobuild/state"
	"autobuild/state/store"
)

// close is the last work of a session: deliver what has landed, and write what message-only leaves
// behind.
func (s *session) close(ctx context.Context, end *state.End) error {
	d, err := s.space.Finish(ctx, s.run.Finished() && len(end.Unmet()) == 0,
		singleMessage(s.plan, s.spec.Plan.Path, s.run))
	if err != nil {
		return err
	}
	if s.box == nil { // nothing has kept the agents from it
		if all, failed := s.space.Meanwhile(ctx); failed == nil && len(all) > 0 {
			s.Note("changed while the run went on: %s", text.QuoteSome(all))
		}
	}
	end.Merge, end.Branch, end.Obstacle = d.Merge, d.Branch, workspace.Obstacle(d.Why)
	end.Why = render.ObstacleText(end.Obstacle)
	meaning := s.run.Config.PlanMeaning
	end.PlanContested = meaning != "" && meaning != orchestrator.Fingerprint(s.plan)
	end.Disputed = end.PlanContested || s.edits != nil && s.edits.doubts()
	if end.Disputed && !end.PlanContested {
		s.Note("%s was edited while an agent that can write it was at work; the run went by the text "+
			"before", s.spec.Plan.Name)
	}
	s.publish(ctx, end)
	if s.spec.Config.CommitMode != state.CommitMessage {
		return nil
	}
	files, err := s.space.Script(ctx)
	for _, f := range files {
		if err = s.saver.Put(f.Name, f.Data, f.Exec); err != nil {
			return err
		}
	}
	return err
}

// singleMessage is the message of the one commit of mode single.
func singleMessage(p *plan.Plan, path string, run *state.Run) string {
	title := p.Title
	if title == "" {
		title = filepath.Base(path)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "feat: %s\n\n", text.Clean(title, 60))
	for i := range run.Phases {
		if p := &run.Phases[i]; p.Status == state.Complete && p.Commit != nil {
			subject, _, _ := strings.Cut(p.Commit.Message, "\n")
			fmt.Fprintf(&b, "- %s: %s\n", p.Label, text.Clean(subject, 100))
		}
	}
	return b.String()
}

// ending prints the summary of a run that has ended with err, and returns the error of the call.
func (s *session) ending(err error, code int) error {
	if s.run.End != nil {
		s.ended = true
		s.summarize()
	}
	switch {
	case err != nil && s.run.End != nil && isEnding(err):
		return &call.ShownError{Err: err}
	case err == nil && code == call.ExitUnproven:
		return &call.ShownError{Err: call.Unproven(s.o, *s.run.End)}
	case err != nil:
		return s.stuck(err)
	}
	return nil
}

// isEnding reports whether the summary has said all there is to say about err.
func isEnding(err error) bool {
	_, halted := errors.AsType[*orchestrator.HaltError](err)
	_, stopped := errors.AsType[*orchestrator.StopError](err)
	_, interrupted := errors.AsType[*orchestrator.Interrupted](err)
	return halted || stopped || interrupted
}

// summarize draws the last screen.
func (s *session) summarize() {
	out := s.Stdout
	if s.o.Progress.Value == "json" {
		out = s.Stderr // stdout is the event stream
	}
	_, _ = io.WriteString(out, term.Summary(s.run, s.summary(), s.Style(out)))
	s.summed, s.notes = true, s.Said.Load()
}

// repeat prints the command of the last screen once more after notes below it, so that it is at the
// end again. An error that is still to be printed ends with a command itself.
func (s *session) repeat(err error) {
	if s == nil || !s.summed || s.Said.Load() == s.notes {
		return
	}
	if _, shown := errors.AsType[*call.ShownError](err); err == nil || shown {
		_, _ = io.WriteString(s.Stderr, term.LastCommand(s.run, s.summary(), s.Style(s.Stderr)))
	}
}

// summary is what the last screen and the reports have to know of the call.
func (s *session) summary() render.Ending {
	e := report.Ending(s.Call, s.project, s.calls())
	e.Nothing = s.nothing
	if s.space != nil && s.run.End != nil && s.run.End.Outcome == state.Halted {
		e.Notes = s.space.Notes() // a fix that is not committed is why a resume did not see it
	}
	if s.o.Report != "" {
		e.Reports = append(e.Reports, s.Shown(s.Path(s.o.Report)))
	}
	return e
}

// reported is the session as its reports show it; nil where there is none.
func (s *session) reported() *report.End {
	if s == nil {
		return nil
	}
	end := &report.End{Project: s.project, Plan: s.spec.Plan.Name, Run: s.run, Ended: s.ended}
	if s.run != nil {
		end.Ending = s.summary()
	}
	return end
}

// lastEnd is the end of the session before, with the totals as they are now.
func lastEnd(run *state.Run) state.End {
	var end state.End
	if run.End != nil {
		end = *run.End
	}
	end.Totals = run.Totals()
	return end
}

// checkSpace refuses to start a run without space for its state and worktrees. next is the command
// that goes on once there is space.
func (s *session) checkSpace(next string) error {
	m := preflight.Machine{
		Dirs: []string{s.project.Root}, Owner: s.project.Word(), Shown: s.Shown,
		Next: next,
	}
	if s.project.LockDir != "" {
		m.Dirs = append(m.Dirs, s.project.LockDir)
	}
	return m.Space()
}

// onward is the command that goes on after a repair.
func (s *session) onward() string {
	if !s.resumes() {
		return "run the same command again"
	}
	return render.Command(s.calls().Resume(false))
}

// stuck adds to trouble that ended a run in its middle the command by which it goes on.
func (s *session) stuck(err error) error {
	_, said := errors.AsType[*preflight.Error](err)
	if said || s.run.Config.RunID == "" || call.ExitCode(err) != call.ExitEnv {
		return err
	}
	dir, resume := s.Shown(s.project.StateDir), render.Command(s.calls().Next())
	lost := s.saver.Damaged()
	switch {
	case len(lost) > 0 && !store.Exists(s.project.StateDir):
		return fmt.Errorf(
			"%w\nthe state in %s is gone; what has landed is in git (git log %s); go on from "+
				"there: %s",
			err, dir,
			"--all --grep "+s.spec.Config.RunID,
			render.Command(append(append(s.Program(), s.planArg()), s.spec.Config.Flags...)))
	case len(lost) > 0:
		return fmt.Errorf(
			"%w\nof the state in %s these files are not what was recorded: %s; fix this, then "+
				"run: %s, or with --fresh, which recognises phases that have landed",
			err, dir, text.JoinSome(lost, 3), resume)
	}
	return fmt.Errorf("%w\nstate is intact; fix this, then run: %s", err, resume)
}

// couldNotStart records in a run that cannot go on why: else result.json would present the last
// session's end as this one's. A call that was wrong changes nothing, and a run that was cut off
// stays so.
func (s *session) couldNotStart(err error) {
	if s.run == nil || s.run.Config.RunID == "" || call.ExitCode(err) != call.ExitEnv {
		return
	}
	for i := range s.run.Phases {
		if s.run.Phases[i].Status == state.Running {
			return
		}
	}
	now := s.Now()
	end := state.End{
		Outcome: state.Broken, Exit: call.ExitEnv,
		Reason: text.Clean(err.Error(), 500), Time: now, Totals: s.run.Totals(),
	}
	// as the last session was called: this call may be what is wrong
	end.Resume = calls.Stored(s.Call, s.project, s.run, store.Holder{}).Resume(false)
	if was := s.run.End; was != nil {
		end.Merge, end.Branch, end.Why, end.Obstacle = was.Merge, was.Branch, was.Why, was.Obstacle
	}
	e := state.Event{
		V: state.EventVersion, Seq: s.run.Seq + 1, Time: now, Type: state.RunFinished,
		Run: s.run.Config.RunID, End: &end,
	}
	if s.run.Apply(e) != nil {
		return
	}
	for _, sink := range s.sinks() {
		if failed := sink.Event(e, s.run); failed != nil {
			s.Note("recording why it could not start: %v", failed)
			return
		}
	}
}
