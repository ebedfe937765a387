package config

import (
	"maps"
	"slices"

	"go.yaml.in/yaml/v4"

	"autobuild/plan"
)

// Phase are the settings of one phase in a configuration file.
type Phase struct {
	Label, Origin string
	Values        map[string]Setting // by the names of plan.SettingNames
}

// phases reads the key of that name: ids, each with settings.
func (r *reader) phases(n *yaml.Node) {
	if !r.is(n, yaml.MappingNode, "for example\n  phases:\n    2A: {agent: codex, timeout: 30m}",
		"phases must be a mapping of phases to their settings") {
		return
	}
	r.c.Phases = make(map[string]Phase)
	r.each(n, func(key, value *yaml.Node) {
		id, err := plan.NormalID(key.Value)
		if err != nil {
			r.bad(key, "write it as the plan does", "%q is no id of a phase", key.Value)
			return
		}
		if before, twice := r.c.Phases[id]; twice {
			r.bad(key, "keep one of them", "phase %s stands twice, first at %s", key.Value,
				before.Origin)
			return
		}
		r.c.Phases[id] = Phase{
			Label: key.Value, Origin: r.at(key),
			Values: r.phase(key.Value, value),
		}
	})
}

// phase reads the settings of one phase.
func (r *reader) phase(label string, n *yaml.Node) map[string]Setting {
	if !r.is(n, yaml.MappingNode, "write for example {agent: codex, timeout: 30m}",
		"the settings of phase %s must be a mapping", label) {
		return nil
	}
	values := make(map[string]Setting)
	r.each(n, func(key, value *yaml.Node) {
		if !r.is(value, yaml.ScalarNode, "", "%s of phase %s must be a single value", key.Value,
			label) {
			return
		}
		if what, next := plan.CheckSetting(key.Value, value.Value); what != "" {
			where := value
			if !slices.Contains(plan.SettingNames(), key.Value) {
				where = key
			}
			r.bad(where, next, "phase %s: %s", label, what)
			return
		}
		values[key.Value] = Setting{value.Value, r.at(value)}
	})
	return values
}

// mergePhases is nearer where it sets something, else farther, for each setting of each phase.
func mergePhases(nearer, farther map[string]Phase) map[string]Phase {
	out := maps.Clone(farther)
	for id, near := range nearer {
		if out == nil {
			out = make(map[string]Phase)
		}
		values := maps.Clone(out[id].Values)
		if values == nil {
			values = make(map[string]Setting)
		}
		maps.Copy(values, near.Values)
		out[id] = Phase{near.Label, near.Origin, values}
	}
	return out
}
