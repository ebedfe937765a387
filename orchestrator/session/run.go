package session

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"maps"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"autobuild/internal/call"
	"autobuild/internal/config"
	"autobuild/internal/knowledgefile"
	"autobuild/internal/livescreen"
	"autobuild/internal/notify"
	"autobuild/internal/preflight"
	"autobuild/internal/proc"
	"autobuild/internal/text"
	"autobuild/orchestrator"
	"autobuild/orchestrator/local"
	"autobuild/orchestrator/session/confine"
	"autobuild/orchestrator/session/roster"
	"autobuild/orchestrator/session/workspace"
	"autobuild/orchestrator/tamper"
	"autobuild/orchestrator/verify"
	"autobuild/plan"
	"autobuild/render"
	"autobuild/render/term"
	"autobuild/state"
	"autobuild/state/store"
)

// session is one run of a plan as it is being put together.
type session struct {
	*Caller
	*roster.Roster
	o        *config.Options
	project  *call.Project
	plan     *plan.Plan
	path     string // of the plan, absolute
	name     string // of the plan in state
	runner   *proc.Runner
	shell    verify.Shell // of gates with pipelines
	dir      *store.Dir
	run      *state.Run
	config   state.Config
	space    workspace.Space
	written  *tamper.StateFiles // made by keep
	seen     os.FileInfo        // the plan, when it was last compared with what was read of it
	memory   *knowledgefile.Memory
	begin    orchestrator.Session
	selected []bool            // nil: all
	marked   map[string]string // by id: why a phase is left out that the plan marks as done
	given    []string          // the flags of this call that a resume has to repeat
	hooks    []string          // the user's commit hooks, where they are a gate
	box      *confine.Box      // nil: nothing is confined
	rooms    *verify.Rooms
	examiner *verify.Examiner // nil: nothing is compared
	known    verify.Known     // how gates ended on contents that were met before
	keeping  sync.Mutex

	asked sync.Once
	ports bool // result of portsInGates

	landing     sync.Mutex
	landedGates []state.GateSpec // that phases of this session have landed with

	notifier *notify.Notifier
	caller   *os.File // of a detached run that has not left it yet
	// phases that the run set aside had completed, and the files of their work
	finished map[string][]string
	nothing  bool // everything is complete already
	ended    bool // the run's end is this call's
	summed   bool // the last screen has been drawn
	// and the checkout has it by now, which is still to be written down
	arrived bool
	screen  *livescreen.Screen // nil: lines, or nothing
	decided atomic.Bool        // how the run ends, which is final from then on
	enough  chan struct{}      // closed at the first stroke after that

	saidBefore int64 // notes before the last screen
}

// RunPlan is `autobuild PLAN.md`.
func (a *Caller) RunPlan(ctx context.Context, o *config.Options, planArg string) (err error) {
	if o.Detach && !o.Detached {
		return a.detach(ctx, o)
	}
	var s *session
	defer func() {
		a.reportEnd(recover(), o, s, planArg, err)
		s.repeat(err)
	}()
	runner := &proc.Runner{Secrets: call.Secrets(a.Environ), Step: a.childStep()}
	defer runner.Close()
	given := o.Given()
	project, err := a.OpenProject(ctx, runner, o)
	if err != nil {
		return err
	}
	if project.Damaged != nil {
		return project.Damaged
	}
	if err = errors.Join(checkOptions(o), a.checkReports(o)); err != nil {
		return err
	}
	p, err := a.RunnablePlan(ctx, project, planArg, o)
	if err != nil {
		return err
	}
	path := call.Respelled(project.Root, a.Path(planArg))
	s = &session{
		Caller: a, o: o, project: project, plan: p, path: path, name: project.PlanName(path), runner: runner, given: given,
		shell:  verify.FindShell(ctx, runner, a.Environ),
		Roster: roster.New(a.Call, o, project, p, a.Shown(path), runner),
	}
	if err = s.becomeDetached(); err != nil {
		return err
	}
	_, _ = io.WriteString(a.Stderr, term.Problems(planArg, s.warnings(), a.Style(a.Stderr)))
	if o.DryRun {
		return s.dryRun(ctx)
	}
	if err = s.recall(); err != nil {
		return err
	}

	ctx, kill, stop := s.listen(ctx)
	defer stop()
	runner.Kill = kill
	if o.MaxWall > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, o.MaxWall, orchestrator.Deadline(o.MaxWall))
		defer cancel()
	}
	err = s.execute(ctx)
	// The lock is released: a slow notifier delays this process alone.
	s.notifier.Finish(s.enough, kill)
	return err
}

// listen handles signals, and answers on the screen, which it opens first.
func (s *session) listen(ctx context.Context) (heard context.Context, kill <-chan struct{}, stop func()) {
	s.openScreen()
	s.enough = make(chan struct{})
	return s.Signals.Stop(ctx, func(signal string) {
		if s.decided.Load() {
			close(s.enough)
			return
		}
		s.Note("%s: nothing new starts, and the agents are asked to end (once more kills them)", signal)
	})
}

// warnings are the findings to show before a run. A plan's gaps are reported once: when a run goes
// on, the files that its phases needed may be gone, because the phases are complete.
func (s *session) warnings() plan.Problems {
	found := s.plan.Notes
	if s.o.Fresh || !store.Exists(s.project.StateDir) {
		found = slices.Concat(found, plan.Check(s.plan, call.World{Call: s.Call, Project: s.project, Shell: func() verify.Shell { return s.shell }}))
	}
	found = found.Warnings()
	found.Sort()
	return found
}

// execute takes the lock, settles what is to be done, and does it.
func (s *session) execute(ctx context.Context) error {
	if err := s.room(); err != nil {
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
	unheard := s.Signals.Quit(s.quit)
	defer unheard()
	if err := s.recover(ctx); err != nil {
		return err
	}
	s.rooms = &verify.Rooms{Owner: s.project.Word(), Dir: preflight.Temporary()}
	s.rooms.Sweep() // this process holds the lock, and no process of a killed run is left
	if err := s.settle(ctx); err != nil {
		s.couldNotStart(err)
		return err
	}
	if !s.nothing || s.arrived {
		return s.orchestrate(ctx)
	}
	if err := s.space.Leave(ctx); err != nil {
		return err
	}
	s.ended = true
	s.summarize(nil)
	if err := call.Unproven(s.o, s.lastEnd()); err != nil {
		return &call.ShownError{Err: err}
	}
	return nil
}

// lock makes this process the only one that works here.
func (s *session) lock() error {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	holder := store.Holder{
		PID: os.Getpid(), Host: host, Started: s.Now(), Process: proc.Identity(os.Getpid()), Dir: s.project.StateDir,
		Plan: s.name, Args: render.Command(append([]string{"autobuild"}, s.planArg())), Flags: s.given,
		Chosen: slices.Sorted(maps.Keys(s.o.Line)),
	}
	s.dir, err = store.Open(s.project.StateDir, s.project.LockDir, holder, nil)
	if err != nil {
		return err
	}
	s.runner.Hold = s.dir.Agents()
	if s.Step != nil {
		s.dir.Watch(s.Step)
	}
	return nil
}

// recover undoes what the agents of a killed run planted in git, before any of it is taken for the
// user's.
func (s *session) recover(ctx context.Context) error {
	if s.project.Repo == nil {
		return nil
	}
	notes, err := tamper.RecoverGit(ctx, s.project.Repo, s.project.StateDir)
	for _, n := range notes {
		s.begin.Notices = append(s.begin.Notices, text.Clean(n, 400))
	}
	if err != nil {
		return err
	}
	return s.findHooks(ctx)
}

// childStep passes child processes to Step; nil where Step is nil.
func (a *Caller) childStep() func(proc.Moment, []string) error {
	if a.Step == nil {
		return nil
	}
	return func(when proc.Moment, argv []string) error { return a.Step(string(when) + " " + render.Command(argv)) }
}

// settle decides, from what is stored and what was asked, which run goes on and how.
func (s *session) settle(ctx context.Context) error {
	// Whether what a part needs is complete is known later; whether it names phases at all, now.
	if err := s.choose(func(string) bool { return true }); err != nil {
		return err
	}
	stored, err := s.stored()
	if err != nil {
		return err
	}
	s.run = &state.Run{}
	if stored != nil {
		s.run = stored
	}
	s.marked = s.marks(stored)
	s.leaveMarked()
	s.noteMarked()
	if err = s.configure(stored); err != nil {
		return err
	}
	if err = s.handles(); err != nil {
		return err
	}
	if err = s.confine(stored); err != nil {
		return err
	}
	if err = s.recoverEnvironment(); err != nil {
		return err
	}
	s.known = s.knownResults() // before it is set aside with the rest
	if err = s.setAside(); err != nil {
		return err
	}
	if s.space, err = s.openWorkspace(ctx); err != nil {
		return err
	}
	if stored != nil {
		if err = s.resume(ctx); err != nil || s.nothing && !s.arrived {
			return err
		}
	}
	s.begin.Config = s.config
	if err = s.choose(s.kept()); err != nil {
		return err
	}
	s.begin.Notices = append(s.begin.Notices, s.space.Notes()...)
	return nil
}

// random returns 16 hexadecimal digits.
func random() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// orchestrate runs it.
func (s *session) orchestrate(ctx context.Context) error {
	if err := s.takeLeave(); err != nil {
		return err
	}
	s.begin.Notices = append(s.begin.Notices, s.Unreckoned()...)
	s.makeExaminer()
	goOn, deaf := s.Signals.GoOn()
	defer deaf()
	baseline, impossible := s.makeBaseline(ctx)
	if impossible != nil {
		return impossible
	}
	o := &local.Engine{
		Plan: s.plan, Worker: s.worker(baseline), Sinks: s.sinks(),
		Options: orchestrator.Options{
			Policy: s.Policy, Policies: s.Policies,
			Jobs: s.config.Jobs, Schedule: orchestrator.Schedule(s.o.Schedule.Value), KeepGoing: s.o.KeepGoing,
			MaxCost: s.o.MaxCost, MaxTokens: s.o.MaxTokens, Selected: s.selected, StopLimit: s.o.OnLimit.Value == "stop",
			Agents: s.Candidates(), Tiers: s.TierAgents(),
		},
		Key: random, Kills: call.MemoryKills, GoOn: goOn, Slept: sleepKnown(),
	}
	o.Final = s.finalGates()
	var code int
	o.Closing = func(ctx context.Context, end *state.End, cause error) error {
		err := s.close(ctx, end)
		code = call.EndCode(s.o, *end, errors.Join(cause, err))
		end.Exit = code
		if done := cause == nil && err == nil; !done || !s.run.Finished() {
			end.Resume = s.goOn(done)
		}
		s.decided.Store(true) // the summary comes next
		return err
	}
	if s.screen != nil {
		s.screen.Start(s.Style(s.Stderr), s.Shown(s.project.StateDir))
		defer s.screen.Stop()
	}
	err := o.Run(ctx, s.run, s.begin)
	if failed := s.space.Close(); failed != nil {
		s.Note("what the gates left could not be removed: %s", text.Clean(failed.Error(), 300))
	}
	s.screen.Stop() // the summary stands below the last lines
	if s.run.End != nil {
		s.ended = true
		s.summarize(err)
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

// lastEnd is the end of the session before, with the totals as they are now.
func (s *session) lastEnd() state.End {
	var end state.End
	if s.run.End != nil {
		end = *s.run.End
	}
	end.Totals = s.run.Totals()
	return end
}
