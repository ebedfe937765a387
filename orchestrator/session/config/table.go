package config

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v4"

	"autobuild/failure/policy"
	"autobuild/orchestrator"
	"autobuild/state"
)

// Place is a set of the places in which a setting may stand.
type Place int

// The places.
const (
	InFlags    Place = 1 << iota // the command line
	InValues                     // a variable of the environment, and a key of a file with one word
	InSections                   // a key of a file with a value of its own form
)

// Life says how long a value holds.
type Life int

// The lives of a value.
const (
	Once     Life = iota // for one call
	Repeated             // for the run; the command that resumes it repeats the value
	Stored               // for the run, whose state keeps it: a resume needs no flag
)

// Entry is a row of the table of settings, which flags, variables, keys of files, help, schema, the
// page docs/configuration.md and the example of autobuild.yaml are made of.
type Entry struct {
	Name, Short string
	Topic       string // its heading where settings are listed
	Daily       bool   // --help shows it; else --help --all
	Where       Place
	Life        Life
	Help        string // `WORD` is its value
	Sample      string // YAML for the example, where the default does not show the form

	value  any                           // pointer into Options, or a pflag.Value
	stored func(state.Config) string     // its value in a stored run, if that is one word
	read   func(r *reader, n *yaml.Node) // reads the value of a section
}

// The topics, in the order of the table.
const (
	topicWhich  = "Which phases run"
	topicWho    = "Who does the work"
	topicDone   = "What counts as done"
	topicLimits = "Failures and limits"
	topicResult = "What becomes of it"
)

const both = InFlags | InValues

// Table is the table of settings.
func Table() []Entry { return new(Options).table() }

// table gives every setting its default, and returns the rows.
func (o *Options) table() []Entry {
	*o = Options{
		Commit:      Choice{"", []string{string(state.CommitAuto), string(state.CommitSingle), string(state.CommitMessage)}},
		Deliver:     Choice{"", []string{string(state.DeliverBranch), string(state.DeliverPR), string(state.DeliverStack)}},
		Schedule:    Choice{string(orchestrator.Batch), []string{string(orchestrator.Batch), string(orchestrator.Eager)}},
		RetryPolicy: Choice{policy.Names()[0], policy.Names()},
		Isolation:   Choice{"", []string{string(state.Worktree), string(state.NoIsolation)}},
		Engine:      Choice{EngineLocal, []string{EngineLocal, EngineTemporal}},
		Progress:    Choice{ProgressAuto, []string{ProgressAuto, ProgressLive, "plain", "json"}},
		Knowledge:   Choice{KnowledgeOn, []string{KnowledgeOn, KnowledgeRead, KnowledgeOff, KnowledgeTrust}},
		OnLimit:     Choice{"wait", []string{"wait", "stop"}},
		Sandbox:     Choice{"", sandboxWords()},
		Baseline:    Choice{BaselineOn, []string{BaselineOn, BaselineOff, BaselineStrict}},
		Referee:     Choice{RefereeContest, []string{RefereeStrict, RefereeContest, RefereeOff}},
		Proof:       Choice{ProofAuto, []string{ProofAuto, ProofOff, ProofRequired}},
		Reading:     Choice{"", ReadingWords()},
		Guard:       Choice{GuardWarn, []string{GuardOff, GuardWarn, GuardStrict}},
		Timeout:     DefaultTimeout, Idle: DefaultIdle, GateTimeout: DefaultGateTimeout, MaxFile: 100,
	}
	return []Entry{
		{
			Name: "dry-run", Topic: topicWhich, Daily: true, Where: InFlags, value: &o.DryRun,
			Help: "show batches, gates, agent and files; run nothing, write nothing",
		},
		{
			Name: "resume", Topic: topicWhich, Daily: true, Where: InFlags, value: resumption{o},
			Help: "go on from .autobuild/: failed, interrupted and blocked phases run again; changed: also complete ones whose text changed; " +
				"edited: an edit of the plan that an agent could have made is yours",
		},
		{
			Name: "fresh", Topic: topicWhich, Daily: true, Where: InFlags, value: &o.Fresh,
			Help: "start again; the old run's state is kept in .autobuild/history/, commits stay",
		},
		{
			Name: "only", Topic: topicWhich, Daily: true, Where: InFlags, Life: Repeated, value: &o.Only,
			Help: "run only the phases `IDS`, comma-separated",
		},
		{
			Name: "from", Topic: topicWhich, Where: InFlags, Life: Repeated, value: &o.From,
			Help: "run phase `ID` and all after it in the document",
		},
		{
			Name: "skip", Topic: topicWhich, Where: InFlags, Life: Repeated, value: &o.Skip,
			Help: "leave the phases `IDS` out, comma-separated",
		},
		{
			Name: "keep-going", Topic: topicWhich, Daily: true, Where: both, Life: Repeated, value: &o.KeepGoing,
			Help: "after a failure still run phases that do not depend on it",
		},
		{
			Name: "schedule", Topic: topicWhich, Where: both, Life: Repeated, value: &o.Schedule,
			Help: "batch: level by level; eager: as soon as a phase's own dependencies are complete",
		},
		{
			Name: "jobs", Short: "j", Topic: topicWhich, Daily: true, Where: both, Life: Repeated, value: &o.Jobs,
			Help: "at most `N` phases at once (default 4)", Sample: "jobs: 4",
		},
		{
			Name: "reading", Topic: topicWhich, Where: InFlags, Life: Stored, value: &o.Reading,
			stored: func(c state.Config) string { return c.Reading },
			Help:   "read the plan in this way; otherwise the first that applies",
		},
		{
			Name: "phases", Topic: topicWhich, Where: InSections, read: (*reader).phases,
			Help:   "settings of single phases by their ids; a line \"Autobuild: agent=mine timeout=30m\" of the plan says the same",
			Sample: "phases:\n  2A: {agent: mine, timeout: 30m, retry-policy: adaptive}",
		},

		{
			Name: "agent", Topic: topicWho, Daily: true, Where: both, Life: Stored, value: &o.Agent,
			Help:   "agent `NAME`, built in or from autobuild.yaml; A,B: B works while A cannot (default: the first found on PATH, else script)",
			Sample: "agent: [claude, codex]",
		},
		{
			Name: "agent-cmd", Topic: topicWho, Where: both, Life: Stored, value: &o.AgentCmd,
			Help:   "use any program as agent: `'PROG ARGS'`; the prompt arrives on its stdin",
			Sample: "agent-cmd: my-agent --headless",
		},
		{
			Name: "model", Topic: topicWho, Daily: true, Where: both, Life: Stored, value: &o.Model,
			Help: "the agent's `MODEL`", Sample: "model: sonnet",
		},
		{
			Name: "agents", Topic: topicWho, Where: InSections, read: (*reader).agents,
			Help: "agents of your own, and additions to those that are built in; or the names of those that work, the first of them first",
			Sample: "agents:\n  mine:\n    command: [my-agent, --headless]\n    result: block                # exit: its exit code is its claim\n" +
				"    account: mine                # agents of one account share its usage limits\n  claude:\n    args: [--max-turns, \"200\"]",
		},
		{
			Name: "tiers", Topic: topicWho, Where: InSections, read: (*reader).tiers,
			Help:   "who diagnoses when the retry policy escalates, weakest first: an agent, agent:model, or a model of the run's agent",
			Sample: "tiers: [haiku, sonnet, mine]",
		},
		{
			Name: "review", Topic: topicWho, Where: InSections, read: (*reader).review,
			Help:   "which work another agent reads when it has passed everything else (all, risky, off), and who does",
			Sample: "review:\n  agent: codex\n  on: risky\n  paths: [migrations/]\n  keep-witnesses: true",
		},
		{
			Name: "isolation", Topic: topicWho, Where: both, Life: Stored, value: &o.Isolation,
			stored: func(c state.Config) string { return string(c.Isolation) },
			Help:   "where phases work: a clone each, or all in one directory (default worktree in a git repository)", Sample: "isolation: worktree",
		},
		{
			Name: "work-dir", Topic: topicWho, Where: InSections, read: (*reader).workDir,
			Help:   "folder outside the project for the clones in which phases work and are judged (default: below the cache directory)",
			Sample: "work-dir: ~/.cache",
		},
		{
			Name: SandboxFlag, Topic: topicWho, Where: both, Life: Stored, value: &o.Sandbox,
			stored: func(c state.Config) string { return c.Sandbox },
			Help: "where agents, gates and setup may write: anywhere, or by these means their clone, temporary files and caches alone " +
				"(default: landlock where Linux has it, else off)",
			Sample: "sandbox: {mode: off, write: []}",
		},
		{
			Name: "env", Topic: topicWho, Where: InSections, read: (*reader).env,
			Help:   "which variables agents and gates may see, beside PATH, HOME, LANG, TERM, TMPDIR and USER; without it: all",
			Sample: "env:\n  allow: [ANTHROPIC_API_KEY]",
		},
		{
			Name: EngineFlag, Topic: topicWho, Where: both, Life: Repeated, value: &o.Engine,
			Help: "where phases run: on this machine, or on the workers of a Temporal server (see docs/distributed.md)",
		},

		{
			Name: "gates", Topic: topicDone, Where: InSections, read: (*reader).gates,
			Help:   "commands that every phase must pass, by name, besides those of the plan and of the stack; false turns one off",
			Sample: "gates:\n  test: go test ./...\n  lint:\n    run: go vet ./...\n    timeout: 5m\n  format: false",
		},
		{Name: "gate-timeout", Topic: topicDone, Where: InValues, Life: Repeated, value: &o.GateTimeout, Help: "limit of one gate"},
		{
			Name: "setup", Topic: topicDone, Where: InSections, read: func(r *reader, n *yaml.Node) { r.strings(n, &r.c.Setup) },
			Help:   "commands that prepare each clone, instead of the install commands of its lockfiles; .worktreeinclude names ignored files to copy",
			Sample: "setup:\n  - go mod download",
		},
		{
			Name: "build-folders", Topic: topicDone, Where: InSections, read: (*reader).buildFolders,
			Help:   "keep: ignored files that gates build are copied into further clones; cold: gates always run on a clean build",
			Sample: "build-folders: keep",
		},
		{
			Name: "baseline", Topic: topicDone, Where: both, Life: Repeated, value: &o.Baseline,
			Help: "run the gates once before the first phase, and hold against phases only what gets worse; strict: all that fails",
		},
		{
			Name: "referee", Topic: topicDone, Where: both, Life: Stored, value: &o.Referee,
			stored: func(c state.Config) string { return c.Referee },
			Help:   "what a phase may change of the tests and gates that judge it: what the plan asks for, also what its agent explains (contested), or anything",
		},
		{
			Name: "proof", Topic: topicDone, Where: InValues, Life: Stored, value: &o.Proof,
			stored: func(c state.Config) string { return c.Proof },
			Help:   "run new tests against the code before the phase too: where that is quick, never, or always, and a phase without proof fails",
		},
		{
			Name: "guard", Topic: topicDone, Where: InValues, Life: Repeated, value: &o.Guard,
			Help: "work that weakens its own checks or holds what must not land: look for nothing, tell (secrets still refuse it), or refuse it",
		},
		{
			Name: "allow-unverified", Topic: topicDone, Daily: true, Where: both, Life: Repeated, value: &o.AllowUnverified,
			Help: "exit 0 even when phases completed without any gate",
		},
		{
			Name: "allow-contested", Topic: topicDone, Where: both, Life: Repeated, value: &o.AllowContested,
			Help: "exit 0 even when phases changed their own tests or gates unasked",
		},
		{Name: "allow-empty", Topic: topicDone, Where: InValues, Life: Repeated, value: &o.AllowEmpty, Help: "a phase may change nothing and still be complete"},

		{
			Name: "retry-policy", Topic: topicLimits, Where: both, Life: Stored, value: &o.RetryPolicy,
			stored: func(c state.Config) string { return c.RetryPolicy },
			Help:   "what follows a failed attempt",
		},
		{
			Name: "knowledge", Topic: topicLimits, Where: InValues, Life: Repeated, value: &o.Knowledge,
			Help: "use the knowledge file and add to it, only use it, neither, or also run its accepted commands without your approval on this machine",
		},
		{Name: "timeout", Topic: topicLimits, Daily: true, Where: both, Life: Repeated, value: &o.Timeout, Help: "limit of one attempt"},
		{Name: "idle-timeout", Topic: topicLimits, Where: both, Life: Repeated, value: &o.Idle, Help: "limit of one attempt without any sign of life"},
		{Name: "max-wall", Topic: topicLimits, Where: both, Life: Repeated, value: &o.MaxWall, Help: "limit of the whole run (0: none)", Sample: "max-wall: 8h"},
		{
			Name: "max-cost", Topic: topicLimits, Daily: true, Where: both, Life: Repeated, value: &o.MaxCost,
			Help: "stop agents and the run when they have cost this much in `USD` (0: no limit)", Sample: "max-cost: 50",
		},
		{
			Name: "max-tokens", Topic: topicLimits, Where: InValues, Life: Repeated, value: &o.MaxTokens,
			Help: "stop agents and the run when they have used `N` tokens (0: no limit)", Sample: "max-tokens: 20000000",
		},
		{Name: "max-file", Topic: topicLimits, Where: InValues, Life: Repeated, value: &o.MaxFile, Help: "refuse work with a file of more `MB`, or with ten times as much in all"},
		{
			Name: "on-limit", Topic: topicLimits, Where: both, Life: Repeated, value: &o.OnLimit,
			Help: "at a usage limit: wait for its reset, or stop",
		},

		{
			Name: "commit", Topic: topicResult, Daily: true, Where: both, Life: Stored, value: &o.Commit,
			stored: func(c state.Config) string { return string(c.CommitMode) },
			Help:   "what becomes of the work: a commit a phase, one at the end, or messages and commits.sh (default message-only)", Sample: "commit: auto",
		},
		{
			Name: "deliver", Topic: topicResult, Where: both, Life: Stored, value: &o.Deliver,
			Help:   "where commits go instead of the checkout: to a branch of the remote, as one pull request, or as one a phase (by gh or glab)",
			Sample: "deliver: pr",
		},
		{
			Name: "detach", Topic: topicResult, Where: InFlags, value: &o.Detach,
			Help: "start the run in a session of its own, and return when it has begun; see wait, stop and logs -f",
		},
		{Name: DetachedFlag, Where: InFlags, value: &o.Detached},
		{
			Name: "progress", Topic: topicResult, Where: both, value: &o.Progress,
			Help: "how progress is shown; live: rows that are drawn anew; auto: live on a terminal, else lines that suit their reader",
		},
		{
			Name: "report", Topic: topicResult, Daily: true, Where: both, Life: Repeated, value: &o.Report,
			Help: "write one HTML page about the run to `FILE`, however the run ends", Sample: "report: out/report.html",
		},
		{
			Name: "junit", Topic: topicResult, Where: both, Life: Repeated, value: &o.JUnit,
			Help: "write the result as JUnit XML to `FILE`, however the run ends", Sample: "junit: out/junit.xml",
		},
		{
			Name: "notify", Topic: topicResult, Where: InSections, read: (*reader).notify,
			Help: "command or webhook for the end of a run, usage limits, and 80 % of the budget ($NAME: its address in a variable)",
			Sample: "notify:\n  command: [my-notifier, --quiet]\n  webhook: $BUILD_WEBHOOK\n  on: [halt, complete, limit, budget]\n" +
				"  timeout: 10s",
		},
	}
}

// Find is the setting of that name; the zero Entry where there is none.
func Find(name string) Entry {
	all := Table()
	if i := slices.IndexFunc(all, func(s Entry) bool { return s.Name == name }); i >= 0 {
		return all[i]
	}
	return Entry{}
}

// Names are the names of the settings that may stand in one of these places.
func Names(where Place) []string {
	var names []string
	for _, s := range Table() {
		if s.Where&where != 0 {
			names = append(names, s.Name)
		}
	}
	return names
}

// Bind declares the settings that may stand on the command line as flags of line. The environment
// and files set the others.
func (o *Options) Bind(line *pflag.FlagSet) {
	rows := o.table()
	o.flags = pflag.NewFlagSet("settings", pflag.ContinueOnError)
	for _, s := range rows {
		if s.value == nil {
			continue
		}
		s.declare(o.flags)
		f := o.flags.Lookup(s.Name)
		f.Hidden = s.Topic == ""
		if s.Where&InFlags != 0 {
			line.AddFlag(f)
		}
	}
}

// declare adds the setting to a set of flags. The default is what its variable holds.
func (s Entry) declare(f *pflag.FlagSet) {
	switch v := s.value.(type) {
	case *string:
		f.StringVarP(v, s.Name, s.Short, *v, s.Help)
	case *bool:
		f.BoolVarP(v, s.Name, s.Short, *v, s.Help)
	case *int:
		f.IntVarP(v, s.Name, s.Short, *v, s.Help)
	case *int64:
		f.Int64VarP(v, s.Name, s.Short, *v, s.Help)
	case *float64:
		f.Float64VarP(v, s.Name, s.Short, *v, s.Help)
	case *time.Duration:
		f.DurationVarP(v, s.Name, s.Short, *v, s.Help)
	case *[]string:
		f.StringSliceVarP(v, s.Name, s.Short, *v, s.Help)
	case resumption:
		f.VarP(v, s.Name, s.Short, s.Help)
		f.Lookup(s.Name).NoOptDefVal = "true"
	case pflag.Value:
		f.VarP(v, s.Name, s.Short, s.Help)
	}
}

// Given fills in Line, and returns those flags of the command line, as words, that the resume of
// the run has to repeat. It comes before Read.
func (o *Options) Given() []string {
	o.Line = make(map[string]bool)
	var words []string
	for _, s := range Table() {
		f := o.flags.Lookup(s.Name)
		if f == nil || !f.Changed {
			continue
		}
		o.Line[s.Name] = true
		switch {
		case s.Life != Repeated || f.Value.String() == f.DefValue:
		case f.Value.Type() == "bool":
			words = append(words, "--"+s.Name)
		default:
			words = append(words, "--"+s.Name+"="+strings.Trim(f.Value.String(), "[]"))
		}
	}
	return words
}

// Recall is the value of a setting that a run stores: of the command line, else of the stored run,
// else of the configuration.
func (o *Options) Recall(name string, old state.Config) string {
	if stored := Find(name).stored(old); stored != "" && !o.Line[name] {
		return stored
	}
	return o.flags.Lookup(name).Value.String()
}
