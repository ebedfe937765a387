package roster

import (
	"fmt"
	"slices"

	"autobuild/orchestrator/agent"
	"autobuild/orchestrator/session/config"
	"autobuild/plan"
)

// Unreckoned returns a note for each agent whose usage is unknown although the run has a budget.
func (r *Roster) Unreckoned() []string {
	var notes []string
	note := func(c ChosenAgent, cost, tokens bool) {
		tellsCost, tellsTokens := r.reckons(c)
		text := ""
		switch {
		case c.Agent == nil || c.Clean:
		case cost && !tellsCost && tellsTokens:
			text = fmt.Sprintf(
				"agent %s reports tokens and no cost, so no cost budget stops it; give "+
					"agents.%s prices, or set max-tokens",
				c.Name, c.Name)
		case cost && !tellsCost || tokens && !tellsTokens:
			text = fmt.Sprintf("agent %s does not report its usage, so no budget stops it", c.Name)
		case (cost || tokens) && r.vague(c):
			text = fmt.Sprintf(
				"agent %s uses acp, by which some agents report the usage of their last step "+
					"alone, or none: it may use more than the budget",
				c.Name)
		}
		if text != "" && !slices.Contains(notes, text) {
			notes = append(notes, text)
		}
	}
	cost, tokens := r.o.MaxCost > 0, r.o.MaxTokens > 0
	note(r.Agent, cost, tokens)
	for _, c := range r.agents {
		note(c, cost, tokens)
	}
	for _, p := range r.plan.Phases() {
		choice := r.Choices[p.ID]
		c := choice.Agent
		if choice.said[plan.SettingAgent].Value == "" && c.Agent == nil {
			c = r.Agent
		}
		note(c, cost || choice.maxCost > 0, tokens || choice.maxTokens > 0)
	}
	return notes
}

// vague reports whether the usage that an agent reports may be incomplete.
func (r *Roster) vague(c ChosenAgent) bool {
	return c.Command == "" && r.project.Config.Agents[c.Name].Protocol == "acp"
}

// reckons reports whether an agent's cost is reported or can be computed, and whether its tokens
// are reported.
func (r *Roster) reckons(c ChosenAgent) (cost, tokens bool) {
	defined := r.project.Config.Agents[c.Name]
	switch {
	case c.Command != "":
	case defined.Protocol == "acp":
		return true, true // some do, and which cannot be known before
	case len(defined.Command) > 0:
		cost, tokens = defined.Fields["cost"] != "", defined.Fields["input_tokens"] != "" ||
			defined.Fields["output_tokens"] != ""
	default:
		cost, tokens = agent.ReportsCost(c.Name), agent.ReportsTokens(c.Name)
	}
	return cost || tokens && defined.Prices != (config.Prices{}), tokens
}
