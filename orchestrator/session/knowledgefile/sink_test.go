package knowledgefile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"autobuild/failure"
	"autobuild/failure/knowledge"
	"autobuild/orchestrator"
	"autobuild/plan"
	"autobuild/state"
)

// heard collects what is shown.
type heard []string

func (h *heard) Event(e state.Event, _ *state.Run) error {
	*h = append(*h, string(e.Type)+" "+e.Phase+" "+e.Text)
	return nil
}

// lost is a failure of a gate as a diagnosis has it.
func lost(said string) *failure.Diagnosis {
	return &failure.Diagnosis{Type: failure.TestFailure, Gate: "test", Fingerprint: "f1", Tests: []failure.Test{{Name: "a", File: "a_test.go", Message: said}}}
}

// Each end of an attempt teaches its lesson, one after the other.
func TestLessons(t *testing.T) {
	const said = "the table tokens has no index"
	block := &failure.Decision{Action: failure.Block}
	matched := lost(said)
	matched.Match = &failure.Match{Name: "known", Fix: "make index", Known: true}
	weak := lost(said)
	weak.Match = &failure.Match{Name: "known", Fix: "make index"}
	passing := lost(said)
	passing.Class.Class = failure.Transient
	landed := &state.Commit{Message: "fix: add the index\n\nmore"}
	changes := state.Changes{Modified: []string{"z.go", "a_test.go"}}
	missing := &failure.Diagnosis{Type: failure.DependencyMissing, Message: "Cannot find module 'pg'", FixCommand: "npm install pg"}
	known := knowledge.Entry{Name: "known", Trigger: "quite another trigger", Fix: "make index"}
	tests := map[string]struct {
		attempts []state.Attempt // the last is the event's
		has      []knowledge.Entry
		want     []string // "name status helped/failed fix | prevent | tags"
		shown    string
	}{
		"a first success": {attempts: []state.Attempt{{N: 1, Commit: landed}}},
		"a failure":       {attempts: []state.Attempt{{N: 1, Failure: lost(said)}}},
		"a retry that helped": {
			attempts: []state.Attempt{{N: 1, Failure: lost(said)}, {N: 2, Commit: landed, Changes: changes}},
			want:     []string{"the-table-tokens-has-no-index proposal 0/0 fix: add the index (changed a_test.go, z.go) |  | []"},
			shown:    "notice 2a learned the-table-tokens-has-no-index; autobuild.knowledge.json; see autobuild knowledge show the-table-tokens-has-no-index",
		},
		"a retry after what passes by itself": {
			attempts: []state.Attempt{{N: 1, Failure: passing}, {N: 2, Commit: landed, Changes: changes}},
			want:     []string{"the-table-tokens-has-no-index proposal 0/0  |  | [flaky]"},
			shown:    "notice 2a learned the-table-tokens-has-no-index; autobuild.knowledge.json; see autobuild knowledge show the-table-tokens-has-no-index",
		},
		"a known fix that helped": {
			attempts: []state.Attempt{{N: 1, Failure: matched}, {N: 2, Commit: landed, Changes: changes}},
			has:      []knowledge.Entry{known},
			want:     []string{"known accepted 1/0 make index |  | []"},
		},
		"a hint that helped": {
			attempts: []state.Attempt{{N: 1, Failure: weak}, {N: 2, Commit: landed}},
			has:      []knowledge.Entry{known},
			want:     []string{"known accepted 1/0 make index |  | []", "the-table-tokens-has-no-index proposal 0/0 fix: add the index |  | []"},
			shown:    "notice 2a learned the-table-tokens-has-no-index; autobuild.knowledge.json; see autobuild knowledge show the-table-tokens-has-no-index",
		},
		"a known fix that did not help": {
			attempts: []state.Attempt{{N: 1, Failure: matched}, {N: 2, Failure: lost(said)}},
			has:      []knowledge.Entry{known},
			want:     []string{"known accepted 0/1 make index |  | []"},
		},
		"a known fix, and another failure": {
			attempts: []state.Attempt{{N: 1, Failure: matched}, {N: 2, Failure: missing}},
			has:      []knowledge.Entry{known},
			want:     []string{"known accepted 0/0 make index |  | []"},
		},
		"a block": {
			attempts: []state.Attempt{{N: 1, Failure: missing, Decision: block}},
			want:     []string{"cannot-find-module-pg proposal 0/0  | npm install pg | []"},
			shown:    "notice 2a learned cannot-find-module-pg; autobuild.knowledge.json; see autobuild knowledge show cannot-find-module-pg",
		},
		"a flaky gate": {
			attempts: []state.Attempt{{N: 1, Commit: landed, Gates: []state.Gate{
				{Name: "test", Kind: "test", Command: "x", Status: state.GateFailed, Flaky: true, Tail: "error: the port is taken already"},
				{Name: "test", Kind: "test", Command: "x", Status: state.GatePassed, Flaky: true},
				{ // passed but for what had failed before the phase: nothing to learn of that
					Name: "e2e", Kind: "test", Command: "y", Status: state.GateFailed, Flaky: true, Before: state.NotWorse, Tail: "error: the moon is full",
				},
			}}},
			want:  []string{"error-the-port-is-taken-already proposal 0/0  |  | [flaky]"},
			shown: "notice 2a learned error-the-port-is-taken-already; autobuild.knowledge.json; see autobuild knowledge show error-the-port-is-taken-already",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			book := &knowledge.Book{}
			for _, e := range test.has {
				next, _, err := book.Add(e)
				if err != nil {
					t.Fatal(err)
				}
				book = next
			}
			path := filepath.Join(t.TempDir(), knowledge.FileName)
			f := File{Path: path, Shown: knowledge.FileName}
			if err := f.write(book.JSON()); err != nil {
				t.Fatal(err)
			}
			var shown heard
			m := &Memory{}
			l := Sink{Memory: m, File: f, Show: []orchestrator.Sink{&shown}, Note: func(format string, args ...any) { t.Errorf(format, args...) }}
			if err := l.Event(ended(test.attempts)); err != nil {
				t.Fatal(err)
			}
			after, err := f.Load()
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range after.Entries() {
				got = append(got, fmt.Sprintf("%s %s %d/%d %s | %s | %v", e.Name, e.Status, e.Helped, e.Failed, e.Fix, e.Prevent, e.Tags))
			}
			if strings.Join(got, "\n") != strings.Join(test.want, "\n") || strings.Join(shown, "\n") != test.shown {
				t.Errorf("%s\nshown: %q", strings.Join(got, "\n"), shown)
			}
		})
	}
}

// ended is the event that the last attempt of a phase has ended.
func ended(attempts []state.Attempt) (state.Event, *state.Run) {
	phase := state.Phase{ID: "2a", Label: "2A", Attempts: attempts}
	run := &state.Run{Phases: []state.Phase{phase}}
	return state.Event{
		Type: state.AttemptFinished, Run: "r1", Phase: "2a", Label: "2A", Time: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC), Result: &attempts[len(attempts)-1],
	}, run
}

// A file that a person broke while the run goes on is left as it is, and what another wrote
// meanwhile is kept.
func TestLessonsBesideOthers(t *testing.T) {
	f := File{Path: filepath.Join(t.TempDir(), knowledge.FileName), Shown: knowledge.FileName}
	var notes []string
	m := &Memory{}
	l := Sink{Memory: m, File: f, Note: func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }}
	event, run := ended([]state.Attempt{{N: 1, Failure: lost("the table tokens has no index")}, {N: 2, Changes: state.Changes{Created: []string{"a.sql"}}}})

	other, _, err := (&knowledge.Book{}).Add(knowledge.Entry{Name: "by-hand", Trigger: "some trigger", Prevent: "make db"})
	if err != nil {
		t.Fatal(err)
	}
	if err = f.write(other.JSON()); err != nil {
		t.Fatal(err)
	}
	if err = l.Event(event, run); err != nil {
		t.Fatal(err)
	}
	book, err := f.Load()
	if err != nil || book.Len() != 2 || len(notes) > 0 {
		t.Fatalf("%v, %d entries, %q", err, book.Len(), notes)
	}
	if m.now().Len() != 2 || len(m.Prevent(plan.Phase{})) != 0 {
		t.Errorf("the run knows %d entries and would run %q, which nobody had accepted when it began", m.now().Len(), m.Prevent(plan.Phase{}))
	}
	if err = l.Event(state.Event{Type: state.RunFinished}, run); err != nil || len(notes) != 1 || !strings.Contains(notes[0], "make db") {
		t.Errorf("%v, told %q", err, notes)
	}

	const broken = "{\n<<<<<<< HEAD\n"
	if err = os.WriteFile(f.Path, []byte(broken), 0o600); err != nil {
		t.Fatal(err)
	}
	event.Result.Changes.Created = []string{"b.sql"}
	event.Run = "r2"
	if err = l.Event(event, run); err != nil {
		t.Fatalf("a broken file stops the run: %v", err)
	}
	raw, err := os.ReadFile(f.Path)
	if err != nil || string(raw) != broken || len(notes) != 2 || !strings.Contains(notes[1], "autobuild.knowledge.json:2: ") {
		t.Errorf("%v: %q, told %q", err, raw, notes)
	}
}

// Two who write at the same time both get what they wrote into the file.
func TestUpdateMerges(t *testing.T) {
	f := File{Path: filepath.Join(t.TempDir(), knowledge.FileName), Shown: knowledge.FileName}
	add := func(name string) func(*knowledge.Book) (*knowledge.Book, error) {
		return func(b *knowledge.Book) (*knowledge.Book, error) {
			next, _, err := b.Add(knowledge.Entry{Name: name, Trigger: "trigger of " + name})
			return next, err
		}
	}
	once := false
	_, err := f.Update(func(b *knowledge.Book) (*knowledge.Book, error) {
		if !once { // another process is faster
			once = true
			if _, err := f.Update(add("other")); err != nil {
				t.Fatal(err)
			}
		}
		return add("mine")(b)
	})
	book, loaded := f.Load()
	if err != nil || loaded != nil || book.Len() != 2 {
		t.Errorf("%v, %v:\n%s", err, loaded, book.JSON())
	}
}
