package atomicfile_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"autobuild/internal/atomicfile"
)

func root(t *testing.T) *os.Root {
	t.Helper()
	dir, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dir.Close() })
	return dir
}

func names(t *testing.T, dir *os.Root) []string {
	t.Helper()
	entries, err := os.ReadDir(dir.Name())
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestWriteReplaces(t *testing.T) {
	t.Parallel()
	dir := root(t)
	if err := dir.Mkdir("phases", 0o700); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"first", "second and longer", ""} {
		for _, name := range []string{"a.json", "phases/b.json"} {
			if err := atomicfile.Write(dir, name, []byte(text), 0o640); err != nil {
				t.Fatal(err)
			}
			got, err := dir.ReadFile(name)
			if err != nil || string(got) != text {
				t.Errorf("%s: %q %v, want %q", name, got, err, text)
			}
			if info, err := dir.Stat(name); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
				t.Errorf("%s: %v %v", name, info.Mode(), err)
			}
		}
	}
	if got := names(t, dir); len(got) != 2 {
		t.Errorf("left in the folder: %q", got)
	}
}

func TestWritePath(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x")
	if err := atomicfile.WritePath(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); string(got) != "text" || err != nil {
		t.Errorf("%q %v", got, err)
	}
	path = filepath.Join(t.TempDir(), "none", "x")
	if err := atomicfile.WritePath(path, nil, 0o600); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), path) {
		t.Errorf("%v: want the path and that it does not exist", err)
	}
}

// An error names the file that was meant, not the temporary one, and leaves no trace.
func TestErrorsLeaveNothing(t *testing.T) {
	t.Parallel()
	dir := root(t)
	if err := dir.Mkdir("taken", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := dir.WriteFile("taken/file", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"taken", "missing/x", "../outside", "", ".", "..", "taken/.."} {
		err := atomicfile.Write(dir, name, []byte("x"), 0o600)
		if err == nil || strings.Contains(err.Error(), ".tmp") || !strings.HasPrefix(err.Error(), "write ") {
			t.Errorf("%q: %v", name, err)
		}
	}
	if got := names(t, dir); len(got) != 1 || got[0] != "taken" {
		t.Errorf("left in the folder: %q", got)
	}
}

// A link is replaced, never followed: state must not be written where a repository's link points.
func TestLinkIsReplaced(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege on this system")
	}
	dir := root(t)
	outside := filepath.Join(t.TempDir(), "precious")
	if err := errors.Join(os.WriteFile(outside, []byte("precious"), 0o600), os.Symlink(outside, filepath.Join(dir.Name(), "a")),
		os.Symlink(filepath.Dir(outside), filepath.Join(dir.Name(), "d"))); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(dir, "a", []byte("ours"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(dir, "d/precious", []byte("ours"), 0o600); err == nil {
		t.Error("a folder's link was followed out of the root")
	}
	if got, err := os.ReadFile(outside); string(got) != "precious" || err != nil {
		t.Errorf("outside is now %q %v", got, err)
	}
}

func TestSweep(t *testing.T) {
	t.Parallel()
	dir := root(t)
	for _, name := range []string{".atomicfile-ABC.tmp", ".atomicfile-.tmp", "phase-1.json", "x.tmp", ".atomicfile-x"} {
		if err := dir.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := atomicfile.Sweep(dir); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(names(t, dir), " "); got != ".atomicfile-x phase-1.json x.tmp" {
		t.Errorf("left: %s", got)
	}
}

// Readers see one of the versions, whole.
func TestReadersSeeWholeVersions(t *testing.T) {
	t.Parallel()
	dir := root(t)
	version := func(i int) string { return strings.Repeat(string(rune('a'+i%26)), 10_000) }
	if err := atomicfile.Write(dir, "f", []byte(version(0)), 0o600); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(done)
		for i := range 100 {
			if err := atomicfile.Write(dir, "f", []byte(version(i)), 0o600); err != nil {
				t.Error(err)
			}
		}
	})
	wg.Go(func() {
		for {
			got, err := dir.ReadFile("f")
			if err != nil || len(got) != 10_000 || strings.Trim(string(got), string(got[:1])) != "" {
				t.Errorf("%d bytes, %v", len(got), err)
			}
			select {
			case <-done:
				return
			default:
			}
		}
	})
	wg.Wait()
}

func BenchmarkWrite(b *testing.B) {
	dir, err := os.OpenRoot(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = dir.Close() }()
	data := make([]byte, 2000)
	for b.Loop() {
		if err := atomicfile.Write(dir, "f", data, 0o600); err != nil {
			b.Fatal(err)
		}
	}
}

func ExampleWrite() {
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(folder) }()
	dir, err := os.OpenRoot(folder)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = dir.Close() }()
	err = atomicfile.Write(dir, "config.json", []byte("{}\n"), 0o600)
	text, _ := dir.ReadFile("config.json")
	fmt.Printf("%s%v\n", text, err)
	// Output:
	// {}
	// <nil>
}
