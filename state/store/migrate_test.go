package store

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autobuild/state"
)

// TestOlderForm: files of the first release load with their original meaning. They yield the same
// run as files in the present form, except for facts that the release did not record. The old file
// is kept when it is replaced.
func TestOlderForm(t *testing.T) {
	dir := stateDir(t)
	d := openDir(t, dir)
	defer closeDir(t, d)
	want := story(t, d)
	files, err := filepath.Glob(filepath.Join("testdata", "older", "phase-*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no older files: %v", err)
	}
	texts := map[string]string{}
	for _, path := range files {
		data := goldenBytes(t, filepath.Join("older", filepath.Base(path)))
		texts[filepath.Base(path)] = string(data)
		if err = os.WriteFile(filepath.Join(dir, PhasesDir, filepath.Base(path)), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, notes, err := d.Load(seeds())
	if err != nil {
		t.Fatal(err)
	}
	for i := range want.Phases {
		w, g := &want.Phases[i], &got.Phases[i]
		if g.Status != w.Status || len(g.Attempts) != len(w.Attempts) || len(g.Past) != len(w.Past) || g.Fingerprint != w.Fingerprint {
			t.Errorf("phase %s: %s, %d attempts, %d remembered", g.ID, g.Status, len(g.Attempts), len(g.Past))
		}
		for n := range g.Attempts {
			if w.Attempts[n].Report == nil {
				continue
			}
			if diff := cmp.Diff(w.Attempts[n].Report.Tasks, g.Attempts[n].Report.Tasks); diff != "" {
				t.Errorf("phase %s: claimed tasks (-want +got):\n%s", g.ID, diff)
			}
		}
	}
	if len(notes) == 0 || !strings.Contains(notes[0].Text, "older form") {
		t.Errorf("notes %v", notes)
	}
	happen(t, d, got, begin(2, state.Worktree), of(state.PhaseReset, "2a"))
	kept := snapshot(t, filepath.Join(dir, HistoryDir))
	if kept["files/phase-2a.json"] != texts["phase-2a.json"] {
		t.Errorf("phase 2a is not kept: %v", len(kept))
	}
	if _, notes, err = d.Load(seeds()); err != nil || len(notes) > 0 {
		t.Errorf("written anew, there is still %v, %v", notes, err)
	}
	if again := snapshot(t, filepath.Join(dir, HistoryDir)); len(again) != len(kept) {
		t.Errorf("kept twice: %d, then %d", len(kept), len(again))
	}
}

// TestRename touches the names that it is asked for, and nothing else.
func TestRename(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{"claim": {"tasks": {"Total": 1, "Done": 2}}, "Total": 3}`, `{"claim": {"tasks": {"total": 1, "completed": 2}}, "Total": 3}`},
		{`{"a": [{"claim": {"tasks": {"Total": "Total"}}}]}`, `{"a": [{"claim": {"tasks": {"total": "Total"}}}]}`},
		{`{"claim": {"tasks": {"Total": {"Done": 1}}}}`, `{"claim": {"tasks": {"total": {"Done": 1}}}}`},
		{`{"claim": {"tasks": {"\u0054otal": 1}}}`, `{"claim": {"tasks": {"\u0054otal": 1}}}`},
		{`{"tasks": {"Total": 1}`, `{"tasks": {"Total": 1}`},
		{``, ``},
	} {
		if got := string(rename([]byte(c.in), "claim.tasks", map[string]string{"Total": "total", "Done": "completed"})); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

// FuzzRename: for any input it ends, and returns input that is no older file unchanged.
func FuzzRename(f *testing.F) {
	f.Add([]byte(`{"claim": {"tasks": {"Total": 1}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if got := rename(data, "claim.tasks", nil); !bytes.Equal(got, data) {
			t.Errorf("%q became %q", data, got)
		}
	})
}
