package worktree

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"autobuild/internal/safefile"
	"autobuild/internal/text"
)

// Another git at work in the same repository, an editor's say, holds a lock for moments; one that was killed holds it for ever, and git
// never removes it. The two look alike, so a lock is waited for a little, then named, and not removed. Only a run's own refs and indexes
// are nobody else's, and what locks those when none of the run's gits is at work is of one that was killed; and so is what unlockIndex looks for.
const (
	lockTries = 10
	lockPause = 100 * time.Millisecond
)

var lockFile = regexp.MustCompile(`'([^'\n]*\.lock)': File exists`)

// lockIn names the lock in git's words, if that is what stopped it.
func lockIn(tail string) string {
	if m := lockFile.FindStringSubmatch(tail); m != nil {
		return m[1]
	}
	return ""
}

// heldLock words a lock that did not go away.
func heldLock(path string) string {
	return "another git command is at work, or was killed and left a lock; if none is at work: rm " + text.Quote(path)
}

// RemoveLocks removes the lock that a git which was killed has left on a ref of autobuild's, or on
// all of them below a prefix with a slash at its end. A lock that cannot be removed is met, and
// named, when the ref is used.
func (r *Repo) RemoveLocks(ref string) {
	if !strings.HasPrefix(ref, "refs/autobuild/") && !strings.HasPrefix(ref, "refs/heads/autobuild/") {
		return
	}
	path := filepath.Join(r.CommonDir, filepath.FromSlash(ref))
	if !strings.HasSuffix(ref, "/") {
		_ = os.Remove(path + ".lock")
		return
	}
	unlockBelow(path)
}

// unlockBelow removes every lock in a directory of ours.
func unlockBelow(dir string) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return
	}
	defer func() { _ = root.Close() }() // nothing was written through it
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if name, failed := filepath.Rel(dir, path); err == nil && failed == nil && d.Type().IsRegular() && strings.HasSuffix(name, ".lock") {
			_ = root.Remove(name)
		}
		return nil
	})
}

// clearDesks removes what writers that were killed have left in the desks of all runs: locks and half-written files. The caller holds
// the repository's run lock, so no writer is at work in any of them; a run that was killed before it was saved never comes back to its own.
func (r *Repo) clearDesks() {
	desks := filepath.Join(r.CommonDir, deskName)
	root, err := os.OpenRoot(desks)
	if err != nil {
		return // no run has begun here
	}
	defer func() { _ = root.Close() }() // nothing was written through it
	for _, pattern := range []string{"*/index/*.lock", "*/index/" + safefile.TempPrefix + "*", "*/" + safefile.TempPrefix + "*"} {
		left, _ := filepath.Glob(filepath.Join(safefile.EscapeGlob(desks), filepath.FromSlash(pattern))) // the pattern is right
		for _, path := range left {
			if name, err := filepath.Rel(desks, path); err == nil {
				_ = root.Remove(name) // what cannot be removed is met, and named, when it is used
			}
		}
	}
}

// RemoveIndexLock removes the lock that a git of ours left on the checkout's index when it was
// killed. It is known by four things: it was made after a ref was moved, no git of ours is at work,
// which the caller knows, it is as empty as a git at work has it, and no process has it open.
func (r *Repo) RemoveIndexLock(after string) {
	path := filepath.Join(r.GitDir, "index.lock")
	noted, err := os.Lstat(filepath.Join(r.CommonDir, filepath.FromSlash(after)))
	if err != nil {
		return
	}
	lock, err := os.Lstat(path)
	if err != nil || !lock.Mode().IsRegular() || lock.Size() > 0 || lock.ModTime().Before(noted.ModTime()) || opened(path, lock) {
		return
	}
	_ = os.Remove(path) // if it stays, it is named by the delivery that meets it
}
