package cmd

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"autobuild/failure"
	"autobuild/internal/proc"
	"autobuild/orchestrator"
	"autobuild/orchestrator/attempt"
	"autobuild/orchestrator/verify"
	"autobuild/plan"
	"autobuild/render"
	"autobuild/state"
	"autobuild/state/store"
)

func (a *app) runCommand() *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:   "run PLAN.md",
		Short: "Run a plan (the same as autobuild PLAN.md)",
		Example: `  autobuild run plan.md --agent claude --commit=auto
  autobuild run plan.md --agent-cmd 'my-agent --headless' -j 2
  autobuild run plan.md --resume`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case len(args) == 0 && c.HasParent():
				return usage("which plan?", "name a markdown file: autobuild run PLAN.md")
			case len(args) == 0:
				return c.Help()
			case len(args) > 1:
				return usage(fmt.Sprintf("%d plans were named: %s", len(args), strings.Join(args, " ")), "a run has one plan")
			}
			return a.runPlan(c.Context(), &o, args[0], c.Flags())
		},
	}
	o.bind(c.Flags())
	return c
}

// session is one run of a plan as it is being put together.
type session struct {
	*app
	o        *options
	project  *project
	plan     *plan.Plan
	path     string // of the plan, absolute
	name     string // of the plan in state
	runner   *proc.Runner
	dir      *store.Dir
	run      *state.Run
	config   state.Config
	agent    chosenAgent
	space    workspace
	begin    orchestrator.Session
	selected []bool   // nil: all
	given    []string // the flags of this call that a resume has to repeat
	nothing  bool     // everything is complete already
}

// runPlan is `autobuild PLAN.md`.
func (a *app) runPlan(ctx context.Context, o *options, planArg string, flags *pflag.FlagSet) error {
	runner := &proc.Runner{Secrets: secrets(a.environ)}
	defer runner.Close()
	given := givenFlags(flags)
	o.line = make(map[string]bool)
	flags.Visit(func(f *pflag.Flag) { o.line[f.Name] = true })
	project, err := a.openProject(ctx, runner, flags)
	if err != nil {
		return err
	}
	if err = o.check(); err != nil {
		return err
	}
	p, err := a.readPlan(planArg, o.dialect)
	if err != nil {
		return err
	}
	s := &session{app: a, o: o, project: project, plan: p, path: a.path(planArg), runner: runner, given: given}
	s.name = project.planName(s.path)
	if o.dryRun {
		return s.dryRun()
	}
	_, _ = io.WriteString(a.stderr, render.Problems(planArg, p.Notes.Warnings(), a.style(a.stderr)))

	ctx, kill, stop := a.signals(ctx, func(signal string) {
		a.note("%s: nothing new starts, and the agents are asked to end (once more kills them)", signal)
	})
	defer stop()
	runner.Kill = kill
	if o.maxWall > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, o.maxWall, orchestrator.Deadline(o.maxWall))
		defer cancel()
	}
	return s.execute(ctx)
}

// execute takes the lock, settles what is to be done, and does it.
func (s *session) execute(ctx context.Context) error {
	if err := s.lock(); err != nil {
		return err
	}
	defer func() {
		if failed := s.dir.Close(); failed != nil {
			s.note("closing the state directory: %v", failed)
		}
	}()
	if err := s.settle(ctx); err != nil {
		return err
	}
	if !s.nothing {
		return s.orchestrate(ctx)
	}
	if err := s.space.Leave(ctx); err != nil {
		return err
	}
	s.summarize(nil)
	if s.run.Totals().Unverified > 0 && !s.o.allowUnverified {
		return &shownError{errUnverified}
	}
	return nil
}

// lock makes this process the only one that works here.
func (s *session) lock() error {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	holder := store.Holder{PID: os.Getpid(), Host: host, Started: time.Now(), Plan: s.name, Args: render.Command(append([]string{"autobuild"}, s.planArg()))}
	s.dir, err = store.Open(s.project.stateDir, s.project.lockDir, holder, nil)
	if err != nil {
		return err
	}
	s.runner.Hold = s.dir.Agents()
	return nil
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
	if err = s.configure(stored); err != nil {
		return err
	}
	if err = s.setAside(); err != nil {
		return err
	}
	if s.space, err = s.openWorkspace(ctx); err != nil {
		return err
	}
	if stored != nil {
		if err = s.resume(ctx); err != nil || s.nothing {
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

// stored loads the run that is to go on; nil when a new one starts.
func (s *session) stored() (*state.Run, error) {
	if !store.Exists(s.project.stateDir) {
		if s.o.resume {
			s.note("nothing to resume here; starting")
		}
		return nil, nil
	}
	if s.o.fresh {
		return nil, nil
	}
	run, notes, err := s.dir.Load(orchestrator.Seeds(s.plan, failure.Single{}.Attempts()))
	if errors.Is(err, store.ErrNoRun) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !samePlan(run.Config, s.name, s.plan.Hash) {
		return nil, &otherPlanError{have: run.Config.Plan, want: s.name}
	}
	for _, n := range notes {
		s.note("%s", render.Clean(n.String(), 400))
	}
	if !s.o.resume && !run.Finished() {
		s.note("resuming the unfinished run %s of %s (--fresh starts again)", run.Config.RunID, s.name)
	}
	return run, nil
}

// historyKept is how many runs stay in history.
const historyKept = 10

// setAside makes room for a fresh start, once it is known that there can be one.
func (s *session) setAside() error {
	if !s.o.fresh || !store.Exists(s.project.stateDir) {
		return nil
	}
	archived, err := s.dir.Fresh(historyKept)
	if err != nil {
		return err
	}
	s.note("starting again; the old run is kept in %s (commits that it made stay)", s.shown(filepath.Join(s.project.stateDir, archived)))
	return nil
}

// otherPlanError says that the state here belongs to another plan.
type otherPlanError struct{ have, want string }

// Error names both plans and both ways out.
func (e *otherPlanError) Error() string {
	return fmt.Sprintf("the state in .autobuild belongs to another plan, %s, not %s; go on with it: %s; or set it aside: %s",
		e.have, e.want, render.Command([]string{"autobuild", e.have, "--resume"}), render.Command([]string{"autobuild", e.want, "--fresh"}))
}

// configure fills in what config.json will say of this session.
func (s *session) configure(stored *state.Run) error {
	old := state.Config{Started: time.Now()}
	if stored != nil {
		old = stored.Config
	}
	mode, said, err := s.commitMode(old.CommitMode)
	if err != nil {
		return err
	}
	isolation, err := s.isolation(old.Isolation)
	if err != nil {
		return err
	}
	if s.agent, err = s.chooseAgent(old); err != nil {
		return err
	}
	gates, stack, err := s.gates()
	if err != nil {
		return err
	}
	tasks := 0
	for _, p := range s.plan.Phases() {
		tasks += len(p.Tasks)
	}
	s.config = state.Config{
		Schema: state.Schema, RunID: old.RunID, Autobuild: version(),
		Plan: s.name, PlanTitle: s.plan.Title, PlanHash: s.plan.Hash, Dialect: s.plan.Dialect,
		CommitMode: mode, Agent: s.agent.name, AgentCmd: s.agent.command, Model: s.agent.model, Isolation: isolation,
		Schedule: s.o.schedule.value, RetryPolicy: s.o.retryPolicy.value, Jobs: s.jobs(isolation), KeepGoing: s.o.keepGoing,
		Stack: stack, Gates: gates, Setup: s.project.config.setup,
		Branch: old.Branch, Base: old.Base, Started: old.Started, Sessions: old.Sessions + 1,
		Counts: state.Counts{Phases: s.plan.Len(), Batches: len(s.plan.Batches()), Tasks: tasks},
	}
	if stored == nil {
		s.config.RunID = runID(old.Started, random())
		if s.project.repo != nil {
			s.config.Branch, s.config.Base = s.project.repo.Branch, s.project.repo.Head
		}
	} else {
		s.config.Resumed = time.Now()
	}
	if said != "" {
		s.begin.Notices = append(s.begin.Notices, said)
	}
	return nil
}

func (s *session) jobs(isolation state.Isolation) int {
	switch {
	case s.o.jobs > 0:
		return s.o.jobs
	case isolation == state.NoIsolation:
		return 1 // phases that share a directory run side by side only when asked for by hand
	}
	return orchestrator.DefaultJobs
}

// commitMode is the mode and, where nobody chose one, a line that says so.
func (s *session) commitMode(stored state.CommitMode) (state.CommitMode, string, error) {
	asked := state.CommitMode(s.o.remembered("commit", s.o.commit.value, string(stored)))
	if s.project.repo == nil {
		if asked != "" && asked != state.CommitMessage {
			return "", "", usage(fmt.Sprintf("--commit=%s needs a git repository, and %s is in none", asked, s.project.root), "run git init, or leave --commit out")
		}
		return state.CommitMessage, "there is no git repository here: phases share the directory, and nothing is committed", nil
	}
	switch {
	case stored != "" && asked != stored:
		return "", "", usage(fmt.Sprintf("this run was started with --commit=%s and cannot go on with --commit=%s", stored, asked),
			"leave --commit out, or start again with --fresh")
	case asked != "":
		return asked, "", nil
	}
	return state.CommitMessage, "no commit mode was chosen: message-only, your history stays untouched (--commit=auto makes a commit a phase)", nil
}

func (s *session) isolation(stored state.Isolation) (state.Isolation, error) {
	asked := state.Isolation(s.o.remembered("isolation", s.o.isolation.value, string(stored)))
	switch {
	case asked == state.Worktree && s.project.repo == nil:
		return "", usage("--isolation worktree needs a git repository, and "+s.shown(s.project.root)+" is in none", "run git init, or use --isolation none")
	case stored != "" && asked != stored:
		return "", usage(fmt.Sprintf("this run was started with --isolation %s", stored), "leave --isolation out, or start again with --fresh")
	case asked != "":
		return asked, nil
	case s.project.repo == nil:
		return state.NoIsolation, nil
	}
	return state.Worktree, nil
}

// gates are those of the configuration and of the stack as it is now; a phase's own come with the phase.
func (s *session) gates() ([]state.GateSpec, string, error) {
	stack := verify.Detect(s.project.root)
	gates := s.probe(s.project.root, verify.Merge(s.project.config.gates, nil, stack.Gates))
	named := slices.Clone(gates)
	for _, p := range s.plan.Phases() {
		named = append(named, s.probe(s.project.root, planGates(p))...)
	}
	if missing := verify.Unavailable(named); len(missing) > 0 {
		lines := make([]string, len(missing))
		for i, g := range missing {
			lines[i] = fmt.Sprintf("gate %s (from the %s) runs %q, and %s is not installed; install it, or change the gate", g.Name, g.Source, g.Command, g.Tool)
		}
		return nil, "", errors.New(strings.Join(slices.Compact(lines), "\n"))
	}
	return gates, stack.Name, nil
}

func planGates(p plan.Phase) []state.GateSpec {
	specs := make([]state.GateSpec, len(p.Gates))
	for i, g := range p.Gates {
		specs[i] = state.GateSpec{Name: g.Name, Kind: verify.Kind(g.Name), Command: g.Command, Source: verify.SourcePlan, Available: true}
	}
	return specs
}

// gatesIn are the gates of one phase, as things are in dir: a stack that was found at the start keeps its gates even when
// the phase removes what gave it away.
func (s *session) gatesIn(dir string, p plan.Phase) []state.GateSpec {
	detected := verify.Detect(dir).Gates
	for _, g := range s.config.Gates {
		if g.Source != verify.SourceConfig && !slices.ContainsFunc(detected, func(d state.GateSpec) bool { return d.Name == g.Name }) {
			detected = append(detected, g)
		}
	}
	return s.probe(dir, verify.Merge(s.project.config.gates, planGates(p), detected))
}

// probe finds out which gates can run.
func (s *session) probe(dir string, gates []state.GateSpec) []state.GateSpec {
	return verify.Probe(dir, s.environ, gates)
}

// resume decides what becomes of each phase's past, and says it.
func (s *session) resume(ctx context.Context) error {
	past, err := s.space.Past(ctx)
	if err != nil {
		return err
	}
	past.Rerun = s.o.rerun
	past.Skip = s.begin.Skip
	decisions := orchestrator.Resume(s.plan, s.run, past)
	var shown []render.Decision
	again, held := false, []string(nil)
	for _, d := range decisions {
		if d.Verb == orchestrator.Hold {
			held = append(held, d.Label)
		}
		again = again || d.Verb != orchestrator.Keep
		p, _ := s.plan.Find(d.Phase)
		shown = append(shown, render.Decision{Label: d.Label, Name: p.Name, Verb: string(d.Verb), Reason: d.Reason})
	}
	if len(held) > 0 {
		return fmt.Errorf("phase %s was cut off %d times in a row and is not started again by itself; look at its log, then: %s",
			strings.Join(held, ", "), orchestrator.MaxCutOff, render.Command([]string{"autobuild", "reset", held[0]}))
	}
	undelivered := s.run.End == nil || s.run.End.Merge != ""
	if !again && !undelivered {
		s.nothing = true
		return nil
	}
	_, _ = io.WriteString(s.stderr, render.Decisions(shown, s.style(s.stderr)))
	s.begin.Decisions = decisions
	return nil
}

// choose turns --only, --from and --skip into positions; done tells what is complete already.
func (s *session) choose(done func(id string) bool) (err error) {
	if len(s.o.only) == 0 && s.o.from == "" && len(s.o.skip) == 0 {
		return nil
	}
	part := orchestrator.Part{Only: s.o.only, From: s.o.from, Skip: s.o.skip}
	s.selected, s.begin.Skip, err = orchestrator.Select(s.plan, part, done)
	if part, ok := errors.AsType[*orchestrator.PartError](err); ok {
		return usage(part.What, part.Next)
	}
	return err
}

// kept reports which phases stay complete in this session.
func (s *session) kept() func(id string) bool {
	done := make(map[string]bool)
	for _, d := range s.begin.Decisions {
		done[d.Phase] = d.Verb == orchestrator.Keep || d.Verb == orchestrator.Adopt
	}
	return func(id string) bool { return done[id] }
}

// unrepeated are the flags of a call that its continuation must not repeat: the run remembers them, or they are about
// this call's screen.
var unrepeated = []string{"commit", "agent", "agent-cmd", "model", "isolation", "progress"}

// givenFlags are the flags of the command line that say how to run and that the stored run does not remember, as words.
func givenFlags(flags *pflag.FlagSet) []string {
	var words []string
	flags.Visit(func(f *pflag.Flag) {
		part := slices.Contains([]string{"only", "from", "skip", "config"}, f.Name)
		value := strings.Trim(f.Value.String(), "[]")
		switch {
		case !part && f.Annotations[configurable] == nil, slices.Contains(unrepeated, f.Name), f.Value.String() == f.DefValue:
		case f.Value.Type() == "bool":
			words = append(words, "--"+f.Name)
		default:
			words = append(words, "--"+f.Name+"="+value)
		}
	})
	return words
}

// random is a word of 16 hexadecimal digits.
func random() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// orchestrate runs it.
func (s *session) orchestrate(ctx context.Context) error {
	policy := failure.Single{}
	o := &orchestrator.Orchestrator{
		Plan: s.plan, Worker: s.worker(), Policy: policy, Sinks: s.sinks(),
		Options: orchestrator.Options{
			Jobs: s.config.Jobs, Schedule: orchestrator.Schedule(s.o.schedule.value), KeepGoing: s.o.keepGoing,
			MaxCost: s.o.maxCost, MaxTokens: s.o.maxTokens, Selected: s.selected, StopLimit: s.o.onLimit.value == "stop",
		},
		Key: random,
	}
	var code int
	o.Closing = func(ctx context.Context, end *state.End, cause error) error {
		err := s.close(ctx, end)
		code = endCode(*end, errors.Join(cause, err), s.o.allowUnverified)
		end.Exit = code
		return err
	}
	err := o.Run(ctx, s.run, s.begin)
	if s.run.End != nil {
		s.summarize(err)
	}
	switch {
	case err != nil && s.run.End != nil && isEnding(err):
		return &shownError{err}
	case err == nil && code == exitUnverified:
		return &shownError{errUnverified}
	}
	return err
}

// summarize draws the last screen, where one is wanted.
func (s *session) summarize(err error) {
	out := s.stdout
	switch {
	case s.o.progress.value == "quiet" && err == nil:
		return
	case s.o.progress.value == "json":
		out = s.stderr // stdout is the event stream
	}
	_, _ = io.WriteString(out, render.Summary(s.run, s.ending(), s.style(out)))
}

// isEnding reports whether the summary has said all there is to say about err.
func isEnding(err error) bool {
	_, halted := errors.AsType[*orchestrator.HaltError](err)
	_, stopped := errors.AsType[*orchestrator.StopError](err)
	_, interrupted := errors.AsType[*orchestrator.Interrupted](err)
	return halted || stopped || interrupted
}

// close is the last work of a session: deliver what has landed, and write what message-only leaves behind.
func (s *session) close(ctx context.Context, end *state.End) error {
	d, err := s.space.Finish(ctx, s.run.Finished(), s.summaryMessage())
	if err != nil {
		return err
	}
	end.Merge, end.Branch, end.Why = d.Merge, d.Branch, d.Why
	return s.writeScript(ctx)
}

func (s *session) writeScript(ctx context.Context) error {
	if s.config.CommitMode != state.CommitMessage {
		return nil
	}
	files, err := s.space.Script(ctx)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := s.dir.Put(f.Name, f.Data, f.Exec); err != nil {
			return err
		}
	}
	return nil
}

// summaryMessage is the message of the one commit of mode single.
func (s *session) summaryMessage() string {
	title := s.plan.Title
	if title == "" {
		title = filepath.Base(s.path)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "feat: %s\n\n", render.Clean(title, 60))
	for i := range s.run.Phases {
		if p := &s.run.Phases[i]; p.Status == state.Complete && p.Commit != nil {
			subject, _, _ := strings.Cut(p.Commit.Message, "\n")
			fmt.Fprintf(&b, "- %s: %s\n", p.Label, render.Clean(subject, 100))
		}
	}
	return b.String()
}

// worker makes the attempts.
func (s *session) worker() *attempt.Runner {
	verifier := &verify.Verifier{Run: s.runner, Env: s.childEnv(), Timeout: s.o.gateTimeout, Log: s.dir.Log}
	return &attempt.Runner{
		Agent: s.agent, Verifier: verifier, Workspace: s.space,
		Plan: s.plan, RunID: s.config.RunID, Name: s.agent.name, Model: s.agent.model, Clean: s.agent.clean,
		Timeout: s.o.timeout, Idle: s.o.idle, AllowEmpty: s.o.allowEmpty, Setup: s.config.Setup, Env: s.childEnv(),
		Gates: s.gatesIn, LogDir: filepath.Base(s.project.stateDir), Place: s.project.planName, Log: s.dir.Log, Scratch: scratch, Nonce: random,
	}
}

// scratch is a private directory outside every worktree.
func scratch() (string, func(), error) {
	dir, err := os.MkdirTemp("", "autobuild-")
	if err != nil {
		return "", nil, err
	}
	return dir, func() { _ = os.RemoveAll(dir) }, nil
}

// alwaysSeen are the variables that no allow-list takes from agents and gates.
var alwaysSeen = []string{"PATH", "HOME", "LANG", "TERM", "TMPDIR", "USER"}

// childEnv is what agents and gates see of the environment. Git must not find the user's repository from a worktree that
// has lost its own.
func (s *session) childEnv() []string {
	kept := s.environ
	if allow := s.project.config.env; allow != nil {
		kept = slices.DeleteFunc(slices.Clone(kept), func(entry string) bool {
			name, _, _ := strings.Cut(entry, "=")
			return !slices.Contains(allow, name) && !slices.Contains(alwaysSeen, name)
		})
	}
	return proc.Environ(kept, map[string]string{"GIT_CEILING_DIRECTORIES": filepath.Join(s.project.stateDir, "worktrees")})
}

// planArg is the plan as it is typed from here.
func (s *session) planArg() string { return s.shown(s.path) }

// ending is what the summary has to know of the call.
func (s *session) ending() render.Ending {
	program := []string{"autobuild"}
	if s.changed {
		program = append(program, "-C", s.app.dir)
	}
	again := append(slices.Clone(program), s.planArg(), "--commit="+string(s.config.CommitMode))
	e := render.Ending{
		Program: program, Dir: s.shown(s.project.stateDir), Nothing: s.nothing,
		Resume: slices.Concat(again, s.given, []string{"--resume"}),
		Fresh:  slices.Concat(again, s.begun(), s.given, []string{"--fresh"}),
	}
	if files, err := os.ReadDir(filepath.Join(s.project.stateDir, "phases")); err == nil {
		e.Files = len(files)
	}
	if s.config.CommitMode == state.CommitMessage {
		if script := filepath.Join(s.project.stateDir, "commits.sh"); fileExists(script) {
			e.Script = s.shown(script)
		}
	}
	return e
}

// begun are the flags that a fresh start has to repeat and a resume remembers.
func (s *session) begun() []string {
	var words []string
	switch {
	case s.config.AgentCmd != "":
		words = append(words, "--agent-cmd="+s.config.AgentCmd)
	case s.o.line["agent"]:
		words = append(words, "--agent="+s.config.Agent)
	}
	if s.o.line["model"] {
		words = append(words, "--model="+s.config.Model)
	}
	if s.o.line["isolation"] {
		words = append(words, "--isolation="+string(s.config.Isolation))
	}
	return words
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
