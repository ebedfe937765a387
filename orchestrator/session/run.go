// Package session makes a run out of settings: it settles what a call, the configuration, the plan
// and a stored run ask for in one RunSpec, makes the engine's parts of it, and reports the end.
// Each part is a package below that gets plain values. It does not know commands.
package session

import (
	"context"
	"errors"
	"io"
	"runtime/debug"
	"slices"

	"autobuild/internal/proc"
	"autobuild/orchestrator"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/config"
	"autobuild/orchestrator/session/detach"
	"autobuild/orchestrator/session/knowledgefile"
	"autobuild/orchestrator/session/livescreen"
	"autobuild/orchestrator/session/preflight"
	"autobuild/orchestrator/session/report"
	"autobuild/orchestrator/session/roster"
	"autobuild/orchestrator/session/spec"
	"autobuild/orchestrator/session/workspace"
	"autobuild/orchestrator/verify"
	"autobuild/plan"
	"autobuild/render"
	"autobuild/render/term"
	"autobuild/state/store"
)

// gcPercent is how much a run's heap grows between two collections, in per cent of what is in use.
const gcPercent = 50

// Run is `autobuild PLAN.md`: it runs a plan, or resumes its run, and returns how that ended. A nil
// engine is this machine. An error that the user has seen is a *call.ShownError.
func Run(
	ctx context.Context, c *call.Call, o *config.Options, planArg string, engine Engine,
) (err error) {
	if o.Detach && !o.Detached {
		return detach.Run(ctx, c, o)
	}
	// A run lives for hours in little memory: a collection at half the usual growth costs it
	// nothing.
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	var s *session
	defer func() {
		panicked := recover()
		if panicked != nil {
			err = &call.BugError{What: panicked}
		}
		report.Write(c, o, planArg, s.reported(), err)
		if panicked != nil {
			panic(panicked) //nolint:forbidigo // the same panic goes on
		}
		s.repeat(err)
	}()
	if err = preflight.Files(1, "run the same command again"); err != nil && !o.DryRun {
		return err
	}
	runner := &proc.Runner{Secrets: call.Secrets(c.Environ), Step: childStep(c), Now: c.Now}
	defer runner.Close()
	if s, err = newSession(ctx, c, o, planArg, runner, engine); err != nil {
		return err
	}
	if o.DryRun {
		return s.dryRun(ctx)
	}
	notices, err := s.knowledge.Recall(knowledgefile.Of(c, s.project), s.spec.Knowledge)
	if err != nil {
		return err
	}
	s.notice(notices...)
	ctx, kill, stop := s.listen(ctx)
	defer stop()
	runner.Kill = kill
	if wall := s.spec.Limits.Wall; wall > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, wall, orchestrator.Deadline(wall))
		defer cancel()
	}
	err = s.execute(ctx)
	// The lock is released: a slow notifier delays this process alone.
	s.notifier.Finish(s.enough, kill)
	return err
}

// newSession reads settings and plan, and prints the plan's warnings. The session is nil where they
// cannot be used.
func newSession(
	ctx context.Context, c *call.Call, o *config.Options, planArg string, runner *proc.Runner,
	engine Engine,
) (*session, error) {
	given := o.Given()
	project, err := c.OpenProject(ctx, runner, o)
	if err != nil {
		return nil, err
	}
	if project.Damaged != nil {
		return nil, project.Damaged
	}
	if err = errors.Join(checkOptions(o), report.Check(c, o)); err != nil {
		return nil, err
	}
	text, err := c.RunnableText(ctx, project, planArg)
	if err != nil {
		return nil, err
	}
	remote := engine
	switch {
	case o.Engine.Value == config.EngineLocal:
		engine = nil
	case engine == nil:
		return nil, &MissingEngineError{Name: o.Engine.Value}
	}
	run := spec.New(o, project.Config)
	run.Plan.Reading = o.Reading.Value
	run.Plan.Path = call.Respelled(project.Root, c.Path(planArg))
	run.Plan.Name = project.PlanName(run.Plan.Path)
	run.Config.Plan, run.Config.Flags = run.Plan.Name, given
	p, marker, err := c.ParsePlan(planArg, o.Reading.Value, text)
	if err != nil {
		return nil, err
	}
	run.Plan.Text = marker.Start
	p.Receipts = nil // a run shows what follows from them, which is among the notes
	s := &session{
		Call: c, o: o, engine: engine, remote: remote, spec: run, project: project, plan: p, runner: runner,
		marks:  workspace.NewMarks(p, marker),
		shell:  verify.FindShell(ctx, runner, c.Environ),
		Roster: roster.New(c, o, project, p, c.Shown(run.Plan.Path), runner),
	}
	s.Away = engine != nil && engine.Away()
	if s.line, err = detach.Open(c, o); err != nil {
		return s, err
	}
	_, _ = io.WriteString(c.Stderr, term.Problems(planArg, s.warnings(), c.Style(c.Stderr)))
	return s, nil
}

// warnings are the findings to show before a run. A plan's gaps are reported once: when a run goes
// on, the files that its phases needed may be gone, because the phases are complete.
func (s *session) warnings() plan.Problems {
	found := s.plan.Notes
	if !s.resumes() {
		found = slices.Concat(found,
			plan.Check(s.plan, call.World{
				Call: s.Call, Project: s.project,
				Shell: func() verify.Shell { return s.shell },
			}))
	}
	found = found.Warnings()
	found.Sort()
	return found
}

// listen handles signals and prints what follows from them. It makes the live screen first, where
// there is one: from now on everything goes to the terminal through it.
func (s *session) listen(
	ctx context.Context,
) (heard context.Context, kill <-chan struct{}, stop func()) {
	if file, ok := s.WantsLive(s.o.Progress.Value); ok {
		s.screen = &livescreen.Screen{File: file, Continued: s.Signals.Continued, Now: s.Now}
		s.Stderr = s.screen
	}
	s.enough = make(chan struct{})
	return s.Signals.Stop(ctx, func(signal string) {
		if s.decided.Load() {
			close(s.enough)
			return
		}
		s.Note("%s: nothing new starts, and the agents are asked to end (once more kills them)",
			signal)
	})
}

// execute takes the lock, settles what the session does, and does it.
func (s *session) execute(ctx context.Context) error {
	if err := s.checkSpace(s.onward()); err != nil {
		return err
	}
	if err := s.lock(); err != nil {
		return err
	}
	defer func() {
		if failed := s.dir.Close(); failed != nil {
			s.Note("closing the state directory: %v", failed)
		}
	}()
	ignore := s.Signals.Quit(s.quit)
	defer ignore()
	s.rooms = &verify.Rooms{Owner: s.project.Word(), Dir: preflight.Temporary()}
	s.rooms.Sweep() // this process holds the lock, and no process of a killed run is left
	decisions, err := s.prepare(ctx)
	if err != nil {
		s.couldNotStart(err)
		return err
	}
	if decisions.Nothing && !decisions.Arrived {
		return s.leave(ctx)
	}
	return s.orchestrate(ctx, decisions)
}

// leave ends a call that found its run complete.
func (s *session) leave(ctx context.Context) error {
	if err := s.space.Leave(ctx); err != nil {
		return err
	}
	s.where.Tidy()
	s.ended = true
	s.summarize()
	if err := call.Unproven(s.o, lastEnd(s.run)); err != nil {
		return &call.ShownError{Err: err}
	}
	return nil
}

// resumes reports whether the call goes on with a stored run.
func (s *session) resumes() bool { return !s.spec.Resume.Fresh && store.Exists(s.project.StateDir) }

// childStep passes child processes to Step; nil where Step is nil.
func childStep(c *call.Call) func(proc.Moment, []string) error {
	if c.Step == nil {
		return nil
	}
	return func(when proc.Moment,
		argv []string,
	) error {
		return c.Step(string(when) + " " + render.Command(argv))
	}
}
