package git

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Another git at work in the same repository, an editor's say, holds a lock for moments; one that
// was killed holds it for ever, and git never removes it. The two look alike, so a lock is waited
// for a little, then named, and not removed. Only a run's own refs and indexes are nobody else's,
// and what locks those when none of the run's gits is at work is of one that was killed; and so is
// what unlockIndex looks for.
const (
	lockTries = 10
	lockPause = 100 * time.Millisecond
)

// RemoveLocks removes the lock that a git which was killed has left on a ref of autobuild's, or on
// all of them below a prefix with a slash at its end. A lock that cannot be removed is met, and
// named, when the ref is used.
func (r *Repository) RemoveLocks(ref string) {
	if !OwnRef(ref) {
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

// RemoveIndexLock removes the lock that a git of ours left on the checkout's index when it was
// killed. It is known by four things: it was made after a ref was moved, no git of ours is at work,
// which the caller knows, it is as empty as a git at work has it, and no process has it open.
func (r *Repository) RemoveIndexLock(after string) {
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
