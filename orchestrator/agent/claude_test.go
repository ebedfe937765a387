package agent

import (
	"slices"
	"strings"
	"testing"
)

// claudeStream is Claude Code's output for a small job, in our own words.
const claudeStream = `{"type":"system","subtype":"init","session_id":"s-1","model":"sonnet"}
{"type":"assistant","message":{"content":[{"type":"text","text":"I begin."},{"type":"tool_use","name":"Bash","input":{"command":"go test ./..."}}]},"parent_tool_use_id":null}
{"type":"user","message":{"content":[{"type":"tool_result","content":"You've hit your usage limit"}]}}
{"type":"assistant","message":{"content":[{"type":"text","text":"The inner voice."}]},"parent_tool_use_id":"t"}
{"type":"news","of":["a","kind"]}
not an event
{"type":"assistant","message":{"content":[{"type":"text","text":"Done.\nAll passes."}]},"parent_tool_use_id":null}
{"duration_api_ms":1,"is_error":false,"subtype":"success","result":"Done.\nAll passes.","total_cost_usd":0.25,"usage":{"input_tokens":1},"modelUsage":{"sonnet":{"inputTokens":10,"cacheReadInputTokens":5,"outputTokens":7},"haiku":{"inputTokens":1,"outputTokens":1}},"permission_denials":[{"tool_name":"WebFetch"},{"tool_name":"WebFetch"}],"session_id":"s-1","type":"result"}
`

func TestClaude(t *testing.T) {
	s := newStage(t, "claude", "FAKE_STDOUT="+claudeStream, "CLAUDE_CODE_MAX_RETRIES=9")
	s.job.Model = "sonnet"
	a, ok := Builtin(s.run, "claude", []string{"--max-turns", "50"}, map[string]string{"MINE": "1"})
	if !ok || a.Name() != "claude" {
		t.Fatal("there is no claude")
	}
	out := s.do(a)
	if out.Final != "Done.\nAll passes." || out.Kind != "" || out.Message != "" || !out.Claims {
		t.Errorf("outcome %+v", out)
	}
	if out.Session != "s-1" || out.Model != "sonnet" || out.CostUSD != 0.25 || out.InputTokens != 16 || out.OutputTokens != 8 || out.Last != "Done." {
		t.Errorf("outcome %+v", out)
	}
	if !slices.Equal(out.Denied, []string{"WebFetch"}) {
		t.Errorf("denied %q", out.Denied)
	}
	if want := []string{"I begin.", "Bash: go test ./...", "Done."}; !slices.Equal(s.did, want) {
		t.Errorf("signs of life %q, not %q", s.did, want)
	}
	saw := s.given()
	want := "claude -p --output-format stream-json --verbose --permission-mode dontAsk --allowedTools Bash,Edit,Write,NotebookEdit --max-turns 50 --model sonnet"
	if got := strings.Join(saw.Argv, " "); got != want {
		t.Errorf("argv\n%s, not\n%s", got, want)
	}
	for name, want := range map[string]string{"DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_MAX_RETRIES": "9", "MINE": "1"} {
		if got, _ := lookup(saw.Env, name); got != want {
			t.Errorf("%s is %q, not %q", name, got, want)
		}
	}
}

func TestTheUsersPermissionsReplaceOurs(t *testing.T) {
	for _, args := range [][]string{{"--permission-mode", "acceptEdits"}, {"--permission-mode=acceptEdits"}, {"--dangerously-skip-permissions"}} {
		s := newStage(t, "claude", "FAKE_STDOUT="+claudeStream)
		a, _ := Builtin(s.run, "claude", args, nil)
		s.do(a)
		want := "claude -p --output-format stream-json --verbose " + strings.Join(args, " ")
		if got := strings.Join(s.given().Argv, " "); got != want {
			t.Errorf("argv\n%s, not\n%s", got, want)
		}
	}
}
