package attempt

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
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
