package repair

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"autobuild/state"
	"autobuild/state/store"
)

// status is where the phases stand on disk, "1 complete, 2a pending".
func (l *lab) status() string {
	l.t.Helper()
	run, _, err := store.Load(l.path, seeds())
	if err != nil {
		return err.Error()
	}
	var words []string
	for i := range run.Phases {
		words = append(words, run.Phases[i].ID+" "+string(run.Phases[i].Status))
	}
	return strings.Join(words, ", ")
}

// TestContradictions: each contradiction has its finding and its repair.
func TestContradictions(t *testing.T) {
	const half = `{"schema": 1, "phase`
	for _, c := range []struct {
		name string
		make func(l *lab)
		want string // of the findings; empty for none
		then string // how the phases stand afterwards
	}{
		{"a healthy run", func(l *lab) { l.complete("1"); l.happen(l.start("2a")); l.happen(l.fail("2a")) }, "", "1 complete, 2a failed, 2b pending, 3 pending"},
		{
			"cut off, the diary and git know", func(l *lab) { l.complete("1", "2a"); l.write(l.phase("2a"), half) },
			"phase-2a.json: restore: is not JSON: unexpected end of JSON input", "1 complete, 2a complete, 2b pending, 3 pending",
		},
		{
			"cut off, git does not have the commit", func(l *lab) { l.complete("1", "2a"); l.write(l.phase("2a"), half); l.lose("2a") },
			"phase-2a.json: again: is not JSON: unexpected end of JSON input", "1 complete, 2a pending, 2b pending, 3 pending",
		},
		{
			"cut off, only git knows", func(l *lab) { l.complete("1", "2a"); l.write(l.phase("2a"), half); l.remove(l.file("events.jsonl")) },
			"phase-2a.json: adopt: is not JSON: unexpected end of JSON input", "1 complete, 2a complete, 2b pending, 3 pending",
		},
		{
			"cut off, nobody knows", func(l *lab) {
				l.complete("1")
				l.happen(l.start("2a"))
				l.write(l.phase("2a"), half)
				l.remove(l.file("events.jsonl"))
			},
			"phase-2a.json: again: is not JSON: unexpected end of JSON input", "1 complete, 2a pending, 2b pending, 3 pending",
		},
		{
			"cut off, a failed phase", func(l *lab) {
				l.complete("1")
				l.happen(l.start("2a"))
				l.happen(l.fail("2a"))
				l.write(l.phase("2a"), "")
			}, "phase-2a.json: restore: is empty", "1 complete, 2a failed, 2b pending, 3 pending",
		},
		{
			"reset since it landed", func(l *lab) {
				l.complete("1", "2a")
				l.happen(of(state.PhaseReset, "2a"))
				l.write(l.phase("2a"), half)
			},
			"phase-2a.json: restore: is not JSON: unexpected end of JSON input", "1 complete, 2a pending, 2b pending, 3 pending",
		},
		{"reset by a person", func(l *lab) { l.complete("1", "2a"); l.happen(of(state.PhaseReset, "1")) }, "", "1 pending, 2a complete, 2b pending, 3 pending"},
		{"set to pending by hand", func(l *lab) {
			l.complete("1", "2a")
			l.edit(l.phase("1"), `"status": "complete"`, `"status": "pending"`)
		}, "", "1 pending, 2a complete, 2b pending, 3 pending"},
		{
			"complete without its commit", func(l *lab) { l.complete("1", "2a"); l.lose("2a") },
			"phase-2a.json: again: says complete, but its commit 000000000 is not part of the work", "1 complete, 2a pending, 2b pending, 3 pending",
		},
		{
			"complete with another phase's commit", func(l *lab) {
				l.complete("1", "2a")
				l.edit(l.phase("2a"), l.commits[1].Commit.SHA, l.commits[0].Commit.SHA)
			}, "phase-2a.json: restore: says complete, but its commit 000000000 is not part of the work", "1 complete, 2a complete, 2b pending, 3 pending",
		},
		{
			"complete without a commit, and no config", func(l *lab) {
				l.complete("1")
				l.edit(l.phase("1"), `"sha": "`+l.commits[0].Commit.SHA+`",`, "")
				l.remove(l.file("config.json"))
			}, "config.json: restore: is missing, although there are phase files\n" +
				"phase-1.json: restore: says complete, but names no commit", "1 complete, 2a pending, 2b pending, 3 pending",
		},
		{
			"complete before its dependency", func(l *lab) { l.happen(l.start("1")); l.happen(l.fail("1")); l.complete("2a") },
			"phase-2a.json: again: says complete, but the phase needs 1, which is failed", "1 failed, 2a pending, 2b pending, 3 pending",
		},
		{
			"a commit without its state", func(l *lab) { l.complete("1", "2a"); l.remove(l.phase("2a")) },
			"phase-2a.json: restore: is missing, although the diary tells that the phase completed", "1 complete, 2a complete, 2b pending, 3 pending",
		},
		{
			"a commit without state or diary", func(l *lab) {
				l.complete("1", "2a")
				l.remove(l.phase("2a"))
				l.remove(l.file("events.jsonl"))
			}, "phase-2a.json: adopt: is missing, although the phase's work has landed", "1 complete, 2a complete, 2b pending, 3 pending",
		},
		{
			"running while nobody runs", func(l *lab) { l.complete("1"); l.happen(l.start("2a")) },
			"phase-2a.json: again: says running, but nobody works here", "1 complete, 2a pending, 2b pending, 3 pending",
		},
		{
			"running, and it had landed", func(l *lab) {
				l.complete("1")
				l.happen(l.start("2a"))
				p, _ := l.run.Find("2a")
				l.commits = append(l.commits, Landed{Phase: "2a", Key: p.Attempts[0].Key, Verdict: state.Verified, Commit: state.Commit{SHA: "cafe", Message: "m"}})
			}, "phase-2a.json: adopt: says running, but nobody works here", "1 complete, 2a complete, 2b pending, 3 pending",
		},
		{
			"the diary is ahead", func(l *lab) {
				l.happen(l.start("1"))
				old := l.read(l.phase("1"))
				l.happen(l.pass("1"))
				l.write(l.phase("1"), old)
			}, "phase-1.json: restore: is older than the diary: it says running in attempt 1, and the diary goes on to complete in attempt 1",
			"1 complete, 2a pending, 2b pending, 3 pending",
		},
		{
			"the diary is ahead, of work that never landed", func(l *lab) {
				l.happen(l.start("1"))
				old := l.read(l.phase("1"))
				l.happen(l.pass("1"))
				l.write(l.phase("1"), old)
				l.lose("1")
			}, "phase-1.json: again: is older than the diary: it says running in attempt 1, and the diary goes on to complete in attempt 1",
			"1 pending, 2a pending, 2b pending, 3 pending",
		},
		{
			"the diary is behind", func(l *lab) {
				l.happen(l.start("1"))
				old := l.read(l.file("events.jsonl"))
				l.happen(l.pass("1"))
				l.close()
				l.write(l.file("events.jsonl"), old)
				l.open()
			}, "events.jsonl: leave: tells less than the files, or otherwise, of phase 1", "1 complete, 2a pending, 2b pending, 3 pending",
		},
		{
			"a line of the diary that is none", func(l *lab) {
				l.complete("1")
				l.edit(l.file("events.jsonl"), `{"v":1,"seq":2`, `{"v":1,"se`+"\n"+`q":2`)
			}, "events.jsonl: trim: is not an event: invalid character '\\n' in string literal; 2 lines are none", "1 complete, 2a pending, 2b pending, 3 pending",
		},
		{
			"landed, reset, and then nobody can follow", func(l *lab) {
				l.complete("1")
				l.happen(of(state.PhaseReset, "1"))
				l.happen(l.start("2a"))
				l.edit(l.file("events.jsonl"), `"type":"phase.started","run":"r1","phase":"2a"`, `"type":"phase.started","run":"r1","phase":2`)
				l.write(l.phase("1"), half)
			}, "phase-1.json: again: is not JSON: unexpected end of JSON input\nphase-2a.json: again: says running, but nobody works here\n" +
				"events.jsonl: trim: is not an event: json: cannot unmarshal number into Go struct field Event.phase of type string",
			"1 pending, 2a pending, 2b pending, 3 pending",
		},
		{
			"landed, reset, and then nobody can follow, and its file is gone", func(l *lab) {
				l.complete("1")
				l.happen(of(state.PhaseReset, "1"))
				l.happen(l.start("2a"))
				l.edit(l.file("events.jsonl"), `"type":"phase.started","run":"r1","phase":"2a"`, `"type":"phase.started","run":"r1","phase":2`)
				l.remove(l.phase("1"))
			}, "phase-2a.json: again: says running, but nobody works here\n" +
				"events.jsonl: trim: is not an event: json: cannot unmarshal number into Go struct field Event.phase of type string",
			"1 pending, 2a pending, 2b pending, 3 pending",
		},
		{
			"complete where the diary says failed, without git", func(l *lab) {
				base := filepath.Join(filepath.Dir(l.path), "twin")
				if err := os.Mkdir(base, 0o700); err != nil {
					l.t.Fatal(err)
				}
				twin := newLab(l.t, base)
				twin.complete("1")
				twin.close()
				l.happen(l.start("1"))
				l.happen(l.fail("1"))
				l.write(l.phase("1"), twin.read(twin.phase("1")))
				l.git = false
			}, "phase-1.json: restore: says complete, where the diary says failed in attempt 1 at the same moment",
			"1 failed, 2a pending, 2b pending, 3 pending",
		},
		{
			"a line of the diary is missing", func(l *lab) {
				l.complete("1")
				l.happen(of(state.PhaseReset, "1"))
				lines := strings.SplitAfter(l.read(l.file("events.jsonl")), "\n")
				l.happen(of(state.PhaseSkipped, "3"))
				last := strings.SplitAfter(l.read(l.file("events.jsonl")), "\n")[len(lines)-1:]
				l.write(l.file("events.jsonl"), strings.Join(lines[:len(lines)-2], "")+strings.Join(last, ""))
			}, "", "1 pending, 2a pending, 2b pending, 3 skipped",
		},
		{
			"a diary that begins in the middle", func(l *lab) {
				l.complete("1")
				l.close()
				l.remove(l.file("events.jsonl"))
				l.open()
				c := l.run.Config
				c.Sessions = 2
				l.happen(state.Event{Type: state.RunStarted, Config: &c, Phases: seeds()}, of(state.PhaseBlocked, "2a"))
				l.write(l.phase("2a"), half)
			}, "phase-2a.json: again: is not JSON: unexpected end of JSON input", "1 complete, 2a pending, 2b pending, 3 pending",
		},
		{
			"no config", func(l *lab) { l.complete("1"); l.remove(l.file("config.json")) },
			"config.json: restore: is missing, although there are phase files", "1 complete, 2a pending, 2b pending, 3 pending",
		},
		{
			"the config of another plan", func(l *lab) { l.complete("1"); l.edit(l.file("config.json"), `"plan.md"`, `"other.md"`) },
			"config.json: leave: names run r1 of other.md, but the diary tells of run r1 of plan.md", "1 complete, 2a pending, 2b pending, 3 pending",
		},
		{
			"the config of another run", func(l *lab) { l.complete("1"); l.edit(l.file("config.json"), `"r1"`, `"r2"`) },
			"config.json: restore: names run r2 of plan.md, but the diary tells of run r1 of plan.md", "1 complete, 2a pending, 2b pending, 3 pending",
		},
		{
			"an end that cannot be read", func(l *lab) { l.complete("1"); l.write(l.file("result.json"), "null") },
			"result.json: set aside: want an object, found null", "1 complete, 2a pending, 2b pending, 3 pending",
		},
		{
			"blocked by what is complete", func(l *lab) {
				l.complete("1")
				l.happen(of(state.PhaseBlocked, "2a"))
			}, "phase-2a.json: again: says blocked by 1, which is complete", "1 complete, 2a pending, 2b pending, 3 pending",
		},
		{
			"a directory", func(l *lab) {
				l.complete("1")
				l.remove(l.phase("1"))
				if err := os.Mkdir(l.phase("1"), 0o700); err != nil {
					l.t.Fatal(err)
				}
			}, "phase-1.json: restore: is a directory, not a regular file", "1 complete, 2a pending, 2b pending, 3 pending",
		},
		{
			"files that are nobody's", func(l *lab) {
				l.complete("1")
				l.write(l.file("phases/phase-1.json~"), "mine")
				l.write(l.phase("9"), strings.Replace(l.read(l.phase("1")), `"phase_id": "1"`, `"phase_id": "9"`, 1))
				l.commits = append(l.commits, Landed{Phase: "9", Key: "k", Commit: l.commits[0].Commit})
			}, "phase-1.json~: leave: is not the file of a phase\nphase-9.json: leave: belongs to a phase that the plan no longer has",
			"1 complete, 2a pending, 2b pending, 3 pending",
		},
		{
			"git without a record", func(l *lab) { l.complete("1"); l.commits, l.git = nil, false },
			"config.json: leave: names run r1, of which git has no record, but these phases say complete: 1", "1 complete, 2a pending, 2b pending, 3 pending",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t, t.TempDir())
			defer l.close()
			c.make(l)
			before := l.contents()
			l.examine()
			if diff := cmp.Diff(before, l.contents()); diff != "" {
				t.Errorf("looking has changed something:\n%s", diff)
			}
			r, backup := l.repair()
			if got := strings.Join(told(r), "\n"); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if (backup == "") != (r.Mendable() == 0) {
				t.Errorf("backup %q for %d things", backup, r.Mendable())
			}
			if got := l.status(); got != c.then {
				t.Errorf("then %s\nwant %s", got, c.then)
			}
			if again, _ := l.repair(); again.Mendable() > 0 {
				t.Errorf("once more: %q", told(again))
			}
		})
	}
}

// TestLeft: a repair leaves files alone that are not its own, and reports that they keep the run
// from being resumed.
func TestLeft(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(l *lab)
		want string
	}{
		{"a newer file", func(l *lab) { l.complete("1"); l.write(l.phase("1"), `{"schema": 999}`) }, "go on with the autobuild that wrote it"},
		{"cut off too often", func(l *lab) {
			for range 2 {
				l.happen(l.start("1"))
				l.happen(state.Event{Type: state.PhaseReset, Phase: "1", Cut: &state.CutOff{Memory: true}})
			}
			l.happen(l.start("1"))
			l.cut = map[string]state.CutOff{"1": {Memory: true}}
		}, "autobuild reset 1"},
		{"nothing tells which run it is", func(l *lab) {
			l.complete("1")
			l.remove(l.file("config.json"))
			l.remove(l.file("events.jsonl"))
		}, "put config.json back from a copy"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t, t.TempDir())
			defer l.close()
			c.make(l)
			before := l.contents()
			r, _ := l.repair()
			if !r.Open() || r.Mendable() > 0 || len(r.Findings) == 0 || !strings.Contains(r.Findings[0].Next, c.want) {
				t.Errorf("%+v", r.Findings)
			}
			if diff := cmp.Diff(before, l.contents()); diff != "" {
				t.Errorf("something has changed:\n%s", diff)
			}
		})
	}
}

// TestCutOffRepair: a repair that is cut off before any of its events can be repeated, and ends as
// one that was not.
func TestCutOffRepair(t *testing.T) {
	wreck := func(l *lab) {
		l.complete("1", "2a")
		l.happen(l.start("2b"))
		l.write(l.phase("1"), "{")
		l.edit(l.file("events.jsonl"), `"seq":3`, `"seq":"3"`)
		l.remove(l.phase("2a"))
	}
	l := newLab(t, t.TempDir())
	wreck(l)
	l.repair()
	want := l.status()
	l.close()
	steps := 0
	for k := 0; ; k++ {
		l := newLab(t, t.TempDir())
		wreck(l)
		r, calls := l.examine(), 0
		cut := func() (cut bool) {
			defer func() { cut = recover() != nil }()
			_, err := Do(l.dir, r, func() time.Time {
				if calls++; calls > k {
					panic("cut off")
				}
				return at(50)
			})
			if err != nil {
				t.Fatal(err)
			}
			return false
		}()
		l.close()
		l.open()
		l.repair()
		if got := l.status(); got != want {
			t.Errorf("cut off before event %d: %s, want %s", k+1, got, want)
		}
		if again, _ := l.repair(); again.Mendable() > 0 {
			t.Errorf("cut off before event %d, something is left: %q", k+1, told(again))
		}
		l.close()
		if !cut {
			break
		}
		steps++
	}
	if steps < 5 {
		t.Errorf("only %d steps", steps)
	}
}
