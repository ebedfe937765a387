package agent

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// codex is Codex in exec mode, in its own sandbox: it may write in the working directory and the
// temporary ones, use the network, and never asks.
func codex() spec {
	return spec{
		name: "codex", argv: []string{"codex", "exec"},
		options: []option{
			{args: []string{"--json"}},
			{args: []string{"--color", "never"}},
			{args: []string{"--skip-git-repo-check"}}, // a project need not be one
			{args: []string{"-s", "workspace-write"}, rival: []string{
				"--sandbox", "--full-auto", "--yolo", "--dangerously-bypass-approvals-and-sandbox",
			}},
			{args: []string{"-c", `approval_policy="never"`}, rival: []string{
				"-a", "--ask-for-approval", "--full-auto", "--yolo",
				"--dangerously-bypass-approvals-and-sandbox",
			}},
			{args: []string{"-c", "sandbox_workspace_write.network_access=true"}},
			{args: []string{"-c", "check_for_update_on_startup=false"}},
		},
		model: "-m",
		dir:   "-C", last: []string{"-"}, interrupt: true,
		reader: func() reader { return &turns{} },
		effort: func(level string) []string {
			return []string{"-c", "model_reasoning_effort=" + level}
		},
		about: About{
			Tested:   "0.169.0",
			Install:  "npm install -g @openai/codex",
			Login:    "codex login",
			Keys:     []string{"CODEX_API_KEY", "OPENAI_API_KEY"},
			Files:    []string{".codex/auth.json"},
			Help:     []string{"exec", "--help"},
			Confined: true,
			Write:    []string{".codex"},
			Own:      "workspace-write", Bare: "danger-full-access",
			Ability: "its own sandbox lets it write in its worktree and in temporary " +
				"directories, and use the network",
			Homepage: "https://developers.openai.com/codex",
			Homes:    []Home{{".codex", "CODEX_HOME", ""}},
			Marks:    []string{"CODEX_CI", "CODEX_SANDBOX", "CODEX_THREAD_ID"},
		},
	}
}

// turns reads the stream of codex exec --json: items that start and complete, then one turn that
// completed or failed.
type turns struct {
	waiting time.Time // since when it has had no network; zero while it has
}

func (t *turns) read(kind string, line []byte, s *story) error {
	switch kind {
	case "thread.started", "turn.completed":
		return t.frame(kind, line, s)
	case "item.started", "item.updated", "item.completed":
		return t.item(kind, line, s)
	case "error":
		return t.notice(line, s)
	case "turn.failed":
		var e struct {
			Error json.RawMessage `json:"error"`
		}
		if err := json.Unmarshal(line, &e); err != nil {
			return err
		}
		t.failed(words(e.Error), s)
	}
	return nil
}

func (t *turns) frame(kind string, line []byte, s *story) error {
	var e struct {
		Thread string `json:"thread_id"`
		Usage  struct {
			In  int64 `json:"input_tokens"`
			Out int64 `json:"output_tokens"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(line, &e); err != nil {
		return err
	}
	if kind == "turn.completed" {
		s.finish()
		s.tokens(e.Usage.In, e.Usage.Out)
		return nil
	}
	s.out.Session = e.Thread
	return nil
}

// item takes a step of the agent. Everything that is not talk or thought is a use of a tool, also
// what is yet unknown.
func (t *turns) item(kind string, line []byte, s *story) error {
	var e struct {
		Item struct {
			Type    string `json:"type"`
			Text    string `json:"text"`
			Command string `json:"command"`
			Tool    string `json:"tool"`
			Query   string `json:"query"`
			Status  string `json:"status"`
			Changes []struct {
				Path string `json:"path"`
			} `json:"changes"`
		} `json:"item"`
	}
	if err := json.Unmarshal(line, &e); err != nil {
		return err
	}
	if e.Item.Type != "error" { // a warning
		s.overcome()
	}
	t.waiting = time.Time{}
	what := e.Item.Command + e.Item.Query
	switch e.Item.Type {
	case "agent_message":
		if kind == "item.completed" {
			s.say(e.Item.Text, false)
		}
		return nil
	case "reasoning", "todo_list", "error", "":
		return nil
	case "mcp_tool_call":
		what = e.Item.Tool
	case "file_change":
		for _, c := range e.Item.Changes {
			what += " " + c.Path
		}
	}
	if kind == "item.started" || e.Item.Type == "file_change" { // a change has no start
		s.tool(strings.ReplaceAll(e.Item.Type, "_", " "), t.does(line))
		s.active(shellLess(what))
	}
	s.unsay()
	if e.Item.Status == "declined" {
		s.deny(e.Item.Type)
	}
	return nil
}

// does is an item without what differs each time.
func (t *turns) does(line []byte) json.RawMessage {
	var e struct {
		Item map[string]any `json:"item"`
	}
	if json.Unmarshal(line, &e) != nil {
		return line
	}
	for name := range e.Item {
		if name == "status" || name == "id" || strings.HasSuffix(name, "_id") ||
			strings.HasSuffix(name, "output") {
			delete(e.Item, name)
		}
	}
	raw, err := json.Marshal(e.Item)
	if err != nil {
		return line
	}
	return raw
}

// notice takes an error that is none: codex tries again, and without a network for ever.
func (t *turns) notice(line []byte, s *story) error {
	var e struct {
		Message string `json:"message"`
	}
	if err := json.Unmarshal(line, &e); err != nil {
		return err
	}
	s.hitch(0, e.Message)
	if !strings.Contains(e.Message, "waiting for network") {
		return nil
	}
	if t.waiting.IsZero() {
		t.waiting = s.now()
	}
	if s.now().Sub(t.waiting) > patience && !s.failed {
		s.fail(0, e.Message)
		s.out.Kind = Transient
		s.halt()
	}
	return nil
}

func (t *turns) failed(text string, s *story) {
	s.finish()
	if strings.Contains(text, "max_output_tokens") {
		s.unread("the model's answer was cut off: " + text)
		return
	}
	s.fail(0, text)
}

func (t *turns) end(*story) {}

// unwrap is the message in a provider's answer that was passed on as it came.
func unwrap(text string) string {
	var e struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal([]byte(text), &e) == nil {
		if inner := words(e.Error); inner != "" {
			return inner
		}
	}
	return text
}

// shellLess is a command without the shell that codex puts around each.
func shellLess(command string) string {
	for _, shell := range []string{"bash", "sh", "zsh"} {
		before, after, ok := strings.Cut(command, shell+" -lc ")
		if ok && (before == "" || strings.HasSuffix(before, "/") &&
			!strings.ContainsAny(before, " ")) {
			if n := len(after); n >= 2 && slices.Contains([]byte(`'"`), after[0]) &&
				after[n-1] == after[0] {
				after = after[1 : n-1]
			}
			return after
		}
	}
	return command
}
