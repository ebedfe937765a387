package store

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"autobuild/internal/atomicfile"
	"autobuild/state"
)

// TestDiskFull fills a small file system. The old file stays whole, the error names it and the next
// step, and with space again the same event is saved.
func TestDiskFull(t *testing.T) {
	mount := t.TempDir()
	if err := syscall.Mount("tmpfs", mount, "tmpfs", 0, "size=128k"); err != nil {
		t.Skipf("cannot mount a small file system: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(mount, 0); err != nil {
			t.Errorf("a handle was left open: %v", err)
		}
	})
	dir := filepath.Join(mount, ".autobuild")
	d := openDir(t, dir)
	d.files.write = atomicfile.Write
	r := story(t, d)
	before := snapshot(t, dir)
	hog := filepath.Join(mount, "hog")
	if err := os.WriteFile(hog, make([]byte, 1<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the file system is not full: %v", err)
	}
	e := of("phase.reset", "2a")
	e.V, e.Seq, e.Time = state.EventVersion, r.Seq+1, at(40)
	if err := r.Apply(e); err != nil {
		t.Fatal(err)
	}
	err := d.Event(e, r)
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "phase-2a.json") || !strings.Contains(err.Error(), "free some space and go on with --resume") {
		t.Errorf("got %v", err)
	}
	after := snapshot(t, dir)
	if after["phases/phase-2a.json"] != before["phases/phase-2a.json"] {
		t.Error("the old file is not whole")
	}
	for name := range after {
		if atomicfile.IsTemp(filepath.Base(name)) {
			t.Errorf("%s was left behind", name)
		}
	}
	if err := os.Remove(hog); err != nil {
		t.Fatal(err)
	}
	if err := d.Event(e, r); err != nil {
		t.Error(err)
	}
	if p, _ := mustLoad(t, d, seeds()).Find("2a"); p.Status != "pending" {
		t.Errorf("phase 2a is %s", p.Status)
	}
	for _, err := range ReadDiary(dir) {
		if err != nil {
			t.Errorf("the full disk has left a torn line in the diary: %v", err)
		}
	}
	closeDir(t, d)
}

// TestSyncs counts system calls: one rename a transition, and a sync of the diary. The name of a
// new file and the start of a session cost more, and its end makes all files durable at once.
func TestSyncs(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed")
	}
	dir, trace := stateDir(t), filepath.Join(t.TempDir(), "trace")
	cmd := exec.Command(strace, "-f", "-qq", "-o", trace, "-s", "64", "-e", "trace=fsync,fdatasync,sync,syncfs,rename,renameat,renameat2,write", os.Args[0])
	cmd.Env = append(os.Environ(), "STORE_TEST_CHILD=transition", "STORE_TEST_DIR="+dir)
	if out, failed := cmd.CombinedOutput(); failed != nil {
		t.Skipf("strace cannot trace here: %v\n%s", failed, out)
	}
	text, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	syncs, renames, now := map[string]int{}, map[string]int{}, "open"
	for line := range bytes.Lines(text) {
		call := string(line)
		switch {
		case strings.Contains(call, `write(1, "event `):
			_, now, _ = strings.Cut(call, `"event `)
			now, _, _ = strings.Cut(now, `\n`)
		case strings.Contains(call, "resumed>"):
		case strings.Contains(call, "sync"):
			syncs[now]++
		case strings.Contains(call, "rename"):
			renames[now]++
		}
	}
	for event, want := range map[string]int{"run.started": 3, "phase.started": 2, "attempt.finished": 1, "run.finished": 4} {
		if syncs[event] != want || renames[event] != 1 {
			t.Errorf("%s: %d syncs and %d renames, want %d and 1", event, syncs[event], renames[event], want)
		}
	}
	if syncs["over"] != 0 {
		t.Errorf("closing syncs %d times", syncs["over"])
	}
}

// TestFoldersAreSynced: the system calls show that the folder of a moved, copied or made file is
// synced before the data is removed from which it could be made again.
func TestFoldersAreSynced(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed")
	}
	dir, trace := stateDir(t), filepath.Join(t.TempDir(), "trace")
	cmd := exec.Command(strace, "-f", "-qq", "-y", "-o", trace, "-s", "200", "-e", "trace=mkdir,mkdirat,fsync,rename,renameat,renameat2,unlinkat,write", "-e", "signal=none", os.Args[0])
	cmd.Env = append(os.Environ(), "STORE_TEST_CHILD=moves", "STORE_TEST_DIR="+dir)
	if out, failed := cmd.CombinedOutput(); failed != nil && strings.Contains(string(out), "ptrace") {
		t.Skipf("strace cannot trace here: %s", out)
	} else if failed != nil {
		t.Fatalf("%v: %s", failed, out)
	}
	text, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	synced := func(below string) string { return `fsync\(\d+<` + regexp.QuoteMeta(dir) + below + `>` }
	for _, want := range []string{
		`mkdir(at)?\(.*"` + regexp.QuoteMeta(dir) + `"`, `fsync\(\d+<` + regexp.QuoteMeta(filepath.Dir(dir)) + `>`,
		`"step reset`, `rename.*"phase-0\.json"`, synced(`/history/files`), synced(`/phases`),
		`"step fresh`, `rename.*"set-aside\.json"`, `rename.*"config\.json"`, synced(`/history/r1`), synced(`/history`), synced(``),
		`unlinkat\(.*"set-aside\.json"`, synced(``), `"step over`,
	} {
		found := regexp.MustCompile(want).FindIndex(text)
		if found == nil {
			t.Fatalf("nothing more is %s:\n%s", want, text)
		}
		text = text[found[1]:]
	}
}
