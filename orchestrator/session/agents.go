package session

import (
	"cmp"
	"fmt"
	"slices"

	"autobuild/internal/call"
	"autobuild/orchestrator"
	"autobuild/orchestrator/attempt"
	"autobuild/plan"
	"autobuild/state"
)

// chooseAgents picks the run's agent, and those that work while it cannot.
func (s *session) chooseAgents(stored state.Config) error {
	names := s.o.Agents()
	if stored.Agent != "" && !s.o.Line["agent"] {
		names = append([]string{stored.Agent}, stored.Fallbacks...) // a resume goes on as it began
	}
	if s.o.Line["agent-cmd"] || len(names) < 2 {
		var err error
		s.agent, err = s.chooseAgent(stored)
		return err
	}
	var missing []error
	for i, name := range names {
		if slices.Index(names, name) != i {
			return call.Usage(fmt.Sprintf("agent %s stands twice in the list", name), "name each once, the preferred one first")
		}
		if name == "script" {
			return call.Usage("agent script stands in a list of agents", "it runs the plan's own blocks and has no limit; name it alone")
		}
		c := chosenAgent{name: name}
		if i == 0 {
			c.command, c.model = s.commandOf(name, stored), s.modelFor(name, stored)
		}
		switch err := s.makeAgent(&c); {
		case err != nil && call.ExitCode(err) == call.ExitUsage:
			return err
		case err != nil:
			missing = append(missing, err)
		default:
			s.agents = append(s.agents, c)
		}
	}
	if len(s.agents) == 0 {
		return missing[0]
	}
	for _, err := range missing {
		s.begin.Notices = append(s.begin.Notices, err.Error())
	}
	s.agent = s.agents[0]
	return nil
}

// commandOf is the command of a stored run's agent, where the run goes on with it.
func (s *session) commandOf(name string, stored state.Config) string {
	if name != stored.Agent || s.o.Line["agent"] {
		return ""
	}
	return stored.AgentCmd
}

// modelFor is the model that the call, the configuration or the stored run gives the run's first
// agent.
func (s *session) modelFor(name string, stored state.Config) string {
	if !s.o.Line["model"] && name == stored.Agent && stored.Model != "" {
		return stored.Model
	}
	return s.o.Model
}

// fallbacks are the names of the agents that work while the run's own cannot.
func (s *session) fallbacks() []string {
	var names []string
	for _, c := range s.agents[min(1, len(s.agents)):] {
		names = append(names, c.name)
	}
	return names
}

// who is an agent as the orchestrator knows it: a name, and the account whose usage limits count
// for it.
func (s *session) who(name string) orchestrator.Agent {
	return orchestrator.Agent{Name: name, Account: cmp.Or(s.project.Config.Agents[name].Account, name)}
}

// candidates are those who may do each phase, by position in the plan. One that names its agent is
// done by that one alone.
func (s *session) candidates() [][]orchestrator.Agent {
	var ofRun []orchestrator.Agent
	for _, name := range append([]string{s.agent.name}, s.fallbacks()...) {
		ofRun = append(ofRun, s.who(name))
	}
	all := make([][]orchestrator.Agent, s.plan.Len())
	for i, p := range s.plan.Phases() {
		all[i] = ofRun
		if choice := s.choices[p.ID]; choice.said[plan.SettingAgent].Value != "" {
			all[i] = []orchestrator.Agent{s.who(choice.agent.name)}
		}
	}
	return all
}

// tierAgents are the agents behind the tiers, by the names of these.
func (s *session) tierAgents() map[string]orchestrator.Agent {
	agents := make(map[string]orchestrator.Agent)
	for _, t := range s.tiers {
		agents[t.Name] = s.who(t.Uses)
	}
	return agents
}

// choiceOf is how attempts at a phase differ from those at others, when this agent makes them.
func (s *session) choiceOf(id, by string) attempt.Choice {
	c := s.choices[id]
	out := attempt.Choice{Timeout: c.timeout, Idle: c.idle, Budget: attempt.Budget{CostUSD: c.maxCost, Tokens: c.maxTokens}}
	own := c.agent
	if i := slices.IndexFunc(s.agents, func(a chosenAgent) bool { return a.name == by }); i > 0 && own.name != by {
		own = s.agents[i]
	}
	if own.Agent != nil {
		out.Agent, out.Name, out.Model, out.Clean = own, own.name, own.model, own.clean
		out.Strong = s.strong(own)
	}
	return out
}
