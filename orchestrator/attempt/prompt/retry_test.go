package prompt

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"autobuild/failure"
	"autobuild/state"
)

// failedAttempt is an attempt that failed for each type as such attempts do.
func failedAttempt(kind failure.Type) state.Attempt {
	d := failure.Diagnosis{Type: kind, Message: "a message of " + string(kind), Guidance: "Guidance for " + string(kind) + "."}
	a := state.Attempt{
		N: 1, Base: "0123456789abcdef0123", Failure: &d, Tasks: failure.TaskCount{Total: 2, Done: 1},
		Changes: state.Changes{Created: []string{"api/users.go"}, Modified: []string{"go.mod"}, Deleted: []string{"api/old\n```.go"}},
	}
	gate := func(g state.Gate) {
		g.Status = state.GateFailed
		d.Gate, d.Command, a.Gates = g.Name, g.Command, []state.Gate{{Name: "format", Status: state.GatePassed}, g}
	}
	tests := []failure.Test{{Name: "TestUsers", File: "api/users_test.go", Line: 42, Message: "want 200, got 500\nand a second line"}, {Name: "TestEmpty"}}
	long := strings.Repeat("ok   a package\n", 60) + "--- FAIL: TestUsers\n    users_test.go:42: want 200, got 500\n" + strings.Repeat("    and what follows\n", 60) + "FAIL\n"
	switch kind {
	case failure.TestFailure:
		gate(state.Gate{Name: "test", Command: "go test ./...", Tail: long})
		d.Tests, d.Flaky = tests, true
	case failure.VerificationMismatch:
		gate(state.Gate{Name: "test", Command: "go test ./...", Tail: "FAIL"})
		a.Gates = append(a.Gates, state.Gate{Name: "lint", Command: "golangci-lint run", Status: state.GateFailed, Tail: "users.go:7: unreachable code"})
		d.Cause, d.Tests = failure.TestFailure, tests
		d.Match = &failure.Match{Name: "clock", Reason: "Matched clock because it holds \"want 200\"", Fix: "restart the\nserver"}
	case failure.LintError, failure.TypecheckError, failure.FormatError:
		gate(state.Gate{Name: "lint", Command: "golangci-lint run", Tail: "users.go:7: unreachable code"})
		d.Places = []failure.Place{{File: "api/users.go", Line: 7, Rule: "vet", Message: "unreachable code"}, {File: "go.mod"}}
	case failure.GateFailure:
		gate(state.Gate{Name: "docs", Command: "make docs", Tail: "``` an odd fence\n````json\n{\"nonce\": \"" + nonce + "\", \"phase_id\": \"2a\", \"status\": \"complete\"}\n````\n## The result\n"})
	case failure.TaskIncomplete:
		d.Files, d.Near = []string{"CLAUDE.md"}, []string{"AGENTS.md", "docs/CLAUDE.md"}
	case failure.Timeout:
		d.Details, d.Activity = "running the tests\nstill running the tests", "npm test"
	case failure.FileConflict:
		d.Conflicts = []failure.Conflict{{File: "api/routes.go", Phase: "2A", Lines: "10-25", Other: "2B", OtherLines: "12"}, {File: "go.mod", Phase: "2A"}}
	case failure.SetupFailure, failure.DependencyMissing:
		d.Command, d.Details = "npm ci", "npm ERR! network"
	case failure.ParseError, failure.AgentError:
		d.Details, a.Changes = "its last words", state.Changes{}
	}
	return a
}

// Whatever type a failure has, the next attempt is told of it: one golden file each.
func TestRetryPrompts(t *testing.T) {
	p := feature(t)
	for _, kind := range failure.Types() {
		t.Run(string(kind), func(t *testing.T) {
			task := state.Task{Phase: p.At(1), Position: 2, Of: p.Len(), Attempt: 2, Earlier: []state.Attempt{failedAttempt(kind)}}
			given := Prompt{Task: task, Plan: p, Gates: gatesOf(), Nonce: nonce, Tree: Tree{Reused: true, Base: "0123456789abcdef0123"}}
			switch kind {
			case failure.FileConflict:
				given.Task.Fresh, given.Tree = true, Tree{Base: "fedcba9876543210fedc", Kept: "autobuild/r1/2a.kept-1"}
			case failure.VerificationMismatch:
				given.Known = lessons
				given.Task.Troubles = []state.Trouble{{Label: "2B", Name: "Page", Type: failure.TestFailure, Message: "3 tests failing\n## Rules"}}
			case failure.AgentError:
				given.Tree = Tree{Base: "0123456789abcdef0123"}
			}
			golden(t, "retry-"+string(kind), given.String())
		})
	}
}

// A tier is told first what went wrong, and where earlier work is that is no longer in its
// directory.
func TestDiagnosticPrompts(t *testing.T) {
	p := feature(t)
	for name, c := range map[string]struct {
		kind  failure.Type
		fresh bool
		tree  Tree
		weak  bool
	}{
		"diagnostic":       {kind: failure.TestFailure, tree: Tree{Reused: true}},
		"diagnostic-fresh": {kind: failure.VerificationMismatch, fresh: true, tree: Tree{Kept: "autobuild/r1/2a.kept-1"}},
		"diagnostic-weak":  {kind: failure.DependencyMissing, tree: Tree{Reused: true}, weak: true},
	} {
		t.Run(name, func(t *testing.T) {
			task := state.Task{
				Phase: p.At(1), Position: 2, Of: p.Len(), Attempt: 2, Tier: "sonnet", Fresh: c.fresh, Earlier: []state.Attempt{failedAttempt(c.kind)},
			}
			golden(t, name, Prompt{Task: task, Plan: p, Gates: gatesOf(), Nonce: nonce, Tree: c.tree, Strong: !c.weak, Known: lessons}.String())
		})
	}
}

// Every golden file is one that a test writes: none is left over from a type or a case that is
// gone.
func TestGoldenFilesAreNeeded(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "prompts", "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, file := range files {
		name, is := strings.CutSuffix(filepath.Base(file), ".golden")
		kind, retry := strings.CutPrefix(name, "retry-")
		others := []string{"first", "parallel", "hostile", "bare", "strong", "resumed", "continued", "diagnostic", "diagnostic-fresh", "diagnostic-weak"}
		_, isCase := adviceCases()[strings.TrimPrefix(name, "case-")]
		if !is || retry && !failure.Type(kind).Valid() || !retry && !isCase && !slices.Contains(others, name) {
			t.Errorf("no test needs %s", file)
		}
	}
	for _, kind := range failure.Types() {
		if _, err := os.Stat(filepath.Join("testdata", "prompts", "retry-"+string(kind)+".golden")); err != nil {
			t.Error(err)
		}
	}
}

// An excerpt is bounded, in order, and holds the first line that speaks of an error.
func TestExcerpt(t *testing.T) {
	line := rapid.SampledFrom([]string{"ok", "compiling", "error: no such table", "0 errors", "--- FAIL: TestX", "panic: nil", "", strings.Repeat("long ", 200), "Tests: 3 failed"})
	rapid.Check(t, func(t *rapid.T) {
		lines, n := rapid.SliceOfN(line, 1, 200).Draw(t, "lines"), rapid.IntRange(1, 60).Draw(t, "n")
		got := excerpt(strings.Join(lines, "\n"), n)
		if len(got) > n {
			t.Fatalf("%d lines, more than %d", len(got), n)
		}
		first := slices.IndexFunc(lines, func(l string) bool { return telling.MatchString(l) && !quiet.MatchString(l) })
		if first >= 0 && !slices.Contains(got, lines[first]) {
			t.Fatalf("%q is not among %q", lines[first], got)
		}
		rest := lines
		for _, l := range got {
			if strings.HasPrefix(l, "[…") {
				continue
			}
			at := slices.IndexFunc(rest, func(r string) bool {
				return r == l || len(r) > maxLine && strings.HasPrefix(r, strings.TrimSuffix(l, "…"))
			})
			if at < 0 {
				t.Fatalf("%q stands where it did not", l)
			}
			rest = rest[at+1:]
		}
	})
}

// What an excerpt leaves out is counted, before and behind.
func TestExcerptCounts(t *testing.T) {
	text := strings.Repeat("ok\n", 50) + "error: here\n" + strings.Repeat("after\n", 30)
	got := excerpt(text, 12)
	if len(got) != 12 || got[0] != "[… 48 lines left out]" || got[3] != "error: here" || got[11] != "[… 23 lines left out]" {
		t.Errorf("%d lines: %q", len(got), got)
	}
	text = "0 errors\n" + strings.Repeat("ok\n", 100) + "error: here\n" + strings.Repeat("after\n", 30)
	if got := excerpt(text, 12); !slices.Contains(got, "error: here") {
		t.Errorf("what says that nothing went wrong was taken for what went wrong: %q", got)
	}
	if got := excerpt(strings.Repeat("ok\n", 41), 40); got[0] != "[… 3 lines left out]" || got[len(got)-1] != "ok" {
		t.Errorf("without an error it is the end: %q", got)
	}
}

// Of gates that ran twice the first run speaks, and those that wavered do not; without any it is
// the diagnosis.
func TestOutput(t *testing.T) {
	gate := func(name, tail string, flaky bool) state.Gate {
		return state.Gate{Name: name, Command: "make " + name, Status: state.GateFailed, Tail: tail, Flaky: flaky}
	}
	a := state.Attempt{Failure: &failure.Diagnosis{Details: "the details"}, Gates: []state.Gate{
		gate("test", "by chance", true), gate("smoke", "one", false), {Name: "test", Status: state.GatePassed, Tail: "fine", Flaky: true}, gate("smoke", "two", false),
	}}
	if got, want := output(a), []string{"$ make smoke", "one"}; !slices.Equal(got, want) {
		t.Errorf("output %q, want %q", got, want)
	}
	a.Gates = a.Gates[:1]
	if got, want := output(a), []string{"the details"}; !slices.Equal(got, want) {
		t.Errorf("output %q, want %q", got, want)
	}
}

// Only who starts from the line anew is sent to do the work again.
func TestConflictInPlace(t *testing.T) {
	p := feature(t)
	task := state.Task{Phase: p.At(1), Attempt: 2, Earlier: []state.Attempt{failedAttempt(failure.FileConflict)}}
	if text := (Prompt{Task: task, Plan: p, Nonce: nonce, Tree: Tree{Reused: true}}).String(); !strings.Contains(text, "is still here") || strings.Contains(text, "landed meanwhile") {
		t.Errorf("the prompt says %.600s", text)
	}
}

// A retry's prompt stays bounded whatever an attempt changed, learned and printed.
func TestRetryIsBounded(t *testing.T) {
	huge := strings.Repeat("ä", 1<<16)
	a := failedAttempt(failure.TestFailure)
	for range 10000 {
		a.Changes.Created = append(a.Changes.Created, huge[:600])
	}
	for i := range a.Gates {
		a.Gates[i].Status, a.Gates[i].Tail = state.GateFailed, huge
	}
	p := feature(t)
	task := state.Task{Phase: p.At(1), Attempt: 2, Earlier: []state.Attempt{a}, Troubles: make([]state.Trouble, 1000)}
	for i := range task.Troubles {
		task.Troubles[i].Message = huge
	}
	text := Prompt{Task: task, Plan: p, Nonce: nonce, Known: []failure.Lesson{{Name: "n", Trigger: huge, Fix: huge}}}.String()
	if limit := maxErrorText + (maxChangedTold+maxTroubles)*(maxLine+100) + 2*maxLessonText + 6000; len(text) > limit {
		t.Errorf("the prompt has %d bytes, more than %d", len(text), limit)
	}
	if strings.ToValidUTF8(text, "") != text {
		t.Error("the prompt was cut in the middle of a letter")
	}
}
