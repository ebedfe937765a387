package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"autobuild/failure/policy"
	"autobuild/orchestrator"
	"autobuild/state"
)

// Options are the flags of a run.
type Options struct {
	Resume, Fresh, Rerun bool
	Edited               bool // an edit of the plan that an agent could have made is the user's
	Commit               Choice
	Deliver              Choice
	Agent, Model         string
	AgentCmd             string
	Jobs                 int
	Schedule             Choice
	RetryPolicy          Choice
	KeepGoing            bool
	Only, Skip           []string
	From                 string
	Timeout, Idle        time.Duration
	GateTimeout, MaxWall time.Duration
	MaxCost              float64
	MaxTokens            int64
	OnLimit              Choice
	DryRun               bool
	Isolation            Choice
	Engine               Choice
	Sandbox              Choice
	Progress             Choice
	Knowledge            Choice
	Guard                Choice
	Baseline             Choice
	Referee, Proof       Choice
	AllowUnverified      bool
	AllowContested       bool
	AllowEmpty           bool
	Detach, Detached     bool
	JUnit, Report        string // files; empty: none

	Line map[string]bool // by name: the flags that stand on the command line

	flags *pflag.FlagSet // they are bound to
}

// Bind declares the flags of a run on a command line. Configurable settings may also be set by the
// environment and by files, and those of Unflagged there alone.
func (o *Options) Bind(line *pflag.FlagSet) {
	f := pflag.NewFlagSet("settings", pflag.ContinueOnError)
	o.flags = f
	o.Commit = Choice{"", []string{string(state.CommitAuto), string(state.CommitSingle), string(state.CommitMessage)}}
	o.Deliver = Choice{"", []string{string(state.DeliverBranch), string(state.DeliverPR), string(state.DeliverStack)}}
	o.Schedule = Choice{string(orchestrator.Batch), []string{string(orchestrator.Batch), string(orchestrator.Eager)}}
	o.RetryPolicy = Choice{policy.Names()[0], policy.Names()}
	o.Isolation = Choice{"", []string{string(state.Worktree), string(state.NoIsolation)}}
	o.Engine = Choice{EngineLocal, []string{EngineLocal, EngineTemporal}}
	o.Progress = Choice{ProgressAuto, []string{ProgressAuto, ProgressLive, "plain", "json", "quiet"}}
	o.Knowledge = Choice{KnowledgeOn, []string{KnowledgeOn, KnowledgeRead, KnowledgeOff, KnowledgeTrust}}

	o.bindPart(f)
	f.Var(&o.Commit, "commit", "what becomes of the work: a commit a phase, one at the end, or messages and commits.sh (default message-only)")
	f.Var(&o.Deliver, "deliver", "where commits go instead of the checkout: to a branch of the remote, as one pull request, or as one a phase (by gh or glab)")
	f.StringVar(&o.Agent, "agent", "", "agent `NAME`, built in or from autobuild.yaml; A,B: B works while A cannot (default: the first found on PATH, else script)")
	f.StringVar(&o.Model, "model", "", "the agent's `MODEL`")
	f.StringVar(&o.AgentCmd, "agent-cmd", "", "use any program as agent: `'PROG ARGS'`; the prompt arrives on its stdin")
	f.IntVarP(&o.Jobs, "jobs", "j", 0, "at most `N` phases at once (default 4)")
	f.Var(&o.Schedule, "schedule", "batch: level by level; eager: as soon as a phase's own dependencies are complete")
	f.Var(&o.RetryPolicy, "retry-policy", "what follows a failed attempt")
	f.BoolVar(&o.KeepGoing, "keep-going", false, "after a failure still run phases that do not depend on it")
	f.DurationVar(&o.Timeout, "timeout", DefaultTimeout, "limit of one attempt")
	f.DurationVar(&o.Idle, "idle-timeout", DefaultIdle, "limit of one attempt without any sign of life")
	f.DurationVar(&o.MaxWall, "max-wall", 0, "limit of the whole run (0: none)")
	f.Var(&o.Isolation, "isolation", "where phases work: a git worktree each, or all in one directory (default worktree in a git repository)")
	f.Var(&o.Engine, EngineFlag, "where phases run: on this machine, or on the workers of a Temporal server (see docs/distributed.md)")
	f.Var(&o.Progress, "progress", "how progress is shown; live: rows that are drawn anew; auto: live on a terminal, else lines that suit their reader")
	f.Var(&o.Knowledge, "knowledge", "use what earlier failures taught and add to it, only use it, neither, or also run its accepted commands on a machine where nobody accepted them")

	o.bindBudget(f)
	o.bindDetach(f)
	o.bindChecks(f)
	o.bindReports(f)
	for _, name := range []string{
		"commit", "deliver", "agent", "model", "agent-cmd", "jobs", "schedule", "retry-policy", "keep-going", "timeout", "idle-timeout",
		"gate-timeout", "max-wall", "max-cost", "max-tokens", "on-limit", "isolation", EngineFlag, "progress", "knowledge", "referee", "proof", "guard", "allow-unverified", "allow-contested",
		"allow-empty", "baseline",
	} {
		_ = f.SetAnnotation(name, Configurable, []string{"true"})
	}
	f.VisitAll(func(setting *pflag.Flag) {
		if !slices.Contains(Unflagged, setting.Name) {
			line.AddFlag(setting)
		}
	})
}

// Settings are all settings of a run by their names, those that are no flags too. Options must have
// been bound.
func (o *Options) Settings() *pflag.FlagSet { return o.flags }

// Unflagged are settings that a project makes once, in autobuild.yaml, and no flag.
var Unflagged = []string{
	"gate-timeout", "proof", "guard", "knowledge", "allow-empty", "max-tokens",
}

// resumption is the value of --resume: true, false, or which phases run again besides.
type resumption struct{ o *Options }

// String is what was asked for.
func (r resumption) String() string {
	var words []string
	switch {
	case r.o == nil || !r.o.Resume:
		return "false"
	case !r.o.Rerun && !r.o.Edited:
		return "true"
	}
	if r.o.Rerun {
		words = append(words, ResumeChanged)
	}
	if r.o.Edited {
		words = append(words, ResumeEdited)
	}
	return strings.Join(words, ",")
}

// Type is left out of help: the value may be.
func (resumption) Type() string { return "bool" }

// Set takes true, false, or a list of the words.
func (r resumption) Set(value string) error {
	if on, err := strconv.ParseBool(value); err == nil {
		r.o.Resume = on
		return nil
	}
	for word := range strings.SplitSeq(value, ",") {
		switch word {
		case ResumeChanged:
			r.o.Rerun = true
		case ResumeEdited:
			r.o.Edited = true
		default:
			return fmt.Errorf("must be one or more of %s, %s, with commas", ResumeChanged,
				ResumeEdited)
		}
	}
	r.o.Resume = true
	return nil
}

// bindPart declares the flags that say which phases run, and which run again.
func (o *Options) bindPart(f *pflag.FlagSet) {
	f.Var(resumption{o}, "resume", "go on from .autobuild/: failed, interrupted and blocked phases run again; "+
		"changed: also complete ones whose text changed; edited: an edit of the plan "+
		"that an agent could have made is yours")
	f.Lookup("resume").NoOptDefVal = "true"
	f.BoolVar(&o.Fresh, "fresh", false, "start again; the old run's state is kept in .autobuild/history/, commits stay")
	f.BoolVar(&o.DryRun, "dry-run", false, "show batches, gates, agent and files; run nothing, write nothing")
	f.StringSliceVar(&o.Only, "only", nil, "run only the phases `IDS`, comma-separated")
	f.StringVar(&o.From, "from", "", "run phase `ID` and all after it in the document")
	f.StringSliceVar(&o.Skip, "skip", nil, "leave the phases `IDS` out, comma-separated")
}

// bindBudget declares the flags that bound what agents use.
func (o *Options) bindBudget(f *pflag.FlagSet) {
	o.OnLimit = Choice{"wait", []string{"wait", "stop"}}
	f.Float64Var(&o.MaxCost, "max-cost", 0, "stop agents and the run when they have cost this much in `USD` (0: no limit)")
	f.Int64Var(&o.MaxTokens, "max-tokens", 0, "stop agents and the run when they have used `N` tokens (0: no limit)")
	f.Var(&o.OnLimit, "on-limit", "at a usage limit: wait for its reset, or stop")
}

// bindChecks declares the flags that say how work is judged.
func (o *Options) bindChecks(f *pflag.FlagSet) {
	o.bindSandbox(f)
	o.Baseline = Choice{BaselineOn, []string{BaselineOn, BaselineOff, BaselineStrict}}
	o.Referee = Choice{RefereeContest, []string{RefereeStrict, RefereeContest, RefereeOff}}
	o.Proof = Choice{ProofAuto, []string{ProofAuto, ProofOff, ProofRequired}}
	o.Guard = Choice{GuardWarn, []string{GuardOff, GuardWarn, GuardStrict}}

	f.DurationVar(&o.GateTimeout, "gate-timeout", DefaultGateTimeout, "limit of one gate")
	f.Var(&o.Baseline, "baseline", "run the gates once before the first phase, and hold against phases only what gets worse; strict: all that fails")
	f.Var(&o.Guard, "guard", "work that weakens its own checks or holds what must not land: look for nothing, tell (secrets still refuse it), or refuse it")
	f.Var(&o.Referee, "referee", "what a phase may change of the tests and gates that judge it: what the plan asks for, also what its agent explains (contested), or anything")
	f.Var(&o.Proof, "proof", "run new tests against the code before the phase too: where that is quick, never, or always, and a phase without proof fails")
	f.BoolVar(&o.AllowUnverified, "allow-unverified", false, "exit 0 even when phases completed without any gate")
	f.BoolVar(&o.AllowContested, "allow-contested", false, "exit 0 even when phases changed their own tests or gates unasked")
	f.BoolVar(&o.AllowEmpty, "allow-empty", false, "a phase may change nothing and still be complete")
}

// Agents are the names in --agent: the first works, and each next one while those before it cannot.
func (o *Options) Agents() []string {
	var names []string
	for name := range strings.SplitSeq(o.Agent, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// Remembered is the value of a flag that a run stores: of the command line, else of the stored run,
// else value.
func (o *Options) Remembered(flag, value, stored string) string {
	if stored != "" && !o.Line[flag] {
		return stored
	}
	return value
}

// bindDetach declares --detach, and the hidden flag of the process that it starts.
func (o *Options) bindDetach(f *pflag.FlagSet) {
	f.BoolVar(&o.Detach, "detach", false, "start the run in a session of its own, and return when it has begun; see wait, stop and logs -f")
	f.BoolVar(&o.Detached, DetachedFlag, false, "")
	_ = f.MarkHidden(DetachedFlag)
}

// bindReports declares the flags that name files which are written at the end.
func (o *Options) bindReports(f *pflag.FlagSet) {
	f.StringVar(&o.Report, "report", "", "write one HTML page about the run to `FILE`, however the run ends")
	f.StringVar(&o.JUnit, "junit", "", "write the result as JUnit XML to `FILE`, however the run ends")
	for name := range o.ReportFiles() {
		_ = f.SetAnnotation(name, Configurable, []string{"true"})
	}
}

// ReportFiles are the flags that name files which are written at every end of the call.
func (o *Options) ReportFiles() map[string]*string {
	return map[string]*string{"junit": &o.JUnit, "report": &o.Report}
}

// bindSandbox declares the flag.
func (o *Options) bindSandbox(f *pflag.FlagSet) {
	o.Sandbox = Choice{"", sandboxWords()}
	f.Var(&o.Sandbox, SandboxFlag, "where agents, gates and setup may write: anywhere, or by these means their worktree, temporary files and caches alone "+
		"(default: landlock where Linux has it and the agent works in it, else off)")
	_ = f.SetAnnotation(SandboxFlag, Configurable, []string{"true"})
}

// RecallReferee takes the strictness of the stored run, which a resume keeps.
func (o *Options) RecallReferee(old state.Config) {
	o.Referee.Value = o.Remembered("referee", o.Referee.Value, old.Referee)
	o.Proof.Value = o.Remembered("proof", o.Proof.Value, old.Proof)
}
