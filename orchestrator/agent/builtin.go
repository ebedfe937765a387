package agent

import (
	"slices"

	"autobuild/internal/proc"
)

// specs are the agents known by name, the better known first: where nobody chooses, the first that is installed is taken.
func specs() []spec {
	return []spec{claude(), codex(), gemini(), opencode(), qwen(), copilot(), cursor(), amp(), pi()}
}

// Builtin is the agent of that name with the user's own arguments and variables, or false where there is none. A flag that
// the user gives replaces the one that is passed otherwise.
func Builtin(run *proc.Runner, name string, args []string, env map[string]string) (Agent, bool) {
	for _, s := range specs() {
		if s.name == name {
			return cli{run, s, slices.Clone(args), env}, true
		}
	}
	return nil, false
}

// Names are the names of all built-in coding agents, in the order in which one is chosen.
func Names() []string {
	var names []string
	for _, s := range specs() {
		names = append(names, s.name)
	}
	return names
}

// Program is what must be on PATH for the agent of that name; empty where there is none.
func Program(name string) string {
	for _, s := range specs() {
		if s.name == name {
			return s.argv[0]
		}
	}
	return ""
}
