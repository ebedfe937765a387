package config

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v4"

	"autobuild/internal/text"
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

// reader turns nodes into a config, and every mistake into an error with its place.
type reader struct {
	shown string
	flags *pflag.FlagSet
	c     File
	errs  []error
}

func (r *reader) at(n *yaml.Node) string {
	return fmt.Sprintf("%s:%d:%d", r.shown, n.Line, n.Column)
}

func (r *reader) bad(n *yaml.Node, next, format string, args ...any) {
	r.errs = append(r.errs, &Error{Where: r.at(n), What: fmt.Sprintf(format, args...), Next: next})
}

// Sections are the keys that are no flags.
func Sections() []string {
	return []string{"gates", "setup", "agents", "env", "tiers", "phases", "notify"}
}

func (r *reader) mapping(n *yaml.Node) []error {
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
			r.strings(value, &r.c.Setup)
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
		case SandboxFlag:
			r.sandbox(key, value)
		default:
			r.flag(key, value)
		}
	}
	return r.errs
}

// once refuses a key that stands twice in one mapping: one of them would be lost.
func (r *reader) once(n *yaml.Node) {
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

func (r *reader) flag(key, value *yaml.Node) {
	f := r.flags.Lookup(key.Value)
	if f == nil || f.Annotations[Configurable] == nil {
		r.bad(key, text.Suggest(key.Value, append(FlagNames(r.flags), Sections()...), SeeHelp), "unknown key %q", key.Value)
		return
	}
	if _, listed := r.c.Flags[key.Value]; listed || key.Value == "agent" && value.Kind == yaml.SequenceNode {
		r.agentList(value)
		return
	}
	if value.Kind != yaml.ScalarNode {
		r.bad(value, "", "%s must be a single value", key.Value)
		return
	}
	r.c.Flags[key.Value] = Setting{value.Value, r.at(value)}
}

func (r *reader) gates(n *yaml.Node) {
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
		r.c.Gates = append(r.c.Gates, spec)
	}
}

// gateName keeps gates' names safe as parts of file names.
func gateName(s string) bool {
	return s != "" && len(s) <= 40 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") == ""
}

func (r *reader) gateFields(n *yaml.Node, spec *state.GateSpec) {
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
			r.bad(key, text.Suggest(key.Value, []string{"run", "fix", "kind", "timeout"}, SeeHelp), "unknown key %q in gate %s", key.Value, spec.Name)
		}
	}
	if spec.Command == "" {
		r.bad(n, "write run: COMMAND", "gate %s has no command", spec.Name)
	}
}

func (r *reader) strings(n *yaml.Node, into *[]string) {
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
func (r *reader) tiers(n *yaml.Node) {
	if n.Kind != yaml.SequenceNode {
		r.bad(n, "for example tiers: [haiku, sonnet, opus]", "tiers must be a list, weakest first")
		return
	}
	r.c.Tiers = []Setting{}
	for _, item := range n.Content {
		if item.Kind != yaml.ScalarNode || item.Tag == "!!null" || item.Value == "" {
			r.bad(item, "write an agent, agent:model, or a model", "a tier must be a single word")
			continue
		}
		r.c.Tiers = append(r.c.Tiers, Setting{item.Value, r.at(item)})
	}
}

func (r *reader) env(n *yaml.Node) {
	if n.Kind != yaml.MappingNode || len(n.Content) != 2 || n.Content[0].Value != "allow" {
		r.bad(n, "", "env must hold one list: allow")
		return
	}
	r.c.Env = []string{}
	r.strings(n.Content[1], &r.c.Env)
}

// agentList reads the list of agents that --agent takes with commas.
func (r *reader) agentList(n *yaml.Node) {
	var names []string
	r.strings(n, &names)
	if before, twice := r.c.Flags["agent"]; twice {
		r.bad(n, "keep one of them", "the run's agents are named twice, first at %s", before.Origin)
		return
	}
	r.c.Flags["agent"] = Setting{strings.Join(names, ","), r.at(n)}
}

// pair is a key of a mapping with its value.
type pair struct {
	key   string
	value *yaml.Node
}

// wordForList finds the mistake that is made most: a command line where a list of its words is
// wanted.
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

// agents reads definitions of agents; a sequence is the list of those that the run uses.
func (r *reader) agents(n *yaml.Node) {
	if n.Kind == yaml.SequenceNode {
		r.agentList(n)
		return
	}
	if n.Kind != yaml.MappingNode {
		r.bad(n, "for example\n  agents:\n    mine: {command: [my-agent, --headless]}", "agents must be a mapping of names to definitions, or a list of names")
		return
	}
	r.c.Agents = make(map[string]Agent)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		var a Agent
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
			if _, err := a.Define(nil, key.Value); err != nil {
				r.bad(value, "", "%v", err)
			}
		}
		r.c.Agents[key.Value] = a
	}
}
