package cmd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"autobuild/render"
	"autobuild/state/store"
)

// What a run must find, or nothing starts: less than this would end it in the middle. Doctor advises much more.
const (
	roomBytes = 4 << 20
	roomFiles = 100 // besides, names of files that can still be made
	openBase  = 24  // files that autobuild itself has open at most, measured generously
	openEach  = 8   // and for every phase at work
)

// roomError says that a run would stop in its middle for want of something that can be counted beforehand.
type roomError struct{ lack, where, next string }

// Error is what · where · what next.
func (e *roomError) Error() string { return e.lack + " · " + e.where + " · " + e.next }

// room refuses to go on where the disk has no room for state, git's objects and a worktree, or nothing may be written where it must be. What
// the system does not tell is taken for enough: the write that fails says so then.
func (s *session) room() error {
	for _, dir := range []string{s.project.root, s.project.lockDir} {
		if dir == "" {
			continue // without git
		}
		free, files, ok := freeSpace(dir)
		where := render.Clean(s.shown(dir), 0)
		switch {
		case !ok:
		case free < roomBytes:
			return &roomError{
				fmt.Sprintf("only %d KB are free, and nothing starts below %d", free>>10, roomBytes>>10), where,
				"free some space (" + render.Command([]string{"df", "-h", s.shown(dir)}) + "), then: " + s.onward(),
			}
		case files < roomFiles:
			return &roomError{
				fmt.Sprintf("only %d files can still be made, and nothing starts below %d", files, roomFiles), where,
				"remove some files (" + render.Command([]string{"df", "-i", s.shown(dir)}) + "), then: " + s.onward(),
			}
		}
	}
	if most, ok := largestFile(); ok && most < roomBytes {
		return &roomError{
			fmt.Sprintf("a file may have only %d KB, and nothing starts below %d", most>>10, roomBytes>>10), "ulimit -f",
			"ulimit -f unlimited (where the system allows it), then: " + s.onward(),
		}
	}
	if err := s.project.noTemporary(); err != nil {
		return &roomError{
			"no temporary file can be made: " + reason(err), render.Clean(temporary(), 0), "set TMPDIR to a directory that you can write, then: " + s.onward(),
		}
	}
	return nil
}

// temporary is where what belongs to one attempt alone is made. It means the same in every working directory.
func temporary() string {
	dir := os.TempDir()
	if whole, err := filepath.Abs(dir); err == nil {
		return whole
	}
	return dir
}

// noTemporary is why nothing can be made there; nil where it can. What it makes has the name of a room of the project's, so that the next run
// removes what a killed one leaves.
func (p *project) noTemporary() error {
	probe, err := os.MkdirTemp(temporary(), "build-"+p.word()+"-")
	if err != nil {
		return err
	}
	_ = os.Remove(probe) // … also while it is still there
	return nil
}

// handles refuses a run whose phases, side by side, would have more files open than this process may. The limit is the hard
// one: the soft one is raised to it as the program starts, and children get theirs back.
func (s *session) handles() error {
	atOnce := min(s.config.Jobs, s.plan.Len())
	may, ok := descriptors()
	need := uint64(openBase + openEach*atOnce)
	if !ok || may >= need {
		return nil
	}
	next := fmt.Sprintf("ulimit -n %d (where the system allows it), then: %s", need, s.onward())
	if fewer := (int(may) - openBase) / openEach; fewer > 0 {
		next = fmt.Sprintf("add --jobs %d, or ", fewer) + next
	}
	return &roomError{fmt.Sprintf("%s side by side need %d open files", count(atOnce, "phase"), need), fmt.Sprintf("ulimit -n says %d", may), next}
}

// onward is how to go on once what kept a run from going on is mended.
func (s *session) onward() string {
	if s.o.fresh || !store.Exists(s.project.stateDir) {
		return "run the same command again"
	}
	return render.Command(slices.Concat(s.program(), []string{s.planArg()}, s.given, []string{"--resume"}))
}

// stuck adds to trouble that ended a run in its middle the command by which it goes on.
func (s *session) stuck(err error) error {
	_, said := errors.AsType[*roomError](err)
	if said || s.run.Config.RunID == "" || exitCode(err) != exitEnv {
		return err
	}
	resume := render.Command(s.ending().Resume)
	lost := s.keep().damaged()
	switch {
	case len(lost) > 0 && !store.Exists(s.project.stateDir):
		return fmt.Errorf("%w\nthe state in %s is gone; what has landed is in git (git log %s); go on from there: %s", err, s.shown(s.project.stateDir),
			"--all --grep "+s.config.RunID, render.Command(slices.Concat(s.program(), []string{s.planArg()}, s.given)))
	case len(lost) > 0:
		return fmt.Errorf("%w\nof the state in %s these files are not what was recorded: %s; fix this, then run: %s, and: %s", err, s.shown(s.project.stateDir),
			few(lost), render.Command(slices.Concat(s.program(), []string{"repair"})), resume)
	}
	return fmt.Errorf("%w\nstate is intact; fix this, then run: %s", err, resume)
}
