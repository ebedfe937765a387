package confine

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"autobuild/internal/sandbox"
	"autobuild/internal/text"
	"autobuild/orchestrator/agent"
	"autobuild/orchestrator/session/config"
)

// Worker is an agent of a run.
type Worker struct {
	Name    string
	Program string // that it starts; empty: it runs the blocks of the plan
}

// Choice is the sandbox of a run's gates, setup and agents. The sh blocks of the plan, which the
// script agent runs, are the user's own commands: only an explicit --sandbox confines them.
type Choice struct {
	Means     sandbox.Means // empty: nothing
	ByDefault bool          // the settings do not name a sandbox
	Off       bool          // the settings turn it off
	Reason    string        // why no sandbox is possible; empty: one is, or it is off
}

// Choose finds what confines a run. word is that of the settings. Without one it is Landlock, where
// this kernel's denies nothing but writes elsewhere. try runs a short command. The error says that
// the means that word names is not possible.
func Choose(word string, try func(argv []string) error) (Choice, error) {
	c := Choice{ByDefault: word == "", Off: word == config.SandboxOff}
	switch {
	case c.Off:
		return c, nil
	case c.ByDefault:
		try = nil // bubblewrap is not the default
	}
	var why []error
	for _, f := range sandbox.Possible(try) {
		switch {
		case !c.ByDefault && word != config.SandboxAuto && word != string(f.Means):
		case c.ByDefault && f.Means != sandbox.Landlock:
		case f.Err != nil:
			why = append(why, f.Err)
		case c.ByDefault && !f.Rename:
			why = append(why, fmt.Errorf("%s: %s", f.Means, f.Words))
		default:
			c.Means = f.Means
			return c, nil
		}
	}
	if !c.ByDefault && word != config.SandboxAuto {
		return c, fmt.Errorf(
			"--sandbox %s is not possible here: %w; or run without it: --sandbox off",
			word, errors.Join(why...))
	}
	c.Reason = text.Clean(strings.ReplaceAll(errors.Join(why...).Error(), "\n", "; "), 0)
	return c, nil
}

// Notices are the lines about the choice at the start of a run of these agents.
func (c Choice) Notices(workers []Worker) []string {
	var all []string
	for _, w := range workers {
		if c.ByDefault && c.Means != "" && boxed(w.Program) {
			all = append(all, w.Name+" makes a sandbox of its own, which does not work within another: it is not confined, gates are")
		}
		// see nested
		if about, ok := agent.AboutOf(w.Name); ok && about.Own != "" && c.Means != "" {
			all = append(all, fmt.Sprintf("%s cannot make a sandbox of its own within this one, so it is called with "+
				"%s in place of %s", w.Name, about.Bare, about.Own))
		}
	}
	scripted := !slices.ContainsFunc(workers, func(w Worker) bool { return w.Program != "" })
	if line := c.Notice(); line != "" && (!scripted || !c.ByDefault) {
		all = append(all, line)
	}
	return all
}

// Notice is the line about the choice itself.
func (c Choice) Notice() string {
	const open = "agents and gates can write wherever you can"
	switch {
	case c.Off:
		return "no sandbox, as is asked for: " + open
	case c.Reason != "":
		return "no sandbox is possible here, so " + open + " (" + c.Reason + ")"
	}
	line := fmt.Sprintf(
		"sandbox: agents, gates and setup can write their worktree, temporary files, caches and "+
			"what sandbox.write names, nothing else (%s)", c.Means)
	if c.ByDefault {
		line += "; --sandbox off turns it off"
	}
	return line
}
