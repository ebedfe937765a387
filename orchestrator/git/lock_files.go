package git

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Another git at work in the repository, an editor's say, holds a lock for moments. A git that was
// killed leaves its lock for ever, and the two look alike. So a call waits for a lock a little,
// then names it, and does not remove it. The exceptions are locks of autobuild's own refs and
// indexes while none of its gits is at work, and the one that RemoveIndexLock recognises.
const (
	lockTries = 10
	lockPause = 100 * time.Millisecond
)

// RemoveLocks removes the lock that a killed git has left on a ref of autobuild's, or on all refs
// below a prefix that ends with a slash. A lock that cannot be removed is named by the call that
// meets it.
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

// unlockBelow removes every lock in a directory of our own.
func unlockBelow(dir string) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return
	}
	defer func() { _ = root.Close() }() // nothing was written through it
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if name, failed := filepath.Rel(dir, path); err == nil && failed == nil &&
			d.Type().IsRegular() && strings.HasSuffix(name, ".lock") {
			_ = root.Remove(name)
		}
		return nil
	})
}

// RemoveIndexLock removes the lock that a killed git of autobuild's left on the checkout's index.
// It is younger than the file after, empty, and open in no process; the caller makes sure that no
// git of autobuild's is at work.
func (r *Repository) RemoveIndexLock(after string) {
	path := filepath.Join(r.GitDir, "index.lock")
	noted, err := os.Lstat(after)
	if err != nil {
		return
	}
	lock, err := os.Lstat(path)
	if err != nil || !lock.Mode().IsRegular() || lock.Size() > 0 ||
		lock.ModTime().Before(noted.ModTime()) || opened(path, lock) {
		return
	}
	_ = os.Remove(path) // a lock that stays is named by the call that meets it
}
