package agent

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"autobuild/internal/proc"
)

// protocolVersion is the version of the Agent Client Protocol that is spoken: in the second, an
// answer to a prompt does not end the turn.
const protocolVersion = 1

// talk is one conversation by the protocol: a chain of requests, each sent when the one before is
// answered, with the agent's own requests in between. The reader of the agent's stdout calls hear;
// any goroutine may call cancel.
type talk struct {
	opts ACPOptions
	job  Job
	out  *mailbox
	stop func() // ends the agent at once, by signals

	mu      sync.Mutex
	s       *story
	asked   map[string]string // id → method, of requests that are not answered
	session string
	methods []string // ways to log in
	tried   bool     // to log in
	chunk   string   // the last piece of text
	used    bool     // a tool
	ended   bool     // by its own answer
	timer   *time.Timer
	calls   map[string]string // the input of the tool calls under way, by their id
}

func newTalk(opts ACPOptions, job Job, s *story) *talk {
	t := &talk{opts: opts, job: job, out: newMailbox(), stop: s.stop, s: s, asked: make(map[string]string)}
	s.stop = t.leave // a reader stops it by the protocol first
	t.ask("initialize", map[string]any{
		"protocolVersion":    protocolVersion,
		"clientInfo":         map[string]any{"name": "autobuild", "version": "1"},
		"clientCapabilities": map[string]any{"fs": map[string]any{"readTextFile": false, "writeTextFile": false}, "terminal": false},
	})
	return t
}

func (t *talk) ask(method string, params any) {
	id := fmt.Sprint(len(t.asked) + 1)
	t.asked[id] = method
	t.out.send(packet{ID: json.RawMessage(id), Method: method, Params: params})
}

// inSession are params that name the session, and more.
func (t *talk) inSession(name string, value any) map[string]any {
	return map[string]any{"sessionId": t.session, name: value}
}

// cancel asks the agent to end its turn, and ends it otherwise if it does not.
func (t *talk) cancel() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.leave()
}

// leave is cancel; the caller holds the lock.
func (t *talk) leave() {
	if t.session == "" || t.ended {
		t.stop()
		return
	}
	t.out.send(packet{Method: "session/cancel", Params: map[string]any{"sessionId": t.session}})
	t.stopAfter(cancelGrace)
}

func (t *talk) stopAfter(d time.Duration) {
	if t.timer == nil {
		t.timer = time.AfterFunc(d, t.stop)
		return
	}
	t.timer.Reset(d)
}

func (t *talk) stopTimer() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timer != nil {
		t.timer.Stop()
	}
}

func (t *talk) tooLong() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.s.tooLong()
}

// hear handles one line of the agent's stdout.
func (t *talk) hear(line []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.s.lines++
	var p struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
		Result json.RawMessage `json:"result"`
		Error  *rpcError       `json:"error"`
	}
	if err := json.Unmarshal(line, &p); err != nil {
		return // noise
	}
	t.s.events++
	var err error
	switch {
	case p.Method != "" && len(p.ID) > 0:
		answer := t.request(p.Method, p.Params)
		answer.ID = p.ID
		t.out.send(answer)
	case p.Method == "session/update":
		err = t.update(p.Params)
	case p.Method != "": // news of other kinds
	case p.Error != nil:
		t.refused(t.method(p.ID), p.Error)
	default:
		err = t.answered(t.method(p.ID), p.Result)
	}
	if err != nil {
		t.s.noteStrange(line, err)
	}
	if !t.ended {
		t.s.count()
	}
}

// method is the request that an answer belongs to, once.
func (t *talk) method(id json.RawMessage) string {
	key := strings.Trim(string(id), `"`)
	method := t.asked[key]
	if _, ok := t.asked[key]; ok {
		t.asked[key] = ""
	}
	return method
}

// answered goes on with the next request.
func (t *talk) answered(method string, result json.RawMessage) error {
	var r struct {
		Version json.RawMessage `json:"protocolVersion"`
		Methods []struct {
			ID string `json:"id"`
		} `json:"authMethods"`
		Session string `json:"sessionId"`
	}
	switch method {
	case "initialize", "session/new":
		if err := json.Unmarshal(result, &r); err != nil {
			return err
		}
	case "session/prompt":
		return t.finish(result)
	}
	switch method {
	case "initialize":
		if v := strings.Trim(string(r.Version), `"`); v != "" && v != fmt.Sprint(protocolVersion) {
			t.s.fail(0, fmt.Sprintf("it uses version %s of the Agent Client Protocol, and autobuild version %d; "+
				"install a release of it with that version", proc.Clean(v, 20), protocolVersion))
			t.s.out.Kind = Unusable
			t.end()
			return nil
		}
		for _, m := range r.Methods {
			t.methods = append(t.methods, m.ID)
		}
		t.open()
	case "authenticate":
		t.open()
	case "session/new":
		t.session, t.s.out.Session = r.Session, proc.Clean(r.Session, 100)
		t.configure(t.opts.Mode != "", t.job.Model != "")
	case "session/set_mode":
		t.configure(false, t.job.Model != "")
	case "session/set_model":
		t.configure(false, false)
	}
	return nil
}

func (t *talk) open() {
	dir, err := filepath.Abs(t.job.Dir)
	if err != nil {
		dir = t.job.Dir
	}
	t.ask("session/new", map[string]any{"cwd": dir, "mcpServers": []any{}})
}

// configure asks for what has to be set before the prompt, and then for the work.
func (t *talk) configure(mode, model bool) {
	switch {
	case mode:
		t.ask("session/set_mode", t.inSession("modeId", t.opts.Mode))
	case model:
		t.ask("session/set_model", t.inSession("modelId", t.job.Model))
	default:
		t.ask("session/prompt", t.inSession("prompt", []any{map[string]any{"type": "text", "text": t.job.Prompt}}))
	}
}

// refused takes an error in place of an answer.
func (t *talk) refused(method string, e *rpcError) {
	if e.Code == rpcNoAuth && method == "session/new" && !t.tried {
		t.tried = true
		if way := t.login(); way != "" {
			t.ask("authenticate", map[string]any{"methodId": way})
			return
		}
	}
	text, status := e.words()
	switch method {
	case "":
		return // to nothing that was asked
	case "session/prompt":
		if strings.Contains(text, "max_output_tokens") {
			t.s.unread("the model's answer was cut off: " + text)
			break
		}
		t.s.fail(status, text)
	default: // it did not get as far as the job
		t.s.fail(status, method+": "+text)
		if t.s.out.Kind == Failed {
			t.s.out.Kind = Unusable
		}
	}
	if e.Code == rpcNoAuth {
		t.s.out.Kind = Unusable
	}
	t.end()
}

// login is how to log in: as asked for, else by a key, which needs no person.
func (t *talk) login() string {
	if t.opts.Auth != "" {
		return t.opts.Auth
	}
	i := slices.IndexFunc(t.methods, func(id string) bool { return strings.Contains(id, "api-key") || strings.Contains(id, "apikey") })
	if i < 0 {
		return ""
	}
	return t.methods[i]
}

// update takes news of the session.
func (t *talk) update(raw json.RawMessage) error {
	var e struct {
		Update struct {
			Kind    string          `json:"sessionUpdate"`
			Content json.RawMessage `json:"content"`
			ID      string          `json:"toolCallId"`
			Status  string          `json:"status"`
			Title   string          `json:"title"`
			Input   json.RawMessage `json:"rawInput"`
			Cost    struct {
				Amount   float64 `json:"amount"`
				Currency string  `json:"currency"`
			} `json:"cost"`
			Meta struct {
				Usage struct {
					In  int64 `json:"inputTokens"`
					Out int64 `json:"outputTokens"`
				} `json:"usage"`
			} `json:"_meta"`
		} `json:"update"`
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		return err
	}
	switch u := e.Update; u.Kind {
	case "agent_message_chunk":
		var content struct {
			Text string `json:"text"`
		}
		if err := json.Unmarshal(u.Content, &content); err != nil {
			return err
		}
		used := u.Meta.Usage // qwen counts each step there, and nowhere the whole
		t.s.tokens(t.s.out.InputTokens+max(0, used.In), t.s.out.OutputTokens+max(0, used.Out))
		if content.Text != "" {
			t.chunk = content.Text
			t.s.say(content.Text, true)
		}
	case "tool_call":
		t.used, t.s.used = true, true
		t.s.overcome()
		t.s.final.reset()
		t.tool(u.Title, u.Input)
		t.step(u.ID, u.Status, u.Input, raw)
	case "tool_call_update":
		t.used = true
		t.s.final.reset()
		if len(u.Input) > 0 { // some say only here what it is used for
			t.tool(u.Title, u.Input)
		}
		t.step(u.ID, u.Status, u.Input, raw)
	case "agent_thought_chunk":
		t.s.overcome()
	case "usage_update":
		if u.Cost.Currency == "USD" {
			t.s.out.CostUSD = max(0, u.Cost.Amount)
		}
	}
	return nil
}

// maxCalls bounds the calls that are under way at once; more is a stream gone wrong.
const maxCalls = 100

// step takes what is said of a call, and of its input. One that has come to its end is a step.
// Where its input was never said, its result distinguishes it from others.
func (t *talk) step(id, status string, input, raw json.RawMessage) {
	if t.calls == nil {
		t.calls = make(map[string]string)
	}
	if _, known := t.calls[id]; !known && len(t.calls) >= maxCalls {
		return
	}
	does := t.calls[id]
	if len(input) > 0 { // said piece by piece, and the last is whole
		does = call("", input)
	}
	t.calls[id] = does
	if status == "completed" || status == "failed" {
		delete(t.calls, id)
		t.s.step(cmp.Or(does, strings.ReplaceAll(string(raw), id, "")))
	}
}

// tool shows that a tool is used. Titles often hold what it is used for.
func (t *talk) tool(title string, input json.RawMessage) {
	if what := telling(input); !strings.Contains(title, what) {
		title = strings.TrimPrefix(title+": "+what, ": ")
	}
	t.s.active(title)
}

// finish reads how the turn ended. Some agents report a good end of every turn, and mention a
// failure only in words.
func (t *talk) finish(raw json.RawMessage) error {
	var r struct {
		Reason string `json:"stopReason"`
		Usage  struct {
			In    int64 `json:"inputTokens"`
			Out   int64 `json:"outputTokens"`
			Read  int64 `json:"cachedReadTokens"`
			Write int64 `json:"cachedWriteTokens"`
			Total int64 `json:"totalTokens"`
		} `json:"usage"`
		Meta struct {
			Quota struct {
				Count struct {
					In  int64 `json:"input_tokens"`
					Out int64 `json:"output_tokens"`
				} `json:"token_count"`
			} `json:"quota"`
		} `json:"_meta"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return err
	}
	count := r.Meta.Quota.Count
	read := r.Usage.In + r.Usage.Read + r.Usage.Write
	if r.Usage.Total > 0 { // some count what came from a cache within what was read
		read = r.Usage.Total - r.Usage.Out
	}
	if in, out := max(read, count.In), max(r.Usage.Out, count.Out); in+out > 0 {
		t.s.tokens(in, out)
	}
	t.s.finished = true
	if t.s.failed { // it was stopped, and why is known
		t.end()
		return nil
	}
	switch r.Reason {
	case "end_turn":
		t.hidden()
	case "max_tokens":
		t.s.unread("the model's answer was cut off")
	case "refusal":
		t.s.refuse(t.s.final.String())
	default:
		t.s.limited(r.Reason)
	}
	t.end()
	return nil
}

// hidden finds the error that an agent has said in words alone, before it ended its turn as if all
// were well. The words of one that worked are taken for such only where they say so themselves.
func (t *talk) hidden() {
	if !t.used && strings.TrimSpace(t.s.final.String()) == "" && t.s.out.InputTokens+t.s.out.OutputTokens == 0 {
		t.s.fail(0, "it ended its turn without a word, as some agents do when their provider refuses them; run it by hand to see why")
		return
	}
	words := strings.TrimSpace(t.chunk)
	f := fault{said: words, prose: !errorWords.MatchString(words)}
	if strings.Contains(t.s.final.String(), "```") || len(words) > 2000 ||
		read(f, t.s.now()).kind == "" {
		return
	}
	if silent := !t.used && t.s.out.OutputTokens == 0; silent || !f.prose {
		t.s.failBy(f)
	}
}

// recorded takes the agent's own record: its usage, which is more than a stream that has only a
// part of it, and the reason why its turn failed, where its
// stream had none.
func (t *talk) recorded(r record) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.s.out.InputTokens+t.s.out.OutputTokens < r.in+r.out {
		t.s.tokens(r.in, r.out)
	}
	if r.failure != "" && t.ended && !strings.Contains(t.s.final.String(), "```") {
		t.s.fail(r.status, r.failure)
	}
}

// end lets the agent go.
func (t *talk) end() {
	t.ended = true
	t.out.close()
	t.stopAfter(closeGrace)
}

// settle decides what the end means. An agent that has answered is let go, so how it went is not
// its fault.
func (t *talk) settle(exit proc.Exit) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		t.s.out.ExitCode, t.s.out.Signal, t.s.out.TimedOut, t.s.out.Idle = 0, "", false, false
		exit.Code = 0
	}
	t.s.settle(func(*story) {}, exit)
}
