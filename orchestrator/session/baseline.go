package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"autobuild/internal/config"
	"autobuild/internal/safefile"
	"autobuild/internal/text"
	"autobuild/orchestrator/attempt"
	"autobuild/orchestrator/session/workspace"
	"autobuild/orchestrator/verify"
	"autobuild/orchestrator/verify/referee"
	"autobuild/orchestrator/worktree"
	"autobuild/plan"
	"autobuild/state"
)

// baselineName is where results of gates on known contents are kept, below the state directory.
const baselineName = "baseline.json"

// maxBaseline bounds that file, in bytes: it holds the names of tests.
const maxBaseline = 8 << 20

// knownResults reads the stored results. They are a cache: unreadable results are determined again.
func (s *session) knownResults() verify.Known {
	raw, err := safefile.ReadNamed(filepath.Join(s.project.StateDir, baselineName), maxBaseline)
	if errors.Is(err, fs.ErrNotExist) {
		return verify.Known{}
	}
	var known verify.Known
	if err == nil && s.project.Repo != nil && !worktree.Vouched(s.project.Repo, baselineName, raw) {
		err = errors.New("something else wrote it")
	}
	if err == nil {
		known, err = verify.ReadKnown(raw)
	}
	if err != nil {
		s.Note("%s cannot be used and is made anew: %v", s.Shown(filepath.Join(s.project.StateDir, baselineName)), err)
	}
	return known
}

// makeBaseline determines the results of the gates before the next phase begins: from the stored
// ones, else by running the gates once. A note reports a missing baseline, and then every failure
// is the phase's own. It is an error where the sandbox keeps a gate from passing: no phase could
// prove its work.
func (s *session) makeBaseline(ctx context.Context) (*attempt.Baseline, error) {
	gates := slices.DeleteFunc(slices.Clone(s.config.Gates), func(g state.GateSpec) bool { return !g.Available || isHooks(g) })
	if s.o.Baseline.Value == config.BaselineOff || s.project.Repo == nil || len(gates) == 0 || s.nothing || !s.startsAny() {
		return nil, nil
	}
	content, err := s.space.Content(ctx, "")
	if err != nil {
		return nil, s.noBaseline(ctx, err)
	}
	failed, passing, known := s.known.Result(s.resultKey(content))
	if !known {
		ran, err := s.runBaseline(ctx, gates)
		if err != nil {
			return nil, s.noBaseline(ctx, err)
		}
		failed, passing = failing(ran.Gates), slices.Sorted(maps.Keys(ran.Passing))
		s.keepResult(content, failed, passing)
	} else if !fileExists(filepath.Join(s.project.StateDir, baselineName)) { // a fresh start has set it aside with the old run
		s.keepResult(content, failed, passing)
	}
	if s.examiner != nil {
		s.examiner.Knows(passing)
	}
	for _, g := range failed {
		if err := s.deniedIn("gate "+g.Name, g); err != nil {
			return nil, err
		}
	}
	s.tellBaseline(failed, known)
	if s.o.StrictBaseline() {
		return nil, nil
	}
	b := attempt.NewBaseline(failed)
	b.Save = func(ctx context.Context, commit string, failed []state.Gate) {
		// else the next session finds out again
		if content, err := s.space.Content(ctx, commit); err == nil {
			var passing []string
			if s.examiner != nil {
				passing = s.examiner.Known()
			}
			s.keepResult(content, failed, passing)
		}
	}
	return b, nil
}

// startsAny reports whether this session has a phase to start.
func (s *session) startsAny() bool {
	kept := s.kept()
	for i, p := range s.plan.Phases() {
		if (s.selected == nil || s.selected[i]) && !kept(p.ID) {
			return true
		}
	}
	return false
}

// noBaseline notes why there is none. A denied write is an error.
func (s *session) noBaseline(ctx context.Context, err error) error {
	if _, denied := errors.AsType[*deniedError](err); denied {
		return err
	}
	if ctx.Err() == nil {
		s.begin.Notices = append(s.begin.Notices,
			"baseline: what fails already could not be found out, so every failure is held against the phase that meets it: "+text.Clean(err.Error(), 300))
	}
	return nil
}

// resultKey names the run's gates on a content.
func (s *session) resultKey(content string) string {
	setup := s.config.Setup
	if s.box != nil { // a gate that fails within a sandbox may pass in another
		setup = slices.Concat(setup, []string{string(s.box.Means)}, s.box.Write)
	}
	return verify.Key(content, s.config.Gates, setup)
}

// keepResult remembers a result for the next session, as far as it can: two landings may come at
// the same time.
func (s *session) keepResult(content string, failed []state.Gate, passing []string) {
	s.keeping.Lock()
	defer s.keeping.Unlock()
	s.known.Put(s.resultKey(content), failed, passing)
	raw, err := s.known.Bytes(maxBaseline)
	if err == nil && s.project.Repo != nil {
		err = worktree.Vouch(s.project.Repo, baselineName, raw)
	}
	if err == nil {
		err = s.keep().Put(baselineName, raw, false)
	}
	if err != nil {
		s.Note("the baseline could not be kept: %s", text.Clean(err.Error(), 300))
	}
}

// failing are those of some gates that fail.
func failing(ran []state.Gate) []state.Gate {
	return slices.DeleteFunc(slices.Clone(ran), func(g state.Gate) bool { return g.Status != state.GateFailed && g.Status != state.GateTimeout })
}

// runBaseline runs setup and gates where no phase works.
func (s *session) runBaseline(ctx context.Context, gates []state.GateSpec) (ran referee.Outcome, err error) {
	if s.o.Progress.Value != "quiet" {
		names := make([]string, len(gates))
		for i, g := range gates {
			names[i] = g.Name
		}
		s.Note("baseline: running %s once, before the first phase", strings.Join(names, ", "))
	}
	content, err := s.space.Content(ctx, "")
	if err != nil {
		return ran, err
	}
	place, err := s.space.Bench(ctx, func() {})
	if err != nil {
		return ran, err
	}
	defer place.Leave()
	own, err := s.private("baseline")
	if err != nil {
		return ran, err
	}
	defer own.Leave()
	dir, err := place.Show(ctx, content, s.config.Setup, func(ctx context.Context, dir string) error {
		broken, failed := own.Verifier.Setup(ctx, dir, "baseline", s.config.Setup)
		if failed == nil && broken != nil {
			failed = s.deniedIn("setup `"+broken.Command+"`", *broken)
		}
		if failed == nil && broken != nil {
			failed = fmt.Errorf("setup `%s` failed with exit code %d, see %s",
				broken.Command, broken.Exit, s.Shown(filepath.Join(s.project.StateDir, broken.Log)))
		}
		return failed
	})
	if err != nil {
		return ran, err
	}
	gates = slices.DeleteFunc(s.gatesIn(dir, plan.Phase{}), isHooks)
	return own.Verifier.Judge(ctx, dir, "baseline", gates, func(state.Gate) {})
}

// tellBaseline says what fails already, a line a gate.
func (s *session) tellBaseline(failed []state.Gate, known bool) {
	for _, g := range failed {
		s.begin.Notices = append(s.begin.Notices, "baseline: "+text.Clean(s.standing(g), 300))
	}
	if known && len(failed) == 0 && s.Verbose {
		s.Note("baseline: the gates are known to pass on this content")
	}
}

// standing says of one gate how it stands and what follows.
func (s *session) standing(g state.Gate) string {
	text := g.Name + " fails already"
	if g.Status == state.GateTimeout {
		text = g.Name + " does not end in time already"
	}
	if g.Failed > 0 {
		text += fmt.Sprintf(" (%d found)", g.Failed)
	}
	switch {
	case s.o.StrictBaseline():
		return text + "; with --baseline strict phases answer for all of it"
	case attempt.Mute(g):
		return text + ", without a word: it is taken for a condition that phases are to meet"
	case g.Failed > 0:
		return text + "; phases answer for what is new"
	}
	return text + ", and does not name what; it counts neither for nor against a phase before it passes once"
}

// private is what an attempt has to itself: temporary files, ports, and commands that know of them.
func (s *session) private(string) (attempt.Private, error) {
	room, err := s.rooms.Take()
	if err != nil {
		return attempt.Private{}, err
	}
	if s.box != nil {
		maps.Copy(room.Vars, s.box.Vars(s.childEnv(), room.Vars["TMPDIR"]))
	}
	judged := maps.Clone(room.Vars)
	if !s.portsInGates() {
		delete(judged, verify.PortBase)
	}
	return attempt.Private{Vars: room.Vars, Verifier: s.space.Guarded(s.verifier(judged), true), Leave: room.Leave}, nil
}

// portsInGates reports whether gates get the variable verify.PortBase: only if a tracked file or a
// gate's command names it. Product code must not detect autobuild by its environment.
func (s *session) portsInGates() bool {
	l, ok := s.space.(*workspace.Worktrees)
	if !ok {
		return true
	}
	s.asked.Do(func() {
		used, err := l.Line.Mentions(context.Background(), verify.PortBase)
		s.ports = used || err != nil || slices.ContainsFunc(s.config.Gates, func(g state.GateSpec) bool { return strings.Contains(g.Command, verify.PortBase) })
	})
	return s.ports
}
