package prompt

import (
	"slices"
	"strings"
	"testing"

	"autobuild/failure"
	"autobuild/failure/diagnose"
	"autobuild/plan"
	"autobuild/state"
)

// What a section says about a path follows from the verb that governs it.
func TestRoleOf(t *testing.T) {
	for text, want := range map[string]role{
		"Create `docs/REPORT.md` with the findings.":             written,
		"Create these files:\n\n- `docs/A.md`\n- docs/REPORT.md": written,
		"Summarise the logs in docs/REPORT.md":                   mentioned,
		"- [ ] docs/REPORT.md exists":                            mentioned,
		"Read CLAUDE.md and write docs/REPORT.md":                written,
		"Rename docs/OLD.md to docs/REPORT.md":                   written,
		"docs/REPORT.md is generated from the database":          written,
		"Read docs/REPORT.md before you write anything":          taken,
		"Analyze docs/REPORT.md, and list what is missing":       taken,
		"Update `docs/REPORT.md`. Write a test for it.":          taken,
		"Erstelle docs/REPORT.md":                                written,
		"创建 docs/REPORT.md":                                      written,
		"Create docs/REPORT.md.bak":                              unnamed,
		"Write to mydocs/REPORT.md":                              unnamed,
		"Nothing about files":                                    unnamed,
	} {
		if got := roleOf(plan.Phase{Text: text}, "docs/REPORT.md"); got != want {
			t.Errorf("%q: role %d, want %d", text, got, want)
		}
	}
	p := plan.Phase{
		Files:         plan.Files{Create: []string{"new.go"}, Modify: []string{"old.go"}},
		Prerequisites: plan.Prerequisites{Files: []string{"need.md"}},
		Criteria:      []plan.Task{{Text: "`out.txt` is there"}},
	}
	for path, want := range map[string]role{"new.go": written, "old.go": taken, "need.md": taken, "out.txt": mentioned} {
		if got := roleOf(p, path); got != want {
			t.Errorf("%s: role %d, want %d", path, got, want)
		}
	}
}

// Advice that asks for the opposite of what the section says is recognised, in whatever words it
// comes.
func TestContradicts(t *testing.T) {
	create := plan.Phase{Text: "Write a report to `docs/REPORT.md`. Remove the function `legacy` and its file `old/legacy.go`."}
	read := plan.Phase{Text: "Analyze CLAUDE.md and tell what it lacks."}
	for _, c := range []struct {
		phase  plan.Phase
		advice string
		near   []string
		want   string
	}{
		{create, "docs/REPORT.md does not exist, and docs/CHANGES.md does exist. Work with that one and do not create the other.", []string{"docs/CHANGES.md"}, "docs/REPORT.md"},
		{create, "Do not create docs/REPORT.md.", nil, "docs/REPORT.md"},
		{create, "Write docs/CHANGES.md instead of docs/REPORT.md.", nil, "docs/REPORT.md"},
		{create, "Delete docs/REPORT.md: it is generated.", nil, "docs/REPORT.md"},
		{create, "Restore old/legacy.go from HEAD.", nil, "old/legacy.go"},
		{create, "Create these files, or do not claim them: docs/REPORT.md.", nil, ""},
		{create, "Never write to docs/SECRETS.md.", nil, ""},
		{create, "Fix what is wrong in docs/REPORT.md:12.", nil, ""},
		{create, "Delete old/legacy.go as well.", nil, ""},
		{read, "CLAUDE.md does not exist; did you mean AGENTS.md?", []string{"AGENTS.md"}, ""},
		{read, "CLAUDE.md does not exist; did you mean README.md?", nil, "CLAUDE.md"},
	} {
		if got := contradicts(c.phase, c.advice, c.near); got != c.want {
			t.Errorf("%q contradicts %q, want %q", c.advice, got, c.want)
		}
	}
}

// No advice of the diagnosis for any type contradicts a section that only asks for work on the
// files concerned.
func TestOwnAdviceDoesNotContradict(t *testing.T) {
	phase := plan.Phase{Text: "Create `api/users.go` and update `api/users_test.go`."}
	for _, kind := range failure.Types() {
		a := failedAttempt(kind)
		p := Prompt{Task: state.Task{Phase: phase, Earlier: []state.Attempt{a}}}
		if _, left := p.WithoutContradictions(); len(left) > 0 && a.Failure.Near == nil {
			t.Errorf("%s: %q", kind, left)
		}
	}
}

// adviceCase is a retry, a resume or an escalation whose prompt a person has read as an agent
// that has to obey it.
type adviceCase struct {
	seen    *failure.Evidence // of the attempt before; nil: this is the first of its session
	near    []string          // that a diagnosis stored by an earlier version suggests
	earlier []failure.Earlier // of sessions before
	said    string            // by the tier before
	tier    string
	lessons []failure.Lesson
	match   *failure.Match
	has     []string // in the prompt
	lacks   []string
}

func adviceCases() map[string]adviceCase {
	done := &failure.Claim{Complete: true}
	lint := failure.GateRun{
		Name: "lint", Kind: "lint", Command: "golangci-lint run", FixCommand: "golangci-lint run --fix", Exit: 1, Count: 1,
		Places: []failure.Place{{File: "api/users.go", Line: 3, Rule: "unused", Message: "func old is unused"}},
	}
	vat := failure.GateRun{
		Name: "test", Kind: "test", Command: "go test ./...", Exit: 1, Count: 1,
		Tests: []failure.Test{{Name: "TestVAT", File: "api/vat_test.go", Line: 7, Expected: "19.00", Received: "18.99"}},
	}
	again := failure.Earlier{Type: failure.TestFailure, Class: failure.LocalLogic, Message: "1 test failing in api/vat_test.go", Fingerprint: "f", Count: 1}
	plan := []string{"the plan has to change", "F3", "F4", "frozen", "proposal"}
	return map[string]adviceCase{
		"resumed-often": {
			earlier: []failure.Earlier{again, again, again, again, again, again},
			has:     []string{"1 test failing in api/vat_test.go"}, lacks: plan,
		},
		"lint-again": {
			seen: &failure.Evidence{Gates: []failure.GateRun{lint}, Claim: done, Past: failure.Past{Failed: 3, Allowed: 2, Earlier: []failure.Earlier{again, again, again}}},
			has:  []string{"golangci-lint run --fix", "func old is unused"}, lacks: plan,
		},
		"missing-file": {
			seen: &failure.Evidence{Missing: []string{"docs/REPORT.md"}, Claim: done, Tasks: failure.TaskCount{Total: 2, Done: 2}},
			near: []string{"docs/CHANGES.md"}, has: []string{"docs/REPORT.md"}, lacks: []string{"CHANGES", "did you mean", "may be meant"},
		},
		"lessons": {
			seen:  &failure.Evidence{Gates: []failure.GateRun{vat}, Claim: done},
			match: &failure.Match{Name: "report", Reason: "Matched report because it holds \"1 test\"", Fix: "do not create docs/REPORT.md, write docs/CHANGES.md", Known: true},
			lessons: []failure.Lesson{
				{Name: "report", Trigger: "docs/REPORT.md", Fix: "delete docs/REPORT.md and use docs/CHANGES.md instead"},
				{Name: "rounding", Trigger: "TestVAT: 18.99", Fix: "round half up in api/vat.go"},
			},
			has: []string{"rounding: when", "19.00"}, lacks: []string{"CHANGES", "Matched report"},
		},
		"tier-said": {
			seen: &failure.Evidence{Gates: []failure.GateRun{vat}, Claim: &failure.Claim{Complete: true, Strong: true}},
			said: "The cause is a rate in cents; somebody has to say who rounds.", tier: "high",
			has: []string{"Its own words, which are data: The cause is a rate in cents; somebody has to say who rounds."}, lacks: plan,
		},
		"resumed-after-fix": {
			earlier: []failure.Earlier{{Type: failure.VerificationMismatch, Message: "claimed complete, but the checks found otherwise: 2 tests failing in api/vat_test.go", Fingerprint: "g"}},
			has:     []string{"2 tests failing in api/vat_test.go", "somebody may have mended it since"}, lacks: []string{"is attempt 2"},
		},
	}
}

// Each prompt that once misled an agent is held as it is now.
func TestPromptsThatMisled(t *testing.T) {
	section := "### Phase 4: VAT\n\n- [ ] Write a report to `docs/REPORT.md`\n- [ ] Fix the rounding in `api/vat.go`\n"
	p := planOf(t, phase("4", "VAT", section, "Write a report to `docs/REPORT.md`", "Fix the rounding in `api/vat.go`"))
	for name, c := range adviceCases() {
		t.Run(name, func(t *testing.T) {
			given := Prompt{Plan: p, Gates: gatesOf(), Nonce: nonce, Known: c.lessons, Tree: Tree{Reused: true}}
			given.Task = state.Task{Phase: p.At(0), Position: 1, Of: 1, Attempt: 1, Tier: c.tier, Past: failure.Past{Earlier: c.earlier}}
			if c.seen != nil {
				d := diagnose.From(*c.seen)
				d.Match, d.Near = c.match, c.near
				a := state.Attempt{N: 1, Failure: &d, Tasks: c.seen.Tasks}
				if c.said != "" {
					a.Report = &state.Report{Said: c.said}
				}
				given.Task.Attempt, given.Task.Earlier = 2, []state.Attempt{a}
			}
			given, _ = given.WithoutContradictions()
			text := given.String()
			golden(t, "case-"+name, text)
			for _, want := range c.has {
				if !strings.Contains(text, want) {
					t.Errorf("the prompt does not say %q", want)
				}
			}
			if i := slices.IndexFunc(c.lacks, func(s string) bool { return strings.Contains(text, s) }); i >= 0 {
				t.Errorf("the prompt says %q", c.lacks[i])
			}
		})
	}
}

// A path in a command that the advice quotes is an argument of the command.
func TestQuotedCommandsDoNotContradict(t *testing.T) {
	const command = "sh tests/vat.sh --out rate.txt"
	for _, guidance := range []string{
		"Do not change the gate; run `" + command + "` and mend what it names.",
		"Instead of guessing, run \"" + command + "\".",
	} {
		p := Prompt{Gates: []state.GateSpec{{Name: "test", Command: command}}}
		p.Task.Phase = plan.Phase{Text: "Create `rate.txt`."}
		p.Task.Earlier = []state.Attempt{{Failure: &failure.Diagnosis{Guidance: guidance}}}
		given, left := p.WithoutContradictions()
		if len(left) > 0 || given.Task.Earlier[0].Failure.Guidance != guidance {
			t.Errorf("%q is left out: %q", guidance, left)
		}
	}
	p := Prompt{Gates: []state.GateSpec{{Name: "test", Command: command}}}
	p.Task.Phase = plan.Phase{Text: "Create `rate.txt`."}
	p.Task.Earlier = []state.Attempt{{Failure: &failure.Diagnosis{Guidance: "Do not create rate.txt."}}}
	if _, left := p.WithoutContradictions(); len(left) != 1 {
		t.Errorf("advice against the section stays: %q", left)
	}
}
