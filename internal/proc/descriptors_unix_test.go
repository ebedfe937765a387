//go:build unix

package proc

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// A listed descriptor is kept from children, regardless of the other entries: names alone count,
// and one that is closed by now is skipped. Not parallel: a test that starts a child marks all
// descriptors.
func TestListedDescriptors(t *testing.T) {
	f, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer closeQuietly(f)
	// as a parent process hands one down: open across exec
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD, 100)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close(fd) }()
	dir := t.TempDir()
	for _, name := range []string{strconv.Itoa(fd), "1000000", "x", "-1"} {
		if err := os.Symlink(dir+"-nowhere", filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	closeListed(dir + "-nowhere")
	if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil || flags&unix.FD_CLOEXEC != 0 {
		t.Fatalf("flags %d, %v, before it was listed", flags, err)
	}
	closeListed(dir)
	if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil || flags&unix.FD_CLOEXEC == 0 {
		t.Errorf("flags %d, %v: a child would inherit it", flags, err)
	}
}
