package git

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// git takes a file as unchanged by its times only if the index is younger, so a copy must not look
// younger than it is.
func TestIndexKeepsItsTime(t *testing.T) {
	from, to := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	old := time.Unix(1_000_000_000, 123_456_789)
	if err := errors.Join(os.WriteFile(from, []byte("x"), 0o600), os.Chtimes(from, old, old), CopyIndex(from, to)); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(to)
	if err != nil || !info.ModTime().Equal(old) {
		t.Errorf("%v %v", info, err)
	}
}
