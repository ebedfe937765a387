package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"autobuild/orchestrator/agent"
	"autobuild/orchestrator/attempt"
	"autobuild/orchestrator/tamper"
	"autobuild/orchestrator/verify/referee"
	"autobuild/orchestrator/worktree"
	"autobuild/render"
	"autobuild/state"
)

// surroundingsName is the file that notes the environment while agents are at work, for the session that follows a kill.
const surroundingsName = "environment.json"

// maxSurroundings bounds that file, in bytes.
const maxSurroundings = 64 << 20

// gateEnvironment is what decides, outside of all worktrees, what gates mean: it is to stay as it was when the run started.
type gateEnvironment struct {
	watch *tamper.Watch
	put   func(name string, data []byte, exec bool) error
	path  string // of the file
	begun bool   // an agent of this run may have been at work
	held  bool   // the file is there

	say     func(format string, args ...any)
	partial bool // that not all libraries are looked at was said
}

// environment is the watch of this session, taken before the first agent starts.
func (s *session) environment(line *worktree.Line) (*gateEnvironment, error) {
	config := s.watched()
	if line != nil {
		config.Tracked = func(path string) bool {
			tracked, err := line.Tracks(context.Background(), path)
			return err == nil && tracked
		}
	}
	watch, err := tamper.Take(config)
	if err != nil {
		return nil, err
	}
	return &gateEnvironment{
		watch: watch, put: s.dir.Put, path: filepath.Join(s.project.stateDir, surroundingsName), begun: s.run.Totals().Complete > 0,
		say: s.note,
	}, nil
}

// watched says what the environment is made of.
func (s *session) watched() tamper.Config {
	var exempt []string
	for _, name := range agent.Names() {
		exempt = append(exempt, agent.Program(name))
	}
	return tamper.Config{
		Environ: s.childEnv(), Root: s.project.root, StateDir: s.project.stateDir, Above: []string{filepath.Join(s.project.stateDir, "worktrees"), s.checkoutsDir()},
		Shared: s.config.Isolation == state.NoIsolation, Exempt: exempt, Now: time.Now,
	}
}

// recoverEnvironment puts back what the agents of a killed run changed in the environment of its gates.
func (s *session) recoverEnvironment() error {
	path := filepath.Join(s.project.stateDir, surroundingsName)
	data, err := readBounded(path, maxSurroundings)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	say := func(text string) {
		s.begin.Notices = append(s.begin.Notices, "since the run was cut off: "+render.Clean(text, 400))
	}
	var watch *tamper.Watch
	if err == nil {
		watch, err = tamper.Decode(s.watched(), data)
	}
	var lost error
	if err != nil {
		say("what its agents may have changed in the environment of the gates is not known: " + err.Error())
	} else {
		var notes []string
		notes, lost = watch.Restore(watch.Compare("go", "python", "node"))
		for _, n := range notes {
			say(n)
		}
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return lost // once: a person has read it, and the next session takes what is there
}

// hold notes the environment on disk while agents are at work.
func (e *gateEnvironment) hold() error {
	if e == nil || e.held {
		return nil
	}
	data, err := e.watch.Encode()
	if err == nil {
		err = e.put(surroundingsName, data, false)
	}
	e.held = err == nil
	return err
}

// release forgets what hold has noted.
func (e *gateEnvironment) release() error {
	if e == nil || !e.held {
		return nil
	}
	e.held = false
	if err := os.Remove(e.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// changed compares, puts back what differs and says it. Commands are those that are about to run, or have just run.
func (e *gateEnvironment) changed(commands ...string) ([]string, error) {
	if e == nil {
		return nil, nil
	}
	changes := e.watch.Compare(commands...)
	if e.watch.Partial() && !e.partial {
		e.partial = true
		e.say("the libraries that gates load have more files than are looked at: changes of some would not be seen")
	}
	if len(changes) == 0 {
		return nil, nil
	}
	notes, err := e.watch.Restore(changes)
	for i, note := range notes {
		notes[i] = render.Clean(note, 600)
	}
	return notes, err
}

// settle takes what autobuild's own preparation of a worktree has changed for what is to be.
func (e *gateEnvironment) settle() error {
	if e == nil {
		return nil
	}
	if len(e.watch.Compare()) == 0 {
		return nil
	}
	return e.watch.Adopt()
}

// entered looks at the environment before a phase's worktree is opened; the caller holds judging. While nobody is at work, what has changed
// is nobody's: it is put back and said.
func (l *lookout) entered(phase string) error {
	if l.env != nil && !l.env.begun {
		l.env.begun = true
		return l.env.settle() // only the user's own gates and setup have run
	}
	notes, err := l.env.changed()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, text := range notes {
		if len(l.atWork) == 0 {
			note(&l.before, phase, append(l.before[phase], "before it began, "+text))
		}
		for other := range l.atWork {
			l.blame(other, text+besides)
		}
	}
	return err
}

// opened notes whether a phase's worktree holds no agent's work.
func (l *lookout) opened(phase string, fresh bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	note(&l.fresh, phase, fresh)
}

// prepared looks at the environment after the setup of a worktree; the caller holds judging. What autobuild's own commands change in a
// worktree that holds no agent's work is taken as it is, where no agent is at work.
func (l *lookout) prepared(phase string) error {
	l.mu.Lock()
	adopts := len(l.outside) == 0 && l.fresh[phase]
	l.mu.Unlock()
	if adopts {
		return l.env.settle()
	}
	notes, err := l.env.changed()
	l.blameAll(notes)
	return err
}

// blameAll holds changes against everybody at work.
func (l *lookout) blameAll(notes []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, text := range notes {
		if len(l.atWork) > 1 {
			text += besides
		}
		for phase := range l.atWork {
			l.blame(phase, text)
		}
	}
}

// aroundGates looks at the environment before and after gates run: a sibling's agent may be at work, and gates run agents' code.
type aroundGates struct {
	attempt.Verifier
	l      *lookout
	room   bool     // it serves one attempt, which runs one thing after the other
	looked []string // the commands for which it looked since the attempt's last child ended
}

// Setup runs commands that may change the environment.
func (v *aroundGates) Setup(ctx context.Context, dir, prefix string, commands []string) (*state.Gate, error) {
	if v.room {
		v.looked = nil
	}
	return v.Verifier.Setup(ctx, dir, prefix, commands) //nolint:wrapcheck // it adds nothing
}

// Judge runs gates in the environment of the run's start.
func (v *aroundGates) Judge(
	ctx context.Context, dir, prefix string, specs []state.GateSpec, each func(state.Gate),
) (referee.Outcome, error) {
	commands := make([]string, len(specs))
	for i, spec := range specs {
		commands[i] = spec.Command
	}
	if slices.ContainsFunc(commands, func(c string) bool { return !slices.Contains(v.looked, c) }) {
		if err := v.look(commands); err != nil {
			return referee.Outcome{}, err
		}
	}
	seen, err := v.Verifier.Judge(ctx, dir, prefix, specs, each)
	if err = errors.Join(err, v.look(commands)); v.room && err == nil {
		v.looked = commands
	}
	return seen, err
}

func (v *aroundGates) look(commands []string) error {
	if v.l.env == nil || len(commands) == 0 {
		return nil
	}
	v.l.judging.Lock()
	defer v.l.judging.Unlock()
	notes, err := v.l.env.changed(commands...)
	v.l.blameAll(notes)
	if err != nil {
		return fmt.Errorf("looking at the environment of the gates: %w", err)
	}
	return nil
}

// guarded looks around gates that this verifier runs. In a room they are one attempt's.
func (s *session) guarded(v attempt.Verifier, room bool) attempt.Verifier {
	switch space := s.space.(type) {
	case *lineSpace:
		return &aroundGates{Verifier: v, l: &space.lookout, room: room}
	case *sharedSpace:
		return &aroundGates{Verifier: v, l: &space.lookout, room: room}
	}
	return v
}
