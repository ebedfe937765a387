package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autobuild/state"
)

// whole is the golden file of a phase: complete at the second attempt, with something in every
// field.
func whole(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "phase-1.json"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// refusal is parsePhase's error for data, with its place.
func refusal(t testing.TB, data []byte) string {
	t.Helper()
	_, err := parsePhase(data, "1", state.Worktree)
	if err == nil {
		return ""
	}
	c, ok := errors.AsType[*complaint](err)
	if !ok {
		t.Fatalf("%v has no place", err)
	}
	line, col := position(data, c.at)
	return fmt.Sprintf("%d:%d: %v", line, col, err)
}

// TestTruncated cuts a phase file at every seventh byte. Only without its last newline is it still whole.
func TestTruncated(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine works, slowly under the race detector")
	}
	data := whole(t)
	for n := 0; n < len(data)-1; n += 7 {
		if refusal(t, data[:n]) == "" {
			t.Fatalf("accepted at %d of %d bytes", n, len(data))
		}
	}
	if why := refusal(t, data[:len(data)-1]); why != "" {
		t.Error(why)
	}
}

// TestBitFlips flips one bit of every eleventh byte: the file is refused, or leaves a phase that can
// be.
func TestBitFlips(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine works, slowly under the race detector")
	}
	data := whole(t)
	for n := 0; n < len(data); n += 11 {
		damaged := bytes.Clone(data)
		damaged[n] ^= 1 << (n % 8)
		checkLaw(t, damaged)
	}
}

// TestWrongTypes puts a wrong value into every field at every depth.
func TestWrongTypes(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine works, slowly under the race detector")
	}
	var doc any
	if err := json.Unmarshal(whole(t), &doc); err != nil {
		t.Fatal(err)
	}
	tried := 0
	var visit func(path string, v any, put func(any))
	visit = func(path string, v any, put func(any)) {
		for _, wrong := range []any{nil, true, -1.5, "x", []any{"x", 1}, map[string]any{"x": 1}} {
			if fmt.Sprintf("%T", wrong) == fmt.Sprintf("%T", v) && path != "" {
				continue
			}
			put(wrong)
			damaged, err := json.Marshal(doc)
			if err != nil {
				t.Fatal(err)
			}
			tried++
			// A null where a list or an object may be left out says the same as leaving it out.
			if why := refusal(t, damaged); why == "" && wrong != nil {
				t.Errorf("%s: %v was accepted", path, wrong)
			}
			checkLaw(t, damaged)
			put(v)
		}
		switch v := v.(type) {
		case map[string]any:
			for key, child := range v {
				visit(path+"."+key, child, func(x any) { v[key] = x })
			}
		case []any:
			for i, child := range v {
				visit(fmt.Sprintf("%s[%d]", path, i), child, func(x any) { v[i] = x })
			}
		}
	}
	visit("", doc, func(x any) { doc = x })
	if tried < 500 {
		t.Errorf("only %d wrong values were tried", tried)
	}
}

// TestRefused: an invalid phase file is refused, with its message.
func TestRefused(t *testing.T) {
	edit := func(old, now string) []byte {
		data := whole(t)
		if !bytes.Contains(data, []byte(old)) {
			t.Fatalf("no %s in the file", old)
		}
		return bytes.Replace(data, []byte(old), []byte(now), 1)
	}
	lastLine := fmt.Sprintf("%d:1", bytes.Count(whole(t), []byte("\n"))+1)
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "1:1: is empty"},
		{"whitespace", []byte(" \n\t\n"), "1:1: is empty"},
		{"null", []byte("null\n"), "1:1: want an object, found null"},
		{"array", []byte("[]"), "1:1: want an object, found list"},
		{"two documents", append(whole(t), whole(t)...), lastLine + ": is not JSON: invalid character '{' after top-level value"},
		{"trailing garbage", append(whole(t), "oops"...), lastLine + ": is not JSON: invalid character 'o' after top-level value"},
		{"not UTF-8", edit("Setup", "Set\xffup"), "5:21: is not JSON: invalid UTF-8"},
		{"byte order mark", append([]byte("\xef\xbb\xbf"), whole(t)...), "1:1: is not JSON: invalid character"},
		{"deep", []byte(`{"schema": 1, "x": ` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + "}"), `1:15: unknown key "x"`},
		{"deep before the schema", []byte(`{"x": ` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `, "schema": 1}`), "1:2: unknown key \"x\""},
		{"very deep", []byte(strings.Repeat("[", 100000)), "1:1: want an object, found list"},
		{"huge number", edit(`"cost_usd": 0.1`, `"cost_usd": 1e999`), "69:19: execution.usage.cost_usd: value out of range"},
		{"huge integer", edit(`"attempt": 2`, `"attempt": 99999999999999999999`), "7:14: attempt: value out of range"},
		{"future", []byte(`{"schema": 999, "phases": [], "phase_id": "1"}`), "1:12: schema 999 was written by a newer autobuild; this one reads schema 1"},
		{"past", edit(`"schema": 1`, `"schema": 0`), "2:13: schema 0 is unknown; this autobuild reads schema 1"},
		{"no schema", edit(`"schema": 1,`, ``), "1:1: has no schema number"},
		{"schema of a kind", edit(`"schema": 1`, `"schema": "1x"`), `2:13: schema: want a number, found "1x"`},
		{"duplicate", edit(`"status": "complete",`, `"status": "failed", "status": "complete",`), `6:23: the key "status" is there twice`},
		{"case variant", edit(`"status": "complete",`, `"status": "failed", "STATUS": "complete",`), `6:23: unknown key "STATUS"`},
		{"nested duplicate", edit(`"sha": "c0ffee",`, `"sha": "c0ffee", "sha": "x",`), `181:22: the key "sha" is there twice`},
		{"unknown", edit(`"status"`, `"statuss"`), `6:3: unknown key "statuss"`},
		{"unknown error", edit(`"attempt_1"`, `"attempt_01"`), `189:5: unknown key "attempt_01"`},
		{"time", edit("2026-01-02T03:04:01Z", "yesterday"), `10:16: timestamps.created: parsing time "yesterday"`},
		{"duration", edit("5.000000007", "1e300"), "34:25: execution.duration_seconds: time: unknown unit"},
		{"another's id", edit(`"phase_id": "1"`, `"phase_id": "3"`), `3:15: phase_id is "3", but the file is that of phase "1"`},
		{"status", edit(`"complete"`, `"done"`), `6:13: unknown status "done": want pending, running, waiting, complete, failed, blocked, skipped`},
		{"was", edit(`"plan_fingerprint": "fp-1"`, `"was": "done"`), `unknown status "done"`},
		{"too many attempts", edit(`"max_attempts": 2`, `"max_attempts": 1`), "7:14: attempt 2 of 1: raise max_attempts or lower attempt"},
		{"negative", edit(`"attempt": 2`, `"attempt": -2`), "7:14: attempt -2 cannot be"},
		{"attempt lowered", edit(`"attempt": 2`, `"attempt": 1`), "7:14: earlier_attempts tells of 1, but 0 came before attempt 1"},
		{"no attempt", edit(`"attempt": 2`, `"attempt": 0`), "execution without an attempt: attempt is 0"},
		{"unverified", edit(`"verdict": "verified"`, `"verdict": "refused"`), "6:13: complete without a verdict that passed"},
		{"no commit", edit(`"sha": "c0ffee",`, ``), "6:13: complete without the commit that landed it"},
		{
			"complete by hand", []byte(`{"schema": 1, "phase_id": "1", "status": "complete", "attempt": 0, "max_attempts": 2}`),
			"1:42: complete without an attempt: a phase is complete only when autobuild has verified and landed it",
		},
		{"failed", edit(`"complete"`, `"failed"`), "6:13: failed, but error has no attempt_2"},
		{"blocked", edit(`"complete"`, `"blocked"`), "6:13: blocked, but attempt 2 has not failed"},
		{"blocked by nobody", []byte(`{"schema": 1, "phase_id": "1", "status": "blocked", "max_attempts": 2}`), "1:42: blocked, but dependencies.blocked_by names no phase"},
		{"running", []byte(`{"schema": 1, "phase_id": "1", "status": "running", "max_attempts": 2}`), "1:42: running, but no attempt is going on"},
		{"retry", edit(`"plan_fingerprint"`, `"retry_pending": true, "plan_fingerprint"`), "retry_pending, but the phase is complete"},
		{"an error to come", edit(`"attempt_1"`, `"attempt_3": {}, "attempt_1"`), "error has attempt_3, but attempt is 2"},
		{"an error too many", edit(`"attempt_1"`, `"attempt_7"`), "attempt 1 was followed by another, but error has no attempt_1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := refusal(t, c.data); !strings.Contains(got, c.want) {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// checkLaw: Save reproduces all that Load accepts.
func checkLaw(t testing.TB, data []byte) {
	t.Helper()
	f, err := parsePhase(data, "1", state.Worktree)
	if err != nil {
		return
	}
	if f.handReset() {
		g := f.reset()
		f = &g
	}
	p := f.phase()
	saved, err := encodePhase(&p, state.Worktree)
	if err != nil {
		t.Fatalf("accepted, but it cannot be saved: %v\n%s", err, data)
	}
	again, err := parsePhase(saved, "1", state.Worktree)
	if err != nil {
		t.Fatalf("saved, but it cannot be loaded: %v\n%s", err, saved)
	}
	if d := cmp.Diff(p, again.phase(), same()); d != "" {
		t.Fatalf("saved and loaded, it is another (-before +after):\n%s", d)
	}
}

// FuzzPhaseFile states the law of checkLaw for any bytes.
func FuzzPhaseFile(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "phase-*.json"))
	if err != nil || len(files) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(bytes.Replace(data, []byte(`"phase_id": "`), []byte(`"phase_id": "1", "phase_label": "`), 1))
		id, _ := phaseID(filepath.Base(name))
		f.Add(bytes.Replace(data, []byte(`"phase_id": "`+id+`"`), []byte(`"phase_id": "1"`), 1))
	}
	f.Fuzz(func(t *testing.T, data []byte) { checkLaw(t, data) })
}

// TestAllAtOnce: every bad file is reported in one error, none is touched, and the good ones are
// still there.
func TestAllAtOnce(t *testing.T) {
	dir := stateDir(t)
	d := openDir(t, dir)
	defer closeDir(t, d)
	story(t, d)
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("config.json", `{"schema": 1, "run_id": 7}`)
	put("phases/phase-2a.json", "{}")
	put("phases/phase-1.json", "{\n \"schema\": 1,\n \"schema\": 1}")
	put("result.json", "null")
	if err := os.Remove(filepath.Join(dir, "phases/phase-3.json")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "phases/phase-3.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, dir)
	_, _, err := Load(dir, seeds())
	c, ok := errors.AsType[*CorruptError](err)
	if !ok || len(c.Files) != 5 || len(c.Unwrap()) != 5 {
		t.Fatalf("got %v", err)
	}
	golden(t, "corrupt.txt", []byte(strings.ReplaceAll(err.Error(), dir, ".autobuild")+"\n"))
	if d := cmp.Diff(before, snapshot(t, dir)); d != "" {
		t.Errorf("loading has changed files:\n%s", d)
	}
}

// snapshot is the content of every file below dir.
func snapshot(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestHandEdits are those that the recovery scenarios describe, and their results.
func TestHandEdits(t *testing.T) {
	dir := stateDir(t)
	d := openDir(t, dir)
	defer closeDir(t, d)
	r := story(t, d)
	for _, id := range []string{"0", "1", "2a", "2b", "3"} {
		p, _ := r.Find(id)
		path := filepath.Join(dir, filepath.FromSlash(PhasePath(id)))
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		data = bytes.Replace(data, []byte(`"status": "`+string(p.Status)+`"`), []byte(`"status": "pending"`), 1)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(dir, "phases/phase-1.json")); err != nil {
		t.Fatal(err)
	}
	for _, odd := range []string{"phase-1.json~", "phase-9.json"} {
		if err := os.WriteFile(filepath.Join(dir, "phases", odd), []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, notes, err := d.Load(seeds())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range got.Phases {
		if p.Status != state.Pending || len(p.Attempts) != 0 || p.BlockedBy != "" || p.Commit != nil {
			t.Errorf("phase %s is %s with %d attempts", p.ID, p.Status, len(p.Attempts))
		}
	}
	var lines []string
	for _, n := range notes {
		lines = append(lines, strings.TrimPrefix(n.String(), dir+string(filepath.Separator)))
	}
	want := []string{
		"phases/phase-0.json: was set to pending by hand; the phase starts anew",
		"phases/phase-1.json~: is not the file of a phase; it is kept as it is",
		"phases/phase-2a.json: was set to pending by hand; the phase starts anew",
		"phases/phase-3.json: was set to pending by hand; the phase starts anew",
		"phases/phase-9.json: belongs to a phase that the plan no longer has; it is kept as it is",
	}
	slices.Sort(lines)
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

// TestWithoutPlan: status can be asked without a plan; phases come in the natural order of their
// ids.
func TestWithoutPlan(t *testing.T) {
	d := openDir(t, stateDir(t))
	defer closeDir(t, d)
	r := &state.Run{}
	e := begin(1, state.Worktree)
	e.Phases = nil
	for _, id := range []string{"10", "2", "1.10", "1.9", "2a", "x"} {
		e.Phases = append(e.Phases, state.Seed{ID: id, MaxAttempts: 2})
	}
	happen(t, d, r, e)
	for _, s := range e.Phases {
		happen(t, d, r, started(s.ID, 1))
	}
	got := mustLoad(t, d, nil)
	var ids []string
	for _, p := range got.Phases {
		ids = append(ids, p.ID)
	}
	if want := []string{"1.9", "1.10", "2", "2a", "10", "x"}; !slices.Equal(ids, want) {
		t.Errorf("order %v, want %v", ids, want)
	}
}
