package classify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autobuild/failure"
)

// failureCase is one file of testdata/failures: evidence, and the conclusions of the four
// documents.
type failureCase struct {
	How      string          `json:"how"`
	Recorded bool            `json:"recorded"`
	Input    json.RawMessage `json:"input"`
	Expect   expectation     `json:"expect"`
}

// expectation is the expected result. An absent member is not compared.
type expectation struct {
	Type       failure.Type     `json:"type"`
	Cause      failure.Type     `json:"cause"`
	Category   failure.Category `json:"category"`
	Nature     failure.Nature   `json:"nature"`
	Transient  *bool            `json:"category_retryable"`
	Class      failure.Class    `json:"class"`
	Confidence float64          `json:"confidence"`
	Action     string           `json:"recommended_action"`
	Routes     string           `json:"routes_to"`
	Node       string           `json:"node_id"`
	Parent     string           `json:"parent_node_id"`
	Package    string           `json:"package"`
	FixCommand string           `json:"fix_command"`
	Count      int              `json:"count"`
	Tests      []string         `json:"tests"`
	Places     []string         `json:"places"`
	Missing    string           `json:"missing_file"`
	Variable   string           `json:"variable"`

	NotAFailure bool   `json:"not_a_failure"`
	Disputed    string `json:"disputed"`
}

// strict decodes JSON; a member that is missing in into is an error.
func strict(raw []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	return dec.Decode(into)
}

// failureCases are the files of the corpus by name.
func failureCases(t *testing.T) map[string]failureCase {
	t.Helper()
	paths, err := filepath.Glob("../../testdata/failures/*.json")
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]failureCase, len(paths))
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var c failureCase
		if err := strict(raw, &c); err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		all[strings.TrimSuffix(filepath.Base(path), ".json")] = c
	}
	return all
}

// inputMembers are what the input of classify may hold, with what it holds itself. A nil map is a
// value of any form.
var inputMembers = map[string][]string{
	"tool": nil, "kind": nil, "exit_code": nil, "signal": nil, "timed_out": nil, "idle": nil, "not_available": nil, "after": nil,
	"stdout_tail": nil, "stderr_tail": nil, "output": nil, "test_output": nil, "files_touched": nil, "cause": nil, "conflict_id": nil,
	"missing_files": nil, "no_change": nil,
	"node":     {"id", "parent_id", "status", "failed_attempts", "replan_budget_remaining", "revisions", "token_overrun", "deviation_score", "intent_contradicted"},
	"history":  {"node_id", "stderr_hash", "stderr_tail", "files_touched"},
	"siblings": {"id", "files_touched"},
	"claim":    {"status", "tasks", "error", "tier"},
	"agent":    {"name", "kind", "message"},
}

// foreign matches traces of the machine on which a case was recorded; none may remain.
var foreign = regexp.MustCompile(`/root\b|/tmp/[a-z]+/|\bregistry\.[a-z]+\.|maven2\b|\bproxy\.[a-z]+\.|\bindex\.[a-z]+\.(?:io|org)`)

// A corpus that is too small, one-sided or not readable proves nothing.
func TestFailureCorpus(t *testing.T) {
	const cases, recorded, tail = 300, 150, 4 << 10
	all := failureCases(t)
	seen, really := map[string]int{}, 0
	for _, name := range slices.Sorted(maps.Keys(all)) {
		c := all[name]
		var input map[string]json.RawMessage
		if err := json.Unmarshal(c.Input, &input); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if c.Recorded {
			really++
		}
		if c.How == "" || foreign.Match(c.Input) {
			t.Errorf("%s: does not say how it came about, or brings %q along", name, foreign.Find(c.Input))
		}
		for member, raw := range input {
			checkMember(t, name, member, raw, tail)
		}
		for _, problem := range c.Expect.problems() {
			t.Errorf("%s: %s", name, problem)
		}
		for _, is := range []string{string(c.Expect.Type), string(c.Expect.Category), string(c.Expect.Nature), string(c.Expect.Class)} {
			seen[is]++
		}
	}
	if len(all) < cases || really < recorded {
		t.Errorf("%d cases, %d of them recorded; at least %d and %d are wanted", len(all), really, cases, recorded)
	}
	wanted := []string{"prerequisite", "execution", "unexpected_result", "misalignment", "ambiguity", "fault", "failure", "F1", "F2", "F3", "F4", "F5", "F6"}
	for _, typ := range failure.Types() {
		// These types come from checks of a plan, a run's budget or a worktree, not from a failed
		// command or agent.
		if !slices.Contains([]failure.Type{failure.CircularDependency, failure.PlanInvalid, failure.IsolationBreach, failure.GuardViolation, failure.ReviewRejected, failure.SiblingWorkRemoved, failure.NestedRepository}, typ) {
			wanted = append(wanted, string(typ))
		}
	}
	for _, is := range wanted {
		if seen[is] == 0 {
			t.Errorf("no case is %s", is)
		}
	}
}

func checkMember(t *testing.T, name, member string, raw json.RawMessage, tail int) {
	t.Helper()
	inner, known := inputMembers[member]
	if !known {
		t.Errorf("%s: the input has no member %q", name, member)
	}
	if strings.HasSuffix(member, "_tail") && len(raw) > 3*tail { // quotes and line ends are escaped
		t.Errorf("%s: %s has %d bytes", name, member, len(raw))
	}
	if inner == nil {
		return
	}
	var list []map[string]json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		list = make([]map[string]json.RawMessage, 1)
		if err := json.Unmarshal(raw, &list[0]); err != nil {
			t.Errorf("%s: %s: %v", name, member, err)
		}
	}
	for _, object := range list {
		for m := range object {
			if !slices.Contains(inner, m) {
				t.Errorf("%s: %s has no member %q", name, member, m)
			}
		}
	}
}

// recommended holds failure-classifier's recommendation for a class, and its confidence. Drifting
// lowers the confidence in an F2.
var recommended = map[failure.Class]struct {
	action     string
	confidence []float64
}{
	failure.Transient:     {"retry_with_backoff", []float64{0.95}},
	failure.LocalLogic:    {"single_retry", []float64{0.85, 0.75}},
	failure.LocalDesign:   {"replan_story", []float64{0.75}},
	failure.StoryLevel:    {"replan_feature", []float64{0.80}},
	failure.Architectural: {"freeze_and_escalate", []float64{0.65}},
	failure.Conflicting:   {"arbitrate", []float64{0.95}},
}

// problems are the contradictions within an expectation, and its gaps without a reason.
func (x expectation) problems() []string {
	var out []string
	if x.NotAFailure {
		return nil
	}
	if x.Disputed == "" && (x.Type == "" || x.Category == "" || x.Class == "" || x.Action == "" || x.Transient == nil) {
		out = append(out, "it lacks a type, category, class or action, and does not say why")
	}
	if x.Type != "" && !x.Type.Valid() || x.Cause != "" && !x.Cause.Valid() {
		out = append(out, "its type or cause is none: "+string(x.Type)+" "+string(x.Cause))
	}
	if x.Category != "" && x.Category.Nature() != x.Nature {
		out = append(out, string(x.Category)+" is no "+string(x.Nature))
	}
	if x.Category == failure.Ambiguity && x.Transient != nil && *x.Transient {
		out = append(out, "ambiguity is never retryable")
	}
	if r, ok := recommended[x.Class]; x.Class != "" && !ok || x.Action != "" && (x.Action != r.action || !slices.Contains(r.confidence, x.Confidence)) {
		out = append(out, "its class, confidence and action do not go together")
	}
	if (x.Class == failure.Conflicting) != (x.Routes == "conflict-arbiter") {
		out = append(out, "F6 and nothing else is routed to the arbiter")
	}
	return out
}

// Every failure of the corpus is classified as the documents classify it. The corpus exists for
// this table.
func TestFailuresAreClassified(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine works, slowly under the race detector")
	}
	all, right, asked := failureCases(t), map[string]int{}, map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		x := all[name].Expect
		class, d, err := JSON(all[name].Input)
		if x.NotAFailure {
			if _, refused := errors.AsType[*InputError](err); !refused {
				t.Errorf("%s: %v; want a refusal", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if again, e, err := JSON(all[name].Input); err != nil || !cmp.Equal(again, class) || !cmp.Equal(e, d) {
			t.Errorf("%s: classified twice, it is something else: %v", name, err)
		}
		for _, f := range x.compare(class, d) {
			asked[f.taxonomy]++
			if f.wrong == "" {
				right[f.taxonomy]++
				continue
			}
			t.Errorf("%s: %s: %s", name, f.taxonomy, f.wrong)
		}
	}
	for _, taxonomy := range slices.Sorted(maps.Keys(asked)) {
		t.Logf("%-10s %4d of %4d right", taxonomy, right[taxonomy], asked[taxonomy])
	}
	if asked["type"] == 0 || asked["category"] == 0 || asked["class"] == 0 || asked["evidence"] == 0 {
		t.Error("there was nothing to compare")
	}
}

// finding is one member that was compared; wrong is empty where it is as expected.
type finding struct{ taxonomy, wrong string }

func (x expectation) compare(class failure.Classification, d failure.Diagnosis) []finding {
	var out []finding
	same := func(taxonomy, member string, got, want any, asked bool) {
		if !asked {
			return
		}
		f := finding{taxonomy: taxonomy}
		if got != want {
			f.wrong = fmt.Sprintf("%s is %v, want %v", member, got, want)
		}
		out = append(out, f)
	}
	same("type", "type", d.Type, x.Type, x.Type != "")
	same("type", "cause", d.Cause, x.Cause, x.Type != "")
	same("category", "category", d.Category, x.Category, x.Category != "")
	same("category", "nature", d.Category.Nature(), x.Nature, x.Category != "")
	if x.Transient != nil {
		same("category", "category_retryable", d.Transient, *x.Transient, true)
	}
	same("class", "class", class.Class, x.Class, x.Class != "")
	same("class", "confidence", class.Confidence, x.Confidence, x.Confidence > 0)
	same("class", "recommended_action", class.Action, x.Action, x.Action != "")
	same("class", "routes_to", class.Routes, x.Routes, x.Class != "")
	same("class", "node_id", class.Node, x.Node, x.Node != "")
	same("class", "parent_node_id", class.Parent, x.Parent, x.Parent != "")
	same("class", "evidence is given", len(class.Evidence) > 0, true, true)
	same("evidence", "package", d.Package, x.Package, x.Package != "")
	same("evidence", "fix_command", d.FixCommand, x.FixCommand, x.FixCommand != "")
	same("evidence", "count", d.Count, x.Count, x.Count > 0)
	same("evidence", "variable", d.Variable, x.Variable, x.Variable != "")
	var names, places []string
	for _, test := range d.Tests {
		names, places = append(names, test.Name), append(places, fmt.Sprintf("%s:%d", test.File, test.Line), test.File)
	}
	for _, p := range d.Places {
		places = append(places, fmt.Sprintf("%s:%d", p.File, p.Line), p.File)
	}
	for _, l := range []struct {
		member      string
		got, wanted []string
	}{{"tests", names, x.Tests}, {"places", places, x.Places}, {"files", append(strings.Fields(d.Message), d.Files...), strings.Fields(x.Missing)}} {
		for _, want := range l.wanted {
			f := finding{taxonomy: "evidence"}
			if !slices.ContainsFunc(l.got, func(got string) bool { return samePath(got, want) }) {
				f.wrong = fmt.Sprintf("%s %q has no %q", l.member, l.got, want)
			}
			out = append(out, f)
		}
	}
	return out
}

// samePath compares paths of which one may be absolute, or begin where the other's folder ends.
func samePath(a, b string) bool {
	a, b = strings.TrimPrefix(strings.Trim(a, `'":,;`), "./"), strings.TrimPrefix(b, "./")
	return a == b || strings.HasSuffix(a, "/"+b) || strings.HasSuffix(b, "/"+a) && a != ""
}
