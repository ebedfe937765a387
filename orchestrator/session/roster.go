package session

import (
	"autobuild/failure"
	"autobuild/internal/call"
	"autobuild/internal/config"
	"autobuild/internal/proc"
	"autobuild/orchestrator/attempt"
	"autobuild/plan"
	"autobuild/state"
)

// roster is who works in a run: its agent and those that work while that cannot, tiers, policies, and what differs for single phases.
type roster struct {
	call    *call.Call
	o       *config.Options
	project *call.Project
	plan    *plan.Plan
	planArg string // the plan as it is typed from here
	runner  *proc.Runner

	agent      chosenAgent
	agents     []chosenAgent // it and those that work while it cannot; empty where there is no list
	tiers      []attempt.Tier
	choices    map[string]phaseSettings // by phase, where something was said
	policyName string
	policy     failure.Policy
	policies   map[string]failure.Policy // by phase, where it is another one
	notices    []string
}

func newRoster(c *call.Call, o *config.Options, project *call.Project, p *plan.Plan, planArg string, runner *proc.Runner) *roster {
	return &roster{call: c, o: o, project: project, plan: p, planArg: planArg, runner: runner}
}

// choose finds the agents, tiers and policies of the run and of each phase. old is what a stored run was called with: a resume goes on
// as it began. It returns the first mistake of the call, the configuration or the plan.
func (r *roster) choose(old state.Config) error {
	if err := r.knownPhases(); err != nil {
		return err
	}
	if err := r.chooseAgents(old); err != nil {
		return err
	}
	if err := r.choosePhases(); err != nil {
		return err
	}
	r.policyName = r.o.Remembered("retry-policy", r.o.RetryPolicy.Value, old.RetryPolicy)
	if err := r.makeTiers(old.Tiers, r.uses(r.policyName, escalating)); err != nil {
		return err
	}
	return r.makePolicies(r.policyName)
}
