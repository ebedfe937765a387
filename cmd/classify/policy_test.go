package classify

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"autobuild/failure"
	"autobuild/failure/policy"
)

// In every recorded failure, the policy adaptive gives more than one retry if and only if the
// failure is transient: its indicators and the two taxonomies look at the same words, and must
// agree. The failures that error-matching-rules names are recognised by their own rows.
func TestRecordedFailuresUnderAdaptive(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine works, slowly under the race detector")
	}
	rows := map[string]string{
		"retry-race.json": "adaptive.race", "retry-import.json": "adaptive.import", "retry-syntax.json": "adaptive.syntax",
		"retry-identical.json": "adaptive.assertion", "gate-timed-out.json": "adaptive.timeout", "go-test-refused.json": "adaptive.connection",
		"rule3-econnreset.json": "adaptive.transient", "tsc-module-missing.json": "guard.dependency-missing", "ambiguous-criteria.json": "adaptive.not-retryable",
	}
	one := []string{"adaptive.import", "adaptive.syntax", "adaptive.assertion", "adaptive.other"}
	paths, err := filepath.Glob("../../testdata/failures/*.json")
	if err != nil || len(paths) < 120 {
		t.Fatalf("only %d recorded failures: %v", len(paths), err)
	}
	retried := 0
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var recorded struct {
			Input json.RawMessage `json:"input"`
		}
		if err = json.Unmarshal(raw, &recorded); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		_, d, err := JSON(recorded.Input)
		if err != nil {
			continue // no failure
		}
		name := filepath.Base(path)
		got := policy.Adaptive{}.Decide(d, failure.History{})
		if want, ok := rows[name]; ok && got.Rule != want {
			t.Errorf("%s: rule %s, want %s", name, got.Rule, want)
		}
		delete(rows, name)
		if got.Action != failure.Retry {
			continue
		}
		retried++
		passes := d.Transient || d.Class.Class == failure.Transient
		if several := !slices.Contains(one, got.Rule); several != passes {
			t.Errorf("%s: %s, but that it may pass by itself is %t (%s, %s)", name, strings.TrimPrefix(got.Rule, "adaptive."), passes, d.Category, d.Class.Class)
		}
	}
	if len(rows) > 0 || retried < 100 {
		t.Errorf("%d retried; not recorded: %v", retried, rows)
	}
}
