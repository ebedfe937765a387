//go:build !linux

package git

// objectSync is what git itself flushes when it writes objects: all, because there is no call that
// flushes one file system.
const objectSync = "all"

// Flush has nothing to add: git syncs its objects itself.
func Flush(string) error { return nil }
