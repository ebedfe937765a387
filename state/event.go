package state

import (
	"time"
)

// EventVersion is the version of the event lines. Additions keep it; readers skip types and fields
// they do not know.
const EventVersion = 1

// Event is one thing that happened, as a line of events.jsonl and of --progress json says it.
// Fields that its type does not use are zero.
type Event struct {
	V        int           `json:"v"`
	Seq      int64         `json:"seq,omitzero"` // 1, 2, 3 … within a run, over all sessions; fleeting events have none
	Time     time.Time     `json:"time"`
	Type     EventType     `json:"type"`
	Run      string        `json:"run"`
	Phase    string        `json:"phase,omitzero"`    // id
	Label    string        `json:"label,omitzero"`    // of the phase
	Name     string        `json:"name,omitzero"`     // of the phase
	Attempt  int           `json:"attempt,omitzero"`  // number
	Attempts int           `json:"attempts,omitzero"` // that the policy allows
	Status   Status        `json:"status,omitzero"`   // of the phase, after the event
	Config   *Config       `json:"config,omitzero"`
	Phases   []Seed        `json:"phases,omitzero"`
	Gate     *Gate         `json:"gate,omitzero"`
	Result   *Attempt      `json:"result,omitzero"`
	By       string        `json:"blocked_by,omitzero"`
	Print    string        `json:"fingerprint,omitzero"` // of the plan's text of the phase
	Key      string        `json:"key,omitzero"`         // of the attempt: a random word
	Agent    string        `json:"agent,omitzero"`       // that makes the attempt
	Account  string        `json:"account,omitzero"`     // of that agent, or the one that is waited for
	Until    time.Time     `json:"until,omitzero"`       // the reset of that account's usage limit
	Without  []string      `json:"without,omitzero"`     // agents that are not used any more in this session, while there is another
	Waiting  int           `json:"waiting,omitzero"`     // phases that nothing but that reset keeps from starting
	Commit   *Commit       `json:"commit,omitzero"`      // of a repaired phase
	User     bool          `json:"user,omitzero"`        // a reset that a person asked for
	Text     string        `json:"text,omitzero"`        // activity, reason, notice
	Quiet    time.Duration `json:"quiet,omitzero"`       // of an activity: how long there was no sign of life; Text repeats the last one
	Usage    *Usage        `json:"usage,omitzero"`
	Edit     *PlanEdit     `json:"edit,omitzero"` // of the plan
	End      *End          `json:"end,omitzero"`
}

// Seed holds the properties of a phase that a run takes from the plan.
type Seed struct {
	ID          string   `json:"id"`
	Label       string   `json:"label"`
	Name        string   `json:"name,omitzero"`
	DependsOn   []string `json:"depends_on,omitzero"`
	MaxAttempts int      `json:"max_attempts"`
	// of an edit: the phase is in work, or complete, by another text
	Changed bool `json:"changed,omitzero"`
	// of an edit: the plan does not have the phase any more; it is in work, or complete
	Removed bool `json:"removed,omitzero"`
}

// EventType names what happened.
type EventType string

// Lifecycle events change the run, are saved and are never lost.
const (
	// Config, Phases: a session begins, the first or a later one
	RunStarted   EventType = "run.started"
	PhaseStarted EventType = "phase.started" // Attempt, Attempts, Print, Agent, Account
	// Result, with Failure and Decision when it failed; Account, Until, Waiting when a limit was
	// met; Without when another agent goes on
	AttemptFinished  EventType = "attempt.finished"
	PhaseInterrupted EventType = "phase.interrupted" // stopped from outside: keeps its attempts
	PhaseBlocked     EventType = "phase.blocked"     // By
	PhaseReset       EventType = "phase.reset"       // Text; User; Cut
	PhaseSkipped     EventType = "phase.skipped"     // Text
	// Text: a person takes the phase's contested changes; User
	PhaseAccepted EventType = "phase.accepted"
	// Text: a person's words for the phase's next attempts; User
	PhaseNoted EventType = "phase.noted"
	// User: no attempt starts before RunContinued or the next session
	RunPaused    EventType = "run.paused"
	RunContinued EventType = "run.continued" // User
	// Edit, Phases: a user has edited the plan of the run that goes on; User
	PlanEdited EventType = "plan.edited"
	// Commit, Text: the recorded commit of a complete phase was wrong; Text has the old value
	PhaseMended EventType = "phase.mended"
	RunFinished EventType = "run.finished" // End: always the last event of a session
)

// Fleeting events change nothing. The diary keeps gates and notices; activity and heartbeats are
// only shown.
const (
	AgentFinished EventType = "agent.finished" // Usage, Text: verification begins
	GateStarted   EventType = "gate.started"   // Gate with name and command
	GateFinished  EventType = "gate.finished"  // Gate
	// Text: something a person should know; Phase may be empty
	Notice   EventType = "notice"
	Activity EventType = "phase.activity" // Text: an agent's last sign of life
	// nothing but signs of life for a while; Account, Until, Waiting while a limit keeps phases
	// waiting
	Heartbeat EventType = "heartbeat"
)

// Lifecycle reports whether events of this type change the run.
func (t EventType) Lifecycle() bool {
	switch t {
	case RunStarted, PhaseStarted, AttemptFinished, PhaseInterrupted, PhaseBlocked, PhaseReset,
		PhaseSkipped, PhaseAccepted, PhaseNoted, PhaseMended, RunPaused, RunContinued, PlanEdited, RunFinished:
		return true
	}
	return false
}

// Kept reports whether the diary keeps events of this type.
func (t EventType) Kept() bool { return t != Activity && t != Heartbeat }
