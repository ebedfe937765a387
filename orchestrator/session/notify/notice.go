package notify

import (
	"encoding/json"
	"time"

	"autobuild/failure"
	"autobuild/state"
)

// The events of which people are notified.
const (
	Halt     = "halt"     // every end before the plan is complete, for any reason
	Complete = "complete" // the end of a complete plan, or of the part that was asked for
	Limit    = "limit"    // a usage limit is waited for
	Budget   = "budget"   // most of the run's budget is used up
)

// Events are all events of which people can be notified.
func Events() []string { return []string{Halt, Complete, Limit, Budget} }

// noticeVersion is the version of Notice as JSON.
const noticeVersion = 1

// MaxTimeout is the longest deadline that Settings may give a way.
const MaxTimeout = time.Minute

// Bounds of one way and of one notice.
const (
	defaultTimeout = 10 * time.Second
	maxText        = 500 // characters of foreign text
	maxPhases      = 20
)

// Notice is what a way receives, as JSON.
type Notice struct {
	V        int           `json:"v"`
	Event    string        `json:"event"`
	Text     string        `json:"text"` // one line for people
	Time     time.Time     `json:"time"`
	Run      string        `json:"run"`
	Plan     string        `json:"plan"`
	Title    string        `json:"title,omitzero"` // of the plan
	Dir      string        `json:"dir"`
	Host     string        `json:"host,omitzero"`
	Outcome  state.Outcome `json:"outcome,omitzero"`
	ExitCode *int          `json:"exit_code,omitempty"`
	Reason   string        `json:"reason,omitzero"`
	Totals   state.Totals  `json:"totals"`
	Failed   []FailedPhase `json:"failed,omitempty"`

	Contested []ContestedPhase `json:"contested,omitempty"` // that a person has to decide about

	Account string    `json:"account,omitzero"` // the account of the usage limit that is waited for
	Until   time.Time `json:"until,omitzero"`
	Waiting int       `json:"waiting,omitzero"` // phases that nothing else keeps from starting
	Next    string    `json:"next,omitzero"`    // the command that goes on
}

// FailedPhase is one failed phase of a run that ended.
type FailedPhase struct {
	ID      string       `json:"phase_id"`
	Label   string       `json:"phase_label"`
	Name    string       `json:"phase_name,omitzero"`
	Type    failure.Type `json:"type,omitzero"`
	Message string       `json:"message,omitzero"`
}

// ContestedPhase is a complete phase that changed its own tests or gates unasked.
type ContestedPhase struct {
	ID      string   `json:"phase_id"`
	Label   string   `json:"phase_label"`
	Name    string   `json:"phase_name,omitzero"`
	Changes []string `json:"changes"` // a line a cause
}

// encode is the notice as one line of JSON.
func (t Notice) encode() ([]byte, error) {
	data, err := json.Marshal(t)
	return append(data, '\n'), err
}
