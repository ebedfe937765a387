package cmd

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v4"

	"autobuild/internal/schema"
	"autobuild/orchestrator/session/config"
	"autobuild/orchestrator/session/notify"
	"autobuild/plan"
	"autobuild/state"
)

type obj = schema.Object

func members(pairs ...any) obj {
	var o obj
	for i := 0; i < len(pairs); i += 2 {
		key, _ := pairs[i].(string)
		o = append(o, schema.Member{Key: key, Value: pairs[i+1]})
	}
	return o
}

func either(schemas ...any) obj { return members("anyOf", schemas) }

// The forms that values of autobuild.yaml have.
var (
	// any single value, as the reader takes it
	aWord    = members("type", []string{"string", "number", "boolean"})
	aText    = members("type", "string")
	off      = members("enum", []any{false, nil, ""})
	words    = members("type", "array", "items", aWord)
	duration = members("type", []string{"string", "integer"}, "pattern", `^([0-9]+(\.[0-9]*)?(ns|us|µs|ms|s|m|h))+$|^0$`, "maximum", 0, "description", "90s, 15m, 1h30m")
)

// flagSchema is what the value of a flag may be in the file.
func flagSchema(f *pflag.Flag) obj {
	var o obj
	switch c, chosen := f.Value.(*config.Choice); {
	case f.Name == config.SandboxFlag:
		word := members("type", "string", "enum", c.Words)
		o = either(word, members("type", "object", "additionalProperties", false, "properties", members("mode", word, "write", either(aText, words))))
	case chosen:
		o = members("type", "string", "enum", c.Words)
	case f.Value.Type() == "bool":
		o = members("type", "boolean")
	case f.Value.Type() == "duration":
		o = slices.Clone(duration)
	case strings.HasPrefix(f.Value.Type(), "int"):
		o = members("type", "integer")
	case strings.HasPrefix(f.Value.Type(), "float"):
		o = members("type", "number")
	case f.Name == "agent":
		o = either(aText, words)
	default:
		o = slices.Clone(aWord)
	}
	o = slices.DeleteFunc(o, func(m schema.Member) bool { return m.Key == "description" })
	_, usage := pflag.UnquoteUsage(f)
	return append(o, schema.Member{Key: "description", Value: usage})
}

// specialSchemas are the keys that are no flags.
func specialSchemas(m *schema.Maker) map[string]obj {
	settings := obj{}
	for _, name := range plan.SettingNames() {
		settings = append(settings, schema.Member{Key: name, Value: aWord})
	}
	gate := members("type", "object", "additionalProperties", false, "required", []string{"run"}, "properties",
		members("run", aText, "fix", aText, "kind", aText, "timeout", duration))
	return map[string]obj{
		"gates": members("type", "object", "propertyNames", members("pattern", "^[A-Za-z0-9_-]{1,40}$"), "additionalProperties", either(aText, off, gate)),
		"setup": either(aText, words), "agents": either(words, members("type", "object", "additionalProperties", m.Type(reflect.TypeFor[config.Agent]()))),
		"work-dir": slices.Clone(aText), "build-folders": members("enum", []any{"keep", "cold"}),
		"env":    members("type", "object", "additionalProperties", false, "required", []string{"allow"}, "properties", members("allow", either(aText, words))),
		"tiers":  members("type", "array", "items", members("type", []string{"string", "number", "boolean"}, "minLength", 1)),
		"phases": members("type", "object", "additionalProperties", members("type", "object", "properties", settings, "additionalProperties", false)),
		"notify": either(off, aText, words, m.Type(reflect.TypeFor[notify.Settings]())),
		"review": either(off, members("enum", []any{"all", "risky", "off"}), m.Type(reflect.TypeFor[config.Review]())),
	}
}

// configSchema is the schema of autobuild.yaml, made of the flags and of the types that the file is
// read into.
func configSchema(t *testing.T) obj {
	t.Helper()
	source, err := schema.Read(map[string]string{"autobuild/orchestrator/session/config": "../orchestrator/session/config", "autobuild/orchestrator/session/notify": "../orchestrator/session/notify"})
	if err != nil {
		t.Fatal(err)
	}
	flags := pflag.NewFlagSet("run", pflag.ContinueOnError)
	var o config.Options
	o.Bind(flags)
	flags = o.Settings()
	m := &schema.Maker{Source: source, Tag: "yaml"}
	special := specialSchemas(m)
	properties := obj{}
	for _, s := range config.Table() {
		switch of, known := special[s.Name]; {
		case s.Where&config.InValues != 0:
			properties = append(properties, schema.Member{Key: s.Name, Value: flagSchema(flags.Lookup(s.Name))})
		case s.Where == config.InSections && !known:
			t.Errorf("what may stand at %s in autobuild.yaml?", s.Name)
		case s.Where == config.InSections:
			properties = append(properties, schema.Member{Key: s.Name, Value: append(of, schema.Member{Key: "description", Value: s.Help})})
		}
	}
	return members("$schema", schema.Draft, "$id", "urn:autobuild:schema:config:1", "title", "autobuild.yaml",
		"description", "How autobuild runs plans in this repository. Flags and AUTOBUILD_… come before it.",
		"type", []string{"object", "null"}, "additionalProperties", false, "properties", properties, "$defs", m.Defs())
}

// TestConfigSchema: the schema of autobuild.yaml has the keys and words that there are.
func TestConfigSchema(t *testing.T) {
	text, err := schema.Document(configSchema(t))
	if err != nil {
		t.Fatal(err)
	}
	const path = "schemas/config.json"
	if *update {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if there, err := os.ReadFile(path); err != nil || !bytes.Equal(there, text) {
		t.Errorf("%s is not the schema of the configuration any more (%v): go test ./cmd -run TestConfigSchema -update", path, err)
	}
}

// schemaNames are what a schema is there for.
var schemaNames = []string{"events", "state", "config", "result"}

// compiledSchemas are the schemas as their readers have them.
var compiledSchemas = sync.OnceValues(func() (map[string]*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	all := make(map[string]*jsonschema.Schema)
	for _, name := range schemaNames {
		s, err := c.Compile("schemas/" + name + ".json")
		if err != nil {
			return nil, err
		}
		all[name] = s
	}
	return all, nil
})

// holdsTo checks a JSON text against one of the schemas.
func holdsTo(name string, text []byte) error {
	all, err := compiledSchemas()
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return all[name].Validate(value)
}

// TestConfigSchemaAgrees: the reader and the schema accept and refuse the same files.
func TestConfigSchemaAgrees(t *testing.T) {
	example, err := os.ReadFile("../.autobuild.example/autobuild.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text string
		fine bool
	}{
		{string(example), true},
		{"", true},
		{"jobs: 4\ntimeout: 1h30m\nmax-cost: 2.5\nkeep-going: true\nagent: claude", true},
		{"agent: [claude, codex]", true},
		{"agents: [claude, codex]", true},
		{"gates: {test: go test ./..., lint: {run: x, timeout: 5m}, format: false}", true},
		{"env: {allow: [HOME]}\ntiers: [haiku, sonnet]\nsetup: npm ci", true},
		{"phases: {2A: {agent: codex, timeout: 30m}}", true},
		{"agents: {mine: {command: [a, b], result: exit, prices: {input: 1, output: 2}}}", true},
		{"notify: http://a.example/x", true},
		{"sandbox: auto", true},
		{"sandbox: {mode: auto, write: [/var/cache]}", true},
		{"sandbox: {wirte: [/var/cache]}", false},
		{"notify: {command: [a], timeout: 10s}", true},
		{"jobs: many", false},
		{"progress: loud", false},
		{"jbos: 4", false},
		{"timeout: long", false},
		{"gates: {'a b': x}", false},
		{"gates: {test: {command: x}}", false},
		{"agents: {mine: {comand: [a]}}", false},
		{"agents: {mine: {command: a b}}", false},
		{"env: {deny: [A]}", false},
		{"phases: {2A: {agnet: codex}}", false},
		{"tiers: haiku", false},
		{"[a]", false},
	} {
		flags := pflag.NewFlagSet("run", pflag.ContinueOnError)
		var o config.Options
		o.Bind(flags)
		flags = o.Settings()
		path := filepath.Join(t.TempDir(), "autobuild.yaml")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		read, refused := config.Load(path, "autobuild.yaml")
		if refused == nil {
			_, refused = config.Settle(flags, nil, read)
		}
		var value any
		if err := yaml.Unmarshal([]byte(c.text), &value); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		held := holdsTo("config", text)
		if (refused == nil) != c.fine || (held == nil) != c.fine {
			t.Errorf("%s\nthe reader says %v, the schema %v", c.text, refused, held)
		}
	}
}

// TestExampleHoldsToTheSchemas: every file and line of the example does.
func TestExampleHoldsToTheSchemas(t *testing.T) {
	if seen, wrong := holdsAll("../.autobuild.example"); len(wrong) > 0 || seen < 20 {
		t.Errorf("looked at %d texts: %v", seen, wrong)
	}
}

// holdsAll checks what stands in a state directory, and counts it.
func holdsAll(dir string) (seen int, wrong []string) {
	check := func(name, path string, lines bool) {
		text, err := os.ReadFile(path)
		if err != nil {
			return
		}
		parts := [][]byte{text}
		if lines {
			parts = bytes.SplitAfter(bytes.TrimSpace(text), []byte("\n"))
		}
		for _, part := range parts {
			if len(bytes.TrimSpace(part)) == 0 {
				continue
			}
			seen++
			if err := holdsTo(name, part); err != nil && len(wrong) < 3 {
				wrong = append(wrong, path+": "+err.Error()+"\n"+string(part[:min(len(part), 2000)]))
			}
		}
	}
	check("events", filepath.Join(dir, "events.jsonl"), true)
	check("state", filepath.Join(dir, "config.json"), false)
	check("result", filepath.Join(dir, "result.json"), false)
	phases, _ := filepath.Glob(filepath.Join(dir, "phases", "*.json"))
	for _, path := range phases {
		check("state", path, false)
	}
	return seen, wrong
}

// brokenByHand are scripts that spoil state files themselves.
var brokenByHand = []string{"state-errors"}

// heldToSchemas is setupScript, and at the end of the script a look at all that its runs have left.
func heldToSchemas(t *testing.T) func(*testscript.Env) error {
	return func(env *testscript.Env) error {
		env.Defer(func() {
			script := strings.TrimPrefix(filepath.Base(env.WorkDir), "script-")
			if slices.Contains(brokenByHand, script) {
				return
			}
			_ = filepath.WalkDir(env.WorkDir, func(path string, d os.DirEntry, err error) error {
				if err != nil || !d.IsDir() || d.Name() != ".autobuild" {
					return nil //nolint:nilerr // the script itself reports unreadable directories
				}
				_, wrong := holdsAll(path)
				if wrong = append(wrong, goesOn(path)...); len(wrong) > 0 {
					t.Errorf("%s: %s", script, strings.Join(wrong, "\n"))
				}
				return nil
			})
		})
		return setupScript(env)
	}
}

// goesOn checks that a result says how to go on, and says nothing where nothing is left.
func goesOn(dir string) (wrong []string) {
	text, err := os.ReadFile(filepath.Join(dir, "result.json"))
	if err != nil {
		return nil // there is none while a session runs, nor after a crash
	}
	var result struct {
		Outcome state.Outcome
		Resume  []string
		Phases  []struct{ Status state.Status }
	}
	if err := json.Unmarshal(text, &result); err != nil {
		return []string{err.Error()}
	}
	left := result.Outcome != state.Done
	for _, p := range result.Phases {
		left = left || p.Status != state.Complete && p.Status != state.Skipped
	}
	last := len(result.Resume) - 1
	if left != (last > 0) || left && (result.Resume[0] != "autobuild" || result.Resume[last] != "--resume") {
		return []string{"the result goes on by " + strings.Join(result.Resume, " ") + "\n" + string(text)}
	}
	return nil
}

// holds checks that every line of a file holds to a schema: holds events FILE.
func holds(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: holds SCHEMA FILE")
	}
	seen := 0
	for line := range strings.Lines(ts.ReadFile(args[1])) {
		seen++
		ts.Check(holdsTo(args[0], []byte(line)))
	}
	if seen == 0 {
		ts.Fatalf("%s is empty", args[1])
	}
}
