package cmd

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"autobuild/failure"
	"autobuild/orchestrator"
	"autobuild/orchestrator/attempt"
	"autobuild/state"
)

// Deadlines where nothing says otherwise.
const (
	defaultTimeout     = 60 * time.Minute // of an attempt's agent
	defaultIdle        = 15 * time.Minute // without a sign of life
	defaultGateTimeout = 10 * time.Minute
)

// The words of --progress that choose a screen.
const (
	progressAuto = "auto" // live on a person's terminal, lines elsewhere
	progressLive = "live"
)

// The words of --referee: what lands of a change of the referee that the plan does not ask for.
const (
	refereeStrict  = "strict"  // nothing
	refereeContest = "contest" // what the agent names with a reason; the phase is contested
	refereeOff     = "off"     // everything: nothing is compared
)

// The words of --proof and of a phase's setting of that name.
const (
	proofAuto     = "auto"     // where the gate that holds the tests is quick
	proofOff      = "off"      // never
	proofRequired = "required" // always, and a phase without it fails
)

// The words of --conflicts.
const (
	conflictsRedo = "redo"
	conflictsHalt = "halt"
)

// options are everything that can be said to a run.
type options struct {
	resume, fresh, rerun bool
	thaw                 bool
	allowDirty           bool
	redo                 bool
	commit               choice
	agent, model         string
	agentCmd             string
	jobs                 int
	schedule             choice
	retryPolicy          choice
	retrySession         choice
	keepGoing            bool
	only, skip           []string
	from                 string
	timeout, idle        time.Duration
	gateTimeout, maxWall time.Duration
	maxCost              float64
	maxTokens            int64
	onLimit              choice
	conflicts            choice
	dryRun               bool
	isolation            choice
	sandbox              choice
	progress             choice
	knowledge            choice
	guard                choice
	baseline             choice
	strictBaseline       bool
	gateJobs             int
	referee, proof       choice
	allowUnverified      bool
	allowContested       bool
	allowEmpty           bool
	serialize, noVerify  bool
	dialect              string
	detach, detached     bool
	junit, trace, report string // files; empty: none

	line map[string]bool // the flags that stand on the command line
}

// choice is a flag with a fixed set of words.
type choice struct {
	value string
	words []string
}

func (c *choice) String() string { return c.value }

// Type names the words in help.
func (c *choice) Type() string { return strings.Join(c.words, "|") }

// Set accepts one of the words.
func (c *choice) Set(s string) error {
	if !slices.Contains(c.words, s) {
		last := len(c.words) - 1
		return fmt.Errorf("must be %s or %s", strings.Join(c.words[:last], ", "), c.words[last])
	}
	c.value = s
	return nil
}

// bind declares the flags of a run. Those marked configurable may also come from the environment and from files.
func (o *options) bind(f *pflag.FlagSet) {
	o.commit = choice{"", []string{string(state.CommitAuto), string(state.CommitSingle), string(state.CommitMessage)}}
	o.schedule = choice{string(orchestrator.Batch), []string{string(orchestrator.Batch), string(orchestrator.Eager)}}
	o.retryPolicy = choice{failure.PolicyNames()[0], failure.PolicyNames()}
	o.retrySession = choice{sessionFresh, []string{sessionFresh, sessionContinue}}
	o.conflicts = choice{conflictsRedo, []string{conflictsRedo, conflictsHalt}}
	o.isolation = choice{"", []string{string(state.Worktree), string(state.NoIsolation)}}
	o.progress = choice{progressAuto, []string{progressAuto, progressLive, "plain", "json", "quiet"}}
	o.knowledge = choice{knowledgeOn, []string{knowledgeOn, knowledgeRead, knowledgeOff, knowledgeTrust}}

	f.BoolVar(&o.resume, "resume", false, "go on from .autobuild/: failed, interrupted and blocked phases run again")
	f.BoolVar(&o.fresh, "fresh", false, "start again; the old run's state is kept in .autobuild/history/, commits stay")
	f.BoolVar(&o.rerun, "rerun-changed", false, "run complete phases again whose text changed since")
	o.bindAgain(f)
	f.BoolVar(&o.dryRun, "dry-run", false, "show batches, gates, agent and files; run nothing, write nothing")
	f.StringSliceVar(&o.only, "only", nil, "run only the phases `IDS`, comma-separated")
	f.StringVar(&o.from, "from", "", "run phase `ID` and all after it in the document")
	f.StringSliceVar(&o.skip, "skip", nil, "leave the phases `IDS` out, comma-separated")

	f.Var(&o.commit, "commit", "what becomes of the work: a commit a phase, one at the end, or messages and commits.sh (default message-only)")
	f.StringVar(&o.agent, "agent", "", "agent `NAME`, built in or from autobuild.yaml; A,B: B works while A cannot (default: the first found on PATH, else script)")
	f.StringVar(&o.model, "model", "", "the agent's `MODEL`")
	f.StringVar(&o.agentCmd, "agent-cmd", "", "use any program as agent: `'PROG ARGS'`; the prompt arrives on its stdin")
	f.IntVarP(&o.jobs, "jobs", "j", 0, "at most `N` phases at once (default 4)")
	f.Var(&o.schedule, "schedule", "batch: level by level; eager: as soon as a phase's own dependencies are complete")
	f.Var(&o.retryPolicy, "retry-policy", "what follows a failed attempt")
	f.Var(&o.retrySession, "retry-session", "a retry begins a new session of its agent, or goes on with the one before")
	f.BoolVar(&o.keepGoing, "keep-going", false, "after a failure still run phases that do not depend on it")
	f.DurationVar(&o.timeout, "timeout", defaultTimeout, "limit of one attempt")
	f.DurationVar(&o.idle, "idle-timeout", defaultIdle, "limit of one attempt without any sign of life")
	f.DurationVar(&o.maxWall, "max-wall", 0, "limit of the whole run (0: none)")
	f.Var(&o.conflicts, "conflicts", "a phase whose work cannot be merged with another's: do it again from where that landed, alone, or halt")
	f.Var(&o.isolation, "isolation", "where phases work: a git worktree each, or all in one directory (default worktree in a git repository)")
	f.Var(&o.progress, "progress", "how progress is shown; live: rows that are drawn anew; auto: live on a terminal, else lines that suit their reader")
	f.Var(&o.knowledge, "knowledge", "use what earlier failures taught and add to it, only use it, neither, or also run its accepted commands on a machine where nobody accepted them")
	f.BoolVar(&o.noVerify, "no-verify", false, "do not ask git's commit hooks about the work")

	o.bindBudget(f)
	o.bindPlan(f)
	o.bindDetach(f)
	o.bindChecks(f)
	o.bindReports(f)
	for _, name := range []string{
		"commit", "agent", "model", "agent-cmd", "jobs", "schedule", "retry-policy", "retry-session", "keep-going", "timeout", "idle-timeout",
		"gate-timeout", "max-wall", "max-cost", "max-tokens", "on-limit", "conflicts", "isolation", "progress", "knowledge", "referee", "proof", "guard", "allow-unverified", "allow-contested",
		"allow-empty", serializeFlag, "no-verify", "dialect",
		"gate-jobs", "baseline", "strict-baseline",
	} {
		_ = f.SetAnnotation(name, configurable, []string{"true"})
	}
}

// bindAgain adds the flags that say which phases run again, and whether a resume goes on all the
// same.
func (o *options) bindAgain(f *pflag.FlagSet) {
	f.BoolVar(&o.allowDirty, "allow-dirty", false, "with --resume: go on although a fix in your checkout is not committed")
	f.BoolVar(&o.thaw, "thaw", false, "with --resume: run frozen phases again too")
	f.BoolVar(&o.redo, "redo", false, "run phases, too, that the plan marks as done and no run knows of")
}

// bindBudget declares the flags that bound what agents use.
func (o *options) bindBudget(f *pflag.FlagSet) {
	o.onLimit = choice{"wait", []string{"wait", "stop"}}
	f.Float64Var(&o.maxCost, "max-cost", 0, "stop agents and the run when they have cost this much in `USD` (0: no limit)")
	f.Int64Var(&o.maxTokens, "max-tokens", 0, "stop agents and the run when they have used `N` tokens (0: no limit)")
	f.Var(&o.onLimit, "on-limit", "at a usage limit: wait for its reset, or stop")
}

// bindPlan declares the flags that say how the plan is read.
func (o *options) bindPlan(f *pflag.FlagSet) {
	f.BoolVar(&o.serialize, serializeFlag, false, serializeHelp)
	f.StringVar(&o.dialect, "dialect", "", "read the plan in this `DIALECT` instead of recognising it")
}

// bindChecks declares the flags that say how work is judged.
func (o *options) bindChecks(f *pflag.FlagSet) {
	o.bindSandbox(f)
	o.baseline = choice{baselineOn, []string{baselineOn, baselineOff}}
	o.referee = choice{refereeContest, []string{refereeStrict, refereeContest, refereeOff}}
	o.proof = choice{proofAuto, []string{proofAuto, proofOff, proofRequired}}
	o.guard = choice{guardWarn, []string{guardOff, guardWarn, guardStrict}}

	f.DurationVar(&o.gateTimeout, "gate-timeout", defaultGateTimeout, "limit of one gate")
	f.IntVar(&o.gateJobs, "gate-jobs", 1, "at most `N` suites of gates at once, of all phases together")
	f.Var(&o.baseline, "baseline", "run the gates once before the first phase, and hold against phases only what gets worse")
	f.BoolVar(&o.strictBaseline, "strict-baseline", false, "show what fails before the first phase, and hold it against phases nevertheless")
	f.Var(&o.guard, "guard", "work that weakens its own checks or holds what must not land: look for nothing, tell (secrets still refuse it), or refuse it")
	f.Var(&o.referee, "referee", "what a phase may change of the tests and gates that judge it: what the plan asks for, also what its agent explains (contested), or anything")
	f.Var(&o.proof, "proof", "run new tests against the code before the phase too: where that is quick, never, or always, and a phase without proof fails")
	f.BoolVar(&o.allowUnverified, "allow-unverified", false, "exit 0 even when phases completed without any gate")
	f.BoolVar(&o.allowContested, "allow-contested", false, "exit 0 even when phases changed their own tests or gates unasked")
	f.BoolVar(&o.allowEmpty, "allow-empty", false, "a phase may change nothing and still be complete")
}

// check finds contradictions that no single flag shows.
func (o *options) check() error {
	switch {
	case o.resume && o.fresh:
		return usage("--resume goes on and --fresh starts again", "give one of them")
	case o.jobs < 0:
		return usage(fmt.Sprintf("--jobs %d is not possible", o.jobs), "give a number from 1")
	case o.gateJobs < 1:
		return usage(fmt.Sprintf("--gate-jobs %d is not possible", o.gateJobs), "give a number from 1")
	case o.line["agent"] && o.line["agent-cmd"]:
		return usage("--agent and --agent-cmd both name an agent", "give one of them")
	case o.maxCost < 0, o.maxTokens < 0, o.timeout < 0, o.idle < 0, o.gateTimeout < 0, o.maxWall < 0:
		return usage("a limit is negative", "0 means no limit")
	}
	return nil
}

// remembered is what a flag that a run remembers comes to: the command line before the stored run before everything else.
func (o *options) remembered(flag, value, stored string) string {
	if stored != "" && !o.line[flag] {
		return stored
	}
	return value
}

// usageError is a mistake in how autobuild was called.
type usageError struct{ what, next string }

// Error is what; next.
func (e *usageError) Error() string {
	if e.next == "" {
		return e.what
	}
	return e.what + "; " + e.next
}

func usage(what, next string) error { return &usageError{what, next} }

var (
	_ orchestrator.Worker = (*attempt.Runner)(nil)
	_ pflag.Value         = (*choice)(nil)
)
