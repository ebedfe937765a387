package plan_test

import (
	"strings"
	"testing"

	"autobuild/plan"
)

func TestNormalID(t *testing.T) {
	for label, want := range map[string]string{
		"Phase 2-A": "2a", "2A": "2a", "phase 2a": "2a", "2 A": "2a", "Phase2A": "2a", "phase-2a": "2a", "PHASE #3": "3",
		"1.1": "1.1", "11": "11", "01-01": "01-01", "14.10": "14.10", "0.5": "0.5", "1.8b": "1.8b", "007": "007",
		"Task Group 3": "3", "User Story 1": "1", "TASK-FB-001": "task-fb-001", "story-0058-0001": "story-0058-0001", "F1-T2": "f1-t2",
		"2-A.1": "2a.1", "S1": "s1", "A": "a", "B": "b", "２Ａ": "2a", "2–A": "2a", "Stage": "stage", "step": "step",
		"../../etc/passwd": "", "../x": "", "/abs": "", "..": "", "a/../b": "", "C:\\x": "", "1..2": "1.2", "x.": "x", "a/b": "a-b",
		"CON": "phase-con", "nul.1": "phase-nul.1", "com1": "phase-com1", "console": "console", "a.lock": "a-lock",
		"": "", "—": "", "é": "e", "日本": "u65e5u672c", "2А": "", "2é": "2e", "a日": "au65e5", "α": "u3b1", "Ä": "ae",
		"第2": "2", "第2阶段": "2", "第十二阶段": "12", "二": "2", "阶段 二": "2", "阶段2": "2", "2단계": "2", "フェーズ３": "3", "٣": "3", "①": "1", "Étape 3": "3",
		"Этап 2": "2", "Schritt 4": "4", "Fase 1.2": "1.2", "Unit 3": "3", "Unit tests": "unit-tests", "U1": "u1", "Release": "release", "PR-4": "pr-4", "a\x00b": "", "a\nb": "", "\xff": "",
	} {
		got, err := plan.NormalID(label)
		if (err != nil) != (want == "") || got != want {
			t.Errorf("NormalID(%q) = %q, %v; want %q", label, got, err, want)
		}
	}
}

func TestLongLabelsStayApart(t *testing.T) {
	long := strings.Repeat("very-long-", 30)
	a, errA := plan.NormalID(long + "one")
	b, errB := plan.NormalID(long + "two")
	if errA != nil || errB != nil || a == b || len(a) > 64 {
		t.Errorf("%q (%v) and %q (%v)", a, errA, b, errB)
	}
}

func TestSplitKind(t *testing.T) {
	for label, want := range map[string][2]string{
		"Phase 2A": {"phase", "2A"}, "Task Group 1": {"task group", "1"}, "Tasks 1": {"task", "1"}, "2A": {"", "2A"},
		"Task-7": {"", "Task-7"}, "phase-7": {"phase", "7"}, "Phases": {"", "Phases"}, "Stephen 1": {"", "Stephen 1"}, "Phase": {"", "Phase"},
	} {
		kind, core := plan.SplitKind(label)
		if kind != want[0] || core != want[1] {
			t.Errorf("SplitKind(%q) = %q, %q; want %q", label, kind, core, want)
		}
	}
}

// FuzzNormalID holds every accepted id to the laws of ids: a safe file name, bounded, and its own
// normal form.
func FuzzNormalID(f *testing.F) {
	for _, seed := range []string{"Phase 2-A", "01-01", "../x", "CON", "a.lock", "phase phase 1", "2-a-b", "Task step 3", "1-A-B", strings.Repeat("9a-", 50)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, label string) {
		id, err := plan.NormalID(label)
		if err != nil {
			if id != "" {
				t.Fatalf("an error and an id: %q", id)
			}
			return
		}
		if id == "" || len(id) > 64 || strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789.-_") != "" {
			t.Fatalf("NormalID(%q) = %q holds more than lower-case ASCII, or is too long", label, id)
		}
		if strings.ContainsAny(id[:1]+id[len(id)-1:], ".-_") || strings.Contains(id, "..") || strings.HasSuffix(id, ".lock") {
			t.Fatalf("NormalID(%q) = %q is no safe file name", label, id)
		}
		again, err := plan.NormalID(id)
		if err != nil || again != id {
			t.Fatalf("NormalID(%q) = %q, but NormalID of that is %q, %v", label, id, again, err)
		}
	})
}
