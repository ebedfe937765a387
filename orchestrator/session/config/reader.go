package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

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
	c     File
	errs  []error
}

func (r *reader) at(n *yaml.Node) string {
	return fmt.Sprintf("%s:%d:%d", r.shown, n.Line, n.Column)
}

func (r *reader) bad(n *yaml.Node, next, format string, args ...any) {
	r.errs = append(r.errs, &Error{Where: r.at(n), What: fmt.Sprintf(format, args...), Next: next})
}

// each walks a mapping. A key that stands twice is a mistake: one of its values would be lost.
func (r *reader) each(n *yaml.Node, do func(key, value *yaml.Node)) {
	first := make(map[string]int)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if line, twice := first[key.Value]; twice {
			r.bad(key, "keep one of them", "key %q stands twice, first on line %d", key.Value, line)
			continue
		}
		first[key.Value] = key.Line
		do(key, n.Content[i+1])
	}
}

// keys walks a mapping whose keys are known. of names it in the message about another key.
func (r *reader) keys(n *yaml.Node, of string, known map[string]func(value *yaml.Node)) {
	r.each(n, func(key, value *yaml.Node) {
		if read, ok := known[key.Value]; ok {
			read(value)
			return
		}
		r.bad(key, text.Suggest(key.Value, slices.Sorted(maps.Keys(known)), SeeHelp),
			"unknown key %q in %s", key.Value, of)
	})
}

// is reports whether a node has a kind; else it is a mistake.
func (r *reader) is(n *yaml.Node, kind yaml.Kind, next, format string, args ...any) bool {
	if n.Kind != kind {
		r.bad(n, next, format, args...)
	}
	return n.Kind == kind
}

// document reads the keys of a file: a section each, or the name of a flag.
func (r *reader) document(n *yaml.Node) []error {
	if !r.is(n, yaml.MappingNode, "write key: value lines", "the file must be a mapping") {
		return r.errs
	}
	r.each(n, func(key, value *yaml.Node) {
		switch e := Find(key.Value); {
		case e.read != nil:
			e.read(r, value)
		case key.Value == SandboxFlag && value.Kind == yaml.MappingNode:
			r.keys(value, SandboxFlag, map[string]func(value *yaml.Node){
				"mode":  func(value *yaml.Node) { r.flag(key, value) },
				"write": func(value *yaml.Node) { r.strings(value, &r.c.Write) },
			})
		default:
			r.flag(key, value)
		}
	})
	return r.errs
}

// workDir reads an absolute folder, or one that begins with ~/.
func (r *reader) workDir(n *yaml.Node) {
	if !r.is(n, yaml.ScalarNode, "", "work-dir must be a folder") {
		return
	}
	r.c.WorkDir = n.Value
	if !filepath.IsAbs(n.Value) && !strings.HasPrefix(n.Value, "~/") {
		r.bad(n, "write an absolute path, or one that begins with ~/",
			"work-dir %q is not absolute", n.Value)
	}
}

// buildFolders reads keep or cold.
func (r *reader) buildFolders(n *yaml.Node) {
	r.c.BuildFolders = n.Value
	if n.Value != "keep" && n.Value != "cold" {
		r.bad(n, "write keep or cold", "build-folders must be keep or cold, not %q", n.Value)
	}
}

func (r *reader) flag(key, value *yaml.Node) {
	if Find(key.Value).Where&InValues == 0 {
		r.bad(key, text.Suggest(key.Value, Names(InValues|InSections), SeeHelp),
			"unknown key %q", key.Value)
		return
	}
	if _, listed := r.c.Flags[key.Value]; listed || key.Value == "agent" &&
		value.Kind == yaml.SequenceNode {
		r.agentList(value)
		return
	}
	if r.is(value, yaml.ScalarNode, "", "%s must be a single value", key.Value) {
		r.c.Flags[key.Value] = Setting{value.Value, r.at(value)}
	}
}

func (r *reader) gates(n *yaml.Node) {
	if !r.is(n, yaml.MappingNode, "for example\n  gates:\n    test: go test ./...",
		"gates must be a mapping of names to commands") {
		return
	}
	r.each(n, func(key, value *yaml.Node) {
		if !gateName(key.Value) {
			r.bad(key, "use letters, digits, dash and underscore", "%q is no name for a gate",
				key.Value)
			return
		}
		spec := state.GateSpec{
			Name: key.Value, Kind: verify.Kind(key.Value),
			Source: verify.SourceConfig,
		}
		switch {
		case value.Kind == yaml.MappingNode:
			r.gateFields(value, &spec)
		case isOff(value):
		case value.Kind == yaml.ScalarNode && value.Tag == "!!str":
			spec.Command = value.Value
		default:
			r.bad(value, "", "gate %s must be a command, false, or {run, timeout}", key.Value)
		}
		r.c.Gates = append(r.c.Gates, spec)
	})
}

// isOff reports whether a value turns a setting off: false, null or empty.
func isOff(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode &&
		(n.Tag == "!!bool" && !strings.EqualFold(n.Value, "true") || n.Tag == "!!null" ||
			n.Value == "")
}

// gateName keeps gates' names safe as parts of file names.
func gateName(s string) bool {
	return s != "" && len(s) <= 40 &&
		strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") == ""
}

func (r *reader) gateFields(n *yaml.Node, spec *state.GateSpec) {
	word := func(into *string) func(
		*yaml.Node) {
		return func(value *yaml.Node) { *into = value.Value }
	}
	r.keys(n, "gate "+spec.Name, map[string]func(*yaml.Node){
		"run": word(&spec.Command), "fix": word(&spec.FixCommand), "kind": word(&spec.Kind),
		"timeout": func(value *yaml.Node) {
			d, err := time.ParseDuration(value.Value)
			if err != nil || d <= 0 {
				r.bad(value, "write for example 10m", "timeout %q is no duration", value.Value)
			}
			spec.Timeout = d
		},
	})
	if spec.Command == "" {
		r.bad(n, "write run: COMMAND", "gate %s has no command", spec.Name)
	}
}

func (r *reader) strings(n *yaml.Node, into *[]string) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
		*into = []string{n.Value}
		return
	}
	if !r.is(n, yaml.SequenceNode, "", "this must be a list") {
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
	if !r.is(n, yaml.SequenceNode, "for example tiers: [haiku, sonnet, opus]",
		"tiers must be a list, weakest first") {
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

// wordForList reports the mistake that is made most: a command line where a list of its words is
// wanted.
func (r *reader) wordForList(definition *yaml.Node, of, example string) bool {
	found := false
	for i := 0; definition.Kind == yaml.MappingNode && i+1 < len(definition.Content) &&
		!found; i += 2 {
		key, value := definition.Content[i].Value, definition.Content[i+1]
		found = (key == "command" || key == "args" || key == "deny") &&
			value.Kind == yaml.ScalarNode
		if found {
			r.bad(value, "no shell splits them; for example "+example,
				"%s: %s must be a list of words", of, key)
		}
	}
	return found
}

// load decodes a mapping into a struct with known keys. of names it in the message.
func (r *reader) load(n *yaml.Node, into any, of, keys string) bool {
	err := n.Load(into, yaml.WithKnownFields())
	if err != nil {
		r.bad(n, "its keys are "+keys, "%s: %s", of, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	return err == nil
}

// agents reads definitions of agents; a sequence is the list of those that the run uses.
func (r *reader) agents(n *yaml.Node) {
	if n.Kind == yaml.SequenceNode {
		r.agentList(n)
		return
	}
	if !r.is(n, yaml.MappingNode,
		"for example\n  agents:\n    mine: {command: [my-agent, --headless]}",
		"agents must be a mapping of names to definitions, or a list of names") {
		return
	}
	r.c.Agents = make(map[string]Agent)
	r.each(n, func(key, value *yaml.Node) {
		var a Agent
		of := "agent " + key.Value
		if r.wordForList(value, of, "[my-agent, --headless]") || !r.load(value, &a, of, agentKeys) {
			return
		}
		if a.Prices.Input < 0 || a.Prices.Output < 0 {
			r.bad(value, "they are US dollars for a million tokens", "%s: a price is negative", of)
		}
		if len(a.Command) > 0 {
			if _, err := a.Define(nil, key.Value); err != nil {
				r.bad(value, "", "%v", err)
			}
		}
		r.c.Agents[key.Value] = a
	})
}
