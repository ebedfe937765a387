package tamper

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"
)

// TestLibrary: a second look finds what the first one would, and reads only what has changed.
func TestLibrary(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no change time that programs cannot set")
	}
	for name, tt := range map[string]struct {
		change func(root string) error
		want   []string
	}{
		"nothing": {func(string) error { return nil }, nil},
		"content": {func(root string) error { return os.WriteFile(filepath.Join(root, "sub/b.go"), []byte("x"), 0o600) }, []string{"sub/b.go"}},
		"content with its time set back": {func(root string) error {
			path := filepath.Join(root, "a.go")
			if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
				return err
			}
			return os.Chtimes(path, time.Time{}, time.Unix(1, 0))
		}, []string{"a.go"}},
		"a new file": {func(root string) error { return os.WriteFile(filepath.Join(root, "sub/c.go"), nil, 0o600) }, []string{"sub/c.go"}},
		"a new directory": {func(root string) error {
			if err := os.Mkdir(filepath.Join(root, "more"), 0o700); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(root, "more/d.go"), nil, 0o600)
		}, []string{"more/d.go"}},
		"a file put in the place of another": {func(root string) error {
			other := filepath.Join(root, "testdata/other")
			if err := os.WriteFile(other, nil, 0o600); err != nil {
				return err
			}
			return os.Rename(other, filepath.Join(root, "a.go"))
		}, []string{"a.go"}},
		"a file that is gone":      {func(root string) error { return os.Remove(filepath.Join(root, "a.go")) }, nil},
		"a directory that is gone": {func(root string) error { return os.RemoveAll(filepath.Join(root, "sub")) }, nil},
		"what no gate loads":       {func(root string) error { return os.WriteFile(filepath.Join(root, "testdata/e"), []byte("x"), 0o600) }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			for _, file := range []string{"a.go", "sub/b.go", "testdata/e"} {
				if err := os.MkdirAll(filepath.Dir(filepath.Join(root, file)), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(root, file), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			fresh, known := tree{Root: root}, tree{Root: root}
			since := newest(t, root)
			look := func(lib *tree) []string {
				left := maxEntries
				found := lib.newer(&left, since)
				for i := range found {
					rel, err := filepath.Rel(root, found[i])
					if err != nil {
						t.Fatal(err)
					}
					found[i] = filepath.ToSlash(rel)
				}
				slices.Sort(found)
				return found
			}
			if found := look(&known); len(found) > 0 {
				t.Fatalf("%q are newer than the newest", found)
			}
			awaitTick(t, since)
			if err := tt.change(root); err != nil {
				t.Fatal(err)
			}
			if first, later := look(&fresh), look(&known); !slices.Equal(first, tt.want) || !slices.Equal(later, tt.want) {
				t.Errorf("a first look found %q, a later one %q, want %q", first, later, tt.want)
			}
			if again := look(&known); !slices.Equal(again, tt.want) {
				t.Errorf("a third look found %q, want %q", again, tt.want)
			}
		})
	}
}

// newest is the latest change time below root.
func newest(t *testing.T, root string) (latest int64) {
	t.Helper()
	lib := tree{Root: root}
	left := maxEntries
	if len(lib.newer(&left, 0)) == 0 {
		t.Fatal("nothing was listed")
	}
	for _, f := range lib.folders {
		latest = max(latest, f.Stamp)
		statFiles(&f, func(_ string, e entry) { latest = max(latest, e.changed) })
	}
	return latest
}

// awaitTick returns once the file system's clock, which stands still for some milliseconds, is
// later than a time.
func awaitTick(t *testing.T, after int64) {
	t.Helper()
	probe := filepath.Join(t.TempDir(), "probe")
	for {
		if err := os.WriteFile(probe, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		info, err := os.Lstat(probe)
		if err != nil {
			t.Fatal(err)
		}
		changed, _, _ := inode(info)
		if changed > after {
			return
		}
		if err := os.Remove(probe); err != nil {
			t.Fatal(err)
		}
	}
}
