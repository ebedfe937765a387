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

// reattach points git's memory of this run's worktrees to where they are now: the repository may
// have been moved, or be a copy, since they were made. One that is still linked to from where it
// was is left alone.
func (l *Line) reattach() error {
	admins, err := filepath.Glob(filepath.Join(safefile.EscapeGlob(l.repo.CommonDir), "worktrees",
		"*", "gitdir"))
	if err != nil {
		return fmt.Errorf("looking for worktrees: %w", err)
	}
	for _, f := range admins {
		admin, link := filepath.Dir(f), git.ReadLink(f)
		reason, err := safefile.Read(filepath.Join(admin, "locked"), safefile.Small)
		if err != nil || link == "" || strings.TrimSpace(string(reason)) != l.lockReason() {
			continue
		}
		dir := l.Worktree(filepath.Base(filepath.Dir(link)))
		if safefile.SamePath(link, filepath.Join(dir, ".git")) {
			continue
		}
		have, err := safefile.Read(link, safefile.Small)
		owner := strings.TrimPrefix(strings.TrimSpace(string(have)), "gitdir: ")
		switch {
		case err != nil: // moved with the repository, or deleted
		case owner != filepath.ToSlash(admin) && safefile.Exists(owner):
			continue // this repository is a copy; the worktree is the original's
		case filepath.Base(filepath.Dir(filepath.Dir(link))) != filepath.Base(l.opt.worktrees()):
			continue // the user moved it
		default:
			if err = l.bringOver(filepath.Dir(link), dir); err != nil {
				return err
			}
		}
		if err = safefile.Replace(f, []byte(filepath.ToSlash(filepath.Join(dir, ".git"))+"\n"),
			0o600); err != nil {
			return git.Unusable("git's directory of a worktree cannot be written", err)
		}
	}
	return nil
}

// bringOver moves a worktree to the folder of this session, which changes with the repository's path
// and with work-dir.
func (l *Line) bringOver(from, to string) error {
	if safefile.Exists(to) {
		return nil
	}
	if err := os.Rename(from, to); err != nil {
		return &git.UnusableError{
			What: "the worktree of a phase cannot be moved to " + text.Quote(to), Where: from,
			Next: "move it there yourself: it holds the phase's work",
		}
	}
	return nil
}

// prune removes what git remembers of our own worktrees that are gone, and worktrees that a crash
// left half made, which git itself keeps locked for ever. Worktrees of the user's are never looked
// at.
func (l *Line) prune() error {
	admins, err := filepath.Glob(filepath.Join(safefile.EscapeGlob(l.repo.CommonDir), "worktrees",
		"*"))
	if err != nil {
		return fmt.Errorf("looking for worktrees: %w", err)
	}
	for _, admin := range admins {
		if isEmptyAdmin(admin) {
			if err := safefile.RemoveAll(admin); err != nil {
				return err
			}
			continue
		}
		dir := filepath.Dir(git.ReadLink(filepath.Join(admin, "gitdir")))
		if !safefile.SamePath(filepath.Dir(dir), l.opt.worktrees()) {
			continue
		}
		lock, err := safefile.Read(filepath.Join(admin, "locked"), safefile.Small)
		half := err == nil && strings.HasPrefix(string(lock), "initializing")
		if half || !safefile.Exists(dir) {
			if err := l.clear(dir, admin); err != nil {
				return err
			}
		}
	}
	return nil
}

// clear deletes a worktree of ours and git's records of it.
func (l *Line) clear(dir, admin string) error {
	if !safefile.SamePath(filepath.Dir(dir), l.opt.worktrees()) {
		return fmt.Errorf("refusing to delete %s, which is not a worktree of this run",
			text.Quote(dir))
	}
	if err := safefile.RemoveAll(dir); err != nil {
		return err
	}
	if err := l.modules.Clear(dir); err != nil {
		return err
	}
	if admin == "" || filepath.Base(filepath.Dir(admin)) != "worktrees" {
		return nil
	}
	return safefile.RemoveAll(admin)
}

// isEmptyAdmin reports whether git's directory of a worktree is one that a power cut has left
// without anything in it: no place, no index, and no branch but one of a run's. Git fails over it
// wherever it looks at all worktrees, and keeps it while it is locked.
func isEmptyAdmin(admin string) bool {
	for _, name := range []string{"gitdir", "index"} {
		if info, err := os.Stat(filepath.Join(admin, name)); err == nil && info.Size() > 0 {
			return false
		}
	}
	// an unreadable HEAD names nothing
	head, _ := safefile.Read(filepath.Join(admin, "HEAD"), safefile.Small)
	// git begins with a HEAD of zeros
	nothing := strings.Trim(string(head), "0\n") == ""
	reason, err := safefile.Read(filepath.Join(admin, "locked"), safefile.Small)
	return err == nil && (len(reason) == 0 || strings.HasPrefix(string(reason), lockedBy)) &&
		(nothing || strings.HasPrefix(string(head), "ref: refs/heads/autobuild/"))
}
