package markdown_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"autobuild/plan"
	"autobuild/plan/markdown"
)

func parse(t testing.TB, name string, src []byte) *plan.Plan {
	t.Helper()
	p, err := markdown.Parse(name, src, markdown.Options{})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return p
}

// statuses are all that Mark can set.
var statuses = []plan.Status{plan.StatusTodo, plan.StatusInProgress, plan.StatusDone, plan.StatusBlocked, plan.StatusSkipped}

// TestMarkEveryDialect marks every phase of every plan done, one after the other, and reads the
// result again: the phases are done, nothing else has changed, and marking twice is marking once.
func TestMarkEveryDialect(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine works, slowly under the race detector")
	}
	for _, file := range inputs(t, "plans") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			src := content(t, file)
			p := parse(t, file, src)
			before := src
			for _, phase := range p.Phases() {
				marked, err := markdown.Mark(before, p, phase.ID, plan.StatusDone)
				if err != nil {
					t.Fatal(err)
				}
				lawful(t, before, marked, p, phase.ID, plan.StatusDone)
				again, err := markdown.Mark(marked, p, phase.ID, plan.StatusDone)
				if err != nil || !bytes.Equal(again, marked) {
					t.Errorf("%s: marking twice is not marking once (%v)", phase.ID, err)
				}
				before = marked
			}
			for _, phase := range parse(t, file, before).Phases() {
				if states(p, phase.ID) && phase.Status != plan.StatusDone {
					t.Errorf("%s: is %q after it was marked done", phase.ID, phase.Status)
				}
				for _, task := range slices.Concat(phase.Tasks, phase.Criteria) {
					if !task.Done && !task.Optional && strings.HasPrefix(lineAt(before, task.Pos), "[") {
						t.Errorf("%s: %q is still open", phase.ID, task.Text)
					}
				}
			}
			golden(t, file+".done", string(before))
		})
	}
}

// states reports whether the document says anything about the status of a phase that Mark could
// change.
func states(p *plan.Plan, id string) bool {
	i, _ := p.Index(id)
	return p.At(i).Status != plan.StatusUnknown && len(p.At(i).Tasks) > 0
}

func lineAt(src []byte, pos plan.Pos) string {
	lines := strings.Split(strings.TrimPrefix(string(src), "\ufeff"), "\n")
	if pos.Line < 1 || pos.Line > len(lines) || pos.Col > len(lines[pos.Line-1]) {
		return ""
	}
	return lines[pos.Line-1][pos.Col-1:]
}

// lawful checks that a marked document differs from the original only in boxes and statuses.
func lawful(t testing.TB, before, after []byte, p *plan.Plan, id string, status plan.Status) {
	t.Helper()
	if a, b := bytes.Count(before, []byte("\n")), bytes.Count(after, []byte("\n")); a != b {
		t.Fatalf("%s %s: %d lines became %d", id, status, a, b)
	}
	q, err := markdown.Parse(p.Path, after, markdown.Options{Reading: p.Reading})
	if err != nil {
		t.Fatalf("%s %s: the marked plan is no plan: %v", id, status, err)
	}
	if q.Len() != p.Len() {
		t.Fatalf("%s %s: %d phases became %d", id, status, p.Len(), q.Len())
	}
	for i := range q.Len() {
		a, b := p.At(i), q.At(i)
		if a.ID != b.ID || a.Name != b.Name || !slices.Equal(a.DependsOn, b.DependsOn) || a.Pos.Line != b.Pos.Line {
			t.Fatalf("marking %s %s changed phase %s", id, status, a.ID)
		}
		if a.Fingerprint != b.Fingerprint {
			t.Errorf("marking %s %s changed the fingerprint of %s", id, status, a.ID)
		}
	}
}

func TestMarkKeepsTheStyleOfACell(t *testing.T) {
	for cell, want := range map[string][5]string{
		//                     todo, in progress, done, blocked, skipped
		"⬜":              {"⬜", "🔄", "✅", "⏸️", "⏭️"},
		"⏸️":             {"⬜", "🔄", "✅", "⏸️", "⏭️"},
		"⬜ Pending":      {"⬜ Pending", "🔄 In Progress", "✅ Complete", "⏸️ Blocked", "⏭️ Skipped"},
		"✅ Complete (2)": {"⬜ Pending (2)", "🔄 In Progress (2)", "✅ Complete (2)", "⏸️ Blocked (2)", "⏭️ Skipped (2)"},
		"⬜ Not Started":  {"⬜ Not Started", "🔄 In Progress", "✅ Complete", "⏸️ Blocked", "⏭️ Skipped"},
		"pending":        {"pending", "in progress", "complete", "blocked", "skipped"},
		"`pending`":      {"`pending`", "`in progress`", "`complete`", "`blocked`", "`skipped`"},
		"**TODO**":       {"**TODO**", "**IN PROGRESS**", "**COMPLETE**", "**BLOCKED**", "**SKIPPED**"},
		"-":              {"⬜", "🔄", "✅", "⏸️", "⏭️"},
		"Offen":          {"Offen", "In Progress", "Complete", "Blocked", "Skipped"},
	} {
		src := []byte("| Phase | Depends On | Status |\n|---|---|---|\n| 1 |  none  |  " + cell + "\t |  \n\n## Phase 1: A\n")
		p := parse(t, "cell", src)
		for i, status := range statuses {
			got, err := markdown.Mark(src, p, "1", status)
			if err != nil {
				t.Fatal(err)
			}
			if expected := bytes.Replace(src, []byte("  "+cell+"\t"), []byte("  "+want[i]+"\t"), 1); !bytes.Equal(got, expected) {
				t.Errorf("%q as %s:\ngot  %q\nwant %q", cell, status, got, expected)
			}
		}
	}
}

func TestMarkTakesTheWordsOfTheDocument(t *testing.T) {
	src := []byte("| Phase | Depends On | Status |\n|---|---|---|\n| 1 | none | ✅ Done |\n| 2 | 1 | ⬜ Open |\n")
	got, err := markdown.Mark(src, parse(t, "words", src), "2", plan.StatusDone)
	if err != nil || !strings.Contains(string(got), "| 2 | 1 | ✅ Done |") {
		t.Errorf("%s %v", got, err)
	}
}

func TestMarkKeepsOddBytes(t *testing.T) {
	src := []byte("\ufeff# P\r\n\r\n## Phase 1: A  \r\n\r\n- [ ] a \t\r\n- [-] dropped\r\n\r\n## Phase 2: B\r- [ ] b\r\n\n**Status:** ⬜\r\n  - [ ] c")
	p := parse(t, "odd", src)
	got, err := markdown.Mark(src, p, "1", plan.StatusDone)
	if err != nil || string(got) != strings.Replace(string(src), "- [ ] a", "- [x] a", 1) {
		t.Errorf("%q %v", got, err)
	}
	got, err = markdown.Mark(src, p, "2", plan.StatusDone)
	want := strings.NewReplacer("[ ] b", "[x] b", "⬜", "✅", "[ ] c", "[x] c").Replace(string(src))
	if err != nil || string(got) != want {
		t.Errorf("got  %q\nwant %q\n%v", got, want, err)
	}
}

func TestMarkFollowsAPlanThatMoved(t *testing.T) {
	p := parse(t, "moved", []byte("## Phase 1: A\n\n- [ ] a\n\n## Phase 2: B\n\n- [ ] b\n"))
	moved := "# New\n\nLines.\n\n## Phase 2: B\n\n- [ ] b\n- [ ] more\n\n## Phase 1: A\n\n- [ ] a\n"
	got, err := markdown.Mark([]byte(moved), p, "2", plan.StatusDone)
	if err != nil || string(got) != strings.NewReplacer("[ ] b", "[x] b", "[ ] more", "[x] more").Replace(moved) {
		t.Errorf("%s %v", got, err)
	}
	if _, err := markdown.Mark([]byte("## Phase 1: A\n"), p, "2", plan.StatusDone); err == nil || !strings.Contains(err.Error(), "no longer in moved") {
		t.Errorf("a phase that is gone: %v", err)
	}
	if _, err := markdown.Mark([]byte(moved), p, "2", "splendid"); err == nil {
		t.Error("an unknown status was accepted")
	}
}

// FuzzMark holds Mark to its law on any plan: only what says how far a phase has come may change.
func FuzzMark(f *testing.F) {
	for _, file := range inputs(f, "plans") {
		f.Add(content(f, file), uint8(0), uint8(2))
	}
	f.Add([]byte("| Phase | Depends On | Status |\n|-|-|-|\n|1|none||\n|2|1|x|\n"), uint8(1), uint8(1))
	f.Fuzz(func(t *testing.T, src []byte, which, how uint8) {
		p, err := markdown.Parse("fuzz.md", src, markdown.Options{})
		if err != nil {
			return
		}
		phase := p.At(int(which) % p.Len())
		status := statuses[int(how)%len(statuses)]
		marked, err := markdown.Mark(src, p, phase.ID, status)
		if err != nil {
			t.Fatalf("a valid plan cannot be marked: %v", err)
		}
		if len(marked) > len(src)+(len(phase.Tasks)+8)*40 || len(src) > len(marked)+(len(phase.Tasks)+8)*40 {
			t.Fatalf("%d bytes became %d", len(src), len(marked))
		}
		lawful(t, src, marked, p, phase.ID, status)
		again, err := markdown.Mark(marked, p, phase.ID, status)
		if err != nil || !bytes.Equal(again, marked) {
			t.Fatalf("marking twice is not marking once: %v\n%q\n%q", err, marked, again)
		}
	})
}
