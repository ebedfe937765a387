// Package roster chooses who works in a run: the agent and those that take over while it cannot,
// the tiers that diagnose, the policies, and what differs for single phases. All of it follows from
// flags, configuration, the plan and what a stored run was called with, and is chosen before
// anything starts. It does not know how an attempt is made.
package roster

import (
	"autobuild/failure"
	"autobuild/internal/proc"
	"autobuild/orchestrator/attempt"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/config"
	"autobuild/plan"
	"autobuild/state"
)

// Roster is who works in a run: its agent and those that work while that cannot, tiers, policies,
// and what differs for single phases.
type Roster struct {
	call    *call.Call
	o       *config.Options
	project *call.Project
	plan    *plan.Plan
	planArg string // the plan as it is typed from here
	runner  *proc.Runner

	Away       bool // agents run on other machines
	Agent      ChosenAgent
	agents     []ChosenAgent // it and those that work while it cannot; empty where there is no list
	Tiers      []attempt.Tier
	Choices    map[string]phaseSettings // by phase, where something was said
	PolicyName string
	Policy     failure.Policy
	Policies   map[string]failure.Policy // by phase, where it is another one
	Review     *Reviewer                 // nil: no phase is reviewed
	Notices    []string
}

// New is the roster of a call, before Choose. planArg is the plan as it is typed from here.
func New(
	c *call.Call, o *config.Options, project *call.Project, p *plan.Plan, planArg string,
	runner *proc.Runner,
) *Roster {
	return &Roster{call: c, o: o, project: project, plan: p, planArg: planArg, runner: runner}
}

// Choose finds the agents, tiers and policies of the run and of each phase. old is what a stored
// run was called with: a resume goes on as it began. It returns the first mistake of the call, the
// configuration or the plan.
func (r *Roster) Choose(old state.Config) error {
	if err := r.knownPhases(); err != nil {
		return err
	}
	if err := r.chooseAgents(old); err != nil {
		return err
	}
	if err := r.choosePhases(); err != nil {
		return err
	}
	if err := r.chooseReviewer(); err != nil {
		return err
	}
	r.PolicyName = r.o.Recall("retry-policy", old)
	if err := r.makeTiers(old.Tiers, r.Uses(r.PolicyName, escalating)); err != nil {
		return err
	}
	return r.makePolicies(r.PolicyName)
}

// PolicyOf is the retry policy that decides about a phase.
func (r *Roster) PolicyOf(phase string) failure.Policy {
	if own, ok := r.Policies[phase]; ok {
		return own
	}
	return r.Policy
}
