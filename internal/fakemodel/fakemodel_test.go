package fakemodel

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// prompt is the end of a prompt of autobuild's.
const prompt = `Do it. {"nonce": "n-1", "phase_id": "2a", "status": "complete",
 "tasks": {"total": 3, "completed": 3}, "plan_updated": false}`

// asking is a request in one dialect, with a tool for the shell.
type asking struct {
	name, path string
	body       func(prompt string, done bool) string
	says       func(event []byte) string // the words in an event
	end        string                    // content of the last event
}

func quote(s string) string {
	raw, _ := json.Marshal(s)
	return string(raw)
}

var askings = []asking{
	{
		"anthropic", "/v1/messages", func(prompt string, done bool) string {
			said := ""
			if done {
				said = `,{"role":"assistant","content":[{"type":"tool_use","id":"call_0001","name":"Bash","input":{}}]},{"role":"user","content":[{"type":"tool_result","content":"ok"}]}`
			}
			return `{"model":"m","stream":true,"messages":[{"role":"user","content":` + quote(prompt) + `}` + said + `],"tools":[{"name":"Bash","input_schema":{"properties":{"command":{"type":"string"}},"required":["command"]}}]}`
		},
		func(e []byte) string {
			var v struct {
				Delta struct{ Text string }
			}
			_ = json.Unmarshal(e, &v)
			return v.Delta.Text
		}, "message_stop",
	},
	{
		"chat", "/v1/chat/completions", func(prompt string, done bool) string {
			said := ""
			if done {
				said = `,{"role":"assistant","content":null,"tool_calls":[{"id":"call_0001"}]},{"role":"tool","content":"ok"}`
			}
			return `{"model":"m","stream":true,"messages":[{"role":"user","content":` + quote(prompt) + `}` + said + `],"tools":[{"function":{"name":"bash","parameters":{"properties":{"command":{"type":"string"}}}}}]}`
		},
		func(e []byte) string {
			var v struct {
				Choices []struct{ Delta struct{ Content string } }
			}
			if json.Unmarshal(e, &v) != nil || len(v.Choices) == 0 {
				return ""
			}
			return v.Choices[0].Delta.Content
		}, "[DONE]",
	},
	{
		"responses", "/v1/responses", func(prompt string, done bool) string {
			said := ""
			if done {
				said = `,{"type":"function_call","name":"exec_command"},{"type":"function_call_output","output":"ok"}`
			}
			return `{"model":"m","stream":true,"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":` + quote(prompt) + `}]}` + said + `],"tools":[{"type":"function","name":"exec_command","parameters":{"properties":{"cmd":{"type":"string"}}}}]}`
		},
		func(e []byte) string {
			var v struct{ Delta string }
			_ = json.Unmarshal(e, &v)
			return v.Delta
		}, "response.completed",
	},
	{
		"gemini", "/v1beta/models/m:streamGenerateContent", func(prompt string, done bool) string {
			said := ""
			if done {
				said = `,{"role":"model","parts":[{"functionCall":{"name":"run_shell_command"}}]},{"role":"user","parts":[{"functionResponse":{}}]}`
			}
			return `{"contents":[{"role":"user","parts":[{"text":` + quote(prompt) + `}]}` + said + `],"tools":[{"functionDeclarations":[{"name":"run_shell_command","parametersJsonSchema":{"properties":{"command":{"type":"string"}}}}]}]}`
		},
		func(e []byte) string {
			var v struct {
				Candidates []struct {
					Content struct{ Parts []struct{ Text string } }
				}
			}
			if json.Unmarshal(e, &v) != nil || len(v.Candidates) == 0 || len(v.Candidates[0].Content.Parts) == 0 {
				return ""
			}
			return v.Candidates[0].Content.Parts[0].Text
		}, `"finishReason":"STOP"`,
	},
}

func serve(t *testing.T, script string) *Server {
	t.Helper()
	scenario, err := Parse([]byte(script))
	if err != nil {
		t.Fatal(err)
	}
	s, err := Start(scenario, func() time.Time { return time.Unix(1000, 0) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// head is the beginning of an answer.
type head struct {
	http.Header
	status int
}

// ask returns the beginning of an answer, what was read of it, and why reading ended early.
func ask(t *testing.T, s *Server, path, body string) (head, []byte, error) {
	t.Helper()
	resp, err := http.Post(s.URL+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // read to its end below
	raw, err := io.ReadAll(resp.Body)
	return head{resp.Header, resp.StatusCode}, raw, err
}

// words puts a streamed answer together again, as an agent does.
func (a asking) words(stream []byte) string {
	var b strings.Builder
	lines := bufio.NewScanner(bytes.NewReader(stream))
	for lines.Scan() {
		if data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: ")); ok {
			b.WriteString(a.says(data))
		}
	}
	return b.String()
}

// In every dialect a script goes on with the conversation, not with the number of requests, and
// fills in what the prompt asks for.
func TestDialects(t *testing.T) {
	for _, a := range askings {
		t.Run(a.name, func(t *testing.T) {
			s := serve(t, `{"what": "x", "attempts": [[{"text": "I begin.", "calls": [{"tool": "shell", "command": "make ${PHASE}"}]}, {"text": "Grüße, it is all done, and this is the result:\n\n${RESULT}"}]]}`)
			for range 2 { // asking again is no progress
				_, raw, err := ask(t, s, a.path, a.body(prompt, false))
				if err != nil || !bytes.Contains(raw, []byte("make 2a")) && !strings.Contains(strings.ReplaceAll(string(raw), `\"`, `"`), "make 2a") {
					t.Errorf("no call in %s: %v", raw, err)
				}
				if got := a.words(raw); got != "I begin." {
					t.Errorf("it says %q", got)
				}
			}
			_, raw, err := ask(t, s, a.path, a.body(prompt, true))
			got := a.words(raw)
			if err != nil || !strings.HasPrefix(got, "Grüße, it is all done") || !strings.Contains(got, `"nonce": "n-1"`) ||
				!strings.Contains(got, `"phase_id": "2a"`) || !strings.Contains(got, `"completed": 3`) {
				t.Errorf("it says %q: %v", got, err)
			}
			if !bytes.Contains(raw, []byte(a.end)) {
				t.Errorf("no %s at the end of %s", a.end, raw)
			}
			seen := s.Requests()
			if len(seen) != 3 || seen[1].Turn != 0 || seen[2].Turn != 1 || seen[2].Phase != "2a" || seen[2].Dialect != a.name || seen[2].Model != "m" {
				t.Errorf("noted %+v", seen)
			}
		})
	}
}

// Each trouble is what it is called, in every dialect.
func TestTroubles(t *testing.T) {
	const words = `"text": "It is done, it is done, it is done, it is done, it is done, it is done, it is done, it is done."`
	for _, a := range askings {
		t.Run(a.name, func(t *testing.T) {
			s := serve(t, `{"what": "x", "attempts": [[{`+words+`, "end": "stop"}]]}`)
			_, raw, err := ask(t, s, a.path, a.body(prompt, false))
			if err != nil || !strings.HasSuffix(a.words(raw), "done.") || bytes.Contains(raw, []byte(a.end)) {
				t.Errorf("stop: %v\n%s", err, raw)
			}
			s = serve(t, `{"what": "x", "attempts": [[{`+words+`, "end": "drop", "times": 1}]]}`)
			if _, raw, err = ask(t, s, a.path, a.body(prompt, false)); err == nil || strings.HasSuffix(a.words(raw), "done.") {
				t.Errorf("drop: it came to an end\n%s", raw)
			}
			if _, raw, err = ask(t, s, a.path, a.body(prompt, false)); err != nil || !bytes.Contains(raw, []byte(a.end)) {
				t.Errorf("after the drop: %v\n%s", err, raw)
			}
			s = serve(t, `{"what": "x", "attempts": [[{"refuse": {"status": 429, "message": "slow", "headers": {"retry-after": "7", "x-reset": "${NOW+60}"}, "fields": {"resets_at": "${NOW+60}"}}}]]}`)
			resp, raw, _ := ask(t, s, a.path, a.body(prompt, false))
			if resp.status != http.StatusTooManyRequests || resp.Get("Retry-After") != "7" || resp.Get("X-Reset") != "1060" || !bytes.Contains(raw, []byte(`"resets_at":1060`)) {
				t.Errorf("refusal: %d %v\n%s", resp.status, resp.Header, raw)
			}
			if resp, _, _ = ask(t, s, a.path, a.body("Give it a title.", false)); resp.status != http.StatusTooManyRequests {
				t.Errorf("a side request passes with %d", resp.status)
			}
			s = serve(t, `{"what": "x", "attempts": [[{"text": "x", "refuse": {"status": 529, "message": "too much", "middle": true}}]]}`)
			if resp, raw, _ = ask(t, s, a.path, a.body(prompt, false)); resp.status != http.StatusOK || !bytes.Contains(raw, []byte("too much")) || bytes.Contains(raw, []byte(a.end)) {
				t.Errorf("midway: %d\n%s", resp.status, raw)
			}
		})
	}
}

// A held answer arrives when it is released, and a second attempt has a script of its own.
func TestHoldAndAttempts(t *testing.T) {
	a := askings[1]
	s := serve(t, `{"what": "x", "attempts": [[{"text": "first", "hold": "before"}], [{"text": "second"}]]}`)
	done := make(chan string)
	go func() {
		resp, err := http.Post(s.URL+a.path, "application/json", strings.NewReader(a.body(prompt, false)))
		if err != nil {
			done <- err.Error()
			return
		}
		defer resp.Body.Close() //nolint:errcheck // a test
		raw, _ := io.ReadAll(resp.Body)
		done <- a.words(raw)
	}()
	for len(s.Requests()) == 0 {
		select {
		case got := <-done:
			t.Fatalf("%q was not held", got)
		default:
		}
	}
	again := strings.ReplaceAll(prompt, "n-1", "n-2")
	if _, raw, _ := ask(t, s, a.path, a.body(again, false)); a.words(raw) != "second" {
		t.Errorf("the second attempt hears %q", a.words(raw))
	}
	s.Release()
	if got := <-done; got != "first" {
		t.Errorf("released, it says %q", got)
	}
}

func TestSmallRoutes(t *testing.T) {
	s := serve(t, `{"what": "x", "attempts": [[{"text": "x"}]]}`)
	for path, want := range map[string]string{
		"/v1/messages/count_tokens": "input_tokens", "/v1beta/models/m:countTokens": "totalTokens", "/elsewhere": "nothing at",
	} {
		if _, raw, _ := ask(t, s, path, `{}`); !bytes.Contains(raw, []byte(want)) {
			t.Errorf("%s: %s", path, raw)
		}
	}
	if resp, raw, _ := ask(t, s, "/v1/messages", `{`); resp.status != http.StatusBadRequest || len(raw) == 0 {
		t.Errorf("half a request: %d %s", resp.status, raw)
	}
	schema := `{"messages":[{"role":"user","content":"title?"}],"response_format":{"json_schema":{"schema":{"type":"object","properties":{"title":{"type":"string"},"n":{"type":"integer"}}}}}}`
	if _, raw, _ := ask(t, s, "/v1/chat/completions", schema); !bytes.Contains(raw, []byte(`{\"n\":1,\"title\":\"fake\"}`)) {
		t.Errorf("a side request with a schema hears %s", raw)
	}
}

// Files are written with absolute paths by tools that require them, by the shell where the request
// names no directory, and as a patch.
func TestUses(t *testing.T) {
	r := &request{raw: []byte(`{"system":"Working directory: /src/tree\nIs git"}`), tools: map[string]tool{"Bash": {}}}
	if got := r.use(Call{Tool: "write", Path: "a b.txt", Content: "it's"}, "1"); got.name != "Bash" {
		t.Errorf("without a tool for files: %+v", got)
	}
	var write tool
	if err := json.Unmarshal([]byte(`{"properties":{"file_path":{"type":"string"},"content":{"type":"string"},"mode":{"enum":["new"]}},"required":["mode"]}`), &write); err != nil {
		t.Fatal(err)
	}
	r.tools["Write"] = write
	got := r.use(Call{Tool: "write", Path: "a.txt", Content: "x"}, "2").arguments()
	if got != `{"content":"x","file_path":"/src/tree/a.txt","mode":"new"}` {
		t.Errorf("a file is written by %s", got)
	}
	r = &request{tools: map[string]tool{"apply_patch": {freeform: true}}}
	if got := r.use(Call{Tool: "write", Path: "a.txt", Content: "x\ny\n"}, "3").input; got != "*** Begin Patch\n*** Add File: a.txt\n+x\n+y\n*** End Patch\n" {
		t.Errorf("a patch is %q", got)
	}
}

// Every scenario of the real agents' tests can be read, and mistakes in one are found.
func TestScenarios(t *testing.T) {
	paths, err := filepath.Glob("../../testdata/clis/scenarios/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, path := range paths {
		if _, err := Load(path); err != nil {
			t.Error(err)
		}
	}
	for script, want := range map[string]string{
		`{"what": "x"}`:                                                           "attempts",
		`{"what": "x", "attempts": [[]]}`:                                         "no turn",
		`{"what": "x", "attempts": [[{"says": "x"}]]}`:                            "says",
		`{"what": "x", "attempts": [[{"end": "never"}]]}`:                         "never",
		`{"what": "x", "attempts": [[{"hold": "on"}]]}`:                           "hold",
		`{"what": "x", "attempts": [[{"delay": "soon"}]]}`:                        "soon",
		`{"what": "x", "attempts": [[{"refuse": {}}]]}`:                           "status",
		`{"what": "x", "attempts": [[{"calls": [{}]}]]}`:                          "call",
		`{"what": "x", "attempts": [[{"text": "x"}]]} more`:                       "follows",
		`{"what": "x", "attempts": [[{"refuse_as": {"chat": {"status": 429}}}]]}`: "refuse_as",
	} {
		if _, err := Parse([]byte(script)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", script, err)
		}
	}
}
