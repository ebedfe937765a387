package state

import "autobuild/plan"

// Task is one attempt to be made: everything that the one who makes it may know of the run.
type Task struct {
	Phase    plan.Phase
	Position int // of the phase in the plan, from 1
	Of       int // phases in the plan
	Attempt  int // from 1
	Key      string
	Earlier  []Attempt    // failed attempts since the start or resume, oldest first
	Was      Status       // what the phase was before a resume or reset made it pending; empty at a first start
	Beside   []plan.Phase // phases of the same batch
	Before   []Finished   // some of what is complete, in plan order
}

// Finished is a complete phase in a few words.
type Finished struct {
	Label, Name, Message string
}
