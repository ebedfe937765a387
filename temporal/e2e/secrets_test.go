//go:build linux

package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// everything is the content of all objects of a bare repository: blobs, trees and commits.
func (l *lab) everything(repo string) []byte {
	l.t.Helper()
	c := exec.Command("git", "cat-file", "--batch-all-objects", "--batch", "--unordered")
	c.Dir, c.Env = filepath.Join(l.dir, repo), l.env
	out, err := c.Output()
	if err != nil || !bytes.Contains(out, []byte(`"plan"`)) {
		l.t.Fatalf("the objects of %s cannot be read, or hold no spec: %v", repo, err)
	}
	return out
}

// Secrets of the environment, the configuration, an agent's command line, what agents and gates
// print and what an agent writes do not leave the machine: neither by git nor by the server.
func TestSecrets(t *testing.T) {
	l := newLab(t)
	const key, own, shape = "planted-worker-value-1", "planted-starter-value-2", "sk-ant-planted0123456789abcdefghij"
	agent := "#!/bin/sh\ncat > /dev/null\necho \"I have $AGENT_KEY\"\nif [ $AUTOBUILD_PHASE_ID = 2 ]; then printf '%s' \"$AGENT_KEY\" > leak.txt; else echo ok > 1.num; fi\n"
	l.repo("app", map[string]string{
		"agent.sh": agent, "check.sh": "echo \"gate: $MODEL_KEY\"; echo " + shape + "\n",
		"plan.md": "# Plan\n\n## Phase 1: one\n\nDo it.\n\n## Phase 2: two\n\nDo it.\n",
	})
	starter := l.env
	l.worker("bare", "app") // lacks the key
	l.env = append(slices.Clip(starter), "MODEL_KEY="+key)
	l.worker("a", "app")
	l.env = starter
	config := func(env, command string) string {
		return "gates: {test: sh check.sh}\nagents:\n  mine:\n    command: [" + command + "]\n    result: exit\n    env: {AGENT_KEY: " + env + "}\n"
	}
	start := func(text string, args ...string) (int, string) {
		l.write("app/mine.yaml", text)
		p := l.start("app", []string{"MY_TOKEN=" + own}, append([]string{
			"plan.md", "--agent=mine", "--config=mine.yaml", "--commit=auto", "--progress=plain", "--sandbox=off",
			"--keep-going", "--allow-unverified",
		}, args...)...)
		return p.code(t), p.out.String()
	}
	for name, c := range map[string]struct {
		text, want string
		args       []string
	}{
		"value":       {config("not-a-name-of-a-variable", "sh, agent.sh"), "mine.yaml:6:22: agents.mine.env.AGENT_KEY holds a secret", nil},
		"environment": {config("$MODEL_KEY", "sh, agent.sh, "+own), "mine.yaml:4:29: agents.mine.command holds the value of a secret variable", nil},
		"shape":       {config("$MODEL_KEY", "sh, agent.sh, "+shape), "agents.mine.command holds an Anthropic key", nil},
		"flag":        {config("$MODEL_KEY", "sh, agent.sh"), "--model holds the value of a secret variable", []string{"--model=" + own}},
	} {
		if code, out := start(c.text, c.args...); code != 2 || !strings.Contains(out, c.want) {
			t.Errorf("%s: exit code %d, not 2 with %q:\n%s", name, code, c.want, out)
		}
	}
	if refs := l.git("app.git", "for-each-ref", "refs/autobuild"); refs != "" {
		t.Errorf("pushed before the refusal: %s", refs)
	}
	if code, out := start(config("$MODEL_KEY", "sh, agent.sh")); code != 1 || !strings.Contains(out, "1 of 2 phases complete") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	places := l.histories()
	places["the remote"] = l.everything("app.git")
	logs, err := filepath.Glob(filepath.Join(l.dir, "app", ".autobuild", "logs", "*"))
	if err != nil || len(logs) == 0 {
		t.Fatalf("no logs: %v", err)
	}
	for _, name := range logs {
		if places[name], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range places {
		for _, secret := range []string{key, own} {
			if at := bytes.Index(text, []byte(secret)); at >= 0 {
				t.Errorf("%s holds %q: %s", name, secret, text[max(0, at-200):min(len(text), at+100)])
			}
		}
	}
}
