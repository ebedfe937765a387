package tamper

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"autobuild/internal/safefile"
)

// world is a machine below a temporary directory: a home, a checkout and two directories of
// programs.
type world struct {
	*testing.T
	dir    string
	config Config
	reads  int // files whose content was read
}

func newWorld(t *testing.T) *world {
	w := &world{T: t, dir: t.TempDir()}
	for name, text := range map[string]string{
		"home/.npmrc":                                                   "registry=here\n",
		"home/.config/go/env":                                           "GOFLAGS=\n",
		"home/repo/package.json":                                        "{}",
		"home/repo/notes.txt":                                           "mine",
		"home/repo/go.sum":                                              "example.com/Mod v1.0.0 h1:x=\nexample.com/Mod v1.0.0/go.mod h1:y=\n",
		"home/repo/.autobuild/worktrees/1/a.go":                         "package a",
		"home/repo/node_modules/jest/index.js":                          "run()",
		"home/go/pkg/mod/example.com/!mod@v1.0.0/m.go":                  "package m",
		"home/go/pkg/mod/cache/download/example.com/!mod/@v/v1.0.0.zip": "zip",
		"py/lib/python3.12/os.py":                                       "",
		"py/lib/python3.12/site-packages/pytest.py":                     "",
		"py/lib/python3.12/site-packages/a.pth":                         "./lib",
	} {
		w.write(name, text, 0o644)
	}
	for _, dir := range []string{"early", "late", "py/bin"} {
		w.mkdir(dir)
	}
	w.write("late/judge", "#!/bin/sh\nexit 1\n", 0o755)
	w.write("late/large", "#!/bin/sh\n"+strings.Repeat("x", maxCopy), 0o755)
	w.write("py/bin/python3", "elf", 0o755)
	w.write("late/impl", "text", 0o755)
	w.link("impl", "late/linked")
	home := w.at("home")
	w.config = Config{
		Environ: []string{
			"HOME=" + home, "PATH=" + strings.Join([]string{w.at("early"), w.at("late"), w.at("py/bin"), "relative", w.at("nowhere")}, string(os.PathListSeparator)),
			"BASH_ENV=" + w.at("bash_env"), "GOFLAGS=-overlay=" + w.at("overlay.json") + " -v", "NODE_OPTIONS=--require " + w.at("hook.js"), "MAKEFILES=" + w.at("extra.mk"),
		},
		Root: w.at("home/repo"), StateDir: w.at("home/repo/.autobuild"), Now: time.Now,
		Above:  []string{w.at("home/repo/.autobuild/worktrees"), w.at("home/.cache/build-1")},
		Exempt: []string{"claude"},
		Load: func(name string, limit int64) ([]byte, error) {
			w.reads++
			return safefile.Read(name, limit)
		},
	}
	return w
}

func (w *world) at(name string) string { return filepath.Join(w.dir, filepath.FromSlash(name)) }

func (w *world) mkdir(name string) {
	w.Helper()
	if err := os.MkdirAll(w.at(name), 0o755); err != nil {
		w.Fatal(err)
	}
}

func (w *world) write(name, text string, mode os.FileMode) {
	w.Helper()
	w.mkdir(filepath.ToSlash(filepath.Dir(filepath.FromSlash(name))))
	if err := os.WriteFile(w.at(name), []byte(text), mode); err != nil {
		w.Fatal(err)
	}
	if err := os.Chmod(w.at(name), mode); err != nil {
		w.Fatal(err)
	}
}

func (w *world) link(to, name string) {
	w.Helper()
	if err := errors.Join(os.RemoveAll(w.at(name)), os.Symlink(to, w.at(name))); err != nil {
		w.Fatal(err)
	}
}

func (w *world) remove(name string) {
	w.Helper()
	if err := os.RemoveAll(w.at(name)); err != nil {
		w.Fatal(err)
	}
}

func (w *world) take() *Watch {
	w.Helper()
	watch, err := Take(w.config)
	if err != nil {
		w.Fatal(err)
	}
	return watch
}

func (w *world) compare(watch *Watch, commands ...string) []Change {
	w.Helper()
	return watch.Compare(commands...)
}

// text describes a path: a file's content, a link's target, or "nothing".
func (w *world) text(name string) string {
	if to, err := os.Readlink(w.at(name)); err == nil {
		return "-> " + to
	}
	data, err := os.ReadFile(w.at(name))
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "nothing"
	case err != nil:
		return err.Error()
	}
	return string(data)
}

// TestChanges: each kind of change is found once and named, put back, and then all is as before.
// The same holds for a watch that was read from disk after the change.
func TestChanges(t *testing.T) {
	const libraries = "go test ./... && pytest && npm test"
	for name, c := range map[string]struct {
		do   func(w *world)
		says string // of the one change
		path string
		back string // the content of path afterwards; empty: it is lost
	}{
		"a program before another": {func(w *world) { w.write("early/judge", "", 0o755) }, "it comes before", "early/judge", "nothing"},
		"a link before another":    {func(w *world) { w.link("/bin/sh", "early/judge") }, "it comes before", "early/judge", "nothing"},
		"a program changed":        {func(w *world) { w.write("late/judge", "#!/bin/sh\nexit 0\n", 0o755) }, "late/judge was changed", "late/judge", "#!/bin/sh\nexit 1\n"},
		"a program of the same size": {func(w *world) {
			w.write("late/judge", "#!/bin/sh\nexit 0\n", 0o755)
			if err := os.Chtimes(w.at("late/judge"), time.Unix(1, 0), time.Unix(1, 0)); err != nil {
				w.Fatal(err)
			}
		}, "late/judge was changed", "late/judge", "#!/bin/sh\nexit 1\n"},
		"a program that cannot run": {func(w *world) { w.write("late/judge", "#!/bin/sh\nexit 1\n", 0o644) }, "late/judge was changed", "late/judge", "#!/bin/sh\nexit 1\n"},
		"a program removed":         {func(w *world) { w.remove("late/judge") }, "late/judge was removed", "late/judge", "#!/bin/sh\nexit 1\n"},
		"a program turned":          {func(w *world) { w.link("/bin/true", "late/linked") }, "late/linked was changed", "late/linked", "-> impl"},
		"a large program":           {func(w *world) { w.write("late/large", "#!/bin/sh\n", 0o755) }, "late/large was changed", "late/large", ""},
		"a file of the home":        {func(w *world) { w.write("home/.npmrc", "script-shell=true\n", 0o644) }, "npm's configuration", "home/.npmrc", "registry=here\n"},
		"a pipe in the home": {func(w *world) {
			w.remove("home/.npmrc")
			if err := mkfifo(w.at("home/.npmrc")); err != nil {
				w.Skip(err)
			}
		}, "npm's configuration", "home/.npmrc", "registry=here\n"},
		"a new file of the home": {func(w *world) { w.write("home/.cargo/config.toml", "", 0o644) }, "cargo's configuration", "home/.cargo/config.toml", "nothing"},
		"Go's environment":       {func(w *world) { w.write("home/.config/go/env", "GOFLAGS=-run=^$\n", 0o644) }, "Go's environment", "home/.config/go/env", "GOFLAGS=\n"},
		"a variable's file":      {func(w *world) { w.write("bash_env", "exit 0", 0o644) }, "BASH_ENV", "bash_env", "nothing"},
		"an option's file":       {func(w *world) { w.write("overlay.json", "{}", 0o644) }, "GOFLAGS", "overlay.json", "nothing"},
		"a required file":        {func(w *world) { w.write("hook.js", "", 0o644) }, "NODE_OPTIONS", "hook.js", "nothing"},
		"a make file":            {func(w *world) { w.write("extra.mk", "", 0o644) }, "MAKEFILES", "extra.mk", "nothing"},
		"sitecustomize":          {func(w *world) { w.write("home/.local/lib/python3.12/site-packages/sitecustomize.py", "", 0o644) }, "at every start", "home/.local/lib/python3.12/site-packages/sitecustomize.py", "nothing"},
		"a plug-in of pytest": {func(w *world) {
			w.write("home/.local/lib/python3.12/site-packages/q-1.dist-info/entry_points.txt", "[pytest11]\nq = q\n", 0o644)
		}, "pytest runs the package", "home/.local/lib/python3.12/site-packages/q-1.dist-info", "nothing"},
		"a path file of Python":   {func(w *world) { w.write("py/lib/python3.12/site-packages/b.pth", "import os", 0o644) }, "at every start", "py/lib/python3.12/site-packages/b.pth", "nothing"},
		"a path file changed":     {func(w *world) { w.write("py/lib/python3.12/site-packages/a.pth", "import os", 0o644) }, "a.pth was changed", "py/lib/python3.12/site-packages/a.pth", "./lib"},
		"a module before another": {func(w *world) { w.write("home/.local/lib/python3.12/site-packages/pytest/__init__.py", "", 0o644) }, "instead of another pytest", "home/.local/lib/python3.12/site-packages/pytest", "nothing"},
		"a module changed":        {func(w *world) { w.write("py/lib/python3.12/site-packages/pytest.py", "exit()", 0o644) }, "Python's library", "py/lib/python3.12/site-packages/pytest.py", ""},
		"above the worktrees":     {func(w *world) { w.write("home/repo/.autobuild/worktrees/pytest.ini", "", 0o644) }, "above the worktrees", "home/repo/.autobuild/worktrees/pytest.ini", "nothing"},
		"where gates run":         {func(w *world) { w.write("home/.cache/package.json", "", 0o644) }, "above the worktrees", "home/.cache/package.json", "nothing"},
		"in the checkout":         {func(w *world) { w.write("home/repo/conftest.py", "", 0o644) }, "above the worktrees", "home/repo/conftest.py", "nothing"},
		"changed in the checkout": {func(w *world) { w.write("home/repo/package.json", `{"jest":{}}`, 0o644) }, "above the worktrees", "home/repo/package.json", "{}"},
		"above the checkout":      {func(w *world) { w.write("home/go.work", "", 0o644) }, "above the worktrees", "home/go.work", "nothing"},
		"a config of jest":        {func(w *world) { w.write("home/repo/jest.config.mjs", "", 0o644) }, "above the worktrees", "home/repo/jest.config.mjs", "nothing"},
		"Node's search path":      {func(w *world) { w.write("home/.node_modules/jest/index.js", "", 0o644) }, "Node's search path", "home/.node_modules", "nothing"},
		"modules of the checkout": {func(w *world) { w.write("home/repo/node_modules/jest/index.js", "", 0o644) }, "Node's library", "home/repo/node_modules/jest/index.js", ""},
		"a module of Go":          {func(w *world) { w.write("home/go/pkg/mod/example.com/!mod@v1.0.0/m.go", "", 0o644) }, "module example.com/Mod", "home/go/pkg/mod/example.com/!mod@v1.0.0/m.go", "nothing"},
		"a module's archive":      {func(w *world) { w.write("home/go/pkg/mod/cache/download/example.com/!mod/@v/v1.0.0.zip", "", 0o644) }, "cache of modules", "home/go/pkg/mod/cache/download/example.com/!mod/@v/v1.0.0.zip", "nothing"},
	} {
		for _, stored := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				w := newWorld(t)
				watch := w.take()
				noted, err := watch.Encode()
				if err != nil {
					t.Fatal(err)
				}
				c.do(w)
				if stored {
					if watch, err = Decode(w.config, noted); err != nil {
						t.Fatal(err)
					}
				}
				changes := w.compare(watch, libraries)
				if len(changes) != 1 || !strings.Contains(changes[0].What, c.says) || !strings.Contains(changes[0].What, w.dir) && c.says != "" {
					t.Fatalf("found %+v, want one change that says %q", changes, c.says)
				}
				notes, err := watch.Restore(changes)
				if lost, ok := errors.AsType[*LostError](err); ok != (c.back == "") || ok && !slices.Equal(lost.Notes, notes) {
					t.Fatalf("restoring: %v", err)
				}
				if len(notes) != 1 || !strings.HasPrefix(notes[0], changes[0].What) {
					t.Errorf("said %q", notes)
				}
				if c.back == "" {
					return
				}
				if got := w.text(c.path); got != c.back {
					t.Errorf("afterwards %s is %q, want %q", c.path, got, c.back)
				}
				if again := w.compare(watch, libraries); len(again) > 0 {
					t.Errorf("and found again: %+v", again)
				}
			})
		}
	}
}

// TestNoChange: a file that decides nothing may change, and a rewrite with the old content is no
// change.
func TestNoChange(t *testing.T) {
	for name, do := range map[string]func(w *world){
		"nothing":                 func(*world) {},
		"a new program":           func(w *world) { w.write("early/linter", "", 0o755) },
		"a program behind":        func(w *world) { w.write("py/bin/judge", "", 0o755) },
		"a text of that name":     func(w *world) { w.write("early/judge", "", 0o644) },
		"an agent":                func(w *world) { w.write("early/claude", "", 0o755) },
		"another file":            func(w *world) { w.write("home/.cache/x", "", 0o644); w.write("home/notes", "", 0o644) },
		"a new module":            func(w *world) { w.write("py/lib/python3.12/site-packages/requests/a.py", "", 0o644) },
		"compiled modules":        func(w *world) { w.write("py/lib/python3.12/__pycache__/os.pyc", "", 0o644) },
		"a new package":           func(w *world) { w.write("home/repo/node_modules/left-pad/index.js", "", 0o644) },
		"a cache beside packages": func(w *world) { w.write("home/repo/node_modules/.cache/babel.json", "", 0o644) },
		"the work":                func(w *world) { w.write("home/repo/.autobuild/worktrees/1/conftest.py", "", 0o644) },
		"the same again":          func(w *world) { w.write("late/judge", "#!/bin/sh\nexit 1\n", 0o755) },
		"the same, replaced":      func(w *world) { w.remove("home/.npmrc"); w.write("home/.npmrc", "registry=here\n", 0o644) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			watch := w.take()
			do(w)
			if found := w.compare(watch, "go test", "pytest", "npm test"); len(found) > 0 {
				t.Errorf("found %+v", found)
			}
		})
	}
}

// TestTracked: files that git tracks in the checkout are not touched, and their present state
// counts from then on.
func TestTracked(t *testing.T) {
	w := newWorld(t)
	asked := 0
	w.config.Tracked = func(path string) bool {
		asked++
		return strings.HasSuffix(path, "package.json") || strings.HasSuffix(path, "tox.ini")
	}
	watch := w.take()
	w.write("home/repo/package.json", `{"type": "module"}`, 0o644)
	w.write("home/repo/tox.ini", "", 0o644)
	w.write("home/tox.ini", "", 0o644) // not in the checkout
	changes := w.compare(watch)
	if len(changes) != 1 || changes[0].Path != w.at("home/tox.ini") {
		t.Fatalf("found %+v", changes)
	}
	if asked != 2 {
		t.Errorf("asked %d times", asked)
	}
}

// TestShared: where phases work in the checkout itself, nothing in it is watched.
func TestShared(t *testing.T) {
	w := newWorld(t)
	w.config.Shared = true
	watch := w.take()
	w.write("home/repo/conftest.py", "", 0o644)
	w.write("home/repo/node_modules/jest/index.js", "", 0o644)
	w.write("home/conftest.py", "", 0o644)
	if changes := w.compare(watch, "npm test"); len(changes) != 1 || changes[0].Path != w.at("home/conftest.py") {
		t.Errorf("found %+v", changes)
	}
}

// TestNothingIsRead: while nothing changes, no content is read, and a change costs no more reads
// than it has files.
func TestNothingIsRead(t *testing.T) {
	w := newWorld(t)
	watch := w.take()
	w.reads = 0
	w.write("early/linter", "", 0o755)
	w.compare(watch, "go test", "pytest", "npm test")
	if w.reads != 0 {
		t.Errorf("%d files were read although nothing that counts has changed", w.reads)
	}
	w.write("home/.npmrc", "registry=evil\n", 0o644)
	w.compare(watch)
	if w.reads != 1 {
		t.Errorf("%d files were read for one change", w.reads)
	}
}

// TestBound: libraries beyond the bound are not walked, and that is known.
func TestBound(t *testing.T) {
	w := newWorld(t)
	watch := w.take()
	left := 2
	if met := watch.trees[0].newer(&left, 0); left > 0 || len(met) > 2 {
		t.Errorf("%q were met, %d left", met, left)
	}
	if watch.Partial() {
		t.Error("partial before a look")
	}
}

// TestAdopt: a watch accepts the changes of autobuild's own preparation.
func TestAdopt(t *testing.T) {
	w := newWorld(t)
	watch := w.take()
	w.write("early/judge", "", 0o755)
	w.write("py/lib/python3.12/site-packages/b.pth", "", 0o644)
	if n := len(w.compare(watch)); n != 2 {
		t.Fatalf("found %d changes, want 2", n)
	}
	if err := watch.Adopt(); err != nil {
		t.Fatal(err)
	}
	if found := w.compare(watch); len(found) > 0 {
		t.Errorf("still found %+v", found)
	}
}

// TestDecodeForeign: a note that something else wrote steers nothing: no path that is not watched
// is written.
func TestDecodeForeign(t *testing.T) {
	w := newWorld(t)
	note := `{"Items":[{"Path":"` + w.at("home/.ssh/authorized_keys") + `","What":"x","Stamp":{"Mode":420,"Size":1},"Copy":"eA==","Kept":true}]}`
	watch, err := Decode(w.config, []byte(note))
	if err != nil {
		t.Fatal(err)
	}
	if _, err = watch.Restore(w.compare(watch)); err != nil && !errors.As(err, new(*LostError)) {
		t.Fatal(err)
	}
	if got := w.text("home/.ssh/authorized_keys"); got != "nothing" {
		t.Errorf("it wrote %q", got)
	}
	if _, err = Decode(w.config, []byte("{")); err == nil {
		t.Error("half a note was taken")
	}
}
