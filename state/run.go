// Package state says what happened: a Run is the fold of its events, and changes only by Apply.
// Because the loop applies, saves and shows the same event, what is on disk, on screen and in
// memory cannot differ, and replaying the diary gives the saved run. It does not know that it is
// saved or shown, and never asks for the time.
package state

import (
	"slices"
	"time"

	"autobuild/failure"
)

// Schema is the version of config.json, the phase files and result.json.
const Schema = 1

// Status is where a phase stands.
type Status string

// The statuses of a phase, each with what must hold to enter it.
const (
	Pending Status = "pending" // the start; or: reset, resumed, interrupted
	// pending, failed with a try left, or waiting; everything it needs is complete
	Running  Status = "running"
	Waiting  Status = "waiting"  // running, and a usage limit was met: Until says when it goes on
	Complete Status = "complete" // running, verified and landed. Left only by a reset
	// running, and the attempt failed; Retry says whether a try is left
	Failed Status = "failed"
	// pending, and a phase that it needs has failed: BlockedBy names the root
	Blocked Status = "blocked"
	Skipped Status = "skipped" // pending, and the user left it out
)

// Run is everything that is known about one run. The zero Run has not started.
type Run struct {
	Config Config
	Phases []Phase // in plan order; position i is the plan's phase i
	End    *End    // of the last session; nil while one is going
	Seq    int64   // of the last event

	Without []string // agents that are not used any more in this session, while there is another

	index map[string]int
	// no phase has a limit: known of a session that has met none
	unlimited bool
}

// Config holds the settings with which a run was started: config.json. It changes when a session
// starts, and when the run is paused or continued.
type Config struct {
	Schema      int        `json:"schema"`
	RunID       string     `json:"run_id"`
	Autobuild   string     `json:"autobuild"` // the version that started this session
	Plan        string     `json:"plan"`      // path from the root, with slashes; absolute when outside
	PlanTitle   string     `json:"plan_title,omitzero"`
	PlanHash    string     `json:"plan_hash"`
	PlanMeaning string     `json:"plan_fingerprint,omitzero"` // hash of what the plan asks for; absent where no agent of the session can write it
	Reading     string     `json:"reading,omitzero"`          // of the plan, where one was named
	CommitMode  CommitMode `json:"commit_mode"`
	Agent       string     `json:"agent"`
	AgentCmd    string     `json:"agent_cmd,omitzero"`
	Fallbacks   []string   `json:"fallback_agents,omitzero"` // that work while the agent cannot, the first of them first
	Model       string     `json:"model,omitzero"`
	Deliver     Deliver    `json:"deliver,omitzero"` // empty: into the checkout
	Isolation   Isolation  `json:"isolation"`
	Engine      string     `json:"engine,omitzero"`  // that carries out the session; empty: this machine
	Sandbox     string     `json:"sandbox,omitzero"` // that was asked for; empty: none
	Referee     string     `json:"referee,omitzero"` // its strictness; empty: contest
	Proof       string     `json:"proof,omitzero"`   // whether phases have to prove themselves; empty: auto
	Schedule    string     `json:"schedule"`
	RetryPolicy string     `json:"retry_policy"`
	Tiers       []string   `json:"tiers,omitzero"` // that policy escalate asks, weakest first
	Choices     Choices    `json:"phases,omitzero"`
	Jobs        int        `json:"jobs"`
	KeepGoing   bool       `json:"keep_going,omitzero"`
	Stack       string     `json:"stack,omitzero"` // "go", "node (pnpm)"
	Gates       []GateSpec `json:"gates"`
	Setup       []string   `json:"setup,omitzero"`
	Branch      string     `json:"branch,omitzero"`  // full ref of the checkout when the run began
	Base        string     `json:"base,omitzero"`    // commit the run began on
	Started     time.Time  `json:"started"`          // of the run
	Resumed     time.Time  `json:"resumed,omitzero"` // of this session, when it is not the first
	Paused      time.Time  `json:"paused,omitzero"`  // since when no attempt starts, at a person's request
	Sessions    int        `json:"sessions"`
	Flags       []string   `json:"flags,omitzero"` // of this session's call, that a resume has to repeat
	Counts      Counts     `json:"counts"`
	Former      Usage      `json:"spent_by_removed,omitzero"` // of phases that the plan does not have any more
}

// Choices are the settings of single phases that differ from the run's, by id of the phase and name
// of the setting.
type Choices map[string]map[string]string

// Counts describe the size of the plan.
type Counts struct {
	Phases  int `json:"phases"`
	Batches int `json:"batches"`
	Tasks   int `json:"tasks"`
}

// MaxPast bounds Phase.Past.
const MaxPast = 10

// Bounds of the notes of a phase.
const (
	MaxNotes = 20
	MaxNote  = 4000 // bytes
)

// Note is what a person wants the next attempts at a phase to know.
type Note struct {
	Time time.Time `json:"time"`
	Text string    `json:"text"`
}

// CommitMode says what becomes of the work.
type CommitMode string

// The commit modes.
const (
	CommitAuto    CommitMode = "auto"         // a commit a phase
	CommitSingle  CommitMode = "single"       // one commit at the end
	CommitMessage CommitMode = "message-only" // messages and commits.sh; history untouched
)

// Deliver says where landed work goes instead of the user's checkout.
type Deliver string

// The deliveries to a remote.
const (
	DeliverBranch Deliver = "branch" // the line is pushed as a branch
	DeliverPR     Deliver = "pr"     // and a pull request is made of it
	DeliverStack  Deliver = "stack"  // a pull request a phase, each based on the one before
)

// Isolation says where phases work.
type Isolation string

// The isolations.
const (
	Worktree    Isolation = "worktree" // a git worktree a phase
	NoIsolation Isolation = "none"     // all in one directory
)

// ReviewSource is the source of a gate that is an experiment of a review.
const ReviewSource = "review"

// GateSpec is a command that every phase must pass.
type GateSpec struct {
	Name       string        `json:"name"`
	Kind       string        `json:"kind"`    // lint, format, typecheck, test, or custom
	Command    string        `json:"command"` // for sh -c
	FixCommand string        `json:"fix_command,omitzero"`
	Source     string        `json:"source"` // config, plan, or the file that gave it away: "go.mod"
	Tool       string        `json:"tool,omitzero"`
	Available  bool          `json:"available"` // its tool is installed
	Timeout    time.Duration `json:"timeout,omitzero"`
}

// Phase is the truth about one phase: phases/phase-ID.json.
type Phase struct {
	ID          string
	Label       string
	Name        string
	Status      Status
	Attempts    []Attempt // since it was started, resumed or reset; the last may be running
	MaxAttempts int
	DependsOn   []string
	BlockedBy   string    // id of the root failed phase
	Until       time.Time // waiting: when it goes on, unless another account is open before
	Account     string    // waiting: the account of its usage limit
	Waits       int       // in a row for that account
	// met and not overcome by this phase itself, the latest of each account; a session begins with
	// none
	Limits []Limit
	// names of agents whose models refused the phase in this session; others do it while there are
	// any
	Refused []string
	// an error of its agent's own, of no known kind, was waited for in this session: the next one
	// is an attempt
	ErrorWait   bool
	Retry       bool      // failed, and the policy allows another attempt
	Fingerprint string    // of the plan's text when it was last started
	Commit      *Commit   // complete: the landed commit
	Accepted    time.Time // complete: when a person took its contested changes
	AcceptedWhy string    // the reason that was given then; may be empty
	LeftOut     bool      // skipped: by a person's command, which later sessions keep to
	// running or complete: when an edit gave the plan another text than the phase began with
	Edited  time.Time
	Removed bool   // running or complete: an edit took the phase out of the plan in this session
	Notes   []Note // for its next attempts, oldest first, at most MaxNotes
	Reason  string // why it was last reset or skipped
	Was     Status // before it was last reset; empty when it never was
	// failed attempts of every session, oldest first, at most MaxPast; emptied when it completes or
	// is rewritten
	Past []failure.Earlier
	// how often its text changed between starts since it was last complete
	Revisions int
	Proposals int   // replan proposals in a row without progress; see Proposed
	Spent     Usage // of all attempts ever, resets included
	Created   time.Time
	Started   time.Time // first attempt since the last reset
	Finished  time.Time // complete or failed
	Updated   time.Time
}

// Attempt is one try at a phase: agent, verification, landing.
type Attempt struct {
	N        int                `json:"attempt"`      // from 1
	Key      string             `json:"key,omitzero"` // random; in the landed commit's trailer, so that landing twice is landing once
	Started  time.Time          `json:"started"`
	Ended    time.Time          `json:"ended,omitzero"`
	Duration time.Duration      `json:"duration,omitzero"` // awake, monotonic, nanoseconds
	Agent    string             `json:"agent,omitzero"`
	Account  string             `json:"account,omitzero"` // the account of the agent's usage limits
	Model    string             `json:"model,omitzero"`
	Session  string             `json:"session,omitzero"`
	Tier     string             `json:"tier,omitzero"`     // the tier that diagnosed; empty for an ordinary attempt
	Log      string             `json:"log,omitzero"`      // relative to the state directory
	Dir      string             `json:"worktree,omitzero"` // relative to the root where it is below it
	Branch   string             `json:"branch,omitzero"`
	Base     string             `json:"base,omitzero"`
	ExitCode int                `json:"exit_code,omitzero"`
	Report   *Report            `json:"claim,omitzero"`
	Tasks    failure.TaskCount  `json:"tasks,omitzero"`
	Changes  Changes            `json:"changes,omitzero"`
	Gates    []Gate             `json:"gates,omitzero"`
	Verdict  Verdict            `json:"verdict,omitzero"`
	Referee  []RefereeChange    `json:"referee,omitzero"` // changes of tests and gates by the work
	Proof    Proof              `json:"proof,omitzero"`
	Review   *Review            `json:"review,omitzero"` // nil: nothing was reviewed
	Warnings []string           `json:"warnings,omitzero"`
	Failure  *failure.Diagnosis `json:"failure,omitzero"`
	Decision *failure.Decision  `json:"decision,omitzero"`
	Commit   *Commit            `json:"commit,omitzero"`
	Usage    Usage              `json:"usage,omitzero"`
	Warm     bool               `json:"warm,omitzero"` // judged with copied build folders

	RefereeLog string `json:"referee_log,omitzero"` // of the run with the base's tests and gates; empty: there was none
}

// Verdict is the result of autobuild's own checks of an attempt.
type Verdict string

// The verdicts. The zero value means that nothing was checked.
const (
	// at least one gate ran, none failed, everything claimed is there
	Verified   Verdict = "verified"
	Unverified Verdict = "unverified" // nothing failed, and no gate ran
	// the agent reported failure; gates pass and every task is done
	Upgraded Verdict = "upgraded"
	Refused  Verdict = "refused" // something failed
)

// Passed reports whether the attempt may land.
func (v Verdict) Passed() bool { return v == Verified || v == Unverified || v == Upgraded }

// Gate is one run of one gate.
type Gate struct {
	Name     string          `json:"name"`
	Kind     string          `json:"kind"`
	Command  string          `json:"command"`
	Fix      string          `json:"fix_command,omitzero"`
	Status   GateStatus      `json:"status"`
	Exit     int             `json:"exit_code,omitzero"`
	Duration time.Duration   `json:"duration,omitzero"`
	Log      string          `json:"log,omitzero"`
	Count    int             `json:"count,omitzero"`  // tests that ran
	Failed   int             `json:"failed,omitzero"` // tests or findings that failed
	Tests    []failure.Test  `json:"tests,omitzero"`
	Places   []failure.Place `json:"places,omitzero"`
	Tail     string          `json:"tail,omitzero"`    // end of the output, escaped, at most 4 KiB; empty when passed
	Missing  string          `json:"missing,omitzero"` // the tool or package that is not installed
	Landing  bool            `json:"landing,omitzero"` // ran on the merged content
	Flaky    bool            `json:"flaky,omitzero"`   // one of two runs on the same content, of which one failed and one passed
	Before   Comparison      `json:"before,omitzero"`  // why the failure does not count; else empty
	// Reused names the run whose verdict on the same content this is, by the start of its logs'
	// names: baseline, phase-2a.1. Empty: the gate ran.
	Reused string `json:"reused,omitzero"`
}

// Comparison says why a gate's failure is not evidence against a phase: the gate had failed before.
type Comparison string

// The comparisons.
const (
	NotWorse Comparison = "not_worse" // nothing fails that did not fail before
	// it failed before, and has no details to compare: proves nothing
	NotComparable Comparison = "not_comparable"
)

// GateStatus is how a gate ended.
type GateStatus string

// The gate statuses.
const (
	GatePassed       GateStatus = "passed"
	GateFailed       GateStatus = "failed"
	GateTimeout      GateStatus = "timeout"
	GateNotAvailable GateStatus = "not_available" // its tool is missing; shown, never "passed"
)

// Report is an agent's result block: a claim.
type Report struct {
	Complete bool              `json:"complete"`
	Tasks    failure.TaskCount `json:"tasks"`
	Gates    map[string]bool   `json:"quality_gates,omitzero"`
	Commit   string            `json:"commit_message,omitzero"`
	Created  []string          `json:"created,omitzero"`
	Modified []string          `json:"modified,omitzero"`
	Deleted  []string          `json:"deleted,omitzero"`
	Error    string            `json:"error,omitzero"`
	ErrType  string            `json:"error_type,omitzero"`
	Category failure.Category  `json:"error_category,omitzero"`  // as an agent that classifies its own errors sees it
	Retry    *bool             `json:"error_retryable,omitzero"` // … and whether it thinks that another try may help
	Implied  bool              `json:"implied,omitzero"`         // the exit code is the claim; there was no block
	Said     string            `json:"said,omitzero"`            // how a tier that diagnosed ended its answer, in its own words

	Omitted int `json:"omitted,omitzero"` // further files, gates and changes that it names; the attempt's log has all

	RefereeChanges []ClaimedChange `json:"referee_changes,omitzero"` // changes of tests and gates that the agent owns up to
}

// Changes are the paths that an attempt changed, as git or content hashes see them.
type Changes struct {
	Created  []string `json:"created,omitzero"`
	Modified []string `json:"modified,omitzero"`
	Deleted  []string `json:"deleted,omitzero"`
	Standing []string `json:"standing,omitzero"` // nothing was left to change: the first files of the work that was there already
	Omitted  int      `json:"omitted,omitzero"`  // further paths; git diff --name-status BASE COMMIT has all
}

// Len is the number of changed paths.
func (c Changes) Len() int { return len(c.Created) + len(c.Modified) + len(c.Deleted) + c.Omitted }

// IsZero makes omitzero leave out an empty value.
func (c Changes) IsZero() bool { return c.Len() == 0 && len(c.Standing) == 0 }

// Commit is a phase's landed work.
type Commit struct {
	SHA         string   `json:"sha,omitzero"` // empty without git
	Message     string   `json:"message"`
	Delivered   bool     `json:"delivered"`            // it has reached the user's checkout
	Undelivered string   `json:"undelivered,omitzero"` // why not, as a sentence
	Obstacle    Obstacle `json:"obstacle,omitzero"`    // why not; absent in what older versions stored
	Overlap     []string `json:"overlap,omitzero"`     // files that other phases changed too, merged cleanly
	PlanMarked  bool     `json:"plan_marked,omitzero"`
}

// Usage is the consumption that agents reported.
type Usage struct {
	CostUSD      float64 `json:"cost_usd,omitzero"`
	InputTokens  int64   `json:"input_tokens,omitzero"`
	OutputTokens int64   `json:"output_tokens,omitzero"`
}

// Add sums two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		u.CostUSD + v.CostUSD, u.InputTokens + v.InputTokens,
		u.OutputTokens + v.OutputTokens,
	}
}

// End is how a session ended: result.json.
type End struct {
	Outcome       Outcome       `json:"outcome"`
	Exit          int           `json:"exit_code"`
	Reason        string        `json:"reason"` // one line
	Time          time.Time     `json:"time"`
	Elapsed       time.Duration `json:"elapsed"`                 // of the session, nanoseconds
	Merge         string        `json:"merge,omitzero"`          // command that brings in undelivered work
	Branch        string        `json:"branch,omitzero"`         // where undelivered work is
	Why           string        `json:"why,omitzero"`            // why it is undelivered
	Obstacle      Obstacle      `json:"obstacle,omitzero"`       // why it is undelivered; absent in what older versions stored
	Resume        []string      `json:"resume,omitzero"`         // the call that goes on, from where this session was called, a word an element; absent where nothing is left
	Disputed      bool          `json:"plan_disputed,omitzero"`  // the plan asks for something else, and an agent can have written that
	PlanContested bool          `json:"plan_contested,omitzero"` // the session went by such a plan, and the user has not said that it is theirs
	Totals        Totals        `json:"totals"`
	Requests      []PullRequest `json:"pull_requests,omitzero"`
	Final         []Gate        `json:"final_gates,omitzero"` // gates that the plan states for the whole; absent where they did not run
}

// PullRequest is what became of the delivery of work to a remote.
type PullRequest struct {
	Phase  string   `json:"phase,omitzero"` // id; empty: the whole run's
	Branch string   `json:"branch"`         // of the remote
	URL    string   `json:"url,omitzero"`   // of the request; empty: there is none
	Why    string   `json:"why,omitzero"`   // why it was not pushed, made or updated
	Next   []string `json:"next,omitzero"`  // the command that does it, a word an element
}

// PlanDisputed reports whether an agent can have changed what the plan asks for since the run went
// by it. A run that was cut off has not looked.
func (r *Run) PlanDisputed() bool {
	return r.Config.PlanMeaning != "" && (r.End == nil || r.End.Disputed)
}

// Unmet are the final gates that ran and did not pass.
func (e End) Unmet() []Gate {
	return slices.DeleteFunc(slices.Clone(e.Final),
		func(g Gate) bool { return g.Status == GatePassed })
}

// Unproven reports whether the work of some phase was verified by no gate: neither by one of its
// own nor by one of the whole plan.
func (e End) Unproven() bool {
	return e.Totals.Unverified > 0 && (len(e.Final) == 0 || len(e.Unmet()) > 0)
}

// ExitUnproven is the exit code of a run that is complete, and unverified or contested.
const ExitUnproven = 5

// Outcome is the kind of an end.
type Outcome string

// The outcomes.
const (
	Done        Outcome = "complete"
	Halted      Outcome = "halted"      // phases failed
	Interrupted Outcome = "interrupted" // by the user or a signal
	Stopped     Outcome = "stopped"     // by a budget, limit or deadline
	Broken      Outcome = "error"       // the environment, or autobuild itself
)

// Totals count phases by status and sum what was spent.
type Totals struct {
	Phases     int   `json:"phases"`
	Complete   int   `json:"complete"`
	Failed     int   `json:"failed"`
	Blocked    int   `json:"blocked"`
	Pending    int   `json:"pending"`
	Skipped    int   `json:"skipped"`
	Running    int   `json:"running"`
	Waiting    int   `json:"waiting"`
	Unverified int   `json:"unverified"` // complete without any gate
	Contested  int   `json:"contested"`  // complete, with changes of the referee that no person has accepted yet
	Attempts   int   `json:"attempts"`
	Usage      Usage `json:"usage,omitzero"`
}
