package tamper

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"autobuild/state"
	"autobuild/state/store"
)

// The kernel's notices ring for every way in which what a Watch looks at changes without a look,
// and stay quiet otherwise. A write through a hard link, which they do not show, is found where
// commands are about to run.
func TestQuiet(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(w *world)
		want bool // a change is reported without commands
	}{
		"nothing":                 {func(*world) {}, false},
		"an unrelated file":       {func(w *world) { w.write("home/notes.txt", "x", 0o600) }, false},
		"a steering file":         {func(w *world) { w.write("home/.npmrc", "registry=b\n", 0o600) }, true},
		"one that was not there":  {func(w *world) { w.write("home/.bashrc", "x", 0o600) }, true},
		"in a new directory":      {func(w *world) { w.write("home/.config/pip/pip.conf", "x", 0o600) }, true},
		"a directory replaced":    {func(w *world) { w.move("tools", "old"); w.write("tools/judge", "true", 0o755) }, true},
		"the target of a link":    {func(w *world) { w.write("far/target", "false", 0o755) }, true},
		"the home moved and back": {func(w *world) { w.move("home", "h"); w.move("h", "home") }, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.write("home/.npmrc", "registry=a\n", 0o600)
			w.write("tools/judge", "exit 1", 0o755)
			w.write("far/target", "true", 0o755)
			w.link(w.at("far/target"), "tools/linked")
			w.config.Environ = []string{"HOME=" + w.at("home"), "PATH=" + w.at("tools")}
			watch := w.take()
			if watch.alarm.news == nil {
				t.Skip("the system gives no notices")
			}
			watch.Compare() // the first look is a full one
			if !watch.quiet() {
				t.Error("not quiet before")
			}
			c.do(w)
			if got := watch.Compare(); len(got) > 0 != c.want {
				t.Errorf("found %v", got)
			}
			if !c.want && !watch.quiet() {
				t.Error("not quiet afterwards")
			}
		})
	}
	w := newWorld(t)
	w.write("tools/judge", "exit 1", 0o755)
	w.config.Environ = []string{"HOME=" + w.at("home"), "PATH=" + w.at("tools")}
	watch := w.take()
	watch.Compare()
	if err := os.Link(w.at("tools/judge"), w.at("elsewhere")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(w.at("elsewhere"))
	if err != nil {
		t.Fatal(err)
	}
	w.write("elsewhere", "exit 0", 0o755)
	if err = os.Chtimes(w.at("elsewhere"), info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if got := watch.Compare("judge"); len(got) != 1 {
		t.Errorf("a forgery of the same size and time through a hard link: found %v", got)
	}
}

func (w *world) move(from, to string) {
	w.Helper()
	if err := os.Rename(w.at(from), w.at(to)); err != nil {
		w.Fatal(err)
	}
}

// A state file with another content of the same size and time is found at the next look, also right
// after it was saved and where its directory was replaced; own writes are no finding.
func TestForgedState(t *testing.T) {
	root := filepath.Join(t.TempDir(), ".autobuild")
	dir, err := store.Open(root, "", store.Holder{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close() //nolint:errcheck // of a test
	k, run := KeepState(dir, root), &state.Run{}
	tell := func(e state.Event) {
		t.Helper()
		e.Time, e.Seq = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), run.Seq+1
		if failed := run.Apply(e); failed != nil {
			t.Fatal(failed)
		}
		if failed := k.Event(e, run); failed != nil {
			t.Fatal(failed)
		}
	}
	looked := func(what string, want int) {
		t.Helper()
		if found, failed := k.tampered(); len(found) != want || failed != nil {
			t.Errorf("%s: found %v, %v", what, found, failed)
		}
	}
	tell(state.Event{
		Type: state.RunStarted, Config: &state.Config{RunID: "r1"},
		Phases: []state.Seed{{ID: "1", Label: "1", MaxAttempts: 2}, {ID: "2", Label: "2", MaxAttempts: 2}},
	})
	tell(state.Event{Type: state.PhaseStarted, Phase: "1", Attempt: 1, Key: "k"})
	file := filepath.Join(root, filepath.FromSlash(store.PhasePath("1")))
	forge := func() {
		t.Helper()
		info, failed := os.Stat(file)
		var data []byte
		if failed == nil {
			data, failed = os.ReadFile(file)
		}
		if failed == nil {
			data[len(data)/2] ^= 1
			failed = errors.Join(os.WriteFile(file, data, 0o600), os.Chtimes(file, info.ModTime(), info.ModTime()))
		}
		if failed != nil {
			t.Fatal(failed)
		}
	}
	forge()
	looked("right after it was saved", 1)
	looked("put back", 0)
	tell(state.Event{Type: state.PhaseStarted, Phase: "2", Attempt: 1, Key: "k"})
	looked("own writes", 0)
	forge()
	looked("later", 1)
	phases := filepath.Join(root, store.PhasesDir)
	if err = os.Rename(phases, phases+".old"); err != nil {
		t.Fatal(err)
	}
	if err = os.CopyFS(phases, os.DirFS(phases+".old")); err != nil {
		t.Fatal(err)
	}
	forge()
	looked("in another directory", 1)
	looked("at the end", 0)
}
