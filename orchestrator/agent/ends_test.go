package agent

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"autobuild/internal/proc"
)

// briefly is the least that each agent prints: a message with a result block, the event that ends
// its stream well, and one that ends it badly.
var briefly = map[string]struct{ said, well, badly string }{
	"claude": {
		`{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"TEXT"}]}}`,
		`{"type":"result","is_error":false,"result":"TEXT"}`,
		`{"type":"result","is_error":true,"result":"API Error: 529 Overloaded","api_error_status":529}`,
	},
	"codex": {
		`{"type":"item.completed","item":{"type":"agent_message","text":"TEXT"}}`,
		`{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}`,
		`{"type":"turn.failed","error":{"message":"unexpected status 529: Overloaded"}}`,
	},
	"gemini": {
		`{"type":"message","role":"assistant","content":"TEXT","delta":true}`,
		`{"type":"result","status":"success","stats":{"input_tokens":1}}`,
		`{"type":"result","status":"error","error":{"type":"Error","message":"[API Error: 529 Overloaded]"}}`,
	},
	"opencode": {
		`{"type":"text","part":{"text":"TEXT"}}`,
		`{"type":"step_finish","part":{"reason":"stop","tokens":{"input":1,"output":1}}}`,
		`{"type":"error","error":{"name":"APIError","data":{"message":"Overloaded","statusCode":529}}}`,
	},
	"copilot": {
		`{"type":"assistant.message","data":{"content":"TEXT"}}`,
		`{"type":"result","exitCode":0}`,
		`{"type":"session.error","data":{"errorType":"query","message":"Overloaded","statusCode":529}}`,
	},
	"pi": {
		`{"type":"message_end","message":{"role":"assistant","stopReason":"stop","content":[{"type":"text","text":"TEXT"}]}}`,
		`{"type":"agent_end"}`,
		`{"type":"message_end","message":{"role":"assistant","stopReason":"error","content":[],"errorMessage":"529 Overloaded"}}`,
	},
}

// TestEnds mixes the ends of streams: only a stream that ends well, and after it nothing bad, keeps
// its final message.
func TestEnds(t *testing.T) {
	streams := maps.Clone(briefly)
	streams["qwen"], streams["amp"] = streams["claude"], streams["claude"]
	for name, kind := range map[string]string{
		"said well":          "",
		"said well half":     "",
		"said well noise":    "",
		"said well well":     "",
		"said well, exit 1":  "",
		"badly":              Transient,
		"said badly":         Transient,
		"said badly half":    Transient,
		"said well badly":    Transient,
		"badly, exit 1":      Transient,
		"said badly, exit 1": Transient,
		"half":               ParseError,
		"well":               "",
		"said, exit 0":       "parse_error, unless its stream has no end",
	} {
		for agent, s := range streams {
			text := "Done.\\n```json\\n{}\\n```"
			events, _, _ := strings.Cut(name, ",")
			if events == "said badly" && strings.HasPrefix(agent, "claude") {
				continue
			}
			var b strings.Builder
			for _, event := range strings.Fields(events) {
				b.WriteString(map[string]string{
					"said": strings.ReplaceAll(s.said, "TEXT", text) + "\n", "well": s.well + "\n", "badly": s.badly + "\n",
					"half": `{"type":"resu`, "noise": "(node:1) Warning: closing\n",
				}[event])
			}
			stdout := b.String()
			if !slices.Contains(strings.Fields(events), "said") {
				stdout = strings.ReplaceAll(stdout, "TEXT", "")
			}
			exit := proc.Exit{Ended: proc.Exited}
			if strings.HasSuffix(name, "exit 1") {
				exit.Code = 1
			}
			out := replay(specNamed(t, agent), strings.ReplaceAll(stdout, "TEXT", text), exit, 1<<16)
			if strings.HasPrefix(kind, ParseError+",") {
				if kept := out.Final != ""; out.Kind != ParseError && (!kept || agent != "opencode") {
					t.Errorf("%s, %s: %q %q", agent, name, out.Kind, out.Message)
				}
				continue
			}
			if out.Kind != kind || (out.Final != "") != (kind == "" && name != "well") {
				t.Errorf("%s, %s: %q %q, want %q; final %q", agent, name, out.Kind, out.Message, kind, out.Final)
			}
		}
	}
}

// A result that its agent prints before an end that is none of its own is no result: the answer was
// cut, a limit of turns was met, or a tool followed.
func TestNoFalseEnd(t *testing.T) {
	const done = "```json\\n{}\\n```"
	said := func(agent string) string { return strings.ReplaceAll(briefly[agent].said, "TEXT", done) + "\n" }
	for _, c := range []struct{ agent, name, stdout string }{
		{"claude", "cut", said("claude") + `{"type":"result","subtype":"success","is_error":false,"stop_reason":"max_tokens","result":"` + done + `"}`},
		{"claude", "turns", said("claude") + `{"type":"result","subtype":"error_max_turns","is_error":false,"result":"` + done + `"}`},
		{"qwen", "execution", said("claude") + `{"type":"result","subtype":"error_during_execution","is_error":false,"result":"` + done + `"}`},
		{"claude", "a helper's", `{"type":"assistant","parent_tool_use_id":"t","message":{"id":"m","content":[{"type":"text","text":"` + done + `"}]}}` + "\n" + `{"type":"result","is_error":false,"result":"It is at it."}`},
		{"codex", "read by a command", `{"type":"item.completed","item":{"type":"command_execution","command":"cat x","aggregated_output":"` + done + `","exit_code":0}}` + "\n" + briefly["codex"].well},
		{"codex", "aborted", said("codex") + `{"type":"turn.aborted","reason":"interrupted"}`},
		{"gemini", "the prompt", `{"type":"message","role":"user","content":"` + done + `"}` + "\n" + briefly["gemini"].well},
		{"gemini", "turns", said("gemini") + `{"type":"error","severity":"error","message":"Maximum session turns exceeded"}` + "\n" + `{"type":"result","status":"error"}`},
		{"opencode", "cut", said("opencode") + `{"type":"step_finish","part":{"reason":"length"}}`},
		{"opencode", "a tool is last", said("opencode") + `{"type":"step_finish","part":{"reason":"tool-calls"}}`},
	} {
		exit := proc.Exit{Ended: proc.Exited, Tail: "```json\n{}\n```\n"}
		if out := replay(specNamed(t, c.agent), c.stdout+"\n", exit, 1<<16); strings.Contains(out.Final, "```") {
			t.Errorf("%s, %s: %q, final %q", c.agent, c.name, out.Kind, out.Final)
		}
	}
	if out := replayPlain("", proc.Exit{Ended: proc.Exited, Tail: "```json\n{}\n```\n"}); out.Kind != Failed || out.Final != "" {
		t.Errorf("on stderr alone: %q, final %q", out.Kind, out.Final)
	}
}
