package cmd

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v4"

	"autobuild/orchestrator/verify"
	"autobuild/state"
)

// says is the value of a document; nil when it is empty.
func says(doc *yaml.Node) *yaml.Node {
	n := doc
	if n.Kind == yaml.DocumentNode {
		if len(n.Content) == 0 {
			return nil
		}
		n = n.Content[0]
	}
	if n.Kind == 0 || n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return nil
	}
	return n
}

// configReader turns nodes into a config, and every mistake into an error with its place.
type configReader struct {
	shown string
	flags *pflag.FlagSet
	c     config
	errs  []error
}

func (r *configReader) at(n *yaml.Node) string {
	return fmt.Sprintf("%s:%d:%d", r.shown, n.Line, n.Column)
}

func (r *configReader) bad(n *yaml.Node, next, format string, args ...any) {
	r.errs = append(r.errs, &configError{where: r.at(n), what: fmt.Sprintf(format, args...), next: next})
}

// specialKeys are the keys that are no flags.
var specialKeys = []string{"gates", "setup", "agents", "env", "tiers", "phases", "notify"}

func (r *configReader) mapping(n *yaml.Node) []error {
	if n.Kind != yaml.MappingNode {
		r.bad(n, "write key: value lines", "the file must be a mapping")
		return r.errs
	}
	r.once(n)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch key.Value {
		case "gates":
			r.gates(value)
		case "setup":
			r.strings(value, &r.c.setup)
		case "agents":
			r.agents(value)
		case "env":
			r.env(value)
		case "tiers":
			r.tiers(value)
		case "phases":
			r.phases(value)
		case "notify":
			r.notify(value)
		case sandboxFlag:
			r.sandbox(key, value)
		default:
			r.flag(key, value)
		}
	}
	return r.errs
}

// once refuses a key that stands twice in one mapping: one of them would be lost.
func (r *configReader) once(n *yaml.Node) {
	first := make(map[string]int)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if line, twice := first[key.Value]; twice {
			r.bad(key, "keep one of them", "key %q stands twice, first on line %d", key.Value, line)
			continue
		}
		first[key.Value] = key.Line
	}
}

func (r *configReader) flag(key, value *yaml.Node) {
	f := r.flags.Lookup(key.Value)
	if f == nil || f.Annotations[configurable] == nil {
		r.bad(key, didYouMean(key.Value, append(configurableNames(r.flags), specialKeys...)), "unknown key %q", key.Value)
		return
	}
	if _, listed := r.c.flags[key.Value]; listed || key.Value == "agent" && value.Kind == yaml.SequenceNode {
		r.agentList(value)
		return
	}
	if value.Kind != yaml.ScalarNode {
		r.bad(value, "", "%s must be a single value", key.Value)
		return
	}
	r.c.flags[key.Value] = setting{value.Value, r.at(value)}
}

func (r *configReader) gates(n *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		r.bad(n, "for example\n  gates:\n    test: go test ./...", "gates must be a mapping of names to commands")
		return
	}
	r.once(n)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		spec := state.GateSpec{Name: key.Value, Kind: verify.Kind(key.Value), Source: verify.SourceConfig}
		if !gateName(key.Value) {
			r.bad(key, "use letters, digits, dash and underscore", "%q is no name for a gate", key.Value)
			continue
		}
		switch {
		case value.Kind == yaml.MappingNode:
			r.gateFields(value, &spec)
		case value.Kind == yaml.ScalarNode && (value.Tag == "!!bool" && !strings.EqualFold(value.Value, "true") || value.Tag == "!!null" || value.Value == ""):
			// off
		case value.Kind == yaml.ScalarNode && value.Tag == "!!str":
			spec.Command = value.Value
		default:
			r.bad(value, "", "gate %s must be a command, false, or {run, timeout}", key.Value)
		}
		r.c.gates = append(r.c.gates, spec)
	}
}

// gateName keeps gates' names safe as parts of file names.
func gateName(s string) bool {
	return s != "" && len(s) <= 40 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") == ""
}

func (r *configReader) gateFields(n *yaml.Node, spec *state.GateSpec) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch key.Value {
		case "run":
			spec.Command = value.Value
		case "fix":
			spec.FixCommand = value.Value
		case "kind":
			spec.Kind = value.Value
		case "timeout":
			d, err := time.ParseDuration(value.Value)
			if err != nil || d <= 0 {
				r.bad(value, "write for example 10m", "timeout %q is no duration", value.Value)
			}
			spec.Timeout = d
		default:
			r.bad(key, didYouMean(key.Value, []string{"run", "fix", "kind", "timeout"}), "unknown key %q in gate %s", key.Value, spec.Name)
		}
	}
	if spec.Command == "" {
		r.bad(n, "write run: COMMAND", "gate %s has no command", spec.Name)
	}
}

func (r *configReader) strings(n *yaml.Node, into *[]string) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
		*into = []string{n.Value}
		return
	}
	if n.Kind != yaml.SequenceNode {
		r.bad(n, "", "this must be a list")
		return
	}
	for _, item := range n.Content {
		if item.Kind != yaml.ScalarNode || item.Tag == "!!null" {
			r.bad(item, "", "this must be a single value")
			continue
		}
		*into = append(*into, item.Value)
	}
}

// tiers reads a list of words, each with its place.
func (r *configReader) tiers(n *yaml.Node) {
	if n.Kind != yaml.SequenceNode {
		r.bad(n, "for example tiers: [haiku, sonnet, opus]", "tiers must be a list, weakest first")
		return
	}
	r.c.tiers = []setting{}
	for _, item := range n.Content {
		if item.Kind != yaml.ScalarNode || item.Tag == "!!null" || item.Value == "" {
			r.bad(item, "write an agent, agent:model, or a model", "a tier must be a single word")
			continue
		}
		r.c.tiers = append(r.c.tiers, setting{item.Value, r.at(item)})
	}
}

func (r *configReader) env(n *yaml.Node) {
	if n.Kind != yaml.MappingNode || len(n.Content) != 2 || n.Content[0].Value != "allow" {
		r.bad(n, "", "env must hold one list: allow")
		return
	}
	r.c.env = []string{}
	r.strings(n.Content[1], &r.c.env)
}

// agentList reads those that work one after the other: what the flag of that name says with commas.
func (r *configReader) agentList(n *yaml.Node) {
	var names []string
	r.strings(n, &names)
	if before, twice := r.c.flags["agent"]; twice {
		r.bad(n, "keep one of them", "the run's agents are named twice, first at %s", before.origin)
		return
	}
	r.c.flags["agent"] = setting{strings.Join(names, ","), r.at(n)}
}

// pair is a key of a mapping with its value.
type pair struct {
	key   string
	value *yaml.Node
}

// wordForList finds the mistake that is made most: a command line where a list of its words is wanted.
func wordForList(definition *yaml.Node) (pair, bool) {
	if definition.Kind != yaml.MappingNode {
		return pair{}, false
	}
	for i := 0; i+1 < len(definition.Content); i += 2 {
		key, value := definition.Content[i].Value, definition.Content[i+1]
		if (key == "command" || key == "args" || key == "deny") && value.Kind == yaml.ScalarNode {
			return pair{key, value}, true
		}
	}
	return pair{}, false
}

// agents reads what agents are; a sequence says which of them the run has.
func (r *configReader) agents(n *yaml.Node) {
	if n.Kind == yaml.SequenceNode {
		r.agentList(n)
		return
	}
	if n.Kind != yaml.MappingNode {
		r.bad(n, "for example\n  agents:\n    mine: {command: [my-agent, --headless]}", "agents must be a mapping of names to definitions, or a list of names")
		return
	}
	r.c.agents = make(map[string]agentConfig)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		var a agentConfig
		if word, ok := wordForList(value); ok {
			r.bad(word.value, "no shell splits them; for example [my-agent, --headless]", "agent %s: %s must be a list of words", key.Value, word.key)
			continue
		}
		if err := value.Load(&a, yaml.WithKnownFields()); err != nil {
			r.bad(value, "its keys are "+agentKeys, "agent %s: %s", key.Value, strings.TrimPrefix(err.Error(), "yaml: "))
			continue
		}
		if a.Prices.Input < 0 || a.Prices.Output < 0 {
			r.bad(value, "they are US dollars for a million tokens", "agent %s: a price is negative", key.Value)
		}
		if len(a.Command) > 0 {
			if _, err := a.define(nil, key.Value); err != nil {
				r.bad(value, "", "%v", err)
			}
		}
		r.c.agents[key.Value] = a
	}
}
