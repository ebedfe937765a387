package diagnose_test

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"autobuild/failure"
	"autobuild/failure/diagnose"
)

// everyRule holds for all nine rules at once; dropping them one by one shows their order.
func everyRule() diagnose.Signal {
	return diagnose.Signal{
		Node: "TASK-00101", Parent: "STORY-0042", Exit: 1, Conflict: "c-7", Text: "read ECONNRESET\nTypeError: x\n", Trouble: "read ECONNRESET",
		Failed: 3, Hash: "h", Earlier: []string{"h", "h"}, Files: []string{"a.go"}, Siblings: []failure.Sibling{{Phase: "2B", Files: []string{"a.go"}}},
		Contradicts: "no cloud", Seen: "test_failure: 1 test failing",
	}
}

// The rules are asked from the top, and the first that holds decides.
func TestRulesInOrder(t *testing.T) {
	s := everyRule()
	for _, step := range []struct {
		class      failure.Class
		confidence float64
		action     string
		evidence   string
		drop       func()
	}{
		{failure.Conflicting, 0.95, "arbitrate", "cause=conflict: c-7", func() { s.Conflict = "" }},
		{failure.Transient, 0.95, "retry_with_backoff", `stderr says "ECONNRESET": read ECONNRESET`, func() { s.Trouble = "" }},
		{failure.LocalDesign, 0.75, "replan_story", "stderr_hash matches last 2 attempts", func() { s.Earlier[1] = "other" }},
		{failure.StoryLevel, 0.80, "replan_feature", "files_touched shares a.go with sibling 2B", func() { s.Siblings, s.Failed, s.Beyond, s.Revisions = nil, 1, 1, 1 }},
		{failure.LocalLogic, 0.85, "single_retry", `stderr matches "TypeError": TypeError: x`, func() { s.Text = "TYPE trouble" }},
		{failure.StoryLevel, 0.80, "replan_feature", "deviation_score=0.70 (failed_attempts_beyond=1, revisions=1, token_overrun=0.00)", func() { s.Revisions = 0 }},
		{failure.Architectural, 0.65, "freeze_and_escalate", "contradicts the plan's intent: no cloud", func() { s.Contradicts = "" }},
		{failure.LocalLogic, 0.85, "single_retry", "no other rule applies", func() { s.Exit = 0 }},
	} {
		c := diagnose.Classify(s)
		if c.Class != step.class || c.Confidence != step.confidence || c.Action != step.action || !slices.Contains(c.Evidence, step.evidence) {
			t.Errorf("%+v\nwant %s %.2f %s with %q", c, step.class, step.confidence, step.action, step.evidence)
		}
		if (c.Routes == "conflict-arbiter") != (c.Class == failure.Conflicting) {
			t.Errorf("%s is routed to %q", c.Class, c.Routes)
		}
		step.drop()
	}
	if c := diagnose.Classify(s); c.Class != "" || c.Action != "" {
		t.Errorf("what exited with 0, and is not wrong otherwise, is %+v", c)
	}
	s.Otherwise = "timeout"
	if c := diagnose.Classify(s); c.Class != failure.LocalLogic {
		t.Errorf("a deadline with exit code 0 is %+v", c)
	}
}

// Three failures with one hash are a pattern; two are not, nor three that differ.
func TestSameHash(t *testing.T) {
	for _, c := range []struct {
		failed  int
		earlier []string
		want    bool
	}{
		{3, []string{"h", "h"}, true},
		{4, []string{"x", "h", "h"}, true},
		{2, []string{"h", "h"}, false},
		{3, []string{"h"}, false},
		{3, []string{"h", "x"}, false},
		{3, []string{"x", "h"}, false},
	} {
		got := diagnose.Classify(diagnose.Signal{Exit: 1, Failed: c.failed, Hash: "h", Earlier: c.earlier})
		if (got.Class == failure.LocalDesign) != c.want {
			t.Errorf("%d failures after %q: %s", c.failed, c.earlier, got.Class)
		}
	}
}

// The deviation is the weighted sum, each overrun at most 1 and the whole at most 1.
func TestDeviation(t *testing.T) {
	for _, c := range []struct {
		beyond, revisions int
		overrun, want     float64
	}{
		{0, 0, 0, 0}, {1, 0, 0, 0.4}, {1, 1, 0, 0.7}, {1, 0, 0.5, 0.55}, {0, 0, 9, 0.3}, {2, 0, 0, 0.8}, {3, 4, 5, 1}, {-1, -1, -1, 0}, {0, 0, math.NaN(), 0},
	} {
		p := failure.Past{Failed: c.beyond + 1, Allowed: 2, Revisions: c.revisions, TokenBudget: 1000, Tokens: 1000}
		if !math.IsNaN(c.overrun) {
			p.Tokens += int64(c.overrun * 1000)
		}
		if c.beyond >= 0 { // the present attempt has always failed
			if d := diagnose.From(failure.Evidence{NoChange: true, Past: p}); d.Deviation != c.want {
				t.Errorf("%+v: deviation %v", c, d.Deviation)
			}
		}
		s := diagnose.Signal{Exit: 1, Failed: max(c.beyond, 0) + 2, Beyond: c.beyond, Revisions: c.revisions, Overrun: c.overrun}
		if got := diagnose.Classify(s); (got.Class == failure.StoryLevel) != (c.want >= 0.7) {
			t.Errorf("%+v is %s", c, got.Class)
		}
	}
	known := 0.7
	if d := diagnose.From(failure.Evidence{NoChange: true, Past: failure.Past{Deviation: &known}}); d.Deviation != 0.7 || d.Class.Class != failure.StoryLevel {
		t.Errorf("a deviation that is known: %v, %s", d.Deviation, d.Class.Class)
	}
}

// Drifting lowers the confidence in an F2 and changes nothing else. An uncertain failure is tried
// once and then shown to a person.
func TestDoubt(t *testing.T) {
	for _, c := range []struct {
		deviation, want float64
		action          string
	}{
		{0.49, 0.85, "single_retry"},
		{0.5, 0.75, "single_retry"},
		{0.69, 0.75, "single_retry"},
	} {
		got := diagnose.Classify(diagnose.Signal{Exit: 1, Failed: 1, Deviation: &c.deviation, Text: "test failed"})
		if got.Class != failure.LocalLogic || got.Confidence != c.want || got.Action != c.action {
			t.Errorf("deviation %.2f: %+v", c.deviation, got)
		}
	}
	drift := 0.6
	sure := diagnose.Classify(diagnose.Signal{Exit: 1, Deviation: &drift, Trouble: "ETIMEDOUT"})
	if sure.Confidence != 0.95 {
		t.Errorf("drifting makes an F1 less sure: %+v", sure)
	}
	for _, deviation := range []float64{0.4, 0.6} {
		got := diagnose.Classify(diagnose.Signal{Exit: 1, Failed: 1, Deviation: &deviation})
		if got.Class != failure.LocalLogic || got.Confidence >= 0.6 || got.Action != "single_retry_then_escalate" {
			t.Errorf("nothing was seen, deviation %.1f: %+v", deviation, got)
		}
	}
}

// The document's own example, byte for byte as far as it is about us.
func TestClassificationAsJSON(t *testing.T) {
	s := diagnose.Signal{
		Node: "TASK-00101", Parent: "STORY-0042", Exit: 1, Failed: 3, Hash: "h", Earlier: []string{"h", "h"},
		Edits: []string{"tests/auth/jwt.test.ts was edited in 4 failed attempts"},
	}
	got, err := json.MarshalIndent(diagnose.Classify(s), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	want := `{
  "class": "F3",
  "confidence": 0.75,
  "evidence": [
    "failed_attempts=3",
    "stderr_hash matches last 2 attempts",
    "tests/auth/jwt.test.ts was edited in 4 failed attempts"
  ],
  "recommended_action": "replan_story",
  "node_id": "TASK-00101",
  "parent_node_id": "STORY-0042"
}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
	s.Conflict = "c-7"
	if got, err = json.Marshal(diagnose.Classify(s)); err != nil || !strings.HasSuffix(string(got), `"parent_node_id":"STORY-0042","routes_to":"conflict-arbiter"}`) {
		t.Errorf("%s, %v", got, err)
	}
}

// The guidance counts the edits of a failing test's file that did not help.
func TestEditsInVain(t *testing.T) {
	d := diagnose.From(gated(gaveUp, authTests()))
	e := gated(gaveUp, authTests())
	e.Past = failure.Past{Failed: 2, Files: []string{"auth.test.ts"}, Earlier: []failure.Earlier{
		{Fingerprint: d.Fingerprint, Files: []string{"auth.test.ts"}}, {Fingerprint: d.Fingerprint, Files: []string{"auth.ts", "auth.test.ts"}},
	}}
	got := diagnose.From(e).Class
	if got.Class != failure.LocalDesign || !slices.Contains(got.Evidence, "auth.test.ts was edited in 3 failed attempts") {
		t.Errorf("%+v", got)
	}
}

// Any signal has a class with its own action, or is no failure.
func TestAnySignalIsClassified(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "429", "HTTP 503", "TypeError: x", "rate limit\xff", strings.Repeat("ECONNRESET ", 9000)}))
	actions := map[failure.Class]string{
		failure.Transient: "retry_with_backoff", failure.LocalLogic: "single_retry", failure.LocalDesign: "replan_story",
		failure.StoryLevel: "replan_feature", failure.Architectural: "freeze_and_escalate", failure.Conflicting: "arbitrate",
	}
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(text, 0, 12)
		s := diagnose.Signal{
			Node: text.Draw(t, "node"), Parent: text.Draw(t, "parent"), Exit: rapid.IntRange(-1, 2).Draw(t, "exit"), Otherwise: text.Draw(t, "otherwise"),
			Seen: text.Draw(t, "seen"), Text: text.Draw(t, "text"), Trouble: text.Draw(t, "trouble"), Limit: text.Draw(t, "limit"), Flaky: text.Draw(t, "flaky"),
			Conflict: rapid.SampledFrom([]string{"", "c"}).Draw(t, "conflict"), Failed: rapid.IntRange(-1, 5).Draw(t, "failed"), Hash: text.Draw(t, "hash"),
			Earlier: list.Draw(t, "earlier"), Edits: list.Draw(t, "edits"), Files: list.Draw(t, "files"), Revisions: rapid.IntRange(-1, 3).Draw(t, "revisions"),
			Overrun: rapid.Float64().Draw(t, "overrun"), Contradicts: text.Draw(t, "contradicts"),
			Siblings: []failure.Sibling{{Phase: text.Draw(t, "sibling"), Files: list.Draw(t, "its files")}},
		}
		c := diagnose.Classify(s)
		if !cmp.Equal(c, diagnose.Classify(s)) {
			t.Fatalf("classified twice, it is something else: %+v", c)
		}
		if c.Class == "" {
			if s.Exit != 0 || s.Conflict != "" || c.Evidence == nil {
				t.Fatalf("a failure without a class: %+v", s)
			}
			return
		}
		want := actions[c.Class]
		if (c.Class == failure.LocalDesign || c.Class == failure.StoryLevel) && s.Revisions >= 3 {
			want = "freeze_and_escalate"
		}
		if c.Action != want && (c.Confidence >= 0.6 || c.Class != failure.LocalLogic || c.Action != "single_retry_then_escalate") {
			t.Fatalf("%+v", c)
		}
		if c.Confidence <= 0 || c.Confidence > 0.95 || len(c.Evidence) > 10 || slices.ContainsFunc(c.Evidence, func(l string) bool { return len(l) > 400 }) {
			t.Fatalf("out of bounds: %+v", c)
		}
	})
}

// TestContradicts: the constraint is known by its text, and in what older versions stored by the
// evidence.
func TestContradicts(t *testing.T) {
	newer := failure.Classification{Class: failure.Architectural, Constraint: "no cloud"}
	older := failure.Classification{
		Class: failure.Architectural, Evidence: []string{`contradicts the plan's intent: "no cloud" (line 3 of the plan); the difference changes a.go`},
	}
	for _, c := range []failure.Classification{newer, older} {
		if !c.Contradicts("no cloud") || c.Contradicts("no clouds") {
			t.Errorf("%+v", c)
		}
	}
}
