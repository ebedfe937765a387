package wire_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"autobuild/failure"
	"autobuild/plan"
	"autobuild/state"

	"autobuild/temporal/wire"
)

// fill gives every string in a value a word, so that one that must not travel is found.
func fill(v reflect.Value, word string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(word)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), word)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), word)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type() != reflect.TypeFor[time.Time]() && v.Field(i).CanSet() {
				fill(v.Field(i), word)
			}
		}
	}
}

// Of an attempt with a word in every field, only these fields travel as they are: ids, agents and
// the names of rules.
func TestNothingElseTravels(t *testing.T) {
	var a state.Attempt
	fill(reflect.ValueOf(&a).Elem(), "a private word")
	raw, err := json.Marshal(wire.ThinAttempt(a))
	if err != nil {
		t.Fatal(err)
	}
	var travels map[string]any
	if err = json.Unmarshal(raw, &travels); err != nil {
		t.Fatal(err)
	}
	got := words("", travels)
	slices.Sort(got)
	want := []string{
		"account", "agent", "commit.sha", "decision.action", "decision.rule", "decision.to",
		"failure.category", "failure.cause", "failure.classification.class",
		"failure.classification.recommended_action", "failure.conflicts.other",
		"failure.conflicts.phase", "failure.type", "key", "tier", "verdict",
	}
	if !slices.Equal(got, want) {
		t.Errorf("these fields travel:\n%s\nnot these:\n%s", strings.Join(got, "\n"),
			strings.Join(want, "\n"))
	}
}

// words are the paths of the fields that hold a private word.
func words(at string, v any) (found []string) {
	switch v := v.(type) {
	case string:
		if strings.Contains(v, "private") {
			found = append(found, strings.TrimPrefix(at, "."))
		}
	case []any:
		for _, e := range v {
			found = append(found, words(at, e)...)
		}
	case map[string]any:
		for k, e := range v {
			found = append(found, words(at+"."+k, e)...)
		}
	}
	return found
}

// A phase that travels twice is the same as after the first time.
func TestThinTwice(t *testing.T) {
	p := state.Phase{
		ID: "1", Status: state.Failed, Fingerprint: "print",
		Past: []failure.Earlier{{Type: failure.TestFailure, Fingerprint: "long", Conflict: "2: a.go"}},
	}
	once := wire.ThinPhase(&p)
	restored := wire.Phase{ID: "1", Standing: once}.Restore()
	twice := wire.ThinPhase(&restored)
	once.Print, twice.Print = "", "" // hashed again: compared within one link only
	if !reflect.DeepEqual(once, twice) {
		t.Errorf("%+v\n%+v", once, twice)
	}
}

// The state of 5,000 phases fits into a payload, which Temporal bounds at 2 MB.
func TestSize(t *testing.T) {
	var phases []plan.Phase
	run := new(state.Run)
	for i := range 5000 {
		id := "phase-" + strconv.Itoa(i)
		phases = append(phases, plan.Phase{
			ID: id, Label: id, Name: strings.Repeat("long name ", 20), Fingerprint: strings.Repeat("f", 64),
		})
		run.Phases = append(run.Phases, state.Phase{
			ID: id, Status: state.Complete, Commit: &state.Commit{SHA: strings.Repeat("a", 40)},
			Attempts: []state.Attempt{{
				N: 1, Key: strings.Repeat("k", 16), Started: time.Now(), Ended: time.Now(),
				Verdict: state.Verified, Agent: "claude",
			}},
		})
	}
	p, err := plan.Graph(phases)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(wire.Input{Phases: wire.Thin(p, run, func(string) int { return 2 },
		func(plan.Phase) string { return "" })})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", len(raw))
	if len(raw) > 2<<20 {
		t.Errorf("%d bytes are more than Temporal takes", len(raw))
	}
}

// A worker serves the queue of every set of its labels.
func TestQueues(t *testing.T) {
	queues := wire.Queues("q", []string{"Linux,gpu", "gpu"})
	if got, want := strings.Join(queues, " "), "q q.gpu q.linux q.gpu+linux"; got != want {
		t.Errorf("%s, not %s", got, want)
	}
	if q := wire.QueueFor("q", "linux, GPU"); !slices.Contains(queues, q) {
		t.Errorf("nobody serves %s", q)
	}
}
