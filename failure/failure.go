// Package failure holds the types of a failed attempt: Evidence records the observations, Diagnosis
// interprets them, and a Policy makes a Decision from that and the History. It bounds the content
// of a diagnosis, and makes fingerprints by which the same failure is recognised again. It does not
// depend on files, processes, or the phase that failed.
package failure

import "time"

// Type names where an attempt failed. The names are those of the state files.
type Type string

// The types. The first block may be retried, the second may not; UsageLimit and TransportError wait
// and spend no attempt, AgentUnusable and PlanInvalid end the whole run.
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
	// the agent repeated the same steps until autobuild stopped it
	AgentLoop Type = "agent_loop"
	// the gates pass, and the difference holds what must not land
	GuardViolation Type = "guard_violation"
	// the gates pass, and autobuild has seen what a reviewer found
	ReviewRejected Type = "review_rejected"
	// the difference takes away what another phase of the run landed
	SiblingWorkRemoved Type = "sibling_work_removed"
	// the work holds a git repository, whose files git would leave out
	NestedRepository Type = "nested_repository"

	DependencyMissing  Type = "dependency_missing"
	CircularDependency Type = "circular_dependency"
	FileConflict       Type = "file_conflict"
	PlanInvalid        Type = "plan_invalid"
	UsageLimit         Type = "usage_limit"
	// between the agent and its model: the network, an overload, a rate
	TransportError  Type = "transport_error"
	AgentUnusable   Type = "agent_unusable"
	Refusal         Type = "refusal" // the model, or a filter of its provider, refuses the work
	ContextOverflow Type = "context_overflow"
	SetupFailure    Type = "setup_failure"
	IsolationBreach Type = "isolation_breach"
	BudgetExhausted Type = "budget_exhausted"

	// a cause: tests or gates were changed, unasked and unnamed
	RefereeChanged Type = "referee_changed"
	// a cause: the proof that the phase requires is not there
	ProofMissing Type = "proof_missing"
)

// Diagnosis is the explanation of one failed attempt. It is stored in the phase's state file.
type Diagnosis struct {
	Type         Type          `json:"type"`
	Message      string        `json:"message"`              // one line: "3 tests failing in auth.test.ts"
	Said         string        `json:"said,omitzero"`        // the agent's own words for its error, where the message has no room for all of them; bounded to 2 KiB
	Details      string        `json:"details,omitzero"`     // a few lines more, bounded to 4 KiB
	Cause        Type          `json:"cause,omitzero"`       // the gate's own type under a verification mismatch
	Gate         string        `json:"gate,omitzero"`        // the gate that failed first
	Command      string        `json:"command,omitzero"`     // the command of that gate
	FixCommand   string        `json:"fix_command,omitzero"` // a command that repairs most of it
	Count        int           `json:"count,omitzero"`       // failing tests or errors found
	Tests        []Test        `json:"tests,omitzero"`       // failing tests, at most 50
	Places       []Place       `json:"places,omitzero"`      // findings with file and line, at most 50
	Files        []string      `json:"files,omitzero"`       // files concerned: missing, or in conflict
	Conflicts    []Conflict    `json:"conflicts,omitzero"`
	Together     bool          `json:"together,omitzero"`     // every gate passes on the phase's own work, and some fail with that of Conflicts
	Unbilled     bool          `json:"unbilled,omitzero"`     // the agent ended with an error of its own, of no known kind, before it used anything up
	Unattributed bool          `json:"unattributed,omitzero"` // a breach while other phases were at work: one of them may have done it
	Claimed      []string      `json:"claimed,omitzero"`      // under a mismatch: the agent's claims …
	Found        []string      `json:"found,omitzero"`        // … and the findings of the check, side by side
	After        time.Duration `json:"after,omitzero"`        // how long until it timed out, nanoseconds
	Activity     string        `json:"activity,omitzero"`     // the last sign of life before a timeout
	Package      string        `json:"package,omitzero"`      // the package that is not installed
	RequiredBy   string        `json:"required_by,omitzero"`
	Retryable    bool          `json:"retryable"`

	Category  Category       `json:"category"`               // the kind of trouble, by error-classification
	Transient bool           `json:"category_retryable"`     // the category's own table lists it as one that may pass by itself
	Class     Classification `json:"classification"`         // F1 to F6, by failure-classifier
	Deviation float64        `json:"deviation,omitzero"`     // 0 to 1: how far the phase has drifted from its plan
	Match     *Match         `json:"match,omitzero"`         // an earlier failure that this one looks like
	Near      []string       `json:"near,omitzero"`          // for a missing file: the files that may be meant, best first
	Variable  string         `json:"variable,omitzero"`      // the environment variable that is not set
	Flaky     bool           `json:"flaky,omitzero"`         // the gate has passed and failed on the same content
	Needs     string         `json:"needs,omitzero"`         // the prerequisite that only a person can provide, in words; no attempt passes without it
	AtFault   string         `json:"plan_at_fault,omitzero"` // the evidence that the plan itself is the cause, in words

	Fingerprint string    `json:"fingerprint"`       // equal for the same failure seen twice
	Guidance    string    `json:"guidance,omitzero"` // for the agent's next attempt
	Actions     []string  `json:"actions,omitzero"`  // for the user, when no attempt is left
	Until       time.Time `json:"until,omitzero"`    // when a usage limit ends, if it said so
}

// How an action names the commands that print a phase's logs and that reset it, and how one begins
// that installs something. Renderers put the phase's own commands in place of the first two.
const (
	Logs    = "autobuild logs PHASE"
	Reset   = "autobuild reset PHASE"
	Install = "Install "
)

// Test is one failing test.
type Test struct {
	Name    string `json:"name"`
	File    string `json:"file,omitzero"`
	Line    int    `json:"line,omitzero"`
	Message string `json:"message,omitzero"`

	Expected string `json:"expected,omitzero"` // by the test …
	Received string `json:"received,omitzero"` // … and what came instead
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
	Excerpt    string `json:"excerpt,omitzero"` // the other's part of the difference, bounded to 2 KiB
}

// Removal is work of another phase that a phase's difference takes away, unasked.
type Removal struct {
	File  string
	Phase string // that had landed it
	How   string // "the file is deleted", "its lines are reverted"
}

// Reviewed is a reviewer's finding that counts. Rule is its ground; Shown is what shows it: the
// call and its output, or the test.
type Reviewed struct {
	Place
	Shown string
}

// Failure is a phase's own fault as an error: a result of the attempt, not a breakdown of
// autobuild.
type Failure struct {
	Diagnosis Diagnosis
}

// Error is "type: message".
func (f *Failure) Error() string {
	return string(f.Diagnosis.Type) + ": " + f.Diagnosis.Message
}

// Evidence is everything that was seen of an attempt before it failed. Zero fields were not seen. A
// diagnosis looks at them in the order of their declaration.
type Evidence struct {
	Cycle  []string // phases that need each other, the first one again at the end: 2A, 3, 2A
	Plan   []string // mistakes in the plan, one each
	Breach []string // paths that the agent changed outside its place
	// … while other phases were at work, so that one of them may have done it
	Unattributed bool
	Nested       []string // the git repositories that its work holds
	// why its work cannot be taken as it is: the directory is gone, or cannot be read
	Work      string
	Removed   []Removal // other phases' work that its difference takes away
	Setup     *GateRun  // the setup command that failed
	Agent     *AgentRun // how the agent's process ended; nil when it never was to run
	Claim     *Claim    // the agent's result block; nil without a valid one
	ParseNote string    // why there is no claim: "no json block", "nonce differs"
	Gates     []GateRun // failed and unavailable gates, in the order in which they ran
	Guard     []Place   // objections to the difference although every gate passes
	// changes of what judges the work, unasked and unnamed; Rule is the cause
	Referee   []Place
	Unproven  string     // why a proof that is required is not there
	Review    []Reviewed // findings of a reviewer that autobuild has seen for itself
	Missing   []string   // files that were claimed and do not exist
	NoChange  bool       // nothing differs from the base, and the phase does not allow that
	Tasks     TaskCount
	Conflicts []Conflict
	// the work of others with which Gates fail that pass without it
	Together []Conflict
	Merge    string // the command that takes a person to the conflict
	Budget   string // the budget that ran out, in words
	// for a path that something did not find: paths that may be meant, best first
	Near map[string][]string
	// missing paths that exist in the user's checkout and are not in git
	InCheckout []string
	// gates that once passed when they were run again on the same content, in this attempt or an
	// earlier one
	Flaky  []string
	Shared bool // phases have no worktrees of their own
	// a sandbox confines the agent and the commands
	Confined bool
	Denied   []DeniedWrite // the writes that it denied, as far as outputs name them
	Past     Past
}

// DeniedWrite is a write that the sandbox denied.
type DeniedWrite struct {
	Path string
	// the entry for sandbox.write that permits the write; empty: the path belongs to the run
	Allow string
}

// Past summarises events before an attempt and beside it, as far as rules need them. It is derived
// from the run's state.
type Past struct {
	Node, Parent string // names for the classification's own fields; mean nothing here
	// the last failed attempts of the phase, oldest first, at most ten; the present one excluded
	Earlier []Earlier
	// failed attempts since the phase was last complete or rewritten, the present one excluded
	Failed   int
	Files    []string  // that the present attempt changed
	Siblings []Sibling // phases of the same batch, and what they changed
	Allowed  int       // attempts that the policy allows in one session
	// replan proposals for the phase since it last made progress; edits by a person are none
	Revisions   int
	Tokens      int64 // spent on the phase so far
	TokenBudget int64 // that it was to cost; 0 is unknown
	// how far the phase has drifted, 0 to 1, where it is known by other means; nil: it is computed
	Deviation *float64
	// how the evidence contradicts a constraint of the whole plan; empty when it does not
	Contradicts string
	Constraint  string // the text of that constraint, where it is known
	Conflict    string // the conflict that is said to have caused the failure; empty when none is
}

// Earlier is one failed attempt as the rules remember it.
type Earlier struct {
	Type        Type     `json:"type"`
	Class       Class    `json:"class,omitzero"`
	Category    Category `json:"category,omitzero"`
	Fingerprint string   `json:"fingerprint"`
	Message     string   `json:"message,omitzero"`
	Count       int      `json:"count,omitzero"` // failing tests or errors found
	Files       []string `json:"files,omitzero"` // that it changed, at most 50
	Action      Action   `json:"action,omitzero"`
	Conflict    string   `json:"conflict,omitzero"` // "2b: src/api/routes.ts": the subject of an arbitration
}

// Sibling is a phase that runs beside this one.
type Sibling struct {
	Phase   string
	Files   []string // that it has changed
	Creates []string // that the plan says it creates, where neither phase waits for the other
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
	// an adapter's own reading: UsageLimit, Refusal and the like, AgentError for an error of no
	// known kind; else empty
	Kind     Type
	About    string    // of AgentUnusable: account, login, model, flags or start; empty: not known
	Remedy   string    // of AgentUnusable: how to log in, or the command that installs it, if known
	Message  string    // the adapter's structured error text, one line
	Words    string    // the same in full, at most 4 KiB; empty: Message is all
	Unbilled bool      // it used nothing up, as far as it said
	Until    time.Time // reset of a usage limit
}

// Claim is an agent's result block. It is recorded, and never evidence of success.
type Claim struct {
	Complete bool
	Error    string   // the agent's account of its failure
	Type     Type     // … and how it classifies it; may be empty or unknown
	Gates    []string // "test passed (47)", one a gate

	// … its own category, and whether another try may help by its account; counts for strong
	// agents only
	Category  Category
	Transient *bool
	Blocked   bool // it was asked to diagnose, and answers what is needed of a person
	Strong    bool // the agent is of a tier that classifies its own errors
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
	// names by which the project's own code is imported: no command installs these
	Own []string
}

// Action is the decision of a policy.
type Action string

// The actions of a Decision.
const (
	Retry Action = "retry" // try the phase again
	Fail  Action = "fail"  // the phase has failed; its siblings finish
	// until Decision.Until, or for Delay where that is zero, then the same attempt again
	Wait   Action = "wait"
	Halt   Action = "halt"   // it would hit every phase alike: start nothing more
	Block  Action = "block"  // failed, and nothing known fits: it is kept for learning
	Replan Action = "replan" // failed, and a proposal to change the plan is written
	// two phases are in conflict, or a breach has no known author: To says how the run goes on
	Arbitrate Action = "arbitrate"
	Escalate  Action = "escalate" // To names the agent that diagnoses next, or ToUser
	// failed, and it stays so until a person thaws it or changes its text
	Freeze Action = "freeze"
)

// Values of Decision.To beside the names of tiers.
const (
	ToUser       = "user"       // a person decides: the phase has failed
	ToSequential = "sequential" // once more, alone, from the line as it then stands
)

// Decision is the consequence of a diagnosis.
type Decision struct {
	Action    Action        `json:"action"`
	Delay     time.Duration `json:"delay,omitzero"` // before the retry, or of a wait without Until; nanoseconds
	Until     time.Time     `json:"until,omitzero"`
	Attempts  int           `json:"attempts"`         // attempts that the policy allows in all
	Rationale string        `json:"rationale"`        // always said
	Rule      string        `json:"rule,omitzero"`    // the rule that decided: "single.retry", "adaptive.transient"
	To        string        `json:"to,omitzero"`      // of Arbitrate and Escalate
	Propose   bool          `json:"propose,omitzero"` // write a replan proposal besides
	Fresh     bool          `json:"fresh,omitzero"`   // that attempt starts from the line's tip; the earlier work is kept on a branch
}

// MaxProposals is how many proposals to change the plan may follow each other without progress.
const MaxProposals = 3

// Again reports whether another attempt follows.
func (d Decision) Again() bool {
	switch d.Action {
	case Retry:
		return true
	case Escalate, Arbitrate:
		return d.To != ToUser
	}
	return false
}

// Redo reports whether the attempt that follows does a phase again because of a conflict, or of a
// breach that may be another's. Nothing else runs beside it, and it is not one of those that the
// policy allows.
func (d Decision) Redo() bool { return d.Action == Arbitrate && d.To == ToSequential }

// History summarises the phase's past since it was last started, resumed or reset.
type History struct {
	Failures  []Diagnosis // earlier failed attempts, oldest first, the present one excluded
	Decisions []Decision  // the decision about each of them
	Waits     int         // waits in a row without progress
	ErrorWait bool        // an unknown error of the agent's own was waited for
	// failed attempts of the phase, those before a resume included, at most ten
	Earlier   []Earlier
	Proposals int     // replan proposals in a row without progress
	Tokens    int64   // used up on the phase so far, in and out, the present attempt included
	CostUSD   float64 // … and its cost
	Seed      string  // of this attempt, for jitter: the same seed gives the same delay
}

// Policy decides what follows a failed attempt. Implementations are pure.
type Policy interface {
	// Attempts is the number of attempts that a phase may get at most, at least one.
	Attempts() int
	Decide(Diagnosis, History) Decision
}
