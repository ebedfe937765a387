package diagnose_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"autobuild/failure"
	"autobuild/failure/diagnose"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestDiagnosisOfEveryType(t *testing.T) {
	met := map[failure.Type]bool{}
	for _, c := range cases() {
		t.Run(c.name, func(t *testing.T) {
			d := diagnose.From(c.Evidence)
			met[d.Type] = true
			if want, _, _ := strings.Cut(c.name, "-"); string(d.Type) != want && want != "nothing" {
				t.Errorf("type %s, want %s", d.Type, want)
			}
			if !d.Type.Retryable() && !d.Unattributed && d.Guidance != "" {
				t.Errorf("guidance for an attempt that never comes: %q", d.Guidance)
			}
			if (d.Type.Retryable() || d.Unattributed) && d.Guidance == "" {
				t.Error("no guidance for the retry")
			}
			if len(d.Actions) == 0 {
				t.Error("no action for the user")
			}
			golden(t, filepath.Join("testdata", "diagnoses", c.name+".golden"), show(d))
		})
	}
	for _, typ := range failure.Types() {
		if !met[typ] {
			t.Errorf("no case is diagnosed as %s", typ)
		}
	}
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run the test with -update", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// show writes a diagnosis as a person reads it: prose as it is, the rest as it is stored.
func show(d failure.Diagnosis) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", d.Type, d.Message)
	for _, part := range []struct{ title, text string }{
		{"details", d.Details}, {"guidance", d.Guidance}, {"actions", strings.Join(d.Actions, "\n")},
	} {
		if part.text != "" {
			fmt.Fprintf(&b, "\n%s:\n  %s\n", part.title, strings.ReplaceAll(part.text, "\n", "\n  "))
		}
	}
	d.Type, d.Message, d.Details, d.Guidance, d.Actions = "", "", "", "", nil
	rest, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return err.Error()
	}
	return b.String() + "\n" + string(rest) + "\n"
}

var categories = []failure.Category{failure.Prerequisite, failure.Execution, failure.UnexpectedResult, failure.Misalignment, failure.Ambiguity}

// law holds for the diagnosis of any evidence.
func law(e failure.Evidence) error {
	d := diagnose.From(e)
	switch {
	case !d.Type.Valid():
		return fmt.Errorf("type %q is none", d.Type)
	case d.Cause != "" && !d.Cause.Valid():
		return fmt.Errorf("cause %q is none", d.Cause)
	case d.Retryable != (d.Type.Retryable() && d.Needs == ""):
		return fmt.Errorf("retryable %t, but %s says otherwise", d.Retryable, d.Type)
	case d.Fingerprint == "":
		return fmt.Errorf("no fingerprint")
	case d.Message == "" || len(d.Message) > 240 || strings.ContainsFunc(d.Message, unicode.IsControl):
		return fmt.Errorf("message %q is not one line of bounded size", d.Message)
	case len(d.Details) > 4<<10 || len(d.Guidance) > 2<<10 || len(d.Actions) == 0 || len(d.Actions) > 10:
		return fmt.Errorf("details %d, guidance %d, actions %d", len(d.Details), len(d.Guidance), len(d.Actions))
	case len(d.Tests) > 50 || len(d.Places) > 50 || len(d.Files) > 50 || len(d.Conflicts) > 50:
		return fmt.Errorf("lists: %d tests, %d places, %d files, %d conflicts", len(d.Tests), len(d.Places), len(d.Files), len(d.Conflicts))
	case d.Count < 0 || d.After < 0:
		return fmt.Errorf("negative: %d, %s", d.Count, d.After)
	case !slices.Contains(categories, d.Category) || d.Category == failure.Ambiguity && d.Transient:
		return fmt.Errorf("category %q, passes %t", d.Category, d.Transient)
	case d.Class.Class == "" || d.Class.Action == "" || len(d.Class.Evidence) == 0 || len(d.Class.Evidence) > 10:
		return fmt.Errorf("class %+v", d.Class)
	case d.Deviation < 0 || d.Deviation > 1 || len(d.Near) > 3 || len(d.Variable) > 400:
		return fmt.Errorf("deviation %v, near %q, variable %q", d.Deviation, d.Near, d.Variable)
	}
	raw, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("cannot be stored: %w", err)
	}
	if len(raw) > 512<<10 {
		return fmt.Errorf("%d bytes of JSON", len(raw))
	}
	if !utf8.ValidString(fmt.Sprint(d)) {
		return fmt.Errorf("invalid UTF-8")
	}
	var back failure.Diagnosis
	if err := json.Unmarshal(raw, &back); err != nil {
		return fmt.Errorf("cannot be loaded: %w", err)
	}
	if again := diagnose.From(e); !reflect.DeepEqual(d, again) {
		return fmt.Errorf("the same evidence gave %+v and %+v", d, again)
	}
	return nil
}

func TestAnyEvidenceIsDiagnosed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		if err := law(anyEvidence(t)); err != nil {
			t.Fatal(err)
		}
	})
}

func anyEvidence(t *rapid.T) failure.Evidence {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"", "\xff\xfe", "a\x1b[31mb", "x\r\ny", "Cannot find module 'pg'", "sh: 1: eslint: not found", "cat: a.md: No such file or directory", "X_Y is not set",
		"HTTP 429", "the plan is unclear", strings.Repeat("é", 3000),
	}))
	list := rapid.SliceOfN(text, 0, 4)
	num := rapid.IntRange(-2, 200)
	kind := rapid.SampledFrom(append(failure.Types(), "", "nonsense"))
	gate := rapid.Custom(func(t *rapid.T) failure.GateRun {
		g := failure.GateRun{
			Name: text.Draw(t, "name"), Command: text.Draw(t, "command"), FixCommand: text.Draw(t, "fix"),
			Kind: rapid.SampledFrom([]string{"lint", "format", "typecheck", "test", "x"}).Draw(t, "kind"),
			Exit: num.Draw(t, "exit"), TimedOut: rapid.Bool().Draw(t, "late"), NotAvailable: rapid.Bool().Draw(t, "absent"),
			Count: num.Draw(t, "count"), Tail: text.Draw(t, "tail"), Log: text.Draw(t, "log"),
		}
		for range rapid.IntRange(0, 70).Draw(t, "found") {
			g.Tests = append(g.Tests, failure.Test{Name: text.Draw(t, "test"), File: text.Draw(t, "file"), Line: num.Draw(t, "line")})
			g.Places = append(g.Places, failure.Place{File: text.Draw(t, "file"), Rule: text.Draw(t, "rule"), Message: text.Draw(t, "message")})
		}
		return g
	})
	e := failure.Evidence{
		ParseNote: text.Draw(t, "note"), Missing: list.Draw(t, "missing"), NoChange: rapid.Bool().Draw(t, "nochange"),
		Tasks:  failure.TaskCount{Total: num.Draw(t, "total"), Done: num.Draw(t, "done")},
		Budget: text.Draw(t, "budget"), Gates: rapid.SliceOfN(gate, 0, 3).Draw(t, "gates"),
	}
	e.Near = map[string][]string{"a.md": list.Draw(t, "near")}
	e.Flaky = list.Draw(t, "flaky")
	e.Past = failure.Past{
		Node: text.Draw(t, "node"), Failed: num.Draw(t, "failed"), Revisions: num.Draw(t, "revisions"), Files: list.Draw(t, "touched"),
		Tokens: int64(num.Draw(t, "tokens")), TokenBudget: int64(num.Draw(t, "token budget")), Contradicts: text.Draw(t, "contradicts"),
		Siblings: []failure.Sibling{{Phase: text.Draw(t, "sibling"), Files: list.Draw(t, "its files")}},
		Earlier:  []failure.Earlier{{Fingerprint: text.Draw(t, "fingerprint")}},
	}
	switch rapid.IntRange(0, 12).Draw(t, "first") {
	case 0:
		e.Cycle = list.Draw(t, "cycle")
	case 1:
		e.Plan = list.Draw(t, "plan")
	case 2:
		e.Breach = list.Draw(t, "breach")
	case 3:
		g := gate.Draw(t, "setup")
		e.Setup = &g
	case 4:
		e.Conflicts = []failure.Conflict{{File: text.Draw(t, "file"), Phase: text.Draw(t, "phase"), Lines: text.Draw(t, "lines")}}
	}
	if rapid.Bool().Draw(t, "agent") {
		e.Agent = &failure.AgentRun{
			Name: text.Draw(t, "agent name"), ExitCode: num.Draw(t, "code"), Signal: text.Draw(t, "signal"), TimedOut: rapid.Bool().Draw(t, "timed out"),
			Tail: text.Draw(t, "agent tail"), Kind: kind.Draw(t, "agent kind"), Message: text.Draw(t, "said"), Activity: text.Draw(t, "activity"),
		}
	}
	if rapid.Bool().Draw(t, "claim") {
		e.Claim = &failure.Claim{
			Complete: rapid.Bool().Draw(t, "complete"), Error: text.Draw(t, "error"), Type: kind.Draw(t, "claimed"), Gates: list.Draw(t, "claims"),
			Category: rapid.SampledFrom(append(categories, "", "none")).Draw(t, "own category"), Strong: rapid.Bool().Draw(t, "strong"),
		}
	}
	return e
}

// FuzzDiagnose: any text in any place yields a valid, bounded, repeatable diagnosis.
func FuzzDiagnose(f *testing.F) {
	for _, c := range cases() {
		for _, g := range c.Gates {
			f.Add(g.Kind, g.Command, g.Tail, g.Exit, c.Claim != nil && c.Claim.Complete)
		}
	}
	f.Add("test", "npm test", "npm ERR! missing: @types/jest@29", 1, false)
	f.Fuzz(func(t *testing.T, kind, command, text string, exit int, done bool) {
		g := failure.GateRun{
			Name: kind, Kind: kind, Command: command, Exit: exit, Tail: text,
			Tests: []failure.Test{{Name: text, File: command, Message: text}}, Places: []failure.Place{{File: text, Message: text}},
		}
		if err := law(failure.Evidence{Agent: &failure.AgentRun{Tail: text}, Claim: &failure.Claim{Complete: done, Error: text}, Gates: []failure.GateRun{g}}); err != nil {
			t.Fatal(err)
		}
		if err := law(failure.Evidence{Setup: &g}); err != nil {
			t.Fatal(err)
		}
		if err := law(failure.Evidence{Agent: &failure.AgentRun{Name: kind, ExitCode: exit, Tail: text, Message: command}, ParseNote: text}); err != nil {
			t.Fatal(err)
		}
	})
}

func TestOrderOfEvidence(t *testing.T) {
	all := failure.Evidence{
		Breach: []string{".autobuild"}, Setup: &failure.GateRun{Name: "setup", Command: "npm ci", Exit: 1},
		Agent: &failure.AgentRun{Err: "no such file"}, Gates: []failure.GateRun{authTests()}, Missing: []string{"a.ts"},
		Claim: complete, NoChange: true, Conflicts: []failure.Conflict{{File: "x"}}, Budget: "spent",
		Removed: []failure.Removal{{File: "x", Phase: "1", How: "the file is deleted"}}, Nested: []string{"sub"},
	}
	steps := []struct {
		want failure.Type
		drop func()
	}{
		{failure.IsolationBreach, func() { all.Breach = nil }},
		{failure.NestedRepository, func() { all.Nested = nil }},
		{failure.SiblingWorkRemoved, func() { all.Removed = nil }},
		{failure.SetupFailure, func() { all.Setup = nil }},
		{failure.AgentError, func() { all.Agent = run() }},
		{failure.VerificationMismatch, func() { all.Gates = nil }},
		{failure.VerificationMismatch, func() { all.Missing = nil }},
		{failure.TaskIncomplete, func() { all.NoChange = false }},
		{failure.FileConflict, func() { all.Conflicts = nil }},
		{failure.BudgetExhausted, func() {}},
	}
	for i, s := range steps {
		if d := diagnose.From(all); d.Type != s.want {
			t.Errorf("step %d: %s, want %s", i, d.Type, s.want)
		}
		s.drop()
	}
}

func TestMismatchKeepsBothSides(t *testing.T) {
	d := diagnose.From(gated(complete, authTests()))
	if d.Cause != failure.TestFailure {
		t.Errorf("cause %s", d.Cause)
	}
	if !slices.Equal(d.Claimed, []string{"complete", "lint passed", "test passed (47)"}) || !slices.Equal(d.Found, []string{"3 tests failing in auth.test.ts"}) {
		t.Errorf("claimed %q, found %q", d.Claimed, d.Found)
	}
	for _, part := range []string{"Run every quality gate", "Make the failing tests pass", "auth.test.ts", "npm test"} {
		if !strings.Contains(d.Guidance, part) {
			t.Errorf("the guidance lacks %q:\n%s", part, d.Guidance)
		}
	}
}

// Advice names what can be done now, and nothing that has no bearing on the failure.
func TestAdviceFitsTheFailure(t *testing.T) {
	for _, c := range cases() {
		d := diagnose.From(c.Evidence)
		text := strings.Join(d.Actions, "\n")
		if strings.Contains(text, "doctor") {
			t.Errorf("%s names a command that does not exist:\n%s", c.name, text)
		}
		if strings.Contains(text, "race conditions") && d.Gate == "" {
			t.Errorf("%s looks for race conditions where no gate failed:\n%s", c.name, text)
		}
		if strings.Contains(text, ": ``") || strings.Contains(text, "tests: `") {
			t.Errorf("%s has a command where a place should be:\n%s", c.name, text)
		}
	}
}

// Where phases share a directory, no advice refers to a worktree.
func TestSharedDirectoryIsNoWorktree(t *testing.T) {
	named := 0
	for _, c := range cases() {
		text := func() string {
			d := diagnose.From(c.Evidence)
			return strings.Join(append(d.Actions, d.Message, d.Guidance), "\n")
		}
		if c.Merge != "" {
			continue // nothing is merged there
		}
		if strings.Contains(text(), "worktree") {
			named++
		}
		if c.Shared = true; strings.Contains(text(), "worktree") {
			t.Errorf("%s:\n%s", c.name, text())
		}
	}
	if named < 6 {
		t.Errorf("%d cases name the worktree where there is one", named)
	}
}

// TestGatesNameAPlaceOnce: the linter and the test run find a compiler's error too, and it is one
// finding.
func TestGatesNameAPlaceOnce(t *testing.T) {
	at := func(rule string, line int) failure.Place {
		return failure.Place{File: "price/tax.go", Line: line, Rule: rule, Message: "undefined: percnt"}
	}
	run := func(kind string, places ...failure.Place) failure.GateRun {
		return failure.GateRun{Name: kind, Kind: kind, Command: "go " + kind, Exit: 1, Places: places}
	}
	d := diagnose.From(failure.Evidence{Gates: []failure.GateRun{
		run("lint", at("vet", 4)), run("typecheck", at("", 4), at("", 9)), run("test", at("", 4)),
	}})
	if len(d.Places) != 2 || d.Places[0].Rule != "vet" || d.Places[1].Line != 9 {
		t.Errorf("%+v", d.Places)
	}
}
