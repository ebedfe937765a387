package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"autobuild/failure"
	"autobuild/internal/proc"
	"autobuild/orchestrator"
	"autobuild/orchestrator/git"
	"autobuild/orchestrator/session/baseline"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/config"
	"autobuild/orchestrator/session/confine"
	"autobuild/orchestrator/session/gates"
	"autobuild/orchestrator/session/place"
	"autobuild/orchestrator/session/preflight"
	"autobuild/orchestrator/session/resume"
	"autobuild/orchestrator/session/sink"
	"autobuild/orchestrator/session/spec"
	"autobuild/plan"
	"autobuild/render"
	"autobuild/render/term"
	"autobuild/state"
)

// prepare decides, from what is stored and what was asked, which run goes on and how, and opens the
// place where it works.
func (s *session) prepare(ctx context.Context) (resume.Decisions, error) {
	var none resume.Decisions
	request := resume.Request{
		Call: s.Call, Project: s.project, Plan: s.plan, Spec: s.spec,
		Dir: s.dir,
	}
	// Whether what a part needs is complete is known later; whether it names phases at all, now.
	if _, err := resume.Select(s.plan, s.spec.Part, nil, anything); err != nil {
		return none, err
	}
	if err := s.elsewhere(ctx); err != nil {
		return none, err
	}
	stored, err := request.Load()
	if err != nil {
		return none, err
	}
	s.run = &state.Run{}
	if stored != nil {
		s.run = stored
	}
	if err = s.choosePart(stored, anything); err != nil {
		return none, err
	}
	if labels := resume.RunsMarked(s.plan, s.spec); len(labels) > 0 {
		s.Note("the plan marks %s as done; --fresh runs all phases",
			strings.Join(labels[:min(len(labels), 20)], ", "))
	}
	if err = s.configure(ctx, stored); err != nil {
		return none, err
	}
	if s.engine != nil {
		run := &state.Run{Config: s.spec.Config}
		err = s.engine.Accepts(Parts{Run: run, Spec: s.spec, Project: s.project, Call: s.Call})
		if err != nil {
			return none, err //nolint:wrapcheck // it says what is wrong
		}
	}
	if err = preflight.Files(min(s.spec.Config.Jobs, s.plan.Len()), s.onward()); err != nil {
		return none, err
	}
	if err = s.confine(ctx); err != nil {
		return none, err
	}
	where := s.place()
	s.where = where
	if _, err = where.Clones(); err != nil {
		return none, err
	}
	s.results = baseline.Results{Call: s.Call, Project: s.project}
	s.results.Load() // before it is archived with the rest
	if s.finished, err = request.Archive(); err != nil {
		return none, err
	}
	if s.space, err = where.Space(ctx); err != nil {
		return none, err
	}
	decisions, err := s.resume(ctx, request, stored)
	if err != nil || s.joins || decisions.Nothing && !decisions.Arrived {
		return decisions, err
	}
	err = s.choosePart(stored, resume.Kept(decisions.All))
	if err != nil {
		return none, err
	}
	s.begin.Config, s.begin.Decisions = s.configured(stored != nil && request.PlanDisputed(stored)),
		decisions.All
	s.notice(s.space.Notes()...)
	return decisions, nil
}

// configured is the configuration of this session, once it is known what is confined. A plan that
// is doubted stays compared with what the run went by before.
func (s *session) configured(doubted bool) state.Config {
	c := s.spec.Config
	switch {
	case doubted:
		c.PlanMeaning = s.run.Config.PlanMeaning
	case s.engine == nil && !s.planProtected():
		c.PlanMeaning = orchestrator.Fingerprint(s.plan)
	}
	return c
}

// anything is done, as far as it is known yet.
func anything(string) bool { return true }

// choosePart selects the phases of this session; done reports which are complete already.
func (s *session) choosePart(stored *state.Run, done func(id string) bool) (err error) {
	s.selected, err = resume.Select(s.plan, s.spec.Part, resume.Marks(s.plan, s.spec, stored), done)
	s.begin.Skip = s.selected.Skip
	return err
}

// resume decides what becomes of each phase's past, and prints it.
func (s *session) resume(
	ctx context.Context, request resume.Request, stored *state.Run,
) (resume.Decisions, error) {
	if stored == nil || s.joins {
		return resume.Decisions{}, nil
	}
	d, err := request.Decide(ctx, s.run, s.space, s.begin.Skip, s.PolicyOf, s.calls().Resume(false))
	s.nothing = d.Nothing
	if err != nil || d.Nothing {
		return d, err
	}
	shown := make([]term.Decision, len(d.All))
	for i, of := range d.All {
		p, _ := s.plan.Find(of.Phase)
		shown[i] = term.Decision{
			Label: of.Label, Name: p.Name, Verb: string(of.Verb),
			Reason: of.Reason,
		}
	}
	_, _ = io.WriteString(s.Stderr, term.Decisions(shown, s.Style(s.Stderr)))
	return d, nil
}

// configure fills in what config.json stores of this session. stored is nil for a new run.
func (s *session) configure(ctx context.Context, stored *state.Run) error {
	old := state.Config{Started: s.Now()}
	if stored != nil {
		old = stored.Config
	}
	c := &s.spec.Config
	var err error
	if c.CommitMode, err = s.commitMode(old); err != nil {
		return err
	}
	if c.Isolation, err = s.isolation(old); err != nil {
		return err
	}
	if c.Deliver, err = s.deliverTo(ctx, stored); err != nil {
		return err
	}
	checks := &s.spec.Checks
	shared := c.Isolation == state.NoIsolation
	hooks, unused, err := gates.FindHooks(ctx, s.project.Repo, checks.Gates, shared)
	if err != nil {
		return err
	}
	if unused != "" {
		s.notice(unused)
	}
	if err = s.Choose(old); err != nil {
		return err
	}
	s.notice(s.Notices...)
	checks.Referee, checks.Proof = s.o.Recall("referee", old), s.o.Recall("proof", old)
	s.gates.Environ, s.gates.Configured, s.gates.Hooks = s.Environ, checks.Gates, hooks
	if err = missingGates(s.Call, s.project, s.plan); err != nil {
		return err
	}
	s.findSetup()
	c.Gates, c.Stack = s.gates.Detect(s.project.Root)

	s.record(old, stored != nil)
	return nil
}

// record fills in what a resume takes from config.json. old is what the session before stored.
func (s *session) record(old state.Config, resumed bool) {
	c, checks := &s.spec.Config, s.spec.Checks
	c.Schema, c.Autobuild, c.Sessions = state.Schema, call.Version(), old.Sessions+1
	c.PlanTitle, c.PlanHash, c.Reading = s.plan.Title, s.plan.Hash, s.spec.Plan.Reading
	c.Agent, c.AgentCmd, c.Model, c.Fallbacks = s.Agent.Name, s.Agent.Command, s.Agent.Model,
		s.Fallbacks()
	c.RetryPolicy, c.Tiers, c.Choices = s.PolicyName, s.TierNames(), s.Recorded()
	c.Referee, c.Proof = unless(config.RefereeContest, checks.Referee),
		unless(config.ProofAuto, checks.Proof)
	c.Sandbox = s.o.Recall(config.SandboxFlag, old)
	c.Jobs = jobs(s.spec.Limits, c.Isolation)
	c.Counts = state.Counts{Phases: s.plan.Len(), Batches: len(s.plan.Batches())}
	for _, p := range s.plan.Phases() {
		c.Counts.Tasks += len(p.Tasks)
	}
	c.RunID, c.Started, c.Branch, c.Base = old.RunID, old.Started, old.Branch, old.Base
	if s.Away {
		c.Engine = s.o.Engine.Value
	}
	if resumed {
		c.Resumed = s.Now()
		return
	}
	c.RunID = call.RunID(old.Started, random())
	if s.project.Repo != nil {
		c.Branch, c.Base = s.project.Repo.Branch, s.project.Repo.Head
	}
	if s.engine != nil {
		s.engine.Configure(c)
	}
}

// unless is a value where it is not the usual one.
func unless(usual, value string) string {
	if value == usual {
		return ""
	}
	return value
}

func jobs(limits spec.Limits, isolation state.Isolation) int {
	switch {
	case limits.AgentJobs > 0:
		return limits.AgentJobs
	case isolation == state.NoIsolation:
		return 1 // phases that share a directory run side by side only when asked for by hand
	}
	return orchestrator.DefaultJobs
}

// commitMode returns the mode. Where the user chose none, a notice says so.
func (s *session) commitMode(old state.Config) (state.CommitMode, error) {
	asked, stored := state.CommitMode(s.o.Recall("commit", old)), old.CommitMode
	switch {
	case s.project.Repo == nil && asked != "" && asked != state.CommitMessage:
		return "", call.Usage(fmt.Sprintf("--commit=%s needs a git repository, and %s is in none",
			asked, s.project.Root), "run git init, or leave --commit out")
	case s.project.Repo == nil:
		s.notice(
			"there is no git repository here: phases share the directory, and nothing is committed")
		return state.CommitMessage, nil
	case stored != "" && asked != stored:
		return "", call.Usage(
			fmt.Sprintf("this run was started with --commit=%s and cannot go on with --commit=%s",
				stored, asked),
			"leave --commit out, or start again with --fresh")
	case asked != "":
		return asked, nil
	case s.spec.Config.Deliver != "":
		return state.CommitAuto, nil // there is nothing else to push
	}
	s.notice(
		"no commit mode was chosen: message-only, your history stays untouched (--commit=auto " +
			"makes a commit a phase)")
	return state.CommitMessage, nil
}

func (s *session) isolation(old state.Config) (state.Isolation, error) {
	asked, stored := state.Isolation(s.o.Recall("isolation", old)), old.Isolation
	switch {
	case asked == state.Worktree && s.project.Repo == nil:
		return "", call.Usage("--isolation worktree needs a git repository, and "+
			s.Shown(s.project.Root)+" is in none", "run git init, or use --isolation none")
	case stored != "" && asked != stored:
		return "", call.Usage(fmt.Sprintf("this run was started with --isolation %s", stored),
			"leave --isolation out, or start again with --fresh")
	case asked != "":
		return asked, nil
	case s.project.Repo == nil:
		return state.NoIsolation, nil
	}
	return state.Worktree, nil
}

// missingGates refuses to start with gates of the configuration or the plan whose program is not
// installed.
func missingGates(c *call.Call, project *call.Project, p *plan.Plan) error {
	missing := call.MissingGates(project.Root, project.Config.Gates, p, c.Environ)
	if len(missing) == 0 {
		return nil
	}
	world := call.World{Call: c, Project: project}
	lines := make([]string, len(missing))
	for i, g := range missing {
		lines[i] = fmt.Sprintf(
			"gate %s (from the %s) runs %q, and %s is not installed; %s, or change the gate",
			g.Name, g.Source, g.Command, g.Tool, world.Install(g.Tool))
	}
	return errors.New(strings.Join(lines, "\n"))
}

// confine settles what keeps agents, gates and setup from writing where they should not. A run
// keeps the sandbox that its settings named when it began; without one each session has the
// default.
func (s *session) confine(ctx context.Context) error {
	choice, err := confine.Choose(s.spec.Config.Sandbox, s.Try(s.runner))
	if err != nil {
		return err
	}
	s.notice(choice.Notices(s.Workers())...)
	if choice.Means == "" {
		return nil
	}
	clones, err := (&place.Place{Call: s.Call, Project: s.project}).Clones()
	if err != nil {
		return err
	}
	s.box = &confine.Box{
		Means: choice.Means, Free: choice.ByDefault, Root: s.project.Root, Dir: s.Dir, Environ: s.Environ,
		Write: s.spec.Sandbox.Write,
		Rooms: s.rooms.Prefix(), Clones: clones,
		Ask: s.ask(ctx),
	}
	if s.project.Repo != nil {
		s.box.GitDir = s.project.Repo.CommonDir
		s.box.RunDir = filepath.Join(s.project.StateDir, git.Folder)
	}
	if err := s.box.Prepare(); err != nil {
		return err
	}
	s.runner.Confine = s.box.Command
	return nil
}

// ask runs a program in the project and returns its output; empty: it failed.
func (s *session) ask(ctx context.Context) func(argv []string) string {
	env := s.childEnv()
	return func(argv []string) string {
		out, exit, err := s.runner.Output(ctx, proc.Command{
			Argv: argv, Dir: s.project.Root, Env: env, Timeout: 20 * time.Second,
		}, maxDescribed)
		if err != nil || !exit.OK() {
			return ""
		}
		return string(out)
	}
}

// denied finds the writes that the sandbox denied; nil where nothing is confined.
func (s *session) denied() func(dir, output string) []failure.DeniedWrite {
	if s.box == nil {
		return nil
	}
	return func(dir, output string) []failure.DeniedWrite {
		var all []failure.DeniedWrite
		for _, d := range s.box.Denied(dir, output) {
			all = append(all, failure.DeniedWrite(d))
		}
		return all
	}
}

// place is where this run works. The command that resumes is made here, because Room is called by
// workers, which must not read the run.
func (s *session) place() *place.Place {
	resume := render.Command(s.calls().Resume(false))
	s.marker = &sink.PlanMarker{
		Spec: s.spec.Plan, Root: s.project.Root, Note: s.Note,
		Marks: s.marks,
	}
	changed := s.marker.Changed
	if s.engine == nil && s.planProtected() {
		changed = nil // the user's edit, which the run takes
	}
	return &place.Place{
		Call: s.Call, Project: s.project, Marks: s.marker.Marks, Spec: s.spec, Dir: s.dir, State: s.saver,
		Hooks: len(s.gates.Hooks) > 0, Aside: s.knowledge.File.Path,
		Room: func() error { return s.checkSpace(resume) }, Planted: s.knowledge.Planted,
		Changed: changed,
	}
}

// childEnv is the environment of agents and gates.
func (s *session) childEnv() []string {
	env := s.ChildEnviron(s.spec.Env)
	if s.box == nil {
		return proc.Environ(env, nil)
	}
	return proc.Environ(env, map[string]string{"PATH": s.box.Path(env.Get("PATH"))})
}
