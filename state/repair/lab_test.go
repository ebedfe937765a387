package repair

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"autobuild/failure"
	"autobuild/state"
	"autobuild/state/store"
)

// tester is the common interface of *testing.T and *rapid.T.
type tester interface {
	Helper()
	Fatalf(format string, args ...any)
	Fatal(args ...any)
}

func at(n int) time.Time { return time.Date(2026, 1, 2, 3, 4, n, 0, time.UTC) }

// lab is a stored run, and the git that it landed in.
type lab struct {
	t       tester
	path    string
	dir     *store.Dir
	run     *state.Run
	commits []Landed
	git     bool
	cut     map[string]state.CutOff
	clock   int
}

func seeds() []state.Seed {
	return []state.Seed{
		{ID: "1", Label: "1", Name: "Base", MaxAttempts: 2},
		{ID: "2a", Label: "2A", Name: "Left", DependsOn: []string{"1"}, MaxAttempts: 2},
		{ID: "2b", Label: "2B", Name: "Right", DependsOn: []string{"1"}, MaxAttempts: 2},
		{ID: "3", Label: "3", Name: "Join", DependsOn: []string{"2a", "2b"}, MaxAttempts: 2},
	}
}

// newLab starts a run in a directory of its own below base.
func newLab(t tester, base string) *lab {
	t.Helper()
	l := &lab{t: t, path: filepath.Join(base, ".autobuild"), run: &state.Run{}, git: true}
	l.open()
	l.happen(state.Event{Type: state.RunStarted, Phases: seeds(), Config: &state.Config{
		RunID: "r1", Autobuild: "test", Plan: "plan.md", PlanHash: "h", CommitMode: state.CommitAuto, Agent: "script",
		Isolation: state.Worktree, Schedule: "batch", RetryPolicy: "single", Jobs: 4, Started: at(0), Sessions: 1,
	}})
	return l
}

func (l *lab) open() {
	l.t.Helper()
	d, err := store.Open(l.path, "", store.Holder{PID: os.Getpid(), Host: "here", Started: at(0)}, func() time.Time { return at(0) })
	if err != nil {
		l.t.Fatal(err)
	}
	l.dir = d
}

func (l *lab) close() {
	l.t.Helper()
	if err := l.dir.Close(); err != nil {
		l.t.Fatal(err)
	}
}

// happen applies and saves an event; it ignores an impossible one.
func (l *lab) happen(events ...state.Event) {
	l.t.Helper()
	for _, e := range events {
		l.clock++
		e.V, e.Seq, e.Run, e.Time = state.EventVersion, l.run.Seq+1, "r1", at(l.clock)
		if l.run.Apply(e) != nil {
			continue
		}
		if e.Type == state.AttemptFinished && e.Result.Commit != nil {
			l.commits = append(l.commits, Landed{Phase: e.Phase, Key: e.Result.Key, Verdict: e.Result.Verdict, Commit: *e.Result.Commit})
		}
		if err := l.dir.Event(e, l.run); err != nil {
			l.t.Fatal(err)
		}
	}
}

// start begins the next attempt.
func (l *lab) start(id string) state.Event {
	p, _ := l.run.Find(id)
	return state.Event{Type: state.PhaseStarted, Phase: id, Attempt: len(p.Attempts) + 1, Attempts: 2, Key: fmt.Sprintf("key-%s-%d", id, l.clock), Print: "fp"}
}

// pass ends the running attempt with a commit, fail without one.
func (l *lab) pass(id string) state.Event {
	a := l.attempt(id)
	a.Verdict, a.Commit = state.Verified, &state.Commit{SHA: fmt.Sprintf("%040x", l.clock+1), Message: "feat: x", Delivered: true}
	return state.Event{Type: state.AttemptFinished, Phase: id, Attempt: a.N, Result: a}
}

func (l *lab) fail(id string) state.Event {
	a := l.attempt(id)
	a.Verdict, a.Failure = state.Refused, &failure.Diagnosis{Type: failure.TestFailure, Message: "1 test failing", Retryable: true}
	action := failure.Retry
	if a.N > 1 {
		action = failure.Fail
	}
	a.Decision = &failure.Decision{Action: action, Attempts: 2, Rationale: "because"}
	return state.Event{Type: state.AttemptFinished, Phase: id, Attempt: a.N, Result: a}
}

func (l *lab) attempt(id string) *state.Attempt {
	p, _ := l.run.Find(id)
	last, _ := p.Last()
	return &state.Attempt{N: max(last.N, 1), Key: last.Key, Started: last.Started, Ended: at(l.clock), Agent: "script", Gates: []state.Gate{{Name: "test", Status: state.GatePassed}}}
}

func of(kind state.EventType, id string) state.Event {
	return state.Event{Type: kind, Phase: id, By: "1", Text: "because", User: true}
}

// complete carries phases through one attempt each.
func (l *lab) complete(ids ...string) {
	l.t.Helper()
	for _, id := range ids {
		l.happen(l.start(id))
		l.happen(l.pass(id))
	}
}

func (l *lab) file(name string) string { return filepath.Join(l.path, filepath.FromSlash(name)) }

func (l *lab) phase(id string) string { return l.file("phases/phase-" + id + ".json") }

func (l *lab) read(path string) string {
	l.t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		l.t.Fatal(err)
	}
	return string(data)
}

func (l *lab) write(path, text string) {
	l.t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		l.t.Fatal(err)
	}
}

func (l *lab) remove(path string) {
	l.t.Helper()
	if err := os.Remove(path); err != nil {
		l.t.Fatal(err)
	}
}

// edit replaces the first old in a file.
func (l *lab) edit(path, old, now string) {
	l.t.Helper()
	text := l.read(path)
	if !strings.Contains(text, old) {
		l.t.Fatalf("no %s in %s:\n%s", old, path, text)
	}
	l.write(path, strings.Replace(text, old, now, 1))
}

// lose takes the commits of a phase out of git.
func (l *lab) lose(id string) {
	l.commits = slices.DeleteFunc(l.commits, func(c Landed) bool { return c.Phase == id })
}

func (l *lab) examine() *Report {
	l.t.Helper()
	files, err := store.Inspect(l.path)
	if err != nil {
		l.t.Fatal(err)
	}
	return Examine(files, ReadDiary(store.DiaryLines(l.path)), Evidence{Seeds: seeds(), Commits: l.commits, Git: l.git, CutOffs: l.cut})
}

// repair does what an examination proposes, and gives both.
func (l *lab) repair() (*Report, string) {
	l.t.Helper()
	r := l.examine()
	l.clock++
	backup, err := Do(l.dir, r, func() time.Time { return at(l.clock) })
	if err != nil {
		l.t.Fatal(err)
	}
	return r, backup
}

// told formats a report as lines: phase or file, remedy, cause.
func told(r *Report) []string {
	var lines []string
	for _, f := range r.Findings {
		lines = append(lines, fmt.Sprintf("%s: %s: %s", filepath.Base(f.Path), f.Do, f.Cause))
	}
	return lines
}

// contents are the files below the directory, by path; sorted texts alone when only what is kept
// counts.
func (l *lab) contents() map[string]string {
	l.t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(l.path, func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || strings.HasSuffix(path, ".lock") {
			return err
		}
		data, err := os.ReadFile(path)
		files[path] = string(data)
		return err
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return files
}
