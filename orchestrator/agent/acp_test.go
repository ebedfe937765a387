package agent

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// fake is an agent of the protocol: it does one thing, named by scene, and notes how it was let go.
type fake struct {
	scene string
	in    *bufio.Reader
	id    int
}

func fakeACP(scene string) int {
	polite := make(chan os.Signal, 1)
	// SIGTERM has no effect, except in the scene "deaf": a clean end comes by the protocol
	signal.Notify(polite, syscall.SIGTERM)
	f := &fake{scene: scene, in: bufio.NewReader(os.Stdin)}
	for {
		m, err := f.next()
		if err != nil {
			if f.scene == "deaf" {
				<-polite
			}
			note("left", "by itself")
			return 0
		}
		f.serve(m)
	}
}

// note leaves a file behind, in the working directory.
func note(name, text string) {
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		panic(err)
	}
}

type heard struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params map[string]any  `json:"params"`
	Result map[string]any  `json:"result"`
	Error  *rpcError       `json:"error"`
}

func (f *fake) next() (m heard, err error) {
	line, err := f.in.ReadBytes('\n')
	if err != nil {
		return m, err
	}
	err = json.Unmarshal(line, &m)
	return m, err
}

func (f *fake) tell(p packet) { fmt.Print(string(p.line())) }

func (f *fake) answer(m heard, result any) { f.tell(packet{ID: m.ID, Result: result}) }

func (f *fake) update(kind string, more map[string]any) {
	u := map[string]any{"sessionUpdate": kind}
	for k, v := range more {
		u[k] = v
	}
	f.tell(packet{Method: "session/update", Params: map[string]any{"sessionId": "s-1", "update": u}})
}

func (f *fake) say(text string) {
	f.update("agent_message_chunk", map[string]any{"content": map[string]any{"type": "text", "text": text}})
}

// ask waits for the answer to a request of the agent.
func (f *fake) ask(method string, params any) heard {
	f.id++
	f.tell(packet{ID: json.RawMessage(fmt.Sprintf(`"q%d"`, f.id)), Method: method, Params: params})
	m, err := f.next()
	if err != nil {
		panic(err)
	}
	return m
}

func (f *fake) serve(m heard) {
	switch m.Method {
	case "initialize":
		fmt.Println("a greeting that is no packet")
		version := 1
		if f.scene == "version-2" {
			version = 2
		}
		f.answer(m, map[string]any{"protocolVersion": version, "authMethods": []any{map[string]any{"id": "browser"}, map[string]any{"id": "an-api-key"}}})
	case "authenticate":
		note("login", fmt.Sprint(m.Params["methodId"]))
		f.answer(m, struct{}{})
	case "session/new":
		if _, err := os.Stat("login"); f.scene == "login" && err != nil {
			f.tell(packet{ID: m.ID, Error: &rpcError{Code: rpcNoAuth, Message: "Authentication required"}})
			return
		}
		f.answer(m, map[string]any{"sessionId": "s-1"})
	case "session/set_mode", "session/set_model":
		if f.scene == "no-model" {
			f.tell(packet{ID: m.ID, Error: &rpcError{Code: rpcNoMethod, Message: "unknown"}})
			return
		}
		note(strings.TrimPrefix(m.Method, "session/"), fmt.Sprint(m.Params["modeId"], m.Params["modelId"]))
		f.answer(m, struct{}{})
	case "session/prompt":
		f.work(m)
	case "session/cancel":
		note("cancelled", "")
		f.tell(packet{ID: json.RawMessage(os.Getenv("FAKE_PROMPT_ID")), Result: map[string]any{"stopReason": "cancelled"}})
	}
}

func (f *fake) work(m heard) {
	switch f.scene {
	case "hang":
		if err := os.Setenv("FAKE_PROMPT_ID", string(m.ID)); err != nil {
			panic(err)
		}
		f.update("tool_call", map[string]any{"title": "Waiting"})
	case "words":
		f.say("Info: once more")
		f.say("Error: no answer; Last error: 529 Overloaded")
		f.answer(m, map[string]any{"stopReason": "end_turn"})
	case "error":
		f.tell(packet{ID: m.ID, Error: &rpcError{Code: -32603, Message: "Internal error", Data: json.RawMessage(`{"details":"401 no such key"}`)}})
	case "mute":
		f.answer(m, map[string]any{"stopReason": "end_turn"})
	case "refusal":
		f.say("I cannot help with that.")
		f.answer(m, map[string]any{"stopReason": "refusal"})
	case "circles":
		if err := os.Setenv("FAKE_PROMPT_ID", string(m.ID)); err != nil {
			panic(err)
		}
		for i := range 3 * maxStale {
			id := fmt.Sprint("call-", i)
			f.update("tool_call", map[string]any{"toolCallId": id, "title": "Bash", "status": "pending"})
			f.update("tool_call_update", map[string]any{"toolCallId": id, "title": "Bash", "status": "completed", "rawInput": map[string]any{"command": "ls"}})
		}
	case "deaf":
		f.say("Done.")
		f.answer(m, map[string]any{"stopReason": "end_turn"})
	default:
		f.job(m)
	}
}

// job uses a tool for everything that an agent may ask.
func (f *fake) job(m heard) {
	dir, _ := os.Getwd()
	f.say("Before.")
	f.update("tool_call", map[string]any{"title": "Writing", "rawInput": map[string]any{"path": "a.txt"}})
	var outcomes []string
	for _, tool := range []struct{ kind, path string }{{"edit", filepath.Join(dir, "a.txt")}, {"edit", "/etc/passwd"}, {"fetch", ""}, {"switch_mode", ""}} {
		call := map[string]any{"title": "A tool", "kind": tool.kind}
		if tool.path != "" {
			call["locations"] = []any{map[string]any{"path": tool.path}}
		}
		got := f.ask("session/request_permission", map[string]any{"toolCall": call, "options": []any{
			map[string]any{"optionId": "always", "kind": "allow_always"},
			map[string]any{"optionId": "yes", "kind": "allow_once"},
			map[string]any{"optionId": "no", "kind": "reject_once"},
		}})
		outcome, _ := got.Result["outcome"].(map[string]any)
		outcomes = append(outcomes, fmt.Sprint(outcome["optionId"]))
	}
	for _, path := range []string{filepath.Join(dir, "a.txt"), filepath.Join(dir, "out", "b.txt"), "/nowhere/c.txt"} {
		got := f.ask("fs/write_text_file", map[string]any{"path": path, "content": "by hand"})
		outcomes = append(outcomes, fmt.Sprint(got.Error == nil))
	}
	outcomes = append(outcomes, fmt.Sprint(f.ask("news/unheard", nil).Error.Code))
	f.update("tool_call_update", map[string]any{"status": "completed"})
	f.update("usage_update", map[string]any{"cost": map[string]any{"amount": 0.5, "currency": "USD"}})
	f.say("Done: ")
	f.say(strings.Join(outcomes, " "))
	f.answer(m, map[string]any{"stopReason": "end_turn", "usage": map[string]any{"inputTokens": 10, "cachedReadTokens": 5, "outputTokens": 3}})
}

// converse is a stage for a fake agent of the protocol.
func converse(t *testing.T, scene string) *stage {
	t.Helper()
	s := newStage(t, "mine", "FAKE_CASE="+scene)
	s.job.Env = with(s.job.Env, map[string]string{"FAKE_AGENT": "acp"})
	return s
}

func (s *stage) left(name string) string {
	raw, _ := os.ReadFile(filepath.Join(s.job.Dir, name))
	return string(raw)
}

func TestACP(t *testing.T) {
	s := converse(t, "")
	if err := os.Symlink(t.TempDir(), filepath.Join(s.job.Dir, "out")); err != nil {
		t.Fatal(err)
	}
	s.job.Model = "big"
	out := s.do(ACP(s.run, "mine", []string{"mine", "--acp"}, ACPOptions{Mode: "code", Deny: []string{"fetch"}}))
	if want := "Done: yes no no no true false false -32601"; out.Final != want {
		t.Errorf("final %q, not %q\n%+v\n%s", out.Final, want, out, s.logged())
	}
	if out.Session != "s-1" || out.CostUSD != 0.5 || out.InputTokens != 15 || out.OutputTokens != 3 || !out.Claims || out.ExitCode != 0 || out.Kind != "" {
		t.Errorf("outcome %+v", out)
	}
	if want := []string{"edit: A tool", "fetch: A tool", "switch_mode: A tool"}; !slices.Equal(out.Denied, want) {
		t.Errorf("denied %q, not %q", out.Denied, want)
	}
	if !slices.Equal(s.did, []string{"Writing: a.txt", "A tool"}) {
		t.Errorf("signs of life %q", s.did)
	}
	for name, want := range map[string]string{"a.txt": "by hand", "set_mode": "code<nil>", "set_model": "<nil>big", "left": "by itself"} {
		if got := s.left(name); got != want {
			t.Errorf("%s holds %q, not %q", name, got, want)
		}
	}
}

func TestACPEndings(t *testing.T) {
	for _, c := range []struct{ scene, kind, message string }{
		{"login", "", ""},
		{"words", Transient, "Error: no answer; Last error: 529 Overloaded"},
		{"error", Unusable, "401 no such key"},
		{"no-model", Unusable, "session/set_model: unknown"},
		{"version-2", Unusable, "it uses version 2 of the Agent Client Protocol, and autobuild version 1; install a release of it with that version"},
		{"mute", Failed, "it ended its turn without a word, as some agents do when their provider refuses them; run it by hand to see why"},
		{"refusal", Refusal, "I cannot help with that."},
		{"circles", Loop, "40 steps in a row brought no new call, text or file; the last: Bash: ls"},
		{"deaf", "", ""},
	} {
		t.Run(c.scene, func(t *testing.T) {
			s := converse(t, c.scene)
			if c.scene == "no-model" {
				s.job.Model = "big"
			}
			out := s.do(ACP(s.run, "mine", []string{"mine"}, ACPOptions{}))
			if out.Kind != c.kind || out.Message != c.message || out.ExitCode != 0 || out.Signal != "" {
				t.Errorf("outcome %+v\n%s", out, s.logged())
			}
			if c.scene == "login" && s.left("login") != "an-api-key" {
				t.Errorf("it logged in by %q", s.left("login"))
			}
		})
	}
}

func TestACPCancelsTheTurn(t *testing.T) {
	s := converse(t, "hang")
	why := errors.New("ctrl-c")
	ctx, cancel := context.WithCancelCause(t.Context())
	s.job.Activity = func(string, time.Duration) { cancel(why) }
	_, err := ACP(s.run, "mine", []string{"mine"}, ACPOptions{}).Run(ctx, s.job)
	if !errors.Is(err, why) {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(filepath.Join(s.job.Dir, "cancelled")); err != nil {
		t.Errorf("it was not asked to: %v", err)
	}
	if s.left("left") != "by itself" {
		t.Error("it was not let go in peace")
	}
}

func TestACPThatIsNone(t *testing.T) {
	s := newStage(t, "mine", "FAKE_CODE=2", "FAKE_STDERR=error: unknown option --acp\n")
	s.job.Env = with(s.job.Env, map[string]string{"FAKE_AGENT": "brief"})
	out := s.do(ACP(s.run, "mine", []string{"mine"}, ACPOptions{}))
	if out.Kind != Unusable || out.Message != "error: unknown option --acp" {
		t.Errorf("outcome %+v", out)
	}
}
