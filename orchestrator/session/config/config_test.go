package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/spf13/pflag"

	"autobuild/state"
)

// runFlags are the flags of a run, bound to o.
func runFlags(o *Options) *pflag.FlagSet {
	flags := pflag.NewFlagSet("run", pflag.ContinueOnError)
	o.Bind(flags)
	return flags
}

// read loads text as autobuild.yaml.
func read(t *testing.T, text string) (File, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), Name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Load(path, Name)
}

func TestConfig(t *testing.T) {
	got, err := read(t, `
jobs: 3
timeout: 20m
keep-going: true
agent-cmd: 'my-agent --headless'
gates:
  test: go test ./...
  lint: false
  format: ~
  api_2:
    run: make api
    fix: make api-fix
    kind: test
    timeout: 90s
setup:
  - npm ci
  - make db
env: {allow: [PATH, HOME]}
agents:
  mine: {command: [my-agent, --fast], result: exit, model: large, env: {A: b}, tier: cheap}
`)
	if err != nil {
		t.Fatal(err)
	}
	want := File{
		Flags: map[string]Setting{
			"jobs": {"3", "autobuild.yaml:2:7"}, "timeout": {"20m", "autobuild.yaml:3:10"},
			"keep-going": {"true", "autobuild.yaml:4:13"}, "agent-cmd": {"my-agent --headless", "autobuild.yaml:5:12"},
		},
		Gates: []state.GateSpec{
			{Name: "test", Kind: "test", Command: "go test ./...", Source: "config"},
			{Name: "lint", Kind: "lint", Source: "config"},
			{Name: "format", Kind: "format", Source: "config"},
			{Name: "api_2", Kind: "test", Command: "make api", FixCommand: "make api-fix", Source: "config", Timeout: 90 * time.Second},
		},
		Setup:  []string{"npm ci", "make db"},
		Agents: map[string]Agent{"mine": {Command: []string{"my-agent", "--fast"}, Result: "exit", Model: "large", Env: map[string]string{"A": "b"}, Tier: "cheap"}},
		Env:    []string{"PATH", "HOME"},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(File{}, Setting{})); diff != "" {
		t.Errorf("config (-want +got):\n%s", diff)
	}
}

// A list of agents is what the flag says with commas, whichever of the two keys holds it.
func TestConfigAgentList(t *testing.T) {
	for _, text := range []string{"agent: [claude, codex]", "agents: [claude, codex]", "agents: [claude, codex]\njobs: 3"} {
		c, err := read(t, text)
		if err != nil || c.Flags["agent"].Value != "claude,codex" || !strings.HasPrefix(c.Flags["agent"].Origin, "autobuild.yaml:1:") {
			t.Errorf("%q: %+v, %v", text, c.Flags, err)
		}
	}
}

func TestConfigSaysNothing(t *testing.T) {
	for _, text := range []string{"", "\n \n", "~\n", "---\n", "{}\n"} {
		c, err := read(t, text)
		if diff := cmp.Diff(File{}, c, cmp.AllowUnexported(File{}), cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Errorf("%q: %v\n%s", text, err, diff)
		}
	}
	if c, err := Load(filepath.Join(t.TempDir(), "none"), "none"); err != nil || c.Flags != nil {
		t.Errorf("a missing file: %+v, %v", c, err)
	}
}

// Every mistake is named with its place, and with what to write instead.
func TestConfigMistakes(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"not YAML":                 {"jobs: [", []string{"autobuild.yaml: ", "it must be one YAML document"}},
		"a list":                   {"- jobs", []string{"autobuild.yaml:1:1: the file must be a mapping; write key: value lines"}},
		"a word":                   {"jobs", []string{"autobuild.yaml:1:1: the file must be a mapping"}},
		"unknown key":              {"job: 3", []string{`autobuild.yaml:1:1: unknown key "job"; did you mean "jobs"?`}},
		"unknown, like a special":  {"gate:\n  x: y", []string{`unknown key "gate"; did you mean "gates"?`}},
		"unknown, like nothing":    {"zzzzzzzzzzzz: 3", []string{`unknown key "zzzzzzzzzzzz"; see autobuild run --help`}},
		"a flag of the line only":  {"resume: true", []string{`unknown key "resume"`}},
		"a list for a word":        {"jobs: [1, 2]", []string{"autobuild.yaml:1:7: jobs must be a single value"}},
		"gates as a list":          {"gates: [test]", []string{"autobuild.yaml:1:8: gates must be a mapping of names to commands; for example"}},
		"a gate's name":            {"gates:\n  a/b: x", []string{`autobuild.yaml:2:3: "a/b" is no name for a gate; use letters`}},
		"a gate's long name":       {"gates:\n  " + strings.Repeat("a", 41) + ": x", []string{"is no name for a gate"}},
		"a gate that is a number":  {"gates:\n  test: 5", []string{"autobuild.yaml:2:9: gate test must be a command, false, or {run, timeout}"}},
		"a gate that is true":      {"gates:\n  test: true", []string{"gate test must be a command"}},
		"a gate that is a list":    {"gates:\n  test: [a]", []string{"gate test must be a command"}},
		"a gate without command":   {"gates:\n  test: {timeout: 3m}", []string{"autobuild.yaml:2:9: gate test has no command; write run: COMMAND"}},
		"a gate's unknown key":     {"gates:\n  test: {run: x, timout: 3m}", []string{`unknown key "timout" in gate test; did you mean "timeout"?`}},
		"a gate's odd timeout":     {"gates:\n  test: {run: x, timeout: soon}", []string{`timeout "soon" is no duration; write for example 10m`}},
		"a gate's negative one":    {"gates:\n  test: {run: x, timeout: -3m}", []string{`timeout "-3m" is no duration`}},
		"setup as a mapping":       {"setup: {a: b}", []string{"autobuild.yaml:1:8: this must be a list"}},
		"setup of lists":           {"setup: [[a]]", []string{"this must be a single value"}},
		"env without allow":        {"env: [PATH]", []string{"autobuild.yaml:1:6: env must hold one list: allow"}},
		"env with more":            {"env: {allow: [A], deny: [B]}", []string{"env must hold one list: allow"}},
		"agents as a word":         {"agents: mine", []string{"agents must be a mapping of names to definitions, or a list of names"}},
		"agents in two ways":       {"agent: [a, b]\nagents: [c]", []string{"autobuild.yaml:2:9: the run's agents are named twice, first at autobuild.yaml:1:8"}},
		"agent after the list":     {"agents: [c]\nagent: a", []string{"autobuild.yaml:2:8: the run's agents are named twice"}},
		"an agent's unknown key":   {"agents:\n  mine: {cmd: [x]}", []string{"agent mine: ", "its keys are command, args"}},
		"an agent's command line":  {"agents:\n  mine: {command: my-agent --json}", []string{"autobuild.yaml:2:19: agent mine: command must be a list of words; no shell splits them; for example [my-agent, --headless]"}},
		"an agent's odd result":    {"agents:\n  mine: {command: [x], result: maybe}", []string{`agent mine: result must be block or exit, not "maybe"`}},
		"all mistakes at once":     {"job: 3\ngates: 5\nsetup: {}\n", []string{"autobuild.yaml:1:1:", "autobuild.yaml:2:8:", "autobuild.yaml:3:8:"}},
		"an alias is no value":     {"agent: &a x\nmodel: *a", []string{"autobuild.yaml:2:8: model must be a single value"}},
		"a merge key is a mistake": {"<<: {jobs: 3}", []string{`unknown key "<<"`}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := read(t, c.text)
			if err == nil {
				t.Fatal("accepted")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q, want %q in it", err, want)
				}
			}
		})
	}
}

func TestConfigFileIsBounded(t *testing.T) {
	if _, err := read(t, "# "+strings.Repeat("x", MaxSize)); err == nil || !strings.Contains(err.Error(), "bytes, more than") {
		t.Errorf("a huge file: %v", err)
	}
	dir := t.TempDir()
	if _, err := Load(dir, "there"); err == nil || err.Error() != "there: it cannot be read: it is not a regular file; make it a file that you can read, or take it away" {
		t.Errorf("a directory: %v", err)
	}
}

// The nearer configuration counts; where it is silent, the farther one does.
func TestConfigMerge(t *testing.T) {
	near, err := read(t, "jobs: 1\ngates: {test: near, lint: false}\nagents: {a: {model: near}}\n")
	if err != nil {
		t.Fatal(err)
	}
	far, err := read(t, "jobs: 2\nmodel: far\ngates: {test: far, lint: far, doc: far}\nsetup: [far]\nenv: {allow: [A]}\nagents: {a: {model: far}, b: {model: far}}\n")
	if err != nil {
		t.Fatal(err)
	}
	got := near.Merge(far)
	if got.Flags["jobs"].Value != "1" || got.Flags["model"].Value != "far" {
		t.Errorf("flags %+v", got.Flags)
	}
	var gates []string
	for _, g := range got.Gates {
		gates = append(gates, g.Name+"="+g.Command)
	}
	if want := []string{"test=near", "lint=", "doc=far"}; !cmp.Equal(want, gates) {
		t.Errorf("gates %q, want %q", gates, want)
	}
	if !cmp.Equal(got.Setup, []string{"far"}) || !cmp.Equal(got.Env, []string{"A"}) || got.Agents["a"].Model != "near" || got.Agents["b"].Model != "far" {
		t.Errorf("merged %+v", got)
	}
	if far.Flags["jobs"].Value != "2" || far.Agents["a"].Model != "far" {
		t.Error("merging has changed the farther configuration")
	}
	if alone := (File{}).Merge(File{}); alone.Flags == nil || alone.Agents == nil {
		t.Errorf("two silent configurations make %+v", alone)
	}
}

// The command line beats the environment, which beats files, which beat defaults.
func TestSettle(t *testing.T) {
	files, err := read(t, "jobs: 2\nschedule: eager\nmodel: file\nmax-wall: 90m\n")
	if err != nil {
		t.Fatal(err)
	}
	var o Options
	flags := runFlags(&o)
	if err = flags.Parse([]string{"--jobs", "9"}); err != nil {
		t.Fatal(err)
	}
	environ := []string{
		"AUTOBUILD_JOBS=5", "AUTOBUILD_MODEL=environment", "AUTOBUILD_KEEP_GOING=true", "AUTOBUILD_AGENT=", "PATH=/bin",
		"AUTOBUILD_RUN_ID=outer", "AUTOBUILD_PHASE_ID=1", "AUTOBUILD_PHASE_LABEL=1",
		"AUTOBUILD_ATTEMPT=1", "AUTOBUILD_NONCE=x", "AUTOBUILD_RESULT_FILE=/x",
	}
	origins, err := Settle(flags, environ, files)
	if err != nil {
		t.Fatal(err)
	}
	for flag, want := range map[string]string{
		"jobs": "command line", "model": "environment: AUTOBUILD_MODEL", "schedule": "autobuild.yaml:2:11",
		"max-wall": "autobuild.yaml:4:11", // its value reads 1h30m0s by now
		"agent":    "", "timeout": "",
	} {
		if origins[flag] != want {
			t.Errorf("%s is from %q, want %q", flag, origins[flag], want)
		}
	}
	if o.Jobs != 9 || o.Model != "environment" || o.Schedule.Value != "eager" || !o.KeepGoing || o.Agent != "" || o.Timeout != DefaultTimeout {
		t.Errorf("options %+v", o)
	}
}

func TestSettleMistakes(t *testing.T) {
	for name, c := range map[string]struct {
		environ []string
		text    string
		want    string
	}{
		"unknown variable":        {[]string{"AUTOBUILD_JOB=1"}, "", `environment: unknown variable AUTOBUILD_JOB; did you mean "AUTOBUILD_JOBS"?`},
		"a flag of the line only": {[]string{"AUTOBUILD_RESUME=1"}, "", "environment: unknown variable AUTOBUILD_RESUME"},
		"no number":               {[]string{"AUTOBUILD_JOBS=many"}, "", `environment: AUTOBUILD_JOBS: jobs must be a whole number, not "many"`},
		"no duration":             {nil, "timeout: long", `autobuild.yaml:1:10: timeout must be a duration such as 90s or 10m, not "long"`},
		"no yes or no":            {nil, "keep-going: perhaps", `autobuild.yaml:1:13: keep-going must be true or false, not "perhaps"`},
		"no price":                {nil, "max-cost: cheap", `max-cost must be a number, not "cheap"`},
		"no such choice":          {nil, "schedule: later", `must be batch or eager, not "later"`},
	} {
		t.Run(name, func(t *testing.T) {
			files, err := read(t, c.text)
			if err != nil {
				t.Fatal(err)
			}
			_, err = Settle(runFlags(&Options{}), c.environ, files)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			if _, ok := errors.AsType[*Error](err); !ok {
				t.Errorf("error of type %T is no mistake in the configuration", err)
			}
		})
	}
}

func TestUserConfig(t *testing.T) {
	abs := func(parts ...string) string {
		path, err := filepath.Abs(filepath.Join(parts...))
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	home, xdg, roaming := abs("home"), abs("xdg"), abs("roaming")
	for want, env := range map[string]map[string]string{
		filepath.Join(xdg, "autobuild", Name):             {"XDG_CONFIG_HOME": xdg, "HOME": home, "AppData": roaming},
		filepath.Join(home, ".config", "autobuild", Name): {"XDG_CONFIG_HOME": "relative", "HOME": home},
		filepath.Join(roaming, "autobuild", Name):         {"AppData": roaming},
		"": {"HOME": "relative"},
	} {
		if got := UserFile(func(name string) string { return env[name] }); got != want {
			t.Errorf("with %v: %q, want %q", env, got, want)
		}
	}
}
