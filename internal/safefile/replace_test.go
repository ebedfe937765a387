package safefile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file is replaced as a whole, whatever lay there, and nothing is left beside it.
func TestReplace(t *testing.T) {
	dir, via := t.TempDir(), t.TempDir()
	path := filepath.Join(dir, "f")
	content := func() string {
		t.Helper()
		data, err := ReadPlain(path, Small)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	if err := errors.Join(Replace(path, []byte("one"), 0o600), Replace(path, []byte("two"), 0o600)); err != nil || content() != "two" {
		t.Errorf("%v", err)
	}
	if err := ReplaceVia(via, path, []byte("three"), 0o600); err != nil || content() != "three" {
		t.Errorf("%v", err)
	}
	if err := ReplaceVia(filepath.Join(via, "missing"), path, []byte("four"), 0o600); err != nil || content() != "four" {
		t.Errorf("without the folder: %v", err)
	}
	if err := errors.Join(RemoveAll(path), os.MkdirAll(filepath.Join(path, "sub"), 0o700)); err != nil {
		t.Fatal(err)
	}
	if err := Replace(path, nil, 0o600); err == nil {
		t.Error("a directory was replaced")
	}
	if err := ReplaceAny(path, []byte("five")); err != nil || content() != "five" {
		t.Errorf("a directory: %v", err)
	}
	for _, d := range []string{dir, via} {
		entries, err := os.ReadDir(d)
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), TempPrefix) || err != nil {
				t.Errorf("left in %s: %s %v", d, e.Name(), err)
			}
		}
	}
}

// A path stands for itself in a pattern, whatever characters it has.
func TestEscapeGlob(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a[b]*?c")
	if os.PathSeparator == '\\' {
		dir = filepath.Join(t.TempDir(), "a[b]c")
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Write(filepath.Join(dir, "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(EscapeGlob(dir), "*"))
	if err != nil || len(found) != 1 || !IsBelow(Resolved(found[0]), dir) {
		t.Errorf("%q %v", found, err)
	}
}
