package sink

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"autobuild/failure"
	"autobuild/orchestrator"
	"autobuild/plan"
	"autobuild/plan/markdown"
	"autobuild/render"
	"autobuild/state"
)

const tabled = `# Shop

| Phase | Name | Depends On | Parallel With | Estimate |
|-------|------|------------|---------------|----------|
| 1 | Schema | none | - | 2 |
| 2A | Backend | 1 | 2B | 8 |
| 2B | Frontend | 1 | 2A | 3 |
| 3 | Join | 2A, 2B | - | 1 |

## Phase 1: Schema

- [ ] write it

## Phase 2A: Backend

**Files:**
- Modify: src/api.go
- Create: src/routes.go

- [ ] routes
  - [ ] all of them
- [ ] login
- [ ] logout
- [ ] sessions

### Definition of Done

- [ ] the test suite passes

## Phase 2B: Frontend

**Files:**
- Create: src/ui.go

- [ ] screens

## Phase 3: Join

- [ ] join
`

const headed = `# Shop

## Phase 1: Schema

**Depends on:** none

- [ ] write it

## Phase 2: Backend

**Depends on:** 1

- [ ] routes
- [ ] login

## Phase 3: Frontend

**Depends on:** Phase 1
**Can run with:** 2

- [ ] screens

## Phase 4: Join

**Depends on:** 2, 3

- [ ] join
`

func readShop(source string) (*plan.Plan, error) {
	return markdown.Parse("docs/shop.md", []byte(source), markdown.Options{})
}

// broken is a run of a plan in which one phase failed twice.
func broken(t *testing.T, p *plan.Plan, id string, d failure.Diagnosis, changes state.Changes) *state.Run {
	t.Helper()
	run := &state.Run{}
	tell := func(e state.Event) {
		t.Helper()
		e.Time = time.Unix(0, 0)
		if err := run.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	tell(state.Event{Type: state.RunStarted, Config: &state.Config{RunID: "r1"}, Phases: orchestrator.Seeds(p, 2)})
	for n := 1; n <= 2; n++ {
		tell(state.Event{Type: state.PhaseStarted, Phase: id, Attempt: n})
		decision := &failure.Decision{Action: failure.Retry, Attempts: 2}
		if n == 2 {
			decision = &failure.Decision{Action: failure.Replan, Attempts: 2, Propose: true}
		}
		tell(state.Event{Type: state.AttemptFinished, Phase: id, Result: &state.Attempt{
			N: n, Failure: &d, Decision: decision, Changes: changes, Usage: state.Usage{InputTokens: 70000, CostUSD: 1.5},
		}})
	}
	return run
}

// The suggestion follows from the evidence, and says what to write on which line.
func TestProposals(t *testing.T) {
	test := failure.Diagnosis{
		Type: failure.TestFailure, Message: "1 test failing", Fingerprint: "f00d", Gate: "test", Command: "go test ./...",
		Tests: []failure.Test{{Name: "TestLogin", File: "src/api_test.go", Line: 12}},
	}
	timeout := failure.Diagnosis{Type: failure.Timeout, Message: "timed out after 1h", Fingerprint: "7"}
	conflict := failure.Diagnosis{Type: failure.FileConflict, Message: "conflict", Conflicts: []failure.Conflict{{File: "src/ui.go", Phase: "2A", Other: "2B"}}}
	for name, c := range map[string]struct {
		source, phase string
		d             failure.Diagnosis
		changes       state.Changes
		title         string
		says          []string
	}{
		"split": {
			tabled, "2a", timeout,
			state.Changes{},
			"Split phase 2A in two",
			[]string{"5 tasks, an estimate of 8,", "Begin a second phase before the task at docs/shop.md:23", "autobuild check docs/shop.md"},
		},
		"split, headings": {
			headed, "2", timeout,
			state.Changes{},
			"Split phase 2 in two",
			nil,
		},
		"serialise": {
			tabled, "2a", conflict,
			state.Changes{},
			"Let phase 2A wait for 2B",
			[]string{"`src/ui.go`", "Add 2B to the dependencies of phase 2A (docs/shop.md:14)"},
		},
		"serialise, headings": {
			headed, "3",
			failure.Diagnosis{Type: failure.FileConflict, Conflicts: []failure.Conflict{{File: "a", Phase: "3", Other: "2"}}},
			state.Changes{},
			"Let phase 3 wait for 2",
			[]string{"Add 2 to the dependencies of phase 3"},
		},
		"missing file": {
			tabled, "2b",
			failure.Diagnosis{Type: failure.TestFailure, Message: "no routes", Files: []string{"src/routes.go"}},
			state.Changes{},
			"Let phase 2B wait for 2A",
			[]string{"needs `src/routes.go`, which phase 2A creates"},
		},
		"another's files": {
			tabled, "2a", test,
			state.Changes{Modified: []string{"src/ui.go", "go.mod"}},
			"Let phase 2A wait for 2B",
			[]string{"changed outside the files that the phase declares: `go.mod`, `src/ui.go`", "changed files of phase 2B: `src/ui.go`", "used 140000 tokens, $3.00"},
		},
		"criteria": {
			tabled, "2a", test,
			state.Changes{Modified: []string{"src/api.go"}},
			"Rewrite the criteria of phase 2A",
			[]string{"The same failure came back", "attempt 2: `test_failure`, 1 test failing (fingerprint `f00d`)", "failing at the end: TestLogin (src/api_test.go:12)"},
		},
		"criteria, none yet": {
			headed, "3", test,
			state.Changes{},
			"Rewrite the criteria of phase 3",
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := readShop(c.source)
			if err != nil {
				t.Fatal(err)
			}
			run := broken(t, p, c.phase, c.d, c.changes)
			phase, _ := run.Find(c.phase)
			page := render.Proposal(render.Revision{Plan: p, Run: run, Phase: phase, Source: c.source})
			for _, want := range append(c.says, "# Proposal: "+c.title+"\n", "Nothing of this has been done.", "## What failed", "## The plan now") {
				if !strings.Contains(page, want) {
					t.Errorf("no %q", want)
				}
			}
			if t.Failed() {
				t.Log(page)
			}
		})
	}
}

// Commands hidden in a message do not reach the page.
func TestProposalsDisarm(t *testing.T) {
	source := strings.ReplaceAll(tabled, "| 8 |", "| 8 \\| |")
	p, err := readShop(source)
	if err != nil {
		t.Fatal(err)
	}
	run := broken(t, p, "2a", failure.Diagnosis{Type: failure.Timeout, Message: "\x1b[31m``` ::error::x"}, state.Changes{})
	phase, _ := run.Find("2a")
	page := render.Proposal(render.Revision{Plan: p, Run: run, Phase: phase, Source: source})
	if !strings.Contains(page, "# Proposal: Split phase 2A in two") || strings.Contains(page, "```diff") || strings.ContainsAny(page, "\x1b") {
		t.Errorf("%s", page)
	}
	done, _ := run.Find("1")
	if page := render.Proposal(render.Revision{Plan: p, Run: run, Phase: done, Source: source}); page != "" {
		t.Errorf("a phase that has not failed: %s", page)
	}
}

// For every plan and failure, the page names a line of the plan.
func TestProposalsOfEveryPlan(t *testing.T) {
	paths, err := filepath.Glob("../../../plan/markdown/testdata/plans/*.md")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no plans: %v", err)
	}
	pages := 0
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		p, err := readShop(string(raw))
		if err != nil || p.Len() > 40 || strings.Contains(string(raw), "\r") {
			continue
		}
		for i, phase := range p.Phases() {
			other := p.At((i + 1) % p.Len())
			for _, d := range []failure.Diagnosis{
				{Type: failure.Timeout},
				{Type: failure.TestFailure, Fingerprint: "x", Tests: []failure.Test{{Name: "TestIt"}}},
				{Type: failure.FileConflict, Conflicts: []failure.Conflict{{File: "a", Phase: phase.Label, Other: other.Label}}},
			} {
				run := broken(t, p, phase.ID, d, state.Changes{})
				failed, _ := run.Find(phase.ID)
				page := render.Proposal(render.Revision{Plan: p, Run: run, Phase: failed, Source: string(raw)})
				if pages++; page == "" {
					t.Fatalf("%s: no proposal for phase %s", path, phase.Label)
				}
				if !strings.Contains(page, "docs/shop.md:") {
					t.Errorf("%s, phase %s, %s: no line is named\n%s", path, phase.Label, d.Type, page)
				}
			}
		}
	}
	if pages < 50 {
		t.Errorf("%d pages", pages)
	}
}
