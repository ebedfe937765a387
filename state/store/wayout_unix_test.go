//go:build unix

package store

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"autobuild/state"
)

// An error that the user can fix names the remedy, the path and the cause, and earlier saves stay
// intact.
func TestWayOut(t *testing.T) {
	for errno, want := range map[syscall.Errno]string{
		syscall.ENOSPC: "free some space and go on with --resume",
		syscall.EDQUOT: "free some space and go on with --resume",
		syscall.EFBIG:  "raise ulimit -f, which bounds how large a file may be, and run again",
		syscall.EROFS:  "make it writable and go on with --resume",
		syscall.EMFILE: "raise ulimit -n, or lower --jobs, and go on with --resume",
		syscall.ENFILE: "raise ulimit -n, or lower --jobs, and go on with --resume",
		syscall.EACCES: "check who owns it and its permissions, then run again",
		syscall.EIO:    "input/output error",
	} {
		t.Run(errno.Error(), func(t *testing.T) {
			dir := stateDir(t)
			d := openDir(t, dir)
			defer func() { closeDir(t, d) }()
			r := story(t, d)
			before := snapshot(t, dir)["phases/phase-1.json"]
			d.files.replace = func(root *os.Root, name string, _ []byte, _ os.FileMode) error {
				return &fs.PathError{Op: "write", Path: d.at(name), Err: errno}
			}
			e := of(state.PhaseReset, "1")
			e.Seq, e.Time = r.Seq+1, at(50)
			err := d.Event(e, r)
			if err == nil || !errors.Is(err, errno) || !strings.Contains(err.Error(), d.at("phases/phase-1.json")) || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("%v, want the path, the cause and %q", err, want)
			}
			if after := snapshot(t, dir)["phases/phase-1.json"]; after != before || before == "" {
				t.Error("what was saved is not what it was")
			}
		})
	}
}
