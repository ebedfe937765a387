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
	if n.Kind != yaml.MappingNode {
		r.bad(n, "for example\n  phases:\n    2A: {agent: codex, timeout: 30m}", "phases must be a mapping of phases to their settings")
		return
	}
	r.c.Phases = make(map[string]Phase)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		id, err := plan.NormalID(key.Value)
		if err != nil {
			r.bad(key, "write it as the plan does", "%q is no id of a phase", key.Value)
			continue
		}
		if before, twice := r.c.Phases[id]; twice {
			r.bad(key, "keep one of them", "phase %s stands twice, first at %s", key.Value, before.Origin)
			continue
		}
		r.c.Phases[id] = Phase{Label: key.Value, Origin: r.at(key), Values: r.phase(key.Value, value)}
	}
}

// phase reads the settings of one phase.
func (r *reader) phase(label string, n *yaml.Node) map[string]Setting {
	if n.Kind != yaml.MappingNode {
		r.bad(n, "write for example {agent: codex, timeout: 30m}", "the settings of phase %s must be a mapping", label)
		return nil
	}
	r.once(n)
	values := make(map[string]Setting)
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
		values[key.Value] = Setting{value.Value, r.at(value)}
	}
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
