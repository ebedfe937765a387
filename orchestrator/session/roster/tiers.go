package roster

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"autobuild/failure"
	"autobuild/failure/policy"
	"autobuild/internal/text"
	"autobuild/orchestrator/agent"
	"autobuild/orchestrator/attempt"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/config"
	"autobuild/plan"
)

// maxTiers bounds the attempts that an escalation can lead to.
const maxTiers = 10

// escalating is the policy that needs tiers.
const escalating = "escalate"

// tierLines are what an escalation lacks where nothing names a tier.
const tierLines = "add to " + config.Name + ", weakest first: tiers: [haiku, sonnet, opus]"

// makeTiers finds the agents that an escalation asks, weakest first. Where no policy of this run
// asks them, their programs need not be there.
func (r *Roster) makeTiers(stored []string, used bool) error {
	words := r.project.Config.Tiers
	if words == nil {
		for _, word := range stored {
			words = append(words, config.Setting{Value: word, Origin: "the stored run"})
		}
	}
	if len(words) == 0 {
		return nil
	}
	if len(words) > maxTiers {
		return &config.Error{
			Where: words[maxTiers].Origin,
			What:  fmt.Sprintf("%d tiers are more than %d", len(words), maxTiers),
			Next:  "name fewer",
		}
	}
	var errs []error
	for i, word := range words {
		if slices.ContainsFunc(words[:i],
			func(before config.Setting) bool { return before.Value == word.Value }) {
			errs = append(errs,
				&config.Error{Where: word.Origin, What: fmt.Sprintf("tier %q stands twice",
					word.Value), Next: "keep one of them"})
			continue
		}
		tier, err := r.makeTier(word)
		if err != nil && (used || call.ExitCode(err) == call.ExitUsage) {
			errs = append(errs, err)
			continue
		}
		r.Tiers = append(r.Tiers, tier)
	}
	return errors.Join(errs...)
}

// makeTier finds what stands behind one word: an agent, an agent that is configured to be of this
// tier, agent:model, or a model of the run's own agent.
func (r *Roster) makeTier(word config.Setting) (attempt.Tier, error) {
	name, model, err := r.readTier(word)
	if err != nil {
		return attempt.Tier{}, err
	}
	c, err := r.fitted(ChosenAgent{Name: name, Model: model}, "")
	if err != nil {
		return attempt.Tier{}, placed(word.Origin, "tier "+word.Value, err)
	}
	if c.Clean { // it runs the plan's blocks after every kind of failure
		return attempt.Tier{},
			&config.Error{
				Where: word.Origin,
				What:  "tier script cannot diagnose: it runs the plan's own blocks",
				Next:  "name a coding agent",
			}
	}
	return attempt.Tier{
		Agent: c, Name: word.Value, Uses: c.Name, Model: c.Model,
		Weak: !r.Strong(c),
	}, nil
}

// weakModels are parts of the names of models that had better report their errors as they are.
var weakModels = []string{"haiku", "mini", "nano", "flash", "lite", "small"}

// Strong reports whether an agent may say by itself what kind of error it met: a built-in one with
// a model that is not small, or one that is configured as tier strong. The model behind a command
// is unknown.
func (r *Roster) Strong(c ChosenAgent) bool {
	switch r.project.Config.Agents[c.Name].Tier {
	case "strong":
		return true
	case "weak":
		return false
	}
	small := slices.ContainsFunc(weakModels,
		func(part string) bool { return strings.Contains(strings.ToLower(c.Model), part) })
	return slices.Contains(agent.Names(), c.Name) && !small
}

func (r *Roster) readTier(word config.Setting) (name, model string, err error) {
	if r.knowsAgent(word.Value) {
		return word.Value, "", nil
	}
	for _, name := range r.agentNames() {
		if r.project.Config.Agents[name].Tier == word.Value {
			return name, "", nil
		}
	}
	if name, model, paired := strings.Cut(word.Value, ":"); paired && model != "" &&
		r.knowsAgent(name) {
		return name, model, nil
	}
	if !modelLike(word.Value) {
		next := "name an agent, agent:model, or a model of the run's agent"
		known := append(r.agentNames(), modelWords...)
		if meant := text.Nearest(word.Value, known, len(word.Value)/2+1); meant != "" {
			next = fmt.Sprintf("did you mean %q?", meant)
		}
		return "", "", &config.Error{
			Where: word.Origin,
			What:  fmt.Sprintf("tier %q is no agent and no model", word.Value), Next: next,
		}
	}
	return r.Agent.Name, word.Value, nil
}

// knowsAgent reports whether there is an agent of that name.
func (r *Roster) knowsAgent(name string) bool { return slices.Contains(r.agentNames(), name) }

// agentNames are the names that agents can be chosen by: those of the configuration, sorted, and
// then the built-in ones.
func (r *Roster) agentNames() []string {
	var own []string
	for name := range r.project.Config.Agents {
		own = append(own, name)
	}
	slices.Sort(own)
	return append(slices.Concat(own, agent.Names()), "script")
}

// modelWords are models that have a name of one word.
var modelWords = []string{"haiku", "sonnet", "opus"}

// modelLike reports whether a word can be nothing but a model: names of models have a version or a
// maker in them.
func modelLike(word string) bool {
	return slices.Contains(modelWords, word) || strings.ContainsAny(word, "0123456789/")
}

// placed adds to an error of an agent's name the place of that name. An error of the environment
// keeps its exit code.
func placed(where, what string, err error) error {
	if u, ok := errors.AsType[*call.UsageError](err); ok {
		return &config.Error{Where: where, What: what + ": " + u.What, Next: u.Next}
	}
	return fmt.Errorf("%s: %s: %w", where, what, err)
}

// TierNames are the tiers as they were named.
func (r *Roster) TierNames() []string {
	var names []string
	for _, t := range r.Tiers {
		names = append(names, t.Name)
	}
	return names
}

// tierOf is the tier behind which the same agent and model stand; empty when none is. It does not
// diagnose its own failure.
func (r *Roster) tierOf(c ChosenAgent) string {
	for _, t := range r.Tiers {
		if t.Uses == c.Name && t.Model == c.Model {
			return t.Name
		}
	}
	return ""
}

// Uses reports whether the run or one of its phases has the retry policy of that name.
func (r *Roster) Uses(ofRun, name string) bool {
	if ofRun == name {
		return true
	}
	for _, choice := range r.Choices {
		if choice.said[plan.SettingRetryPolicy].Value == name {
			return true
		}
	}
	return false
}

// policyOrigin is where the run's retry policy comes from.
func (r *Roster) policyOrigin() string {
	if r.PolicyName != r.o.RetryPolicy.Value {
		return "the stored run"
	}
	return r.project.Config.Origin("retry-policy")
}

// makePolicies makes the run's retry policy, and those of phases that have one of their own. Their
// needs are checked here, before anything runs.
func (r *Roster) makePolicies(name string) error {
	options := policy.Options{
		Tiers: r.TierNames(),
	}
	policyOf := func(name, where string, worker ChosenAgent) (failure.Policy, error) {
		options.Worker = r.tierOf(worker)
		if name == escalating && len(options.Tiers) == 0 {
			return nil, &config.Error{Where: where, What: "retry policy " + escalating +
				" has no tier to escalate to", Next: tierLines}
		}
		chosen, err := policy.New(name, options)
		if err != nil {
			return nil, &config.Error{Where: where, What: fmt.Sprintf("there is no retry policy %q",
				name), Next: text.Suggest(name, policy.Names(), config.SeeHelp)}
		}
		return chosen, nil
	}
	var err error
	if r.Policy, err = policyOf(name, r.policyOrigin(), r.Agent); err != nil {
		return err
	}
	r.Policies = make(map[string]failure.Policy)
	var errs []error
	for _, id := range slices.Sorted(maps.Keys(r.Choices)) {
		choice := r.Choices[id]
		said, ok := choice.said[plan.SettingRetryPolicy]
		if !ok {
			said = config.Setting{Value: name, Origin: r.policyOrigin()}
		}
		worker := r.Agent
		if choice.Agent.Agent != nil {
			worker = choice.Agent
		}
		var chosen failure.Policy
		if chosen, err = policyOf(said.Value, said.Origin, worker); err != nil {
			errs = append(errs, err)
			continue
		}
		if choice.maxCost > 0 || choice.maxTokens > 0 {
			chosen = policy.Limited{
				Policy: chosen, MaxCostUSD: choice.maxCost,
				MaxTokens: choice.maxTokens,
			}
		}
		r.Policies[id] = chosen
	}
	return errors.Join(errs...)
}
