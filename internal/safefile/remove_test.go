package safefile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Write-protected directories, such as a module cache's, are no obstacle, and a link's target is
// left alone.
func TestRemoveAll(t *testing.T) {
	dir, precious := filepath.Join(t.TempDir(), "d"), t.TempDir()
	if err := errors.Join(os.MkdirAll(filepath.Join(dir, "ro", "sub"), 0o700), os.WriteFile(filepath.Join(precious, "x"), nil, 0o600),
		os.WriteFile(filepath.Join(dir, "ro", "f"), nil, 0o400), os.Symlink(precious, filepath.Join(dir, "ro", "link")),
		os.Chmod(filepath.Join(dir, "ro"), 0o500)); err != nil {
		t.Fatal(err)
	}
	if err := RemoveAll(dir); err != nil || Exists(dir) || !Exists(filepath.Join(precious, "x")) {
		t.Errorf("%v", err)
	}
}
