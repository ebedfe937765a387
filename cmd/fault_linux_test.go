package cmd

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

// condition answers what scripts about broken machines ask: whether this one lets them break it.
func condition(name string) (bool, error) {
	switch name {
	case "mounts": // a script needs file systems of its own
		dir, err := os.MkdirTemp("", "autobuild-mount-")
		if err != nil {
			return false, err
		}
		defer func() { _ = os.Remove(dir) }()
		if unix.Mount("none", dir, "tmpfs", 0, "size=64k") != nil {
			return false, nil
		}
		return true, unix.Unmount(dir, unix.MNT_DETACH)
	case "nobody": // a script becomes a user whose processes are counted
		_, err := exec.LookPath("setpriv")
		return err == nil && os.Geteuid() == 0, nil
	}
	return false, fmt.Errorf("unknown condition %q", name)
}

// mount puts a small file system somewhere, until the script has ended: mount DIR
// size=4m,nr_inodes=200. With ro it makes what is at DIR read-only, with rw writable again.
func mount(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: mount DIR OPTIONS|ro|rw")
	}
	dir := ts.MkAbs(args[0])
	switch args[1] {
	case "rw":
		ts.Check(unix.Unmount(dir, unix.MNT_DETACH))
		return
	case "ro":
		ts.Check(unix.Mount(dir, dir, "", unix.MS_BIND, ""))
		// after rw it is gone, or takes what is below
		ts.Defer(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
		ts.Check(unix.Mount("none", dir, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""))
		return
	}
	ts.Check(os.MkdirAll(dir, 0o700))
	ts.Check(unix.Mount("none", dir, "tmpfs", 0, args[1]))
	ts.Defer(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	names, err := filepath.Glob(ts.MkAbs("work") + "/*")
	ts.Check(err)
	for _, name := range names {
		data, err := os.ReadFile(name)
		ts.Check(err)
		text := strings.ReplaceAll(string(data), "$WORK", ts.Getenv("WORK"))
		ts.Check(os.WriteFile(filepath.Join(dir, filepath.Base(name)), []byte(text), 0o600))
	}
}
