// Package agent drives coding-agent command lines and reads what they say. Every agent is a command
// line, kept as data, and one reader that folds its output into an Outcome; so another agent is
// another file, and everything between starting a process and the end of its output is written
// once. It does not know phases, plans or git, nor what success looks like: what an agent says is a
// claim, for others to check.
package agent

import (
	"context"
	"os"
	"time"
)

// Agent does what a prompt says, in a directory.
type Agent interface {
	Name() string
	// Run returns an error only when ctx ended or this program's own machinery failed; the agent's
	// own mistakes are in the Outcome.
	Run(ctx context.Context, job Job) (Outcome, error)
}

// Job is the input of one run of an agent.
type Job struct {
	Prompt  string
	Script  []string // sh blocks, for the script agent
	Dir     string   // working directory
	Env     []string // whole environment
	Scratch string   // private directory of this attempt, outside the working directory; it exists
	Log     *os.File // receives what the agent prints; nil: discarded
	// Activity gets the last sign of life, one clean line. Where quiet is above 0 there was none
	// for so long, and the line repeats the one before. It is called from one goroutine at a time;
	// nil: signs of life are dropped.
	Activity func(line string, quiet time.Duration)
	Timeout  time.Duration // 0: none
	Idle     time.Duration // without any sign of life; 0: none

	// Done reports whether the text, which may be unfinished, ends with what was asked for, or that
	// is elsewhere. An agent that has said it and does not end is stopped. It is called while the
	// agent runs; nil: only the end of its stream counts.
	Done func(text string) bool

	Model string // empty: the agent's own default

	// US dollars that it may cost by its own reckoning, for agents that stop themselves then; 0:
	// none
	MaxCost float64

	// Spent gets what the job has used up so far, whenever the agent reports it before its end.
	// It is called from one goroutine at a time; nil: reports are dropped.
	Spent func(costUSD float64, input, output int64)
}

// Outcome is the end of an agent's run, and its report.
type Outcome struct {
	Final    string // final message: the text after the last tool use, its last MiB
	ExitCode int    // -1 after a signal
	Signal   string // "SIGTERM"; empty when it exited
	TimedOut bool   // stopped at Job.Timeout, or after Job.Idle
	Idle     bool   // stopped after Job.Idle
	// stopped after it had reported its result and did not end; its exit code has no meaning and is
	// 0
	Lingered     bool
	Duration     time.Duration // wall clock
	Last         string        // last sign of life, one clean line
	Tail         string        // end of its output for people, escaped
	Session      string
	Model        string
	CostUSD      float64 // as the agent reckons it
	InputTokens  int64   // reads from and writes to a cache included
	OutputTokens int64
	// an adapter's own reading of a structured error: one of the Kind constants, or empty
	Kind    string
	About   string        // of Unusable: one of the About constants; empty: not known
	Remedy  string        // how a person logs it in, or installs it; empty: not known
	Message string        // structured error text, one line
	Words   string        // the same in full, escaped, at most 4 KiB; empty: Message is all
	Until   time.Time     // when a usage limit is reset, if said
	Wait    time.Duration // how long to wait out something transient, if said
	Claims  bool          // false: it has no result block; its exit code is its claim
	Denied  []string      // tools that its permissions denied it, each once
	Err     string        // why it could not start
}

// The kinds of structured errors. Everything else an agent does is judged by its result.
const (
	UsageLimit = "usage_limit" // waits for its reset
	Transient  = "transient"   // rate limit, overload, network: the same again later
	// login, billing, unknown model, refused flags: the same for every job
	Unusable        = "agent_unusable"
	Refusal         = "refusal"          // the model, or a filter of its provider, refuses the job
	Failed          = "agent_error"      // an error of its own, which no sign names
	Loop            = "agent_loop"       // the same steps again and again: it was stopped
	ContextOverflow = "context_overflow" // the job does not fit into the model's context
	BudgetExhausted = "budget_exhausted" // it has reached Job.MaxCost and stopped by itself
	ParseError      = "parse_error"      // its output is not in the form that it is known to have
)

// What a person has to see to before an unusable agent works again.
const (
	AboutAccount = "account" // a balance, a plan, a ceiling of spending
	AboutLogin   = "login"   // a login, a key, a permission
	AboutModel   = "model"   // a model that is not there, or not for this user
	AboutFlags   = "flags"   // flags and configuration that it refuses
	AboutStart   = "start"   // its program, which cannot be run
)
