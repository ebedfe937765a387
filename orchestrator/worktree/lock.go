package worktree

import (
	"regexp"
	"time"
)

// Another git at work in the same repository, an editor's say, holds a lock for moments; one that was killed holds it for ever, and git
// never removes it. The two look alike, so a lock is waited for a little, then named, and never removed.
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
	return "another git command is at work, or was killed and left a lock; if none is at work: rm " + quote(path)
}
