package confine

import (
	"errors"
	"fmt"
	"strings"

	"autobuild/internal/config"
	"autobuild/internal/sandbox"
	"autobuild/internal/text"
	"autobuild/orchestrator/agent"
)

// Choose sets the means that a word of --sandbox asks for, and finds what every confined program
// may write. try runs a short command; has reports whether the agent of a name may work in the run.
// Without any means for the word auto, Means stays empty and a notice says so.
func (b *Box) Choose(word string, try func(argv []string) error, has func(name string) bool) (notices []string, err error) {
	means, why := choose(word, try)
	if means == "" {
		if word != config.SandboxAuto {
			return nil, fmt.Errorf("--sandbox %s is not possible here: %w; or run without it: --sandbox off", word, why)
		}
		reason := text.Clean(strings.ReplaceAll(why.Error(), "\n", "; "), 0)
		return []string{"no sandbox is possible here, so agents and gates can write wherever you can (" + reason + ")"}, nil
	}
	b.Means = means
	if err := b.Furnish(); err != nil {
		return nil, err
	}
	for _, name := range agent.Names() { // see nested
		about, _ := agent.AboutOf(name)
		if about.Own != "" && has(name) {
			notices = append(notices, fmt.Sprintf(
				"%s cannot make a sandbox of its own within this one, so it is called with %s in place of %s", name, about.Bare, about.Own))
		}
	}
	return append(notices, fmt.Sprintf(
		"sandbox: agents, gates and setup can write their worktree, temporary files, caches and what sandbox.write names, nothing else (%s)", means)), nil
}

// choose returns the means that the word asks for, or the first that is possible; none: the error
// says why.
func choose(word string, try func(argv []string) error) (sandbox.Means, error) {
	var why []error
	for _, f := range sandbox.Possible(try) {
		switch {
		case word != config.SandboxAuto && word != string(f.Means):
		case f.Err == nil:
			return f.Means, nil
		default:
			why = append(why, f.Err)
		}
	}
	return "", errors.Join(why...)
}
