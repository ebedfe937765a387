package cmd

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"autobuild/internal/config"
	"autobuild/orchestrator/agent"
	"autobuild/orchestrator/attempt"
	"autobuild/plan"
)

// Continues reports whether the agent can go on with a session.
func (c chosenAgent) Continues() bool { return agent.Continues(c.Agent) }

// effortOf is what tells an agent how hard to think; nothing where nobody says so.
func (s *session) effortOf(c chosenAgent) ([]string, error) {
	defined := s.project.config.Agents[c.name]
	effort := cmp.Or(c.effort, defined.Effort)
	if effort == "" {
		return nil, nil
	}
	args, ok := agent.Effort(c.name, effort)
	if !ok || len(defined.Command) > 0 || c.command != "" {
		return nil, usage(fmt.Sprintf("agent %s cannot be told an effort", c.name), "leave effort out, or put what it understands into agents."+c.name+".args")
	}
	return args, nil
}

// meter counts what the run uses up, what earlier sessions did included.
func (s *session) meter() *attempt.Meter {
	m := attempt.NewMeter(attempt.Budget{CostUSD: s.o.MaxCost, Tokens: s.o.MaxTokens}, s.run.Totals().Usage)
	if t := s.openNotifier(); t != nil {
		m.Near = t.Spends
	}
	return m
}

// unreckoned says of which agents nobody can tell what they use up, although there is a budget for that.
func (s *session) unreckoned() []string {
	var notes []string
	note := func(c chosenAgent, cost, tokens bool) {
		tellsCost, tellsTokens := s.reckons(c)
		text := ""
		switch {
		case c.Agent == nil || c.clean:
		case cost && !tellsCost && tellsTokens:
			text = fmt.Sprintf("agent %s tells tokens and no cost, so no cost budget stops it; give agents.%s prices, or set max-tokens", c.name, c.name)
		case cost && !tellsCost || tokens && !tellsTokens:
			text = fmt.Sprintf("agent %s does not tell what it uses up, so no budget stops it", c.name)
		case (cost || tokens) && s.vague(c):
			text = fmt.Sprintf("agent %s speaks acp, where some agents tell the use of their last step alone, or nothing: it may use up more than the budget", c.name)
		}
		if text != "" && !slices.Contains(notes, text) {
			notes = append(notes, text)
		}
	}
	cost, tokens := s.o.MaxCost > 0, s.o.MaxTokens > 0
	note(s.agent, cost, tokens)
	for _, c := range s.agents {
		note(c, cost, tokens)
	}
	for _, p := range s.plan.Phases() {
		choice := s.choices[p.ID]
		c := choice.agent
		if choice.said[plan.SettingAgent].Value == "" && c.Agent == nil {
			c = s.agent
		}
		note(c, cost || choice.maxCost > 0, tokens || choice.maxTokens > 0)
	}
	return notes
}

// vague reports whether what an agent tells of its use may not be all of it.
func (s *session) vague(c chosenAgent) bool {
	return c.command == "" && s.project.config.Agents[c.name].Protocol == "acp"
}

// reckons reports whether an agent tells its cost, or that can be reckoned, and whether it tells tokens.
func (s *session) reckons(c chosenAgent) (cost, tokens bool) {
	defined := s.project.config.Agents[c.name]
	switch {
	case c.command != "":
	case defined.Protocol == "acp":
		return true, true // some do, and which cannot be known before
	case len(defined.Command) > 0:
		cost, tokens = defined.Fields["cost"] != "", defined.Fields["input_tokens"] != "" || defined.Fields["output_tokens"] != ""
	default:
		cost, tokens = agent.TellsCost(c.name), agent.TellsTokens(c.name)
	}
	return cost || tokens && defined.Prices != (config.Prices{}), tokens
}

// raised are flags with as much again for every budget of the run that is spent: with the old one a resume would end as it begins.
func (s *session) raised(words []string) []string {
	used := s.run.Totals().Usage
	tokens := used.InputTokens + used.OutputTokens
	more := func(flag, value string) {
		words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return strings.HasPrefix(w, flag) })
		words = append(words, flag+value)
	}
	if limit := s.o.MaxCost; limit > 0 && used.CostUSD >= limit {
		cents := max(1, math.Round(100*(used.CostUSD+limit)))
		more("--max-cost=", strconv.FormatFloat(cents/100, 'f', -1, 64))
	}
	if limit := s.o.MaxTokens; limit > 0 && tokens >= limit {
		more("--max-tokens=", strconv.FormatInt(tokens+limit, 10))
	}
	return words
}
