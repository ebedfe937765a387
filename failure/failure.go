// Package failure says why a phase failed and what follows from it.
// Diagnose turns what was seen (Evidence) into one Diagnosis, and a Policy turns that and the history
// into a Decision; both are pure, so the same evidence always gives the same answer and no model is asked.
// It does not know files, processes, or which phase it speaks of.
package failure

import "time"

// Type names where an attempt failed. The names are those of the state files.
type Type string

// The types. The first block may be retried, the second may not; UsageLimit waits and
// spends no attempt, AgentUnusable and PlanInvalid end the whole run.
const (
	TestFailure          Type = "test_failure"
	LintError            Type = "lint_error"
	TypecheckError       Type = "typecheck_error"
	FormatError          Type = "format_error"
	GateFailure          Type = "gate_failure" // a gate of the user's own naming
	TaskIncomplete       Type = "task_incomplete"
	VerificationMismatch Type = "verification_mismatch"
	Timeout              Type = "timeout"
	ParseError           Type = "parse_error"
	AgentError           Type = "agent_error"

	DependencyMissing  Type = "dependency_missing"
	CircularDependency Type = "circular_dependency"
	FileConflict       Type = "file_conflict"
	PlanInvalid        Type = "plan_invalid"
	UsageLimit         Type = "usage_limit"
	AgentUnusable      Type = "agent_unusable"
	ContextOverflow    Type = "context_overflow"
	SetupFailure       Type = "setup_failure"
	IsolationBreach    Type = "isolation_breach"
	BudgetExhausted    Type = "budget_exhausted"
)

// Diagnosis is what is known about one failed attempt. It is stored in the phase's state file.
type Diagnosis struct {
	Type        Type          `json:"type"`
	Message     string        `json:"message"`              // one line: "3 tests failing in auth.test.ts"
	Details     string        `json:"details,omitzero"`     // a few lines more, bounded to 4 KiB
	Cause       Type          `json:"cause,omitzero"`       // the gate's own type under a verification mismatch
	Gate        string        `json:"gate,omitzero"`        // the gate that failed first
	Command     string        `json:"command,omitzero"`     // what it ran
	FixCommand  string        `json:"fix_command,omitzero"` // what repairs most of it by itself
	Count       int           `json:"count,omitzero"`       // failing tests or errors found
	Tests       []Test        `json:"tests,omitzero"`       // failing tests, at most 50
	Places      []Place       `json:"places,omitzero"`      // findings with file and line, at most 50
	Files       []string      `json:"files,omitzero"`       // files concerned: missing, or in conflict
	Conflicts   []Conflict    `json:"conflicts,omitzero"`
	Claimed     []string      `json:"claimed,omitzero"`  // under a mismatch: what the agent said …
	Found       []string      `json:"found,omitzero"`    // … and what the check found, side by side
	After       time.Duration `json:"after,omitzero"`    // how long until it timed out, nanoseconds
	Activity    string        `json:"activity,omitzero"` // the last sign of life before a timeout
	Package     string        `json:"package,omitzero"`  // what is not installed
	RequiredBy  string        `json:"required_by,omitzero"`
	Retryable   bool          `json:"retryable"`
	Fingerprint string        `json:"fingerprint"`       // equal for the same failure seen twice
	Guidance    string        `json:"guidance,omitzero"` // for the agent's next attempt
	Actions     []string      `json:"actions,omitzero"`  // for the user, when no attempt is left
	Until       time.Time     `json:"until,omitzero"`    // when a usage limit ends, if it said so
}

// Test is one failing test.
type Test struct {
	Name    string `json:"name"`
	File    string `json:"file,omitzero"`
	Line    int    `json:"line,omitzero"`
	Message string `json:"message,omitzero"`
}

// Place is one finding of a linter, compiler or type checker.
type Place struct {
	File    string `json:"file"`
	Line    int    `json:"line,omitzero"`
	Col     int    `json:"col,omitzero"`
	Rule    string `json:"rule,omitzero"`
	Message string `json:"message,omitzero"`
}

// Conflict is one file that two phases changed and git could not merge.
type Conflict struct {
	File       string `json:"file"`
	Phase      string `json:"phase"`          // the phase that could not land
	Lines      string `json:"lines,omitzero"` // "10-25, 40"; empty where lines mean nothing
	Other      string `json:"other,omitzero"` // the phase that had landed; empty: a commit of the user's
	OtherLines string `json:"other_lines,omitzero"`
}

// Failure is a phase's own fault as an error: a result of the attempt, not a breakdown of autobuild.
type Failure struct {
	Diagnosis Diagnosis
}

// Error is "type: message".
func (f *Failure) Error() string {
	return string(f.Diagnosis.Type) + ": " + f.Diagnosis.Message
}

// Evidence is everything that an attempt saw before it failed. Zero fields were not seen.
// Diagnose looks at them in the order in which they are declared.
type Evidence struct {
	Cycle      []string  // phases that need each other, the first one again at the end: 2A, 3, 2A
	Plan       []string  // what is wrong with the plan, one mistake each
	Breach     []string  // what the agent touched outside its place
	Work       string    // why its work cannot be taken as it is: the directory is gone, or holds a repository
	Unresolved []string  // files that a person's merge in the worktree has left in conflict
	Setup      *GateRun  // the setup command that failed
	Agent      *AgentRun // how the agent's process ended; nil when it never was to run
	Claim      *Claim    // what the agent says; nil when it left no valid result block
	ParseNote  string    // why there is no claim: "no json block", "nonce differs"
	Gates      []GateRun // failed and unavailable gates, in the order in which they ran
	Missing    []string  // files that were claimed and do not exist
	NoChange   bool      // nothing differs from the base, and the phase does not allow that
	Tasks      TaskCount
	Conflicts  []Conflict
	Merge      string // the command that takes a person to the conflict
	Budget     string // the budget that ran out, in words
}

// AgentRun is how an agent's process ended.
type AgentRun struct {
	Name     string // "claude"
	Err      string // why it could not start
	ExitCode int
	Signal   string        // it died by this signal, not ours
	TimedOut bool          // autobuild stopped it at its deadline
	Idle     bool          // … because it gave no sign of life
	After    time.Duration // how long it ran
	Activity string        // its last sign of life
	Tail     string        // the end of its output, escaped, at most 4 KiB
	Kind     Type          // an adapter's own reading (UsageLimit, AgentUnusable, ContextOverflow); else empty
	Message  string        // the adapter's structured error text
	Until    time.Time     // reset of a usage limit
}

// Claim is an agent's result block. It is recorded, and never evidence of success.
type Claim struct {
	Complete bool
	Error    string   // what the agent says went wrong
	Type     Type     // … and how it classifies it; may be empty or unknown
	Gates    []string // "test passed (47)", one a gate
}

// TaskCount counts a phase's tasks as the agent reports them.
type TaskCount struct {
	Total int `json:"total"`
	Done  int `json:"completed"`
}

// GateRun is one gate that did not pass.
type GateRun struct {
	Name, Command, FixCommand string
	Kind                      string // "lint", "format", "typecheck", "test", else the user's own
	Exit                      int
	TimedOut                  bool
	NotAvailable              bool // its tool is not installed
	After                     time.Duration
	Count                     int // failing tests or findings; may exceed those listed
	Tests                     []Test
	Places                    []Place
	Tail                      string // the end of its output, escaped, at most 4 KiB
	Log                       string
}

// Action is what a policy decides.
type Action string

// The actions of a Decision.
const (
	Retry Action = "retry" // try the phase again
	Fail  Action = "fail"  // the phase has failed; its siblings finish
	Wait  Action = "wait"  // until Decision.Until, or for Delay where that is zero, then the same attempt again
	Halt  Action = "halt"  // it would hit every phase alike: start nothing more
)

// Decision is what follows from a diagnosis.
type Decision struct {
	Action    Action        `json:"action"`
	Delay     time.Duration `json:"delay,omitzero"` // before the retry, or of a wait without Until; nanoseconds
	Until     time.Time     `json:"until,omitzero"`
	Attempts  int           `json:"attempts"`  // attempts that the policy allows in all
	Rationale string        `json:"rationale"` // always said
}

// History is what happened to the phase before, since it was last started, resumed or reset.
type History struct {
	Failures []Diagnosis // earlier failed attempts, oldest first, the present one excluded
	Waits    int         // waits in a row without progress
}

// Policy decides what follows a failed attempt. Implementations are pure.
type Policy interface {
	// Attempts is the number of attempts that a phase may get at most, at least one.
	Attempts() int
	Decide(Diagnosis, History) Decision
}
