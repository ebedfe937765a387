// Package attempt says how: one attempt at one phase, from an open workspace to landed work or a
// diagnosis. It asks an Agent to do the work, records what the agent claims, and lets a Verifier
// and the Workspace show what is true; only that decides. It does not know that other attempts go
// on at the same time, nor that this one may be made again.
package attempt

import (
	"context"
	"os"
	"time"

	"autobuild/failure"
	"autobuild/orchestrator/verify/referee"
	"autobuild/plan"
	"autobuild/state"
)

// Agent does the work of a phase. What the agent did wrong is in the Outcome; an error is
// autobuild's own, or ctx's.
type Agent interface {
	Run(ctx context.Context, job Job) (Outcome, error)
}

// Job is what an agent gets.
type Job struct {
	Prompt   string
	Script   []string // the phase's sh blocks
	Dir      string   // working directory
	Env      []string // whole environment
	Scratch  string   // private directory of this attempt, outside the worktree
	Log      *os.File
	Activity func(line string, quiet time.Duration)
	Timeout  time.Duration
	Idle     time.Duration
	// Done reports whether the agent has given its result: at the end of text, or in the result
	// file.
	Done    func(text string) bool
	Model   string
	MaxCost float64 // US dollars, for agents that stop themselves; 0: no limit
	Spent   func(costUSD float64, input, output int64)
}

// Outcome is how an agent ended, and what it said.
type Outcome struct {
	Final        string // final message
	ExitCode     int
	Signal       string
	TimedOut     bool
	Idle         bool
	Lingered     bool // it was stopped because it had said its result and did not end
	Duration     time.Duration
	Last         string // last sign of life
	Tail         string // end of the output, escaped
	Session      string
	Model        string
	CostUSD      float64
	InputTokens  int64
	OutputTokens int64
	// "", usage_limit, transient, agent_unusable, refusal, agent_error, agent_loop,
	// context_overflow, budget_exhausted, parse_error
	Kind    string
	About   string // of agent_unusable: account, login, model, flags or start; empty: not known
	Remedy  string // of agent_unusable: how to log in, or the command that installs it, if known
	Message string // structured error text, one line
	Words   string // the same in full
	Until   time.Time
	Wait    time.Duration
	Claims  bool // false: it knows no result block, and its exit code is its claim
	Denied  []string
	Err     string // why it could not start
}

// Verifier runs commands that must succeed.
type Verifier interface {
	// Judge runs every gate at a place, and each sees their starts and ends. Logs are named after
	// prefix. Verdicts on the same content may be reused.
	Judge(ctx context.Context, at referee.Shown, prefix string, specs []state.GateSpec,
		each func(state.Gate)) (referee.Outcome, error)
	// Setup runs commands in order and returns the first that failed.
	Setup(ctx context.Context, dir, prefix string, commands []string) (*state.Gate, error)
}

// Workspace is where phases work, and where their work goes. It declares everything that a
// workspace can do; one without an ability answers as if nothing were found.
type Workspace interface {
	Trees
	Line
	Inspector
	Rehearser
	Watcher
}

// Trees opens, compares and removes the workspaces of single phases.
type Trees interface {
	// Open gives a *WorkError or an unresolved *ConflictError where what lies there is the reason
	// that it cannot be opened, and an *InstallError where dependencies cannot be installed.
	Open(ctx context.Context, phase string, clean bool) (Tree, error)
	// Changes are the paths that differ from the tree's base, and remarks for the user. It first
	// brings a tree whose HEAD has left the base back to it, with the work kept: a *ConflictError,
	// where both changed the same lines. A *WorkError is the phase's own doing.
	Changes(ctx context.Context, tree Tree, phase string) (state.Changes, []string, error)
	// Done removes the tree of a phase that has landed.
	Done(ctx context.Context, tree Tree, phase string) error
}

// Line takes verified work.
type Line interface {
	// Candidate is the work as Land would land it now, or once the candidates before it have
	// landed. Errors are those of Land.
	Candidate(ctx context.Context, tree Tree, landing Landing) (Candidate, error)
	// Ahead waits until every candidate before the phase's has landed or was given up.
	Ahead(ctx context.Context, phase string) error
	// Bench takes a place to judge work in, until it is left; waiting is called where none is free.
	Bench(ctx context.Context, waiting func()) (Bench, error)
	// Land gives a *ConflictError or *WorkError where the work itself is the reason that it cannot
	// land.
	Land(ctx context.Context, tree Tree, landing Landing) (Landed, error)
	// Between is what landed between a candidate's base and the tip below it, the files in first
	// before the others.
	Between(ctx context.Context, c Candidate, first []string) ([]failure.Conflict, error)
}

// Inspector finds work that must not be taken although the gates pass. A *WorkError is the phase's
// own doing.
type Inspector interface {
	// Untidy lists unfinished work: a merge or rebase in progress, conflict marks, something
	// outside the tree that changed meanwhile. It runs before Changes, for the fix of a tier.
	Untidy(ctx context.Context, tree Tree, phase string) ([]string, error)
	// Removed lists what the tree's difference removes of other phases' work.
	Removed(ctx context.Context, tree Tree, phase string) ([]Removal, error)
}

// Rehearser runs the user's commit hooks, before the other gates.
type Rehearser interface {
	// Rehearse stages the tree as git commit would, and returns the command that runs the hooks;
	// empty: there are none. The identity changes when the content does. A *WorkError is the
	// phase's own doing.
	Rehearse(ctx context.Context, tree Tree, phase, message string) (command, identity string,
		err error)
	// Worded is the commit message as the hooks left it.
	Worded(phase string) string
}

// Watcher compares autobuild's own files. A change by an agent, or by a gate that runs the agent's
// code, fails the attempt.
type Watcher interface {
	// Watch begins to watch, after a phase's setup.
	Watch(ctx context.Context, phase string) error
	// Breaches reports what was changed since Watch, and restores it.
	Breaches(ctx context.Context, phase string) (Breaches, error)
	Rest(ctx context.Context, phase string) // ends the attempt
}

// Removal is work of another phase that is gone.
type Removal struct {
	Phase, File, How string   // the phase as the plan labels it
	Names            []string // identifiers in the lines that are gone
}

// Breaches is what a comparison around an attempt's tree has found.
type Breaches struct {
	// what was touched that only a child of the run touches, each thing once, in words
	Found []string
	// all of it was found while other phases were at work too: one of those may have done it
	Unattributed bool
	Warnings     []string // what else was taken back
}

// Tree is an open workspace of one phase.
type Tree struct {
	Dir, Branch, Base string // without a branch it is the directory that all phases share
	Reused            bool
	Landed            bool // work of this phase is part of the line already: a hand reset it
	// the branch with earlier work that was set aside; empty when there was none
	Kept  string
	Notes []string // what a person should know: earlier work that was set aside
	Setup []string // commands that make it ready, before those of the run
}

// Landing is verified work on its way.
type Landing struct {
	Phase, Key, Message string
	Verdict             state.Verdict
	// files and tests, for a person to look at
	Contested []string
	// tick the phase in the plan, where the plan is part of the work
	Mark   bool
	Judged string // the tree that was judged
	// where another tree would land
	Verify     func(ctx context.Context, c Candidate) error
	AllowEmpty bool
}

// Landed says what became of it.
type Landed struct {
	Commit      string
	Delivered   bool
	Undelivered string         // why not, as a sentence
	Obstacle    state.Obstacle // why not
	Overlap     []string       // files that others changed too and git merged
	Notes       []string       // what a person should know
	PlanMarked  bool
}

// Private is what belongs to one attempt alone, so that attempts side by side do not meet in what
// their commands share.
type Private struct {
	Vars     map[string]string // that its agent and its commands see besides
	Verifier Verifier          // whose commands do
	Leave    func()            // gives everything back
}

// Memory is what earlier failures taught. It is asked from several attempts at once.
type Memory interface {
	// Match finds the entry that the failure looks like; nil when none does.
	Match(failure.Diagnosis) *failure.Match
	// Relevant are the lessons that an agent should hear before it works on a phase: those that fit
	// its text, and the last failure.
	Relevant(phase plan.Phase, last *failure.Diagnosis) []failure.Lesson
	// Prevent are the commands that a person has accepted to run before an attempt at the phase.
	Prevent(phase plan.Phase) []string
}

// Tier is an agent that can be escalated to.
type Tier struct {
	Agent Agent
	Name  string // of the tier, as the decisions name it
	Uses  string // the agent behind it
	Model string
	Weak  bool // its own classification of errors does not count
}

// Runner makes attempts: it is an orchestrator's worker. Log, Scratch and Nonce are required.
type Runner struct {
	Agent     Agent
	Verifier  Verifier
	Workspace Workspace
	Guard     Guard   // nil objects to nothing
	Referee   Referee // nil: nothing is compared
	Review    *Review // nil: no phase is reviewed
	// Baseline is how the gates end without the phase; nil: every failure counts against the phase.
	Baseline *Baseline
	Private  func(phase string) (Private, error) // what an attempt has to itself; nil: nothing

	Plan       *plan.Plan
	RunID      string
	Name       string // of the agent
	Model      string
	Clean      bool // the agent wants an untouched workspace for a first attempt (scripts)
	AllowEmpty bool // phases may change nothing

	// Finished are the phases that the run before a fresh start completed with the same text, and
	// the files of their work.
	Finished map[string][]string
	Meter    *Meter // counts what all attempts use up; nil: the run has no budget
	Budget   Budget // of a phase, over all attempts at it
	Timeout  time.Duration
	Idle     time.Duration
	Setup    []string
	// Tiers diagnose a failed phase, in this order.
	Tiers  []Tier
	Memory Memory // nil: nothing is known
	// Discover reruns a failed test at every attempt; without it only at the last.
	Discover bool
	// Doubt reruns a failed test from the second attempt on.
	Doubt bool
	// Near returns existing paths in dir that are similar to a missing one, best first; may be nil.
	Near func(ctx context.Context, dir, path string) []string
	// Outside reports whether a path exists in the user's checkout and is not in git; may be nil.
	Outside func(ctx context.Context, path string) bool
	// Denied returns the writes that a sandbox denied to programs in dir, as an output names them;
	// nil without a sandbox.
	Denied func(dir, output string) []failure.DeniedWrite
	// Strong takes the agent's own classification of an error where nothing contradicts it.
	Strong bool
	// For returns how attempts at a phase by an agent differ; nil: they do not.
	For  func(phase, agent string) Choice
	Root string            // the user's checkout, whose path in Env becomes that of the worktree
	Env  []string          // base environment of agents
	Vars map[string]string // added to Env
	// Gates returns the gates of a phase for the files in dir.
	Gates func(dir string, p plan.Phase) []state.GateSpec
	// KeepGates receives the gates with which a phase landed; may be nil.
	KeepGates func(gates []state.GateSpec)
	// LogDir is the directory of logs as users see it: ".autobuild".
	LogDir string
	// Place returns the name of a directory in state; nil: its path.
	Place func(dir string) string
	// Log opens a log and returns its name relative to LogDir.
	Log     func(name string) (*os.File, string, error)
	Scratch func() (dir string, remove func(), err error) // a private directory
	Nonce   func() string
	Now     func() time.Time
}
