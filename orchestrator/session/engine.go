package session

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"autobuild/internal/text"
	"autobuild/orchestrator"
	"autobuild/orchestrator/attempt"
	"autobuild/orchestrator/local"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/config"
	"autobuild/orchestrator/session/gates"
	"autobuild/orchestrator/session/knowledgefile"
	"autobuild/orchestrator/session/notify"
	"autobuild/orchestrator/session/report"
	"autobuild/orchestrator/session/resume"
	"autobuild/orchestrator/session/roster"
	"autobuild/orchestrator/session/sink"
	"autobuild/orchestrator/session/spec"
	"autobuild/orchestrator/session/workspace"
	"autobuild/orchestrator/verify"
	"autobuild/orchestrator/verify/referee"
	"autobuild/plan"
	"autobuild/render"
	"autobuild/state"
)

// orchestrate makes the engine and its parts, and runs it.
func (s *session) orchestrate(ctx context.Context, decisions resume.Decisions) error {
	if !s.joins {
		if err := s.leaveCaller(); err != nil {
			return err
		}
	}
	s.notice(s.Unreckoned()...)
	goOn, stop := s.Signals.GoOn()
	defer stop()
	runner := s.gateRunner()
	s.team.Store(s.Roster)
	examiner := examiner(s.space.Trees(), s.spec.Checks,
		func(p plan.Phase) string { return s.team.Load().Choices[p.ID].Proof })
	if err := s.makeReady(ctx, runner); err != nil {
		return err
	}
	base, err := s.baseline(ctx, runner, examiner, decisions)
	if err != nil {
		return err
	}
	worker := s.worker(runner, examiner, base)
	o := &local.Engine{
		Plan: s.plan, Worker: worker, Sinks: s.sinks(), Options: s.engineOptions(s.Roster, s.selected.Phases),
		Key: random, GoOn: goOn, Slept: sleepKnown(),
		Final: func(ctx context.Context, warm bool, report func(state.Event)) ([]state.Gate, error) {
			return runner.Final(ctx, s.plan, base, warm, report)
		},
	}
	if s.engine == nil {
		unwatch := s.watchPlan(ctx, o, worker)
		defer unwatch()
	}
	requests, deaf := s.receiveCommands(ctx)
	defer deaf()
	o.Requests = requests
	var code int
	o.Closing = func(ctx context.Context, end *state.End, cause error) error {
		failed := s.close(ctx, end)
		code = call.EndCode(s.o, *end, errors.Join(cause, failed))
		end.Exit = code
		if done := cause == nil && failed == nil; !done || !s.run.Finished() {
			end.Resume = s.calls().Resume(done)
		}
		s.decided.Store(true) // the summary comes next
		return failed
	}
	if s.screen != nil {
		s.screen.Start(s.Style(s.Stderr), s.Shown(s.project.StateDir))
		defer s.screen.Stop()
	}
	err = s.carryOut(ctx, o, worker)
	if failed := s.space.Close(); failed != nil {
		s.Note("what the gates left could not be removed: %s", text.Clean(failed.Error(), 300))
	}
	s.where.Tidy()
	s.screen.Stop() // the summary stands below the last lines
	return s.ending(err, code)
}

// gateRunner runs the gates of the session.
func (s *session) gateRunner() *gates.Runner {
	runner := &gates.Runner{
		Gates: &s.gates, Space: s.space, Process: s.runner, Env: s.childEnv(), Shell: s.shell,
		Timeout: s.spec.Limits.Gate, Log: s.dir.Log, Rooms: s.rooms, Setup: s.spec.Config.Setup,
		Verdicts: &s.verdicts, Root: s.apart(), Declared: s.declared,
	}
	runner.GateJobs = s.setGateJobs
	s.setGateJobs(0, 0)
	if s.box != nil {
		runner.Vars = func(temporary string) map[string]string {
			return s.box.Vars(runner.Env, temporary)
		}
	}
	return runner
}

// leaveCaller lets the call end that has started a detached run.
func (s *session) leaveCaller() error {
	return s.line.Leave(s.Call, s.dir, s.spec.Config.RunID, s.spec.Plan.Name,
		append(s.Program(), s.planArg()))
}

// setGateJobs settles how many suites of gates run at once, from what one took; wall 0: not known.
func (s *session) setGateJobs(cpu, wall time.Duration) {
	n := min(verify.GateJobs(runtime.NumCPU(), cpu, wall), s.spec.Config.Jobs)
	s.space.GateJobs(n)
	if s.Verbose && wall > 0 {
		s.Note("suites of gates at once: %d (%d cores; the baseline kept %.1f of them busy)", n,
			runtime.NumCPU(), float64(cpu)/float64(wall))
	}
}

// engineOptions are the decisions of the scheduler.
func (s *session) engineOptions(team *roster.Roster, selected []bool) orchestrator.Options {
	run, limits := s.spec.Config, s.spec.Limits
	return orchestrator.Options{
		Policy: team.Policy, Policies: team.Policies,
		Jobs: run.Jobs, Schedule: orchestrator.Schedule(run.Schedule), KeepGoing: run.KeepGoing,
		MaxCost: limits.CostUSD, MaxTokens: limits.Tokens, Selected: selected,
		StopLimit: s.spec.OnLimit == "stop",
		Agents:    team.Candidates(), Tiers: team.TierAgents(),
	}
}

// worker makes the attempts.
func (s *session) worker(
	runner *gates.Runner, examiner *verify.Examiner, baseline *attempt.Baseline,
) *attempt.Runner {
	run, limits := s.spec.Config, s.spec.Limits
	meter := attempt.NewMeter(attempt.Budget{CostUSD: limits.CostUSD, Tokens: limits.Tokens},
		s.run.Totals().Usage)
	if n := s.openNotifier(); n != nil {
		meter.Near = n.Spends
	}
	w := &attempt.Runner{
		Agent: s.Agent, Verifier: runner.Verifier(nil), Workspace: s.space,
		Guard:     guard(s.space, s.spec.Checks.Guard, s.Environ),
		KeepGates: s.gates.Keep, Baseline: baseline, Private: runner.Private,
		Plan: s.plan, RunID: run.RunID, Name: s.Agent.Name, Model: s.Agent.Model,
		Clean:   s.Agent.Clean,
		Timeout: limits.Timeout, Idle: limits.Idle, AllowEmpty: s.spec.Checks.AllowEmpty,
		Finished: s.finished,
		Setup:    run.Setup, Root: s.apart(), Env: s.childEnv(), Meter: meter,
		Tiers: s.Tiers, For: s.ChoiceOf, Strong: s.Strong(s.Agent),
		Discover: s.Uses(run.RetryPolicy, "known-fix"),
		Doubt:    s.Uses(run.RetryPolicy, "adaptive"),
		Memory:   s.knowledge.Memory, Near: s.space.Near, Outside: s.outside, Denied: s.denied(), Gates: s.gates.In,
		LogDir: filepath.Base(s.project.StateDir), Place: s.project.PlanName, Log: s.dir.Log,
		Scratch: s.rooms.Scratch, Nonce: random, Now: s.Now,
	}
	w.Review = s.reviewer(s.Roster)
	if examiner != nil {
		w.Referee = workspace.Referee{Examiner: examiner}
	}
	return w
}

// reviewer gives second opinions; nil where no phase is reviewed. Without worktrees there is no
// tree to look at.
func (s *session) reviewer(team *roster.Roster) *attempt.Review {
	v := team.Review
	if v == nil {
		return nil
	}
	r := &attempt.Review{
		Agent: v.Agent, Name: v.Agent.Name, Model: v.Agent.Model, Missing: v.Missing,
		On: team.ReviewOn, Paths: v.Paths, Rounds: v.Rounds, Keep: v.Keep,
	}
	if v.Run != "" {
		r.Script = []string{v.Run}
	}
	if trees, ok := s.space.Trees().(workspace.Trees); ok {
		r.Trees = trees
	} else if r.Missing == "" {
		r.Missing = "phases share one directory, so there is no tree to review"
	}
	return r
}

// baseline determines how the gates end before the next phase begins; nil where that is not wanted,
// or no phase starts. It is an error where the sandbox keeps a gate from its work.
func (s *session) baseline(
	ctx context.Context, runner *gates.Runner, examiner *verify.Examiner,
	decisions resume.Decisions,
) (b *attempt.Baseline, err error) {
	if s.spec.Checks.Baseline == config.BaselineOff || s.nothing || s.joins ||
		!s.selected.Starts(s.plan, resume.Kept(decisions.All)) {
		return nil, nil
	}
	r := &s.results
	r.Gates, r.Setup, r.Runner, r.Examiner, r.Put = s.spec.Config.Gates, s.spec.Config.Setup,
		runner, examiner, s.saver.Put
	r.Accept, r.Judged = s.o.AllowUnverified, s.judged()
	if r.Prepared, err = s.space.Prepared(ctx); err != nil {
		return nil, err
	}
	r.Strict = s.spec.Checks.Baseline == config.BaselineStrict
	if s.box != nil {
		r.Denied, r.Sandbox = s.denied(), append([]string{string(s.box.Means)}, s.box.Write...)
	}
	b, notices, err := r.Make(ctx)
	s.notice(notices...)
	return b, err
}

// judged reports whether every phase of the plan has its own gates.
func (s *session) judged() bool {
	return !slices.ContainsFunc(s.plan.Phases(),
		func(p plan.Phase) bool { return len(p.Gates) == 0 })
}

// guard is nil with guard off.
func guard(space workspace.Space, mode string, environ []string) attempt.Guard {
	if mode == config.GuardOff {
		return nil
	}
	values := slices.DeleteFunc(call.Secrets(environ), func(v string) bool {
		// the path of a secret is none
		return strings.HasPrefix(v, "/") || strings.HasPrefix(v, "~") || strings.HasPrefix(v, ".")
	})
	return &workspace.Guard{Edits: space.Edits, Strict: mode == config.GuardStrict, Secrets: values}
}

// examiner is nil where nothing is compared: without worktrees there is no base to judge by.
// proofOf is a phase's own mode of proof; empty: the run's.
func examiner(
	trees verify.Trees, checks spec.Checks, proofOf func(plan.Phase) string,
) *verify.Examiner {
	if trees == nil {
		return nil
	}
	return &verify.Examiner{
		Trees: trees, Mode: referee.Mode(checks.Referee),
		Proof: func(p plan.Phase) verify.ProofMode {
			return verify.ProofMode(cmp.Or(proofOf(p), checks.Proof))
		},
	}
}

// sinks receive every event: the store first, which makes it durable, then the outputs.
func (s *session) sinks() []orchestrator.Sink {
	sinks := []orchestrator.Sink{
		s.saver,
	}
	if s.marker != nil { // a run that cannot start has none
		sinks = slices.Insert(sinks, 1, orchestrator.Sink(s.marker))
	}
	shown := []orchestrator.Sink{s.saver}
	if out := s.output(); out != nil {
		sinks, shown = append(sinks, out), append(shown, out)
	}
	if s.knowledge.Updates() {
		sinks = append(sinks, knowledgefile.Sink{
			Memory: s.knowledge.Memory, File: s.knowledge.File,
			Show: shown, Note: s.Note,
		})
	}
	if n := s.openNotifier(); n != nil {
		sinks = append(sinks, n)
	}
	return sinks
}

// output is the sink that shows events; nil where there is none.
func (s *session) output() orchestrator.Sink {
	switch {
	case s.o.Progress.Value == "json":
		return &render.JSON{W: s.Stdout}
	case s.nothing: // the last screen says all there is
		return nil
	case s.screen != nil:
		return s.screen
	}
	dir := s.project.StateDir
	return sink.Lines(s.Call, s.o.Progress.Value, s.project.Root, dir, report.LogTail(dir))
}

// openNotifier makes the session's notifier at its first call; nil where the settings name no way.
func (s *session) openNotifier() *notify.Notifier {
	c := s.project.Config.Notify
	if s.notifier != nil || c == nil || !c.Any() {
		return s.notifier
	}
	host, _ := os.Hostname() // unknown: left out
	n, missing := notify.New(notify.Config{
		Settings: *c,
		Base: notify.Notice{
			Run: s.spec.Config.RunID, Plan: s.spec.Plan.Name,
			Title: s.plan.Title, Dir: s.project.Root, Host: host,
		},
		Environ: s.Environ, Getenv: s.Environ.Get, Secrets: call.Secrets(s.Environ),
		Kill: s.runner.Kill, Found: s.LookPath,
		Resume: func() string { return render.Command(s.calls().Next()) },
		Note:   s.Note, Agent: "autobuild/" + call.Version(), Now: s.Now,
	})
	s.notifier = n
	s.notice(missing...)
	return n
}

// random returns 16 hexadecimal digits.
func random() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

var (
	_ attempt.Agent       = roster.ChosenAgent{}
	_ orchestrator.Worker = (*attempt.Runner)(nil)
)
