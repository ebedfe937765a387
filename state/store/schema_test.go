package store

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"autobuild/internal/schema"
	"autobuild/state"
)

const schemas = "../../cmd/schemas"

// always lists the members that every event of a type has. The other members depend on the content
// of the event.
var always = map[state.EventType][]string{
	state.RunStarted:       {"seq", "config", "phases"},
	state.PhaseStarted:     {"seq", "phase", "label", "status", "attempt", "attempts"},
	state.AttemptFinished:  {"seq", "phase", "status", "result"},
	state.PhaseInterrupted: {"seq", "phase", "status"},
	state.PhaseBlocked:     {"seq", "phase", "status", "blocked_by"},
	state.PhaseReset:       {"seq", "phase", "status"},
	state.PhaseSkipped:     {"seq", "phase", "status"},
	state.PhaseAccepted:    {"seq", "phase", "status"},
	state.PhaseMended:      {"seq", "phase", "status", "commit", "text"},
	state.PhaseNoted:       {"seq", "phase", "status", "text"},
	state.RunPaused:        {"seq"},
	state.RunContinued:     {"seq"},
	state.PlanEdited:       {"seq", "phases", "edit"},
	state.RunFinished:      {"seq", "end"},
	state.AgentFinished:    {"phase"},
	state.GateStarted:      {"gate"},
	state.GateFinished:     {"gate"},
	state.Notice:           {"text"},
	state.Activity:         {"phase", "text"},
	state.Heartbeat:        {},
}

func sources(t *testing.T) schema.Source {
	t.Helper()
	s, err := schema.Read(map[string]string{"autobuild/state": "..", "autobuild/failure": "../../failure", "autobuild/state/store": "."})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// made are the schemas of all stored forms, by the name of the file without its end.
func made(t *testing.T) map[string]schema.Object {
	t.Helper()
	const at = "urn:autobuild:schema:"
	open := &schema.Maker{Source: sources(t), Open: true}
	closed := &schema.Maker{Source: open.Source, Special: map[reflect.Type]func(*schema.Maker) any{
		reflect.TypeFor[seconds](): func(*schema.Maker) any {
			return schema.Object{{Key: "type", Value: "number"}, {Key: "description", Value: "seconds"}}
		},
		reflect.TypeFor[gateRuns](): func(m *schema.Maker) any {
			return schema.Object{{Key: "type", Value: "object"}, {Key: "additionalProperties", Value: m.Type(reflect.TypeFor[gateRun]())}}
		},
		reflect.TypeFor[attemptErrors](): func(m *schema.Maker) any {
			return schema.Object{
				{Key: "type", Value: "object"},
				{Key: "properties", Value: schema.Object{
					{Key: "resolved_on_retry", Value: schema.Object{{Key: "type", Value: "boolean"}}},
					{Key: "final", Value: schema.Object{{Key: "type", Value: "string"}}},
				}},
				{Key: "patternProperties", Value: schema.Object{{Key: "^" + attemptKey + "[1-9][0-9]*$", Value: m.Type(reflect.TypeFor[attemptError]())}}},
				{Key: "additionalProperties", Value: false},
			}
		},
	}}
	return map[string]schema.Object{
		"events": open.Make(at+"events:1", "autobuild event",
			"A line of events.jsonl and of --progress json. Types and members that are not known may come: skip them. Another v is another format.",
			byType(t, open.Source), reflect.TypeFor[state.Event]()),
		"result": open.Make(at+"result:1", "autobuild result", "result.json: how the last session of a run ended. Members that are not known may come.",
			nil, reflect.TypeFor[resultFile]()),
		"state": closed.Make(at+"state:1", "autobuild state", "config.json, or phases/phase-ID.json. Members that are not known are refused when a run goes on.",
			nil, reflect.TypeFor[state.Config](), reflect.TypeFor[phaseFile]()),
	}
}

// byType says what each type of event always has.
func byType(t *testing.T, s schema.Source) schema.Object {
	t.Helper()
	one := func(key string, value any) schema.Object { return schema.Object{{Key: key, Value: value}} }
	rules := []any{one("properties", one("v", one("const", state.EventVersion)))}
	types := s.Words["autobuild/state.EventType"]
	if len(types) != len(always) {
		t.Errorf("%d types of events, and rules for %d", len(types), len(always))
	}
	for _, word := range types {
		needs, known := always[state.EventType(word.Value)]
		if !known {
			t.Errorf("what has an event %s always?", word.Value)
		}
		if len(needs) > 0 {
			rules = append(rules, append(one("if", one("properties", one("type", one("const", word.Value)))), one("then", one("required", needs))...))
		}
	}
	return one("allOf", rules)
}

// TestSchemas: the schemas that the program prints are those of the types, comments included.
func TestSchemas(t *testing.T) {
	for name, root := range made(t) {
		text, err := schema.Document(root)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(schemas, name+".json")
		if *update {
			if err := os.WriteFile(path, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if there, err := os.ReadFile(path); err != nil || !bytes.Equal(there, text) {
			t.Errorf("%s is not the schema of its type any more (%v): go test ./state/store -run TestSchemas -update", path, err)
		}
	}
}

// compiled is a schema as a reader of it has it.
func compiled(t testing.TB, name string) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	s, err := c.Compile(filepath.Join(schemas, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// holds checks a text against a schema.
func holds(t tester, s *jsonschema.Schema, where string, text []byte) {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err == nil {
		err = s.Validate(value)
	}
	if err != nil {
		t.Fatalf("%s: %v\n%s", where, err, text)
	}
}

// stateHolds checks config.json and the file of every phase that has one: all that have been tried.
func stateHolds(t tester, s *jsonschema.Schema, dir string, run *state.Run) {
	t.Helper()
	holds(t, s, ConfigName, read(t, filepath.Join(dir, ConfigName)))
	for _, p := range run.Phases {
		path := filepath.Join(dir, PhasePath(p.ID))
		if _, err := os.Stat(path); err == nil || len(p.Attempts) > 0 {
			holds(t, s, PhasePath(p.ID), read(t, path))
		}
	}
}

func read(t tester, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestWhatIsWrittenHoldsToTheSchemas: after any sequence of events, every file and every line.
func TestWhatIsWrittenHoldsToTheSchemas(t *testing.T) {
	events, files, result := compiled(t, "events"), compiled(t, "state"), compiled(t, "result")
	base, n := t.TempDir(), 0
	rapid.Check(t, func(r *rapid.T) {
		n++
		dir := filepath.Join(base, strconv.Itoa(n))
		d := openDir(r, dir)
		defer func() { _ = d.Close() }()
		how := rapid.SampledFrom([]state.Isolation{state.Worktree, state.NoIsolation}).Draw(r, "isolation")
		run := &state.Run{}
		happen(r, d, run, begin(1, how))
		try := func(e state.Event) {
			e.V, e.Seq, e.Time, e.Run = state.EventVersion, run.Seq+1, at(int(run.Seq)), "r1"
			if run.Apply(e) != nil {
				return
			}
			if p, ok := run.Find(e.Phase); ok {
				e.Label, e.Status = p.Label, p.Status
			}
			if err := d.Event(e, run); err != nil {
				r.Fatal(err)
			}
		}
		for range rapid.IntRange(0, 30).Draw(r, "events") {
			try(draw(r, run, how))
		}
		stateHolds(r, files, dir, run) // while phases run
		for _, p := range run.Phases { // a run cannot end before its phases
			try(of(state.PhaseInterrupted, p.ID))
		}
		try(end())
		stateHolds(r, files, dir, run)
		holds(r, result, ResultName, read(r, filepath.Join(dir, ResultName)))
		for line := range bytes.Lines(read(r, filepath.Join(dir, DiaryName))) {
			holds(r, events, DiaryName, line)
		}
	})
}

// TestSchemasRefuse: a schema that takes everything would prove nothing.
func TestSchemasRefuse(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"events", `{"v":2,"time":"2026-11-21T02:17:04Z","type":"heartbeat","run":"r"}`},
		{"events", `{"v":1,"time":"yesterday","type":"heartbeat","run":"r"}`},
		{"events", `{"v":1,"time":"2026-11-21T02:17:04Z","type":"run.finished","run":"r","seq":3}`},
		{"events", `{"v":1,"time":"2026-11-21T02:17:04Z","type":"phase.started","run":"r","seq":3}`},
		{"events", `{"v":1,"time":"2026-11-21T02:17:04Z","type":"gate.finished","run":"r","gate":{"name":"test"}}`},
		{"result", `{"schema":1}`},
		{"state", `{"schema":1,"phase_id":"1","status":"perhaps","attempt":0,"max_attempts":2}`},
		{"state", `{"schema":1,"phase_id":"1","status":"pending","attempt":0,"max_attempts":2,"extra":1}`},
	} {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(c.text))
		if err != nil {
			t.Fatal(err)
		}
		if compiled(t, c.name).Validate(value) == nil {
			t.Errorf("%s takes %s", c.name, c.text)
		}
	}
	for _, c := range []struct{ name, text string }{
		{"events", `{"v":1,"time":"2026-11-21T02:17:04Z","type":"something.new","run":"r","member":1}`},
		{"state", `{"schema":1,"phase_id":"1","status":"pending","attempt":0,"max_attempts":2}`},
	} {
		holds(t, compiled(t, c.name), c.name, []byte(c.text))
	}
}
