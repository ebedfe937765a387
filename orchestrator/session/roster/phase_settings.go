package roster

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"autobuild/internal/text"
	"autobuild/orchestrator/agent"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/config"
	"autobuild/plan"
	"autobuild/state"
)

// phaseSettings is how one phase is done, where that differs from the run. Zero fields are as in
// the run.
type phaseSettings struct {
	Agent     ChosenAgent // nil Agent: the run's
	timeout   time.Duration
	idle      time.Duration
	maxCost   float64
	maxTokens int64
	Proof     string                    // auto, off or required; empty: the run's
	review    string                    // all, risky or off; empty: the run's
	said      map[string]config.Setting // everything that was said, with its place
}

// saidOf is what configuration and plan say of a phase; the configuration comes first.
func (r *Roster) saidOf(p plan.Phase) map[string]config.Setting {
	said := make(map[string]config.Setting)
	for _, set := range p.Settings {
		said[set.Name] = config.Setting{Value: set.Value, Origin: fmt.Sprintf("%s:%d:%d", r.planArg,
			set.Pos.Line, set.Pos.Col)}
	}
	maps.Copy(said, r.project.Config.Phases[p.ID].Values)
	return said
}

// knownPhases refuses a configuration of phases that the plan does not have. Nothing else needs to
// be right to know that.
func (r *Roster) knownPhases() error {
	var errs []error
	labels := make([]string, 0, r.plan.Len())
	for _, p := range r.plan.Phases() {
		labels = append(labels, p.Label)
	}
	configured := r.project.Config.Phases
	for _, id := range slices.Sorted(maps.Keys(configured)) {
		if _, ok := r.plan.Index(id); !ok {
			errs = append(errs, &config.Error{
				Where: configured[id].Origin, What: fmt.Sprintf("the plan %s has no phase %q",
					r.planArg, configured[id].Label),
				Next: text.Suggest(configured[id].Label, labels, config.SeeHelp),
			})
		}
	}
	return errors.Join(errs...)
}

// choosePhases decides the settings of single phases. It reports all mistakes together.
func (r *Roster) choosePhases() error {
	var errs []error
	r.Choices = make(map[string]phaseSettings)
	for _, p := range r.plan.Phases() {
		said := r.saidOf(p)
		if len(said) == 0 {
			continue
		}
		choice, err := r.choosePhase(p, said)
		if err != nil {
			errs = append(errs, err)
		}
		r.Choices[p.ID] = choice
	}
	return errors.Join(errs...)
}

// choosePhase makes of words what they stand for. Their form has been checked when they were read.
func (r *Roster) choosePhase(p plan.Phase, said map[string]config.Setting) (phaseSettings, error) {
	c := phaseSettings{said: said}
	c.timeout, _ = time.ParseDuration(said[plan.SettingTimeout].Value)
	c.idle, _ = time.ParseDuration(said[plan.SettingIdle].Value)
	c.maxCost, _ = strconv.ParseFloat(said[plan.SettingMaxCost].Value, 64)
	c.Proof, c.review = said[plan.SettingProof].Value, said[plan.SettingReview].Value
	c.maxTokens, _ = strconv.ParseInt(said[plan.SettingMaxTokens].Value, 10, 64)

	var err error
	// the first that is named takes the blame
	for _, name := range []string{plan.SettingEffort, plan.SettingModel, plan.SettingAgent} {
		if set, ok := said[name]; ok && c.Agent.Agent == nil && err == nil {
			wanted := ChosenAgent{
				Name:  said[plan.SettingAgent].Value,
				Model: said[plan.SettingModel].Value,
			}
			if c.Agent, err = r.phaseAgent(p, wanted, said[plan.SettingEffort].Value); err != nil {
				err = placed(set.Origin, "phase "+p.Label, err)
			}
		}
	}
	return c, err
}

// phaseAgent is the agent of one phase: the run's with another model or effort, or another one.
func (r *Roster) phaseAgent(p plan.Phase, wanted ChosenAgent, effort string) (ChosenAgent, error) {
	if wanted.Name == "" {
		wanted.Name, wanted.Command = r.Agent.Name, r.Agent.Command
		if wanted.Model == "" {
			wanted.Model = r.Agent.Model
		}
	}
	if wanted.Name == "script" && len(p.Script) == 0 && r.runs(p) {
		return ChosenAgent{},
			call.Usage("phase "+p.Label+" has no sh block, so the script agent has nothing to run",
				"add one to the plan, or name another agent")
	}
	return r.fitted(wanted, effort)
}

// fitted makes an agent, and refuses a model or an effort for which the agent has no option.
func (r *Roster) fitted(c ChosenAgent, effort string) (ChosenAgent, error) {
	defined, own := r.project.Config.Agents[c.Name]
	own = own && len(defined.Command) > 0 || c.Command != ""
	if c.Model != "" && (c.Name == "script" || own && defined.ModelFlag == "") {
		next := "leave the model out"
		if own && c.Command == "" {
			next = fmt.Sprintf("give agents.%s a model-flag, or leave the model out", c.Name)
		}
		return c, call.Usage(fmt.Sprintf("agent %s takes no model", c.Name), next)
	}
	c.effort = effort
	if c.Name == "script" {
		c.Agent, c.Clean = agent.Script(r.runner), true
		_, err := r.effortOf(c)
		return c, err
	}
	err := r.makeAgent(&c)
	return c, err
}

// Recorded is what config.json says of the phases' own settings; nil where there are none.
func (r *Roster) Recorded() state.Choices {
	var out state.Choices
	for id, choice := range r.Choices {
		if out == nil {
			out = make(state.Choices)
		}
		out[id] = make(map[string]string)
		for name, set := range choice.said {
			out[id][name] = set.Value
		}
	}
	return out
}

// Edited is the roster for an edited plan. The workers of the run do not change while it goes on:
// an edit that names another agent is an error, as is a mistake in the settings of a phase.
func (r *Roster) Edited(p *plan.Plan) (*Roster, error) {
	next := *r
	next.plan, next.Notices = p, nil
	if err := next.knownPhases(); err != nil {
		return nil, err
	}
	if err := next.choosePhases(); err != nil {
		return nil, err
	}
	if next.Review == nil {
		if err := next.chooseReviewer(); err != nil {
			return nil, err
		}
	}
	if err := next.makePolicies(next.PolicyName); err != nil {
		return nil, err
	}
	before := r.Workers()
	for _, w := range next.Workers() {
		if !slices.Contains(before, w) {
			return nil, fmt.Errorf("it names agent %s, with which this session did not begin; "+
				"stop the run and go on with --resume", text.Clean(w.Name, 40))
		}
	}
	return &next, nil
}
