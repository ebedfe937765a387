package store

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autobuild/failure"
	"autobuild/state"
)

// lost is the golden file of a phase that has failed for good, as phase 1.
func lost(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "phase-2a.json"))
	if err != nil {
		t.Fatal(err)
	}
	return replaced(t, data, `"phase_id": "2a"`, `"phase_id": "1"`)
}

func replaced(t testing.TB, data []byte, old, now string) []byte {
	t.Helper()
	if bytes.Count(data, []byte(old)) != 1 {
		t.Fatalf("%s is there %d times", old, bytes.Count(data, []byte(old)))
	}
	return bytes.Replace(data, []byte(old), []byte(now), 1)
}

// TestHistoryRefused: an invalid history is refused, also in a phase that was set to pending by
// hand.
func TestHistoryRefused(t *testing.T) {
	const history = `"history": [`
	for name, c := range map[string]struct{ old, now, want string }{
		"too long":           {history, history + strings.Repeat(`{"type": "timeout", "fingerprint": ""}, `, 9), "history tells of 11 failed attempts; it keeps the last 10"},
		"of nothing":         {history, history + `{"type": "", "fingerprint": ""}, `, "history[0] has no type"},
		"less than nothing":  {history, history + `{"type": "timeout", "fingerprint": "", "count": -1}, `, "history[0] has a negative count"},
		"many files":         {history, history + `{"type": "timeout", "fingerprint": "", "files": ["a"` + strings.Repeat(`, "a"`, 50) + `]}, `, "history[0] names 51 files; it keeps 50"},
		"unknown key":        {history, history + `{"type": "timeout", "print": ""}, `, `unknown key "print"`},
		"another's key":      {history, `"History": [`, `unknown key "History"`},
		"revisions":          {`"proposals": 1`, `"revisions": -1`, "revisions is negative"},
		"proposals":          {`"proposals": 1`, `"proposals": -1`, "proposals is negative"},
		"proposals in words": {`"proposals": 1`, `"proposals": "one"`, `proposals: a JSON string does not fit`},
	} {
		t.Run(name, func(t *testing.T) {
			data := replaced(t, lost(t), c.old, c.now)
			if got := refusal(t, data); !strings.Contains(got, c.want) {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			byHand := replaced(t, data, "\n  \"status\": \"failed\"", "\n  \"status\": \"pending\"")
			if got := refusal(t, byHand); !strings.Contains(got, c.want) {
				t.Errorf("set to pending by hand:\ngot  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestHistoryOfOld: a file that was written before there was a history loads, and its phase has
// none.
func TestHistoryOfOld(t *testing.T) {
	data := lost(t)
	for _, later := range []string{
		`(?s)  "history": \[.*?\n  \],\n`, `  "proposals": 1,\n`, ` *"tier": "opus",\n`, `,\n *"rule": "[^"]*"`, `,\n *"propose": true`,
	} {
		now := regexp.MustCompile(later).ReplaceAll(data, nil)
		if len(now) == len(data) {
			t.Fatalf("no %s in the file", later)
		}
		data = now
	}
	f, err := parsePhase(data, "1", state.Worktree)
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	if p := f.phase(); p.Past != nil || p.Revisions != 0 || p.Proposals != 0 || len(p.Attempts) != 2 || p.Attempts[1].Tier != "" {
		t.Errorf("got %+v", p)
	}
	checkLaw(t, data)
}

// TestHistoryByHand: setting a phase to pending by hand grants new attempts and new proposals, and
// keeps its past.
func TestHistoryByHand(t *testing.T) {
	dir := stateDir(t)
	d := openDir(t, dir)
	defer closeDir(t, d)
	r := story(t, d)
	was, _ := r.Find("2a")
	path := filepath.Join(dir, filepath.FromSlash(PhasePath("2a")))
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, replaced(t, data, "\n  \"status\": \"failed\"", "\n  \"status\": \"pending\""), 0o600); err != nil {
		t.Fatal(err)
	}
	got, _ := mustLoad(t, d, seeds()).Find("2a")
	if got.Status != state.Pending || len(got.Attempts) != 0 || got.Proposals != 0 {
		t.Errorf("it starts anew as %+v", got)
	}
	if diff := cmp.Diff(was.Past, got.Past); diff != "" || len(got.Past) != 2 {
		t.Errorf("another past (-before +after):\n%s", diff)
	}
}

// TestFrozenSays: the last word on a frozen phase is why it is, also when every attempt was used.
func TestFrozenSays(t *testing.T) {
	d := openDir(t, stateDir(t))
	defer closeDir(t, d)
	r := &state.Run{}
	happen(t, d, r, begin(1, state.Worktree), started("0", 1), failed("0", 1, failure.Retry), started("0", 2), failed("0", 2, failure.Freeze))
	p, _ := r.Find("0")
	if f := toFile(p); f.Error.Final != "one retry" {
		t.Errorf("final: %q", f.Error.Final)
	}
}
