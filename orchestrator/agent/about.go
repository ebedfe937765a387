package agent

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// About introduces a built-in agent to the user, before its first use. Driving an agent needs none
// of it. Where logins are kept was seen on Linux; on other systems a key chain may hold them.
type About struct {
	Name    string
	Program string // the program that must be on PATH
	// the version it was driven with; empty: it never was, and its description follows its
	// documentation
	Tested  string
	Install string   // a command
	Login   string   // a command, or what to do
	Keys    []string // variables that log it in, any of them
	// files below the home directory that a login leaves, any of them, with slashes
	Files []string
	Flags []string // long flags that are passed to it, so that its help can be compared
	Help  []string // arguments that print the help with these flags
	Write []string // directories below the home directory that it has to write to
	// it was driven in a sandbox (Landlock) that lets it write its worktree, temporary files and
	// Write alone
	Confined bool
	// the value of a flag of its command line that asks for a sandbox of its own; empty: none does
	Own     string
	Bare    string // the value that replaces Own within another sandbox, where none can be made
	Ability string // how its permissions are set, in a few words
	// variables that are set where neither the user nor the run sets them, NAME=VALUE, sorted
	Sets     []string
	Model    string // the flag that stands before a model's name; empty: it takes none
	Homepage string
	Homes    []Home   // variables that move what lies below the home directory
	Marks    []string // variables that the agent sets for the programs that it starts
}

// Home is a variable that moves a directory below the home directory.
type Home struct {
	Below    string // the directory, with slashes
	Variable string
	Within   string // the place of Below in the directory that Variable names; empty: it is that
}

// AboutOf returns the description of the agent of that name, or false where there is none.
func AboutOf(name string) (About, bool) {
	s, ok := specOf(name)
	if !ok {
		return About{}, false
	}
	a := s.about
	a.Name, a.Program, a.Model = name, s.argv[0], s.model
	a.Flags = longFlags(append(CommandLine(name, nil), s.usage))
	for _, variable := range slices.Sorted(maps.Keys(s.env)) {
		a.Sets = append(a.Sets, variable+"="+s.env[variable])
	}
	return a, true
}

// remedy is what makes an unusable agent work again, where its program is that of a built-in one:
// how to log in, or the command that installs it. It is empty where money, a model or flags are at
// fault.
func remedy(program string, out Outcome) string {
	program = strings.TrimSuffix(filepath.Base(program), ".exe")
	for _, s := range specs() {
		switch {
		case s.argv[0] != program || out.Kind != Unusable:
		case out.About == AboutLogin:
			return s.about.Login
		case out.About == AboutStart:
			return s.about.Install
		}
	}
	return ""
}

// longFlags are the long flags of a command line, each once.
func longFlags(argv []string) []string {
	var flags []string
	for _, arg := range argv {
		if len(arg) > 2 && arg[:2] == "--" && !slices.Contains(flags, arg) {
			flags = append(flags, arg)
		}
	}
	return flags
}

// Marks are the variables that coding agents set for the programs that they start. Variables that
// an editor sets in all its terminals are not among them: a user reads those.
func Marks() []string {
	marks := []string{"AI_AGENT"} // a convention that several agents share
	for _, s := range specs() {
		marks = append(marks, s.about.Marks...)
	}
	return marks
}
