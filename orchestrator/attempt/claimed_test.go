package attempt

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autobuild/state"
)

// What leads out of the worktree proves nothing, and an empty name names nothing.
func TestMissing(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	for path, in := range map[string]string{"a.go": dir, "b c.txt": dir, "secret": outside} {
		if err := os.WriteFile(filepath.Join(in, path), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "src"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	claimed := []string{
		"a.go", "./a.go", "b c.txt", filepath.Join(dir, "a.go"), "src",
		"src/none.go", "../" + filepath.Base(outside) + "/secret", "link/secret", filepath.Join(outside, "secret"), "", ".",
	}
	if diff := cmp.Diff(claimed[5:], missing(dir, claimed)); diff != "" {
		t.Error(diff)
	}
	if got := missing(filepath.Join(dir, "gone"), claimed[:1]); len(got) != 1 {
		t.Errorf("in a directory that is gone: %v", got)
	}
}

// A gate that deletes the work passes all the same, and what lands is what it has left: that is told.
func TestGateDeletesTheWork(t *testing.T) {
	for most, want := range map[int]string{2: "deleted while its gates ran: f0, f1", 7: "deleted while its gates ran: f0, f1, f2, f3, f4 and 2 more"} {
		b := newBench(t)
		b.space.changes = state.Changes{Modified: []string{"stays", "was never there"}}
		for i := range most {
			b.space.changes.Created = append(b.space.changes.Created, fmt.Sprintf("f%d", i))
		}
		for _, name := range append([]string{"stays"}, b.space.changes.Created...) {
			if err := os.WriteFile(filepath.Join(b.dir, name), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		b.checks.during = func() {
			for _, name := range b.space.changes.Created {
				_ = os.Remove(filepath.Join(b.dir, name))
			}
		}
		if got := b.lands(state.Verified); !slices.Equal(got.Warnings, []string{want}) {
			t.Errorf("warnings %q, want %q", got.Warnings, want)
		}
	}
}
