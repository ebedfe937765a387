package agent

import (
	"os"
	"slices"
	"strings"
	"testing"

	"autobuild/internal/proc"
)

func TestNoAgentIsGivenItsBypass(t *testing.T) {
	for _, name := range Names() {
		line := CommandLine(name, nil)
		if found := Bypasses(line); found != nil {
			t.Errorf("%s is passed %q", name, found)
		}
		if line[0] != Program(name) {
			t.Errorf("%s is %q, and %s must be on PATH", name, line, Program(name))
		}
	}
	if CommandLine("nobody", nil) != nil || Program("nobody") != "" {
		t.Error("nobody is somebody")
	}
	if _, ok := Builtin(nil, "nobody", nil, nil); ok {
		t.Error("nobody is built in")
	}
}

func TestBypasses(t *testing.T) {
	args := []string{"--model", "x", "--permission-mode", "bypassPermissions", "-c", `sandbox_mode="danger-full-access"`, "--approval-mode=yolo", "--verbose"}
	want := []string{"bypassPermissions", `sandbox_mode="danger-full-access"`, "--approval-mode=yolo"}
	if got := Bypasses(args); !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}

// TestDocs holds the page about agents against what is passed to them.
func TestDocs(t *testing.T) {
	page, err := os.ReadFile("../../docs/agents.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range specs() {
		line := "`" + strings.Join(CommandLine(s.name, nil), " ") + "`"
		if !strings.Contains(string(page), line) {
			t.Errorf("docs/agents.md does not have %s", line)
		}
		for name := range s.env {
			if !strings.Contains(string(page), "`"+name) {
				t.Errorf("docs/agents.md does not say that %s is set for %s", name, s.name)
			}
		}
	}
}

// TestTheUsersFlagsReplaceOurs proves that no agent is given the same flag twice, which some
// refuse.
func TestTheUsersFlagsReplaceOurs(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"codex", []string{"-s", "read-only"}, `codex exec --json --color never --skip-git-repo-check -c approval_policy="never" -c sandbox_workspace_write.network_access=true -c check_for_update_on_startup=false -s read-only -`},
		{"codex", []string{"-c", "x=1"}, `codex exec --json --color never --skip-git-repo-check -s workspace-write -c approval_policy="never" -c sandbox_workspace_write.network_access=true -c check_for_update_on_startup=false -c x=1 -`},
		{"codex", []string{"--dangerously-bypass-approvals-and-sandbox"}, `codex exec --json --color never --skip-git-repo-check -c sandbox_workspace_write.network_access=true -c check_for_update_on_startup=false --dangerously-bypass-approvals-and-sandbox -`},
		{"gemini", []string{"--yolo"}, "gemini -o stream-json --skip-trust --yolo"},
		{"copilot", []string{"--allow-tool", "write"}, "copilot --output-format json --no-ask-user --no-auto-update --no-color --no-remote --allow-tool write"},
	} {
		if got := strings.Join(CommandLine(c.name, c.args), " "); got != c.want {
			t.Errorf("%s with %q:\n%s, not\n%s", c.name, c.args, got, c.want)
		}
	}
}

func TestModelAndDirectory(t *testing.T) {
	s := newStage(t, "codex", "FAKE_STDOUT="+`{"type":"turn.completed","usage":{}}`)
	s.job.Model = "big"
	a, _ := Builtin(s.run, "codex", nil, nil)
	s.do(a)
	argv := s.given().Argv
	if tail := argv[len(argv)-3:]; !slices.Equal(tail, []string{"-m", "big", "-"}) || !slices.Contains(argv, s.job.Dir) {
		t.Errorf("argv %q", argv)
	}
	a, _ = Builtin(s.run, "codex", []string{"-m", "mine"}, nil)
	s.do(a)
	if argv := s.given().Argv; slices.Contains(argv, "big") {
		t.Errorf("the user's model is not the last word: %q", argv)
	}
}

func TestDefine(t *testing.T) {
	for want, d := range map[string]Definition{
		"has no command":          {},
		`protocol "lsp"`:          {Command: []string{"x"}, Protocol: "lsp"},
		"needs no output":         {Command: []string{"x"}, Protocol: "acp", CommandOptions: CommandOptions{Output: "text"}},
		"are for agents with":     {Command: []string{"x"}, Mode: "code"},
		"must be block or exit":   {Command: []string{"x"}, CommandOptions: CommandOptions{Result: "maybe"}},
		`output "xml" is unknown`: {Command: []string{"x"}, CommandOptions: CommandOptions{Output: "xml"}},
	} {
		if _, err := Define(nil, "mine", d); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "agent mine") {
			t.Errorf("%+v: %v; it should say %s", d, err, want)
		}
	}
	for _, protocol := range []string{"", "acp"} {
		if a, err := Define(nil, "mine", Definition{Command: []string{"x"}, Protocol: protocol}); err != nil || a.Name() != "mine" {
			t.Errorf("protocol %q: %v, %v", protocol, a, err)
		}
	}
}

// FuzzClassify: the reading of a text is one of the kinds and does not change.
func FuzzClassify(f *testing.F) {
	f.Add(429, "Quota exceeded. Check your billing.")
	f.Add(0, "unexpected status 529: Overloaded")
	f.Add(-1, "resets 8:57am (UTC)")
	f.Fuzz(func(t *testing.T, status int, text string) {
		kind := classify(status, text)
		if !slices.Contains([]string{"", UsageLimit, Transient, Unusable, Refusal, Loop, ContextOverflow}, kind) || kind != classify(status, text) {
			t.Fatalf("%d %q is %q", status, text, kind)
		}
	})
}

// A built-in agent of the protocol reads its program's logs, as one that a user configures does.
func TestBuiltinLogs(t *testing.T) {
	a, _ := Builtin(&proc.Runner{}, "kimi", nil, nil)
	if got, ok := a.(acp); !ok || got.journal == nil || got.record == nil {
		t.Errorf("%T lacks its program's logs", a)
	}
}
