package roster

import (
	"cmp"
	"fmt"
	"slices"

	"autobuild/orchestrator"
	"autobuild/orchestrator/attempt"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/confine"
	"autobuild/plan"
	"autobuild/state"
)

// chooseAgents picks the run's agent, and those that work while it cannot.
func (r *Roster) chooseAgents(stored state.Config) error {
	names := r.o.Agents()
	if stored.Agent != "" && !r.o.Line["agent"] {
		names = append([]string{stored.Agent}, stored.Fallbacks...) // a resume goes on as it began
	}
	if r.o.Line["agent-cmd"] || len(names) < 2 {
		var err error
		r.Agent, err = r.chooseAgent(stored)
		return err
	}
	var missing []error
	for i, name := range names {
		if slices.Index(names, name) != i {
			return call.Usage(fmt.Sprintf("agent %s stands twice in the list", name),
				"name each once, the preferred one first")
		}
		if name == "script" {
			return call.Usage("agent script stands in a list of agents",
				"it runs the plan's own blocks and has no limit; name it alone")
		}
		c := ChosenAgent{Name: name}
		if i == 0 {
			c.Command, c.Model = r.commandOf(name, stored), r.modelFor(name, stored)
		}
		switch err := r.makeAgent(&c); {
		case err != nil && call.ExitCode(err) == call.ExitUsage:
			return err
		case err != nil:
			missing = append(missing, err)
		default:
			r.agents = append(r.agents, c)
		}
	}
	if len(r.agents) == 0 {
		return missing[0]
	}
	for _, err := range missing {
		r.Notices = append(r.Notices, err.Error())
	}
	r.Agent = r.agents[0]
	return nil
}

// commandOf is the command of a stored run's agent, where the run goes on with it.
func (r *Roster) commandOf(name string, stored state.Config) string {
	if name != stored.Agent || r.o.Line["agent"] {
		return ""
	}
	return stored.AgentCmd
}

// modelFor is the model that the call, the configuration or the stored run gives the run's first
// agent.
func (r *Roster) modelFor(name string, stored state.Config) string {
	if !r.o.Line["model"] && name == stored.Agent && stored.Model != "" {
		return stored.Model
	}
	return r.o.Model
}

// Fallbacks are the names of the agents that work while the run's own cannot.
func (r *Roster) Fallbacks() []string {
	var names []string
	for _, c := range r.agents[min(1, len(r.agents)):] {
		names = append(names, c.Name)
	}
	return names
}

// Workers are all agents that may do a part of the run: its own, those that work while that cannot,
// those of single phases, and those behind the tiers.
func (r *Roster) Workers() []confine.Worker {
	var all []confine.Worker
	add := func(c ChosenAgent) {
		w := confine.Worker{Name: c.Name, Program: c.Program}
		if c.Agent != nil && !slices.Contains(all, w) {
			all = append(all, w)
		}
	}
	add(r.Agent)
	for _, c := range r.agents {
		add(c)
	}
	for _, p := range r.plan.Phases() {
		add(r.Choices[p.ID].Agent)
	}
	if r.Review != nil {
		add(r.Review.Agent)
	}
	for _, t := range r.Tiers {
		if c, ok := t.Agent.(ChosenAgent); ok {
			add(c)
		}
	}
	return all
}

// agentOf is an agent in the orchestrator's form: a name, and the account of its usage limits.
func (r *Roster) agentOf(name string) orchestrator.Agent {
	return orchestrator.Agent{Name: name, Account: cmp.Or(r.project.Config.Agents[name].Account,
		name)}
}

// Candidates are those who may do each phase, by position in the plan. One that names its agent is
// done by that one alone.
func (r *Roster) Candidates() [][]orchestrator.Agent {
	var ofRun []orchestrator.Agent
	for _, name := range append([]string{r.Agent.Name}, r.Fallbacks()...) {
		ofRun = append(ofRun, r.agentOf(name))
	}
	all := make([][]orchestrator.Agent, r.plan.Len())
	for i, p := range r.plan.Phases() {
		all[i] = ofRun
		if choice := r.Choices[p.ID]; choice.said[plan.SettingAgent].Value != "" {
			all[i] = []orchestrator.Agent{r.agentOf(choice.Agent.Name)}
		}
	}
	return all
}

// TierAgents are the agents behind the tiers, by the names of these.
func (r *Roster) TierAgents() map[string]orchestrator.Agent {
	agents := make(map[string]orchestrator.Agent)
	for _, t := range r.Tiers {
		agents[t.Name] = r.agentOf(t.Uses)
	}
	return agents
}

// ChoiceOf is how attempts at a phase differ from those at others, when this agent makes them.
func (r *Roster) ChoiceOf(id, by string) attempt.Choice {
	c := r.Choices[id]
	out := attempt.Choice{
		Timeout: c.timeout, Idle: c.idle,
		Budget: attempt.Budget{CostUSD: c.maxCost, Tokens: c.maxTokens},
	}
	own := c.Agent
	if i := slices.IndexFunc(r.agents, func(a ChosenAgent) bool { return a.Name == by }); i > 0 &&
		own.Name != by {
		own = r.agents[i]
	}
	if own.Agent != nil {
		out.Agent, out.Name, out.Model, out.Clean = own, own.Name, own.Model, own.Clean
		out.Strong = r.Strong(own)
	}
	return out
}
