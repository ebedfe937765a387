package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"autobuild/internal/config"
	"autobuild/internal/proc"
	"autobuild/internal/sandbox"
	"autobuild/internal/text"
	"autobuild/orchestrator/agent"
	"autobuild/orchestrator/attempt"
	"autobuild/orchestrator/session/confine"
	"autobuild/state"
)

// confine settles what keeps agents, gates and setup from writing where they should not. A run
// remembers that it was asked for.
func (s *session) confine(stored *state.Run) error {
	word := s.o.Sandbox.Value
	if stored != nil {
		word = s.o.Remembered(config.SandboxFlag, word, stored.Config.Sandbox)
	}
	if word == config.SandboxOff {
		return nil
	}
	s.config.Sandbox = word
	means, why := s.means(word)
	if means == "" {
		if word != config.SandboxAuto {
			return fmt.Errorf("--sandbox %s is not possible here: %w; or run without it: --sandbox off", word, why)
		}
		text := text.Clean(strings.ReplaceAll(why.Error(), "\n", "; "), 0)
		s.begin.Notices = append(s.begin.Notices, "no sandbox is possible here, so agents and gates can write wherever you can ("+text+")")
		return nil
	}
	b := confine.Box{Means: means, Root: s.project.Root, Dir: s.Dir, Environ: s.Environ, Write: s.project.Config.Write}
	if s.project.Repo != nil {
		b.GitDir = s.project.Repo.CommonDir
	}
	if err := b.Furnish(); err != nil {
		return err
	}
	s.runner.Confine = b.Command
	s.tellNested()
	s.begin.Notices = append(s.begin.Notices, fmt.Sprintf(
		"sandbox: agents, gates and setup can write their worktree, temporary files, caches and what sandbox.write names, nothing else (%s)", means))
	return nil
}

// tellNested adds a notice for each agent whose own sandbox cannot work within this one and is left
// out: see nested.
func (s *session) tellNested() {
	for _, name := range agent.Names() {
		about, _ := agent.AboutOf(name)
		if about.Own != "" && s.works(name) {
			s.begin.Notices = append(s.begin.Notices, fmt.Sprintf(
				"%s cannot make a sandbox of its own within this one, so it is called with %s in place of %s", name, about.Bare, about.Own))
		}
	}
}

// works reports whether the agent of that name may do a part of the run.
func (s *session) works(name string) bool {
	for _, c := range s.Choices {
		if c.Agent.Name == name {
			return true
		}
	}
	return s.Agent.Name == name || slices.Contains(s.Fallbacks(), name) ||
		slices.ContainsFunc(s.Tiers, func(t attempt.Tier) bool { return t.Uses == name })
}

// means is the one that the word asks for, or the first that is possible; none: the error says why.
func (s *session) means(word string) (sandbox.Means, error) {
	var why []error
	for _, f := range sandbox.Possible(s.Try(s.runner)) {
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

// tryTimeout is the limit of the command of try.
const tryTimeout = 30 * time.Second

// Try runs a short command, to see whether it can be.
func (a *Caller) Try(runner *proc.Runner) func(argv []string) error {
	return func(argv []string) error {
		_, exit, err := runner.Output(context.Background(), proc.Command{
			Argv: argv, Dir: a.Dir, Env: proc.Environ(a.Environ, nil), Timeout: tryTimeout,
		}, 1<<16)
		if start, ok := errors.AsType[*proc.StartError](err); ok {
			return start.Err
		}
		if err == nil && !exit.OK() {
			return errors.New(cmp.Or(text.Clean(text.FirstLine(exit.Tail), 200), "it said nothing"))
		}
		return err
	}
}
