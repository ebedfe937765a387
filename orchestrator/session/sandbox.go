package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"autobuild/failure"
	"autobuild/internal/config"
	"autobuild/internal/proc"
	"autobuild/internal/text"
	"autobuild/orchestrator/agent"
	"autobuild/orchestrator/session/confine"
	"autobuild/state"
)

// confine settles what keeps agents, gates and setup from writing where they should not. A run
// remembers the sandbox that it began with.
func (s *session) confine(stored *state.Run) error {
	word := s.o.Sandbox.Value
	if stored != nil {
		word = cmp.Or(s.o.Remembered(config.SandboxFlag, word, stored.Config.Sandbox), config.SandboxOff)
	}
	c, err := confine.Choose(word, s.Workers(), s.Try(s.runner))
	if err != nil {
		return err
	}
	if word != config.SandboxOff {
		s.config.Sandbox = word
	}
	if line := c.Notice(); line != "" {
		s.begin.Notices = append(s.begin.Notices, line)
	}
	if c.Means == "" {
		return nil
	}
	s.config.Sandbox = cmp.Or(word, config.SandboxAuto)
	s.box = &confine.Box{
		Means: c.Means, Root: s.project.Root, Dir: s.Dir, Environ: s.Environ, Write: s.project.Config.Write, Rooms: s.rooms.Prefix(),
	}
	if s.project.Repo != nil {
		s.box.GitDir = s.project.Repo.CommonDir
	}
	if err := s.box.Prepare(); err != nil {
		return err
	}
	s.runner.Confine = s.box.Command
	s.tellNested()
	return nil
}

// denied finds the writes that the sandbox denied; nil where nothing is confined.
func (s *session) denied() func(dir, output string) []failure.DeniedWrite {
	if s.box == nil {
		return nil
	}
	return func(dir, output string) []failure.DeniedWrite {
		var all []failure.DeniedWrite
		for _, d := range s.box.Denied(dir, output) {
			all = append(all, failure.DeniedWrite(d))
		}
		return all
	}
}

// deniedError says that the sandbox keeps a command from its work before any phase has begun.
type deniedError struct{ command, path, allow string }

// Error names the command, the path and the remedy.
func (e *deniedError) Error() string {
	next := "run with --sandbox off"
	if e.allow != "" {
		next = "name " + e.allow + " under sandbox.write in " + config.Name + ", or " + next
	}
	return fmt.Sprintf("%s fails before any phase, and the sandbox denies writing %s; %s", e.command, e.path, next)
}

// deniedIn is a *deniedError where the sandbox denied a write to a command that failed.
func (s *session) deniedIn(command string, ran state.Gate) error {
	if s.box == nil {
		return nil
	}
	said := []string{ran.Tail}
	for _, t := range ran.Tests {
		said = append(said, t.Message)
	}
	for _, p := range ran.Places {
		said = append(said, p.Message)
	}
	for _, d := range s.box.Denied("", strings.Join(said, "\n")) {
		return &deniedError{command, text.Clean(d.Path, 300), text.Clean(d.Allow, 300)}
	}
	return nil
}

// tellNested adds a notice for each agent whose own sandbox cannot work within this one and is left
// out: see nested.
func (s *session) tellNested() {
	for _, name := range agent.Names() {
		about, _ := agent.AboutOf(name)
		if about.Own != "" && slices.ContainsFunc(s.Workers(), func(w confine.Worker) bool { return w.Name == name }) {
			s.begin.Notices = append(s.begin.Notices, fmt.Sprintf(
				"%s cannot make a sandbox of its own within this one, so it is called with %s in place of %s", name, about.Bare, about.Own))
		}
	}
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
