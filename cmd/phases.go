package cmd

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"go.yaml.in/yaml/v4"

	"autobuild/orchestrator/agent"
	"autobuild/plan"
	"autobuild/state"
)

// phaseConfig is what a configuration file says of one phase.
type phaseConfig struct {
	label, origin string
	values        map[string]setting // by the names of plan.SettingNames
}

// phases reads the key of that name: ids, each with settings.
func (r *configReader) phases(n *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		r.bad(n, "for example\n  phases:\n    2A: {agent: codex, timeout: 30m}", "phases must be a mapping of phases to their settings")
		return
	}
	r.c.phases = make(map[string]phaseConfig)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		id, err := plan.NormalID(key.Value)
		if err != nil {
			r.bad(key, "write it as the plan does", "%q is no id of a phase", key.Value)
			continue
		}
		if before, twice := r.c.phases[id]; twice {
			r.bad(key, "keep one of them", "phase %s stands twice, first at %s", key.Value, before.origin)
			continue
		}
		r.c.phases[id] = phaseConfig{label: key.Value, origin: r.at(key), values: r.phase(key.Value, value)}
	}
}

// phase reads the settings of one phase.
func (r *configReader) phase(label string, n *yaml.Node) map[string]setting {
	if n.Kind != yaml.MappingNode {
		r.bad(n, "write for example {agent: codex, timeout: 30m}", "the settings of phase %s must be a mapping", label)
		return nil
	}
	r.once(n)
	values := make(map[string]setting)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if value.Kind != yaml.ScalarNode {
			r.bad(value, "", "%s of phase %s must be a single value", key.Value, label)
			continue
		}
		if what, next := plan.CheckSetting(key.Value, value.Value); what != "" {
			where := value
			if !slices.Contains(plan.SettingNames(), key.Value) {
				where = key
			}
			r.bad(where, next, "phase %s: %s", label, what)
			continue
		}
		values[key.Value] = setting{value.Value, r.at(value)}
	}
	return values
}

// mergePhases lays what the nearer configuration says of phases over what the farther one says.
func mergePhases(nearer, farther map[string]phaseConfig) map[string]phaseConfig {
	out := maps.Clone(farther)
	for id, near := range nearer {
		if out == nil {
			out = make(map[string]phaseConfig)
		}
		values := maps.Clone(out[id].values)
		if values == nil {
			values = make(map[string]setting)
		}
		maps.Copy(values, near.values)
		out[id] = phaseConfig{near.label, near.origin, values}
	}
	return out
}

// phaseSettings is how one phase is done, where that differs from the run. Zero fields are as in the run.
type phaseSettings struct {
	agent     chosenAgent // nil Agent: the run's
	timeout   time.Duration
	idle      time.Duration
	maxCost   float64
	maxTokens int64
	proof     string             // auto, off or required; empty: the run's
	said      map[string]setting // everything that was said, with its place
}

// saidOf is what configuration and plan say of a phase; the configuration comes first.
func (s *session) saidOf(p plan.Phase) map[string]setting {
	said := make(map[string]setting)
	for _, set := range p.Settings {
		said[set.Name] = setting{set.Value, fmt.Sprintf("%s:%d:%d", s.planArg(), set.Pos.Line, set.Pos.Col)}
	}
	maps.Copy(said, s.project.config.phases[p.ID].values)
	return said
}

// knownPhases refuses a configuration of phases that the plan does not have. Nothing else needs to be right to know that.
func (s *session) knownPhases() error {
	var errs []error
	labels := make([]string, 0, s.plan.Len())
	for _, p := range s.plan.Phases() {
		labels = append(labels, p.Label)
	}
	configured := s.project.config.phases
	for _, id := range slices.Sorted(maps.Keys(configured)) {
		if _, ok := s.plan.Index(id); !ok {
			errs = append(errs, &configError{
				where: configured[id].origin, what: fmt.Sprintf("the plan %s has no phase %q", s.planArg(), configured[id].label),
				next: didYouMean(configured[id].label, slices.Clone(labels)),
			})
		}
	}
	return errors.Join(errs...)
}

// choosePhases settles how single phases are done. Every mistake is told at once.
func (s *session) choosePhases() error {
	var errs []error
	s.choices = make(map[string]phaseSettings)
	for _, p := range s.plan.Phases() {
		said := s.saidOf(p)
		if len(said) == 0 {
			continue
		}
		choice, err := s.choosePhase(p, said)
		if err != nil {
			errs = append(errs, err)
		}
		s.choices[p.ID] = choice
	}
	return errors.Join(errs...)
}

// choosePhase makes of words what they stand for. Their form has been checked when they were read.
func (s *session) choosePhase(p plan.Phase, said map[string]setting) (phaseSettings, error) {
	c := phaseSettings{said: said}
	c.timeout, _ = time.ParseDuration(said[plan.SettingTimeout].value)
	c.idle, _ = time.ParseDuration(said[plan.SettingIdle].value)
	c.maxCost, _ = strconv.ParseFloat(said[plan.SettingMaxCost].value, 64)
	c.proof = said[plan.SettingProof].value
	c.maxTokens, _ = strconv.ParseInt(said[plan.SettingMaxTokens].value, 10, 64)

	var err error
	for _, name := range []string{plan.SettingEffort, plan.SettingModel, plan.SettingAgent} { // the first that is named takes the blame
		if set, ok := said[name]; ok && c.agent.Agent == nil && err == nil {
			wanted := chosenAgent{name: said[plan.SettingAgent].value, model: said[plan.SettingModel].value}
			if c.agent, err = s.phaseAgent(p, wanted, said[plan.SettingEffort].value); err != nil {
				err = placed(set.origin, "phase "+p.Label, err)
			}
		}
	}
	return c, err
}

// phaseAgent is the agent of one phase: the run's with another model or effort, or another one.
func (s *session) phaseAgent(p plan.Phase, wanted chosenAgent, effort string) (chosenAgent, error) {
	if wanted.name == "" {
		wanted.name, wanted.command = s.agent.name, s.agent.command
		if wanted.model == "" {
			wanted.model = s.agent.model
		}
	}
	if wanted.name == "script" && len(p.Script) == 0 {
		return chosenAgent{}, usage("phase "+p.Label+" has no sh block, so the script agent has nothing to run", "add one to the plan, or name another agent")
	}
	return s.fitted(wanted, effort)
}

// fitted makes an agent, and refuses a model or an effort that it cannot be told.
func (s *session) fitted(c chosenAgent, effort string) (chosenAgent, error) {
	defined, own := s.project.config.agents[c.name]
	own = own && len(defined.Command) > 0 || c.command != ""
	if c.model != "" && (c.name == "script" || own && defined.ModelFlag == "") {
		next := "leave the model out"
		if own && c.command == "" {
			next = fmt.Sprintf("give agents.%s a model-flag, or leave the model out", c.name)
		}
		return c, usage(fmt.Sprintf("agent %s cannot be told a model", c.name), next)
	}
	c.effort = effort
	if c.name == "script" {
		c.Agent, c.clean = agent.Script(s.runner), true
		_, err := s.effortOf(c)
		return c, err
	}
	err := s.makeAgent(&c)
	return c, err
}

// recorded is what config.json says of the phases' own settings; nil where there are none.
func (s *session) recorded() state.Choices {
	var out state.Choices
	for id, choice := range s.choices {
		if out == nil {
			out = make(state.Choices)
		}
		out[id] = make(map[string]string)
		for name, set := range choice.said {
			out[id][name] = set.value
		}
	}
	return out
}
