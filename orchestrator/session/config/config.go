// Package config reads the settings of a call: autobuild.yaml, the user's own file, the environment
// and flags. Settings holds the values and the origin of each, so that every complaint can name a
// place. It does not know what a setting does to a run.
package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"autobuild/internal/proc"
	"autobuild/internal/safefile"
	"autobuild/orchestrator/agent"
	"autobuild/orchestrator/session/notify"
	"autobuild/state"
)

// Name is the file at the root of a repository; the user's own has the same keys.
const Name = "autobuild.yaml"

// MaxSize bounds a configuration file, in bytes.
const MaxSize = 1 << 20

// File is the content of configuration files. The zero File sets nothing.
type File struct {
	Flags  map[string]Setting // long flag name → value
	Gates  []state.GateSpec   // an empty command turns a gate off
	Setup  []string
	Agents map[string]Agent
	Env    []string         // names of variables that agents and gates may see; nil: all
	Tiers  []Setting        // agents and models that diagnose, weakest first
	Phases map[string]Phase // by id
	Notify *notify.Settings // nil: not set
	Review *Review          // nil: not set
	// places beside the worktree that agents and gates may write in a sandbox
	Write []string
	// WorkDir is the absolute folder for clones; it may begin with ~. Empty: the default
	WorkDir string
	// BuildFolders is "keep", "cold" or empty: the default, keep
	BuildFolders string
}

// Setting is one value with its origin, which messages name.
type Setting struct {
	Value  string
	Origin string // "autobuild.yaml:3:9"
}

// Agent defines an agent, or adds to a built-in one.
type Agent struct {
	Command   []string          `yaml:"command"`
	Args      []string          `yaml:"args"`       // more arguments for a built-in agent
	Result    string            `yaml:"result"`     // block (default) or exit
	Model     string            `yaml:"model"`      // the model where no flag names one
	ModelFlag string            `yaml:"model-flag"` // the flag that takes a model
	Env       map[string]string `yaml:"env"`
	Output    string            `yaml:"output"` // how its output is read: text, json PATH or jsonl PATH
	Fields    map[string]string `yaml:"fields"` // where cost, tokens, session and errors are in it
	Protocol  string            `yaml:"protocol"`
	Mode      string            `yaml:"mode"`
	Auth      string            `yaml:"auth"`
	Deny      []string          `yaml:"deny"`
	Tier      string            `yaml:"tier"`
	Effort    string            `yaml:"effort"`  // how hard it thinks, in its own words
	Prices    Prices            `yaml:"prices"`  // of its tokens, for an agent that does not report its cost
	Account   string            `yaml:"account"` // the account of its usage limits; empty: its name
}

// agentKeys are its keys.
const agentKeys = "command, args, result, model, model-flag, env, output, fields, protocol, " +
	"mode, auth, deny, effort, prices, tier, account"

// Prices are the prices of an agent's tokens, in US dollars for a million.
type Prices struct {
	Input  float64 `yaml:"input"`
	Output float64 `yaml:"output"`
}

// Agent is p as agents take it.
func (p Prices) Agent() agent.Prices { return agent.Prices{Input: p.Input, Output: p.Output} }

// Define makes the agent, or returns the mistake in its definition.
func (a Agent) Define(run *proc.Runner, name string) (agent.Agent, error) {
	return agent.Define(run, name, agent.Definition{
		Command: a.Command, Protocol: a.Protocol, Mode: a.Mode, Auth: a.Auth, Deny: a.Deny,
		CommandOptions: agent.CommandOptions{
			Result: a.Result, Env: a.Env, Model: a.ModelFlag,
			Output: a.Output, Fields: a.Fields,
		},
	})
}

// Error is a mistake in a configuration file or variable.
type Error struct {
	Where, What, Next string
}

// Error is where: what; next.
func (e *Error) Error() string {
	s := e.Where + ": " + e.What
	if e.Next != "" {
		s += "; " + e.Next
	}
	return s
}

// Load reads one file; a missing one is the zero File.
func Load(path, shown string) (File, error) {
	raw, err := safefile.ReadNamed(path, MaxSize)
	if safefile.Missing(err) {
		return File{}, nil
	}
	if err != nil {
		next := "make it a file that you can read, or take it away"
		if shown == path { // your own, as a rule
			next += "; HOME or XDG_CONFIG_HOME say where yours lies"
		}
		return File{}, &Error{
			Where: shown, What: "it cannot be read: " + safefile.Reason(err),
			Next: next,
		}
	}
	var docs []yaml.Node
	if err := yaml.Load(raw, &docs, yaml.WithAllDocuments()); err != nil {
		return File{}, &Error{
			Where: shown, What: strings.TrimPrefix(err.Error(), "yaml: "),
			Next: "it must be one YAML document",
		}
	}
	if len(docs) > 1 {
		return File{}, &Error{
			Where: shown, What: fmt.Sprintf("it holds %d documents", len(docs)),
			Next: "keep one",
		}
	}
	if len(docs) == 0 || says(&docs[0]) == nil {
		return File{}, nil // nothing, or comments alone
	}
	r := reader{shown: shown, c: File{Flags: make(map[string]Setting)}}
	return r.c, errors.Join(r.document(says(&docs[0]))...)
}

// Merge is c where it sets something, else farther.
func (c File) Merge(farther File) File {
	out := File{
		Flags: maps.Clone(farther.Flags), Gates: slices.Clone(c.Gates), Setup: c.Setup,
		Agents: maps.Clone(farther.Agents), Env: c.Env,
	}
	if out.Flags == nil {
		out.Flags = make(map[string]Setting)
	}
	maps.Copy(out.Flags, c.Flags)
	for _, g := range farther.Gates {
		if !slices.ContainsFunc(out.Gates,
			func(o state.GateSpec) bool { return o.Name == g.Name }) {
			out.Gates = append(out.Gates, g)
		}
	}
	if out.Setup == nil {
		out.Setup = farther.Setup
	}
	if out.Agents == nil {
		out.Agents = make(map[string]Agent)
	}
	maps.Copy(out.Agents, c.Agents)
	if out.Env == nil {
		out.Env = farther.Env
	}
	if out.Tiers = c.Tiers; out.Tiers == nil {
		out.Tiers = farther.Tiers
	}
	if out.Notify = c.Notify; out.Notify == nil {
		out.Notify = farther.Notify
	}
	if out.Review = c.Review; out.Review == nil {
		out.Review = farther.Review
	}
	out.Phases = mergePhases(c.Phases, farther.Phases)
	out.Write = slices.Concat(farther.Write, c.Write)
	out.WorkDir = cmp.Or(c.WorkDir, farther.WorkDir)
	out.BuildFolders = cmp.Or(c.BuildFolders, farther.BuildFolders)
	return out
}
