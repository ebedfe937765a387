package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/config"
)

// dry shows what a run of a plan with a configuration would do, or what is wrong with them.
func dry(t *testing.T, plan, settings string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"plan.md": plan, config.Name: settings} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out, errs bytes.Buffer
	environ := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "COLUMNS=120", "LANG=C.UTF-8"}
	a := newApp(&call.Call{Stdout: &out, Stderr: &errs, Environ: environ, Dir: dir})
	code = a.run(append([]string{"plan.md", "--dry-run"}, args...))
	return out.String(), errs.String(), code
}

const twoPhases = "# P\n\n## Phase 1: One\n\n```sh\ntrue\n```\n\n## Phase 2-A: Two\n\n**Depends on:** 1\n\n%\n\n```sh\ntrue\n```\n"

const own = "agents:\n  mine: {command: [sh, -c, 'true'], model-flag: --model}\n  plain: {command: [sh], tier: strong}\n"

// The configuration comes before the plan, and the screen shows what came of it.
func TestPhasesOfPlanAndConfig(t *testing.T) {
	text := strings.Replace(twoPhases, "%", "**Autobuild:** timeout=5m agent=plain retry-policy=adaptive", 1)
	out, errs, code := dry(t, text, own+"phases:\n  2a: {agent: mine, model: big, max-tokens: 5000}\n", "--agent", "script")
	want := "own agent mine, model big, timeout 5m, max tokens 5000, retry policy adaptive"
	if code != call.ExitOK || !strings.Contains(out, want) {
		t.Errorf("exit code %d, no %q in\n%s%s", code, want, out, errs)
	}
}

// The settings of phases are checked before anything runs, and every mistake has its place.
func TestPhaseMistakes(t *testing.T) {
	for name, c := range map[string]struct {
		line, config string
		code         int
		says         []string
	}{
		"unknown phase":     {"", "phases:\n  2B: {timeout: 5m}\n", call.ExitUsage, []string{`autobuild.yaml:2:3: the plan plan.md has no phase "2B"; known: 1, 2-A`}},
		"twice":             {"", "phases:\n  2A: {timeout: 5m}\n  2-a: {timeout: 6m}\n", call.ExitUsage, []string{"autobuild.yaml:3:3: phase 2-a stands twice, first at autobuild.yaml:2:3"}},
		"unknown setting":   {"", "phases:\n  2A: {timout: 5m}\n", call.ExitUsage, []string{`autobuild.yaml:2:8: phase 2A: unknown setting "timout"; did you mean timeout?`}},
		"bad value":         {"", "phases:\n  2A: {timeout: soon}\n", call.ExitUsage, []string{`autobuild.yaml:2:17: phase 2A: timeout "soon" is no duration`}},
		"no mapping":        {"", "phases: [2A]\n", call.ExitUsage, []string{"phases must be a mapping"}},
		"unknown agent":     {"**Autobuild:** agent=mnie", own, call.ExitUsage, []string{`plan.md:13:16: phase 2-A: there is no agent "mnie"; did you mean "mine"?`}},
		"unknown policy":    {"**Autobuild:** retry-policy=adaptiv", "", call.ExitUsage, []string{`plan.md:13:16: `, `adaptiv`, `did you mean "adaptive"?`}},
		"no model":          {"**Autobuild:** agent=plain model=big", own, call.ExitUsage, []string{"plan.md:13:28: phase 2-A: agent plain takes no model; give agents.plain a model-flag"}},
		"no effort":         {"**Autobuild:** agent=mine effort=high", own, call.ExitUsage, []string{"agent mine takes no effort"}},
		"script and model":  {"**Autobuild:** model=big", "", call.ExitUsage, []string{"phase 2-A: agent script takes no model"}},
		"setting of a plan": {"**Autobuild:** agnet=mine", own, call.ExitUsage, []string{"unknown setting", "did you mean agent?"}},
		"no tiers":          {"", "retry-policy: escalate\n", call.ExitUsage, []string{"autobuild.yaml:1:15: retry policy escalate has no tier to escalate to", "tiers: [haiku, sonnet, opus]"}},
		"phase, no tiers":   {"**Autobuild:** retry-policy=escalate", "", call.ExitUsage, []string{"plan.md:13:16: retry policy escalate has no tier to escalate to; add to autobuild.yaml"}},
		"unknown tier":      {"", own + "tiers: [mine, palin]\n", call.ExitUsage, []string{`autobuild.yaml:4:15: tier "palin" is no agent and no model; did you mean "plain"?`}},
		"tier twice":        {"", own + "tiers: [mine, mine]\n", call.ExitUsage, []string{`autobuild.yaml:4:15: tier "mine" stands twice`}},
		"tier of a script":  {"", "tiers: [opus]\n", call.ExitUsage, []string{"autobuild.yaml:1:9: tier opus: agent script takes no model"}},
		"script as a tier":  {"", "tiers: [script]\n", call.ExitUsage, []string{"tier script cannot diagnose"}},
		"no list":           {"", "tiers: mine\n", call.ExitUsage, []string{"tiers must be a list"}},
		"missing program":   {"", "agents: {gone: {command: [no-such-program]}}\ntiers: [gone]\nretry-policy: escalate\n", call.ExitOK, []string{"it could not start as things are", "tier gone", "no-such-program"}},
	} {
		t.Run(name, func(t *testing.T) {
			out, errs, code := dry(t, strings.Replace(twoPhases, "%", c.line, 1), c.config, "--agent", "script")
			if code != c.code {
				t.Errorf("exit code %d, want %d\n%s%s", code, c.code, out, errs)
			}
			for _, want := range c.says {
				if !strings.Contains(errs, want) {
					t.Errorf("no %q in\n%s", want, errs)
				}
			}
		})
	}
}

// Every form of a tier is understood, and the screen names them in their order.
func TestTiers(t *testing.T) {
	out, errs, code := dry(t, strings.Replace(twoPhases, "%", "", 1), own+"tiers: [mine, strong, 'mine:big', gpt-5]\nretry-policy: escalate\n", "--agent", "mine")
	if want := "escalate: to strong, then mine:big, then gpt-5, then you"; code != call.ExitOK || !strings.Contains(out, want) {
		t.Errorf("exit code %d, no %q in\n%s%s", code, want, out, errs)
	}
}
