package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"autobuild/state"
)

// TestUnusable: a foreign file in the place of the state directory is refused by name and left as
// it is.
func TestUnusable(t *testing.T) {
	for name, lay := range map[string]func(root, dir string) error{
		"is a symbolic link": func(root, dir string) error {
			home := filepath.Join(root, "home")
			return errors.Join(os.Mkdir(home, 0o700), os.WriteFile(filepath.Join(home, "precious"), []byte("x"), 0o600), os.Symlink(home, dir))
		},
		"is not a directory": func(_, dir string) error { return os.WriteFile(dir, []byte("mine"), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			dir := filepath.Join(root, ".autobuild")
			if err := lay(root, dir); err != nil {
				t.Fatal(err)
			}
			before := snapshot(t, root)
			_, err := Open(dir, "", Holder{}, nil)
			_, _, lerr := Load(dir, nil)
			for _, err := range []error{err, lerr} {
				u, ok := errors.AsType[*UnusableError](err)
				if !ok || u.Path != dir || u.Cause != name || u.Next == "" {
					t.Errorf("got %v", err)
				}
			}
			if Exists(dir) {
				t.Error("a run is said to exist")
			}
			if after := snapshot(t, root); len(after) != len(before) {
				t.Errorf("files came or went: %v", after)
			}
		})
	}
}

// TestSomebodyElses: a directory of another user is refused.
func TestSomebodyElses(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make a directory that belongs to somebody else")
	}
	dir := stateDir(t)
	if err := errors.Join(os.Mkdir(dir, 0o700), os.Chown(dir, 12345, 12345)); err != nil {
		t.Fatal(err)
	}
	_, err := Open(dir, "", Holder{}, nil)
	if u, ok := errors.AsType[*UnusableError](err); !ok || u.Cause != "belongs to another user" {
		t.Errorf("got %v", err)
	}
}

// TestModes: the directory and all that is in it are accessible to the owner alone, also after
// other modes, and git ignores all of it.
func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes mean little on Windows")
	}
	dir := stateDir(t)
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	d, err := Open(dir, "", Holder{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer closeDir(t, d)
	r := story(t, d)
	happen(t, d, r, end())
	log, _, err := d.Log("x.log")
	if err = errors.Join(err, log.Close(), d.Put("commits.sh", nil, true), d.Put("proposals/2a.md", nil, false)); err != nil {
		t.Fatal(err)
	}
	files := 0
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		want := fs.FileMode(0o600)
		if e.IsDir() || e.Name() == "commits.sh" {
			want = 0o700
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %v", path, info.Mode().Perm())
		}
		files++
		return nil
	})
	if err != nil || files < 15 {
		t.Errorf("%d files: %v", files, err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, ignoreName)); string(text) != "*\n" || err != nil {
		t.Errorf(".gitignore says %q, %v", text, err)
	}
}

// TestStrayTemp: temporary files of a killed writer are removed, and never read.
func TestStrayTemp(t *testing.T) {
	dir := stateDir(t)
	d := openDir(t, dir)
	story(t, d)
	closeDir(t, d)
	temps := []string{filepath.Join(dir, PhasesDir, ".atomicfile-X.tmp"), filepath.Join(dir, ".atomicfile-Y.tmp")}
	for _, temp := range temps {
		if err := os.WriteFile(temp, []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, notes, err := Load(dir, seeds()); err != nil || len(notes) != 0 {
		t.Errorf("%v, %v", notes, err)
	}
	d = openDir(t, dir)
	defer closeDir(t, d)
	for _, temp := range temps {
		if _, err := os.Lstat(temp); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the temporary file is still there: %v", err)
		}
	}
}

// TestNotRegular: a link, a pipe or gigabytes in place of a state file are refused without being
// read.
func TestNotRegular(t *testing.T) {
	for name, lay := range map[string]func(path string) error{
		"is a symbolic link": func(path string) error {
			return os.Symlink(filepath.Join("..", ConfigName), path)
		},
		"is a special file":         mkfifo,
		"is 3000000000 bytes long;": func(path string) error { return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 3e9)) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := stateDir(t)
			d := openDir(t, dir)
			defer closeDir(t, d)
			story(t, d)
			path := filepath.Join(dir, filepath.FromSlash(PhasePath("0")))
			if err := errors.Join(os.Remove(path), lay(path)); err != nil {
				t.Fatal(err)
			}
			_, notes, err := d.Load(seeds())
			if c, ok := errors.AsType[*CorruptError](err); !ok || len(c.Files) != 1 || len(notes) != 0 || c.Files[0].Path != path ||
				!strings.HasPrefix(c.Files[0].Cause.Error(), name) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestNoRun: nothing there, an empty directory, and phase files without a config are three things.
func TestNoRun(t *testing.T) {
	dir := stateDir(t)
	if _, _, err := Load(dir, nil); !errors.Is(err, ErrNoRun) || Exists(dir) {
		t.Errorf("no directory: %v", err)
	}
	d := openDir(t, dir)
	defer closeDir(t, d)
	if _, _, err := d.Load(nil); !errors.Is(err, ErrNoRun) || Exists(dir) {
		t.Errorf("an empty directory: %v", err)
	}
	story(t, d)
	if err := os.Remove(filepath.Join(dir, ConfigName)); err != nil {
		t.Fatal(err)
	}
	_, _, err := d.Load(seeds())
	if _, ok := errors.AsType[*CorruptError](err); !ok || !Exists(dir) || !strings.Contains(err.Error(), "config.json: is missing") {
		t.Errorf("phases without a config: %v", err)
	}
}

// TestLog: a log is never written over.
func TestLog(t *testing.T) {
	dir := stateDir(t)
	d := openDir(t, dir)
	defer closeDir(t, d)
	for _, text := range []string{"first", "second", "third"} {
		f, rel, err := d.Log("phase-2a.1.log")
		if err != nil || rel != "logs/phase-2a.1.log" {
			t.Fatal(rel, err)
		}
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	files := snapshot(t, filepath.Join(dir, logsDir))
	if files["phase-2a.1.log"] != "third" || files["phase-2a.1.log.1"] != "first" || files["phase-2a.1.log.2"] != "second" {
		t.Errorf("%v", files)
	}
	for _, name := range []string{"", ".", "..", "../x", "a/b", `a\b`, "c:x", ".hidden"} {
		if f, _, err := d.Log(name); err == nil {
			t.Errorf("%q was taken for a log's name: %s", name, f.Name())
		}
	}
}

// TestPut: only names of its own, only below the directory, and through no link.
func TestPut(t *testing.T) {
	dir := stateDir(t)
	d := openDir(t, dir)
	defer closeDir(t, d)
	for _, name := range []string{"commits.sh", "commits/2a.txt", "proposals/deep/2a.md"} {
		if err := d.Put(name, []byte(name), false); err != nil {
			t.Error(err)
		}
		if got, err := os.ReadFile(filepath.Join(dir, name)); string(got) != name || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	outside := filepath.Join(filepath.Dir(dir), "outside")
	if err := errors.Join(os.Mkdir(outside, 0o700), os.Symlink(outside, filepath.Join(dir, "way-out"))); err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, filepath.Dir(dir))
	for _, name := range []string{
		"", ".", "/etc/x", "../x", "a/../../x", "a//b", "config.json", "Config.JSON", "phases/phase-2a.json",
		"logs/x", "history/x", "git/x", ".gitignore", "autobuild.lock", `phases\phase-2a.json`, "x:y", "way-out/x",
	} {
		if err := d.Put(name, nil, false); err == nil {
			t.Errorf("%q was written", name)
		}
	}
	if after := snapshot(t, filepath.Dir(dir)); len(after) != len(before) {
		t.Errorf("files came: %v", after)
	}
}

// TestNeverSaved: a file that Load would refuse is not saved, and the old file stays.
func TestNeverSaved(t *testing.T) {
	dir := stateDir(t)
	d := openDir(t, dir)
	defer closeDir(t, d)
	r := &state.Run{}
	happen(t, d, r, begin(1, state.Worktree), started("0", 1))
	before := snapshot(t, dir)["phases/phase-0.json"]
	e := passed("0", 1)
	e.Result.Commit = nil
	if err := r.Apply(e); err != nil {
		t.Fatal(err)
	}
	err := d.Event(e, r)
	if want := "saving phase 0: it cannot be complete without the commit that landed it · the file keeps what it said before · this is a bug in autobuild"; err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	if got := snapshot(t, dir)["phases/phase-0.json"]; got != before {
		t.Errorf("the file has changed:\n%s", got)
	}
}

// TestLogLine: an event is one physical line of printable text, even with hostile text from an
// agent.
func TestLogLine(t *testing.T) {
	e := of(state.Notice, "2a")
	e.Time, e.Text = at(0), "a\nb\r\x1b[2Jc\u202ed\u2028e\xffé界\x7f"
	want := `2026-01-02T03:04:00Z · notice · phase 2a · blocked by 2a · a\nb\r\x1b[2Jc\u202ed\u2028e\xffé界\x7f` + "\n"
	if got := logLine(e); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestNatural orders ids as people do.
func TestNatural(t *testing.T) {
	want := []string{"0", "1", "1.9", "1.10", "2", "2a", "02", "10", "a", "b"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, natural)
	if !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}
