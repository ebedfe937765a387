package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v4"

	"autobuild/internal/proc"
	"autobuild/internal/safefile"
	"autobuild/orchestrator/agent"
	"autobuild/plan"
	"autobuild/state"
)

// configName is the file at the root of a repository; the user's own has the same keys.
const configName = "autobuild.yaml"

// maxConfig bounds a configuration file, in bytes.
const maxConfig = 1 << 20

// config is what configuration files say. The zero config says nothing.
type config struct {
	flags  map[string]setting // long flag name → value
	gates  []state.GateSpec   // an empty command turns a gate off
	setup  []string
	agents map[string]agentConfig
	env    []string               // names of variables that agents and gates may see; nil: all
	tiers  []setting              // agents and models that diagnose, weakest first
	phases map[string]phaseConfig // by id
	notify *notifyConfig          // nil: nothing is said
	write  []string               // places beside the worktree that agents and gates may write in a sandbox
}

// setting is one value with the place it came from, so that a complaint can name it.
type setting struct {
	value  string
	origin string // "autobuild.yaml:3:9"
}

// agentConfig defines an agent, or adds to a built-in one.
type agentConfig struct {
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
	Prices    priceConfig       `yaml:"prices"`  // of its tokens, where it does not tell what it costs
	Account   string            `yaml:"account"` // whose usage limits count for it; its name where nothing is said
}

// agentKeys are its keys.
const agentKeys = "command, args, result, model, model-flag, env, output, fields, protocol, mode, auth, deny, effort, prices, tier, account"

// define makes the agent that is described, or tells what is wrong with the description.
func (a agentConfig) define(run *proc.Runner, name string) (agent.Agent, error) {
	return agent.Define(run, name, agent.Definition{
		Command: a.Command, Protocol: a.Protocol, Mode: a.Mode, Auth: a.Auth, Deny: a.Deny,
		CommandOptions: agent.CommandOptions{Result: a.Result, Env: a.Env, Model: a.ModelFlag, Output: a.Output, Fields: a.Fields},
	})
}

// configError is a mistake in a configuration file or variable.
type configError struct {
	where, what, next string
}

// Error is where: what; next.
func (e *configError) Error() string {
	s := e.where + ": " + e.what
	if e.next != "" {
		s += "; " + e.next
	}
	return s
}

// loadConfig reads one file; a missing one says nothing. flags are the names that may be set.
func loadConfig(path, shown string, flags *pflag.FlagSet) (config, error) {
	raw, err := readBounded(path, maxConfig)
	if missing(err) {
		return config{}, nil
	}
	if err != nil {
		next := "make it a file that you can read, or take it away"
		if shown == path { // your own, as a rule
			next += "; HOME or XDG_CONFIG_HOME say where yours lies"
		}
		return config{}, &configError{where: shown, what: "it cannot be read: " + reason(err), next: next}
	}
	var docs []yaml.Node
	if err := yaml.Load(raw, &docs, yaml.WithAllDocuments()); err != nil {
		return config{}, &configError{where: shown, what: strings.TrimPrefix(err.Error(), "yaml: "), next: "it must be one YAML document"}
	}
	if len(docs) > 1 {
		return config{}, &configError{where: shown, what: fmt.Sprintf("it holds %d documents", len(docs)), next: "keep one"}
	}
	if len(docs) == 0 || says(&docs[0]) == nil {
		return config{}, nil // nothing, or comments alone
	}
	r := configReader{shown: shown, flags: flags, c: config{flags: make(map[string]setting)}}
	return r.c, errors.Join(r.mapping(says(&docs[0]))...)
}

// missing reports whether nothing is there, also because what should be a directory above is none.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// readBounded reads a regular file of at most limit bytes.
func readBounded(path string, limit int64) ([]byte, error) {
	data, err := safefile.Read(path, limit)
	if _, special := errors.AsType[*safefile.NotRegularError](err); special {
		return nil, errors.New("it is not a regular file")
	}
	if large, ok := errors.AsType[*safefile.TooLargeError](err); ok {
		return nil, fmt.Errorf("it has %d bytes, more than %d", large.Size, limit)
	}
	return data, err
}

// merge lays the nearer configuration over the farther one.
func (c config) merge(farther config) config {
	out := config{flags: maps.Clone(farther.flags), gates: slices.Clone(c.gates), setup: c.setup, agents: maps.Clone(farther.agents), env: c.env}
	if out.flags == nil {
		out.flags = make(map[string]setting)
	}
	maps.Copy(out.flags, c.flags)
	for _, g := range farther.gates {
		if !slices.ContainsFunc(out.gates, func(o state.GateSpec) bool { return o.Name == g.Name }) {
			out.gates = append(out.gates, g)
		}
	}
	if out.setup == nil {
		out.setup = farther.setup
	}
	if out.agents == nil {
		out.agents = make(map[string]agentConfig)
	}
	maps.Copy(out.agents, c.agents)
	if out.env == nil {
		out.env = farther.env
	}
	if out.tiers = c.tiers; out.tiers == nil {
		out.tiers = farther.tiers
	}
	if out.notify = c.notify; out.notify == nil {
		out.notify = farther.notify
	}
	out.phases = mergePhases(c.phases, farther.phases)
	out.write = slices.Concat(farther.write, c.write)
	return out
}

// configurable marks the flags that may also come from the environment and from files.
const configurable = "autobuild_configurable"

func configurableNames(flags *pflag.FlagSet) []string {
	var names []string
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Annotations[configurable] != nil {
			names = append(names, f.Name)
		}
	})
	return names
}

// envName is the variable of a flag: max-wall → AUTOBUILD_MAX_WALL.
func envName(flag string) string {
	return "AUTOBUILD_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// reservedEnv are variables that autobuild sets for agents: they must not be taken for settings of a nested run.
var reservedEnv = []string{"AUTOBUILD_RUN_ID", "AUTOBUILD_PHASE_ID", "AUTOBUILD_ATTEMPT", "AUTOBUILD_NONCE", "AUTOBUILD_RESULT_FILE", "AUTOBUILD_PORT_BASE"}

// settle gives every flag that was not given on the command line the value of its variable, else of the files, and says for
// every flag that has one where its value is from. An unknown variable is as much a mistake as an unknown key.
func settle(flags *pflag.FlagSet, environ []string, c config) (origins map[string]string, err error) {
	var errs []error
	origins = make(map[string]string)
	flags.Visit(func(f *pflag.Flag) { origins[f.Name] = "command line" })
	names := configurableNames(flags)
	values := maps.Clone(c.flags)
	if values == nil {
		values = make(map[string]setting)
	}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, "AUTOBUILD_") || value == "" || slices.Contains(reservedEnv, name) {
			continue
		}
		i := slices.IndexFunc(names, func(f string) bool { return envName(f) == name })
		if i < 0 {
			variables := make([]string, len(names))
			for j, f := range names {
				variables[j] = envName(f)
			}
			errs = append(errs, &configError{where: "environment", what: "unknown variable " + name, next: didYouMean(name, variables)})
			continue
		}
		values[names[i]] = setting{value, "environment: " + name}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		f := flags.Lookup(name)
		if f == nil || f.Changed {
			continue
		}
		if err := flags.Set(name, values[name].value); err != nil {
			errs = append(errs, &configError{where: values[name].origin, what: flagProblem(f, values[name].value, err)})
			continue
		}
		origins[name] = values[name].origin
	}
	return origins, errors.Join(errs...)
}

// flagProblem says what a value should have been. pflag's own words name neither the type nor an example.
func flagProblem(f *pflag.Flag, value string, err error) string {
	kinds := map[string]string{"int": "a whole number", "int64": "a whole number", "float64": "a number", "duration": "a duration such as 90s or 10m", "bool": "true or false"}
	if kind, ok := kinds[f.Value.Type()]; ok {
		return fmt.Sprintf("%s must be %s, not %q", f.Name, kind, value)
	}
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		err = invalid.Unwrap()
	}
	return fmt.Sprintf("%s %v, not %q", f.Name, err, value)
}

// userConfig is the user's own file; empty where the system knows no place for it.
func userConfig(getenv func(string) string) string {
	if dir := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "autobuild", configName)
	}
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".config", "autobuild", configName)
	}
	if dir := getenv("AppData"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "autobuild", configName)
	}
	return ""
}

// didYouMean suggests the nearest of the known words, or lists them when they are few.
func didYouMean(word string, known []string) string {
	best, distance := "", len(word)/2+1
	for _, k := range known {
		if d := plan.Distance(word, k, distance); d < distance {
			best, distance = k, d
		}
	}
	if best != "" {
		return "did you mean " + strconv.Quote(best) + "?"
	}
	slices.Sort(known)
	if len(known) > 12 {
		return "see autobuild run --help"
	}
	return "known: " + strings.Join(known, ", ")
}
