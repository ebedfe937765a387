package state

import (
	"errors"

	"autobuild/failure"
	"autobuild/plan"
)

// Task is one attempt to be made: everything that the one who makes it may know of the run.
type Task struct {
	Phase    plan.Phase
	Position int // of the phase in the plan, from 1
	Of       int // phases in the plan
	Attempt  int // from 1
	Key      string
	Earlier  []Attempt // failed attempts since the start or resume, oldest first
	// status before a resume or reset made the phase pending; empty at a first start
	Was    Status
	Beside []plan.Phase // phases of the same batch
	Before []Finished   // some of what is complete, in plan order

	Spent Usage        // by all earlier attempts at the phase
	Past  failure.Past // for the rules of a diagnosis; Files are filled in by the attempt
	Agent string       // the agent that makes the attempt; empty where there is no choice
	Tier  string       // the tier that diagnoses the last failure; empty for an ordinary attempt
	// start from the line as it stands: the work of an earlier attempt is kept elsewhere
	Fresh    bool
	Last     bool      // the policy allows no attempt after this one
	Troubles []Trouble // failures of phases of the same batch
	Notes    []Note    // of a person, for this attempt, oldest first
}

// Trouble is the failure of another phase in a few words.
type Trouble struct {
	Label, Name string
	Type        failure.Type
	Message     string
}

// Finished is a complete phase in a few words.
type Finished struct {
	Label, Name, Message string
}

// Result is how one attempt ended, as its worker saw it. Attempt.Failure is the phase's own fault;
// without it and without Spent the phase's verified work has landed.
type Result struct {
	Attempt Attempt `json:"attempt"`
	Spent   string  `json:"spent,omitzero"` // the run's budget that is used up, in words
}

// ResultOf makes a result of an error in which a failure of the phase (*failure.Failure) or the end
// of the run's budget (*failure.Spent) may be wrapped. Every other error is returned as it is.
func ResultOf(a Attempt, err error) (Result, error) {
	if failed, ok := errors.AsType[*failure.Failure](err); ok {
		d := failed.Diagnosis
		a.Failure = &d
		return Result{Attempt: a}, nil
	}
	a.Failure = nil
	if spent, ok := errors.AsType[*failure.Spent](err); ok {
		return Result{Attempt: a, Spent: spent.Reason}, nil
	}
	return Result{Attempt: a}, err
}
