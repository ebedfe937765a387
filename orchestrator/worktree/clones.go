package worktree

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"autobuild/internal/safefile"
	"autobuild/internal/text"
	"autobuild/orchestrator/git"
)

// reattach moves the clones of the run's phases to the folder of this session, which changes with
// the repository's path and with work-dir. Those of the repository of which this one is a copy
// stay.
func (l *Line) reattach() error {
	last, _ := safefile.ReadPlain(l.scratch.Path("clones"), safefile.Small) // missing: a new run
	of, from, _ := strings.Cut(string(last), "\n")
	now := l.opt.worktrees()
	if from != "" && from != now && (of == l.repo.CommonDir || !safefile.IsDir(of)) {
		entries, err := os.ReadDir(from)
		if safefile.IgnoreMissing(err) != nil {
			return git.Unusable("the folder of the phases' clones cannot be read", err)
		}
		for _, e := range entries {
			if err := bringOver(filepath.Join(from, e.Name()), filepath.Join(now, e.Name())); err != nil {
				return err
			}
		}
	}
	return l.scratch.Write("clones", []byte(l.repo.CommonDir+"\n"+now))
}

func bringOver(from, to string) error {
	if safefile.Exists(to) {
		return nil
	}
	if err := os.Rename(from, to); err != nil {
		return &git.UnusableError{
			What: "the clone of a phase cannot be moved to " + text.Quote(to), Where: from,
			Next: "move it there yourself: it holds the phase's work",
		}
	}
	return nil
}

// clear deletes a clone of ours.
func (l *Line) clear(dir string) error {
	if !safefile.SamePath(filepath.Dir(dir), l.opt.worktrees()) {
		return fmt.Errorf("refusing to delete %s, which is not a clone of this run", text.Quote(dir))
	}
	return safefile.RemoveAll(dir)
}
