package agent

import (
	"fmt"
	"slices"
	"strings"

	"autobuild/internal/proc"
)

// specs are the agents known by name, the better known first: without a choice the first that
// is installed is taken.
func specs() []spec {
	return []spec{
		claude(), codex(), gemini(), opencode(), qwen(), copilot(), cursor(), amp(), pi(),
		kimi(),
	}
}

// specOf is the spec of that name, or false where there is none.
func specOf(name string) (spec, bool) {
	for _, s := range specs() {
		if s.name == name {
			return s, true
		}
	}
	return spec{}, false
}

// Builtin is the agent of that name with the user's own arguments and variables, or false where
// there is none. A flag that the user gives replaces the one that is passed otherwise.
func Builtin(run *proc.Runner, name string, args []string, env map[string]string) (Agent, bool) {
	s, ok := specOf(name)
	if !ok {
		return nil, false
	}
	if s.talks != nil {
		options := *s.talks
		options.Env = env
		return talking(run, name, slices.Concat(s.argv, args), options, s.env), true
	}
	return cli{run, s, slices.Clone(args), env}, true
}

// Names are the names of all built-in coding agents, in the order in which one is chosen.
func Names() []string {
	var names []string
	for _, s := range specs() {
		names = append(names, s.name)
	}
	return names
}

// Program names the executable that must be on PATH for the agent of that name; empty where there
// is none.
func Program(name string) string {
	if s, ok := specOf(name); ok {
		return s.argv[0]
	}
	return ""
}

// CommandLine is the command of the agent of that name with the user's own arguments, model and
// directory aside, for messages; nil where there is none.
func CommandLine(name string, args []string) []string {
	if s, ok := specOf(name); ok {
		return cli{spec: s, args: args}.argv(Job{})
	}
	return nil
}

// bypasses are the flags, and values of flags, that take an agent's own checks away.
var bypasses = []string{
	"--dangerously-skip-permissions", "--allow-dangerously-skip-permissions", "bypassPermissions",
	"--dangerously-bypass-approvals-and-sandbox", "danger-full-access", "--full-auto", "--yolo",
	"-y", "yolo",
	"--allow-all", "--allow-all-paths", "--allow-all-urls", "--dangerously-allow-all", "--auto",
	"--force", "-f",
}

// Bypasses are those of the arguments that take an agent's own checks away. autobuild passes none
// by itself, except within a sandbox that it makes (About.Bare); a line says where a user does.
func Bypasses(args []string) []string {
	var found []string
	for _, arg := range args {
		_, value, _ := strings.Cut(arg, "=")
		if slices.Contains(bypasses, arg) || slices.Contains(bypasses, strings.Trim(value, `"'`)) {
			found = append(found, arg)
		}
	}
	return found
}

// Definition is an agent of the user's own.
type Definition struct {
	Command []string
	// "acp": it uses the Agent Client Protocol; else it gets the prompt and prints
	Protocol string
	CommandOptions
	Mode string   // see ACPOptions
	Auth string   // see ACPOptions
	Deny []string // see ACPOptions
}

// Define makes an agent of a definition. The error names the mistake in it.
func Define(run *proc.Runner, name string, d Definition) (Agent, error) {
	switch {
	case len(d.Command) == 0 || d.Command[0] == "":
		return nil, fmt.Errorf("agent %s has no command; name a program", name)
	case d.Protocol == "acp" && (d.Output != "" || len(d.Fields) > 0 || d.Result != "" ||
		d.Model != ""):
		return nil, fmt.Errorf(
			"agent %s uses protocol acp, which needs no output, fields, result or model-flag; "+
				"remove them",
			name)
	case d.Protocol == "acp":
		return ACP(run, name, d.Command, ACPOptions{
			Env: d.Env, Mode: d.Mode, Auth: d.Auth,
			Deny: d.Deny,
		}), nil
	case d.Protocol != "":
		return nil, fmt.Errorf("agent %s: protocol %q is unknown; use acp, or none", name,
			d.Protocol)
	case d.Mode != "" || d.Auth != "" || len(d.Deny) > 0:
		return nil, fmt.Errorf("agent %s: mode, auth and deny are for agents with protocol acp",
			name)
	case d.Result != "" && d.Result != "block" && d.Result != "exit":
		return nil, fmt.Errorf("agent %s: result must be block or exit, not %q", name, d.Result)
	}
	if err := d.Check(); err != nil {
		return nil, fmt.Errorf("agent %s: %w", name, err)
	}
	return Command(run, name, d.Command, d.CommandOptions), nil
}
