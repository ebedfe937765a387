package agent

import (
	"encoding/json"
	"strings"
	"time"
)

// claude is Claude Code in print mode. Its permissions are those that unattended work needs and no
// more: all others are denied rather than asked for.
func claude() spec {
	return spec{
		name: "claude", argv: []string{"claude", "-p"},
		options: []option{
			{args: []string{"--output-format", "stream-json"}},
			{args: []string{"--verbose"}}, // without it the stream is refused
			{
				args: []string{"--permission-mode", "dontAsk"},
				rival: []string{
					"--dangerously-skip-permissions",
					"--allow-dangerously-skip-permissions",
				},
			},
			{
				args: []string{"--allowedTools", "Bash,Edit,Write,NotebookEdit"},
				rival: []string{
					"--allowed-tools", "--permission-mode",
					"--dangerously-skip-permissions", "--tools",
				},
			},
		},
		model: "--model", interrupt: true, cap: "--max-budget-usd",
		env: map[string]string{
			"DISABLE_AUTOUPDATER":                  "1",
			"CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1", // print mode strands them
			"CLAUDE_CODE_MAX_RETRIES":              "3",
		},
		reader: func() reader { return &messages{} },
		effort: func(level string) []string { return []string{"--effort", level} },
		costs:  true,
		about: About{
			Tested:  "2.1.330",
			Install: "npm install -g @anthropic-ai/claude-code",
			Login:   "claude, then /login",
			Keys: []string{
				"ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN",
				"ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX",
			},
			Files:    []string{".claude/.credentials.json"},
			Help:     []string{"--help"},
			Confined: true,
			Write:    []string{".claude", ".cache/claude-cli-nodejs"},
			Ability: "edits and commands are allowed; everything else is denied rather than " +
				"asked for",
			Homepage: "https://code.claude.com/docs",
			Homes:    []Home{{".claude", "CLAUDE_CONFIG_DIR", ""}},
			Marks:    []string{"CLAUDECODE"},
		},
	}
}

// messages reads the stream of Claude Code, which other agents print too: whole messages, then one
// result.
type messages struct {
	within bool // reads from a cache are part of input_tokens
	// the result's text is all that was said in the run, rather than the last message
	all     bool
	until   time.Time        // when a limit that was hit is reset
	used    map[string]usage // by each message
	last    string           // the message that comes, by its id
	tools   bool             // it has used some
	refused bool             // the model has refused to go on
}

// message holds the fields of an assistant's message that are used.
type message struct {
	ID      string `json:"id"`
	Model   string `json:"model"`
	Stop    string `json:"stop_reason"`
	Usage   usage  `json:"usage"`
	Content []struct {
		Type  string          `json:"type"`
		Text  string          `json:"text"`
		Name  string          `json:"name"`
		Input json.RawMessage `json:"input"`
	} `json:"content"`
}

func (m *messages) read(kind string, line []byte, s *story) error {
	switch kind {
	case "system":
		return m.system(line, s)
	case "assistant":
		return m.assistant(line, s)
	case "rate_limit_event":
		return m.limit(line, s)
	case "result":
		return m.result(line, s)
	}
	return nil
}

func (m *messages) system(line []byte, s *story) error {
	var e struct {
		Subtype  string  `json:"subtype"`
		Session  string  `json:"session_id"`
		Model    string  `json:"model"`
		Fallback string  `json:"fallback_model"`
		Tool     string  `json:"tool_name"`
		Delay    float64 `json:"retry_delay_ms"`
		Status   *int    `json:"error_status"`
		Error    any     `json:"error"`
		Data     struct {
			Delay float64 `json:"delayMs"` // as qwen writes it
		} `json:"data"`
	}
	if err := json.Unmarshal(line, &e); err != nil {
		return err
	}
	switch e.Subtype {
	case "init":
		s.out.Session = e.Session
		s.model(e.Model)
	case "model_fallback":
		s.model(e.Fallback)
	case "permission_denied":
		s.deny(e.Tool)
	case "api_retry", "retry":
		status := 0
		if e.Status != nil {
			status = *e.Status
		}
		text, _ := e.Error.(string)
		if e.Delay <= 0 && e.Data.Delay <= 0 {
			s.hitch(status, text)
			return nil
		}
		s.retry(millis(max(e.Delay, e.Data.Delay)), status, text)
	}
	return nil
}

func (m *messages) assistant(line []byte, s *story) error {
	var e struct {
		Parent  *string `json:"parent_tool_use_id"`
		Message message `json:"message"`
	}
	if err := json.Unmarshal(line, &e); err != nil {
		return err
	}
	m.count(e.Message, s)
	inner := e.Parent != nil && *e.Parent != "" // a sub-agent's words are for its own parent
	if !inner {
		m.begin(e.Message, s)
	}
	for _, part := range e.Message.Content {
		m.tools = m.tools || part.Type == "tool_use"
		switch {
		case part.Type == "tool_use" && inner:
			s.active(part.Name + ": " + telling(part.Input))
			s.step(call(part.Name, part.Input))
		case part.Type == "tool_use":
			s.tool(part.Name, part.Input)
		case part.Type == "text" && !inner:
			s.say(part.Text, false)
		}
	}
	return nil
}

// begin notes where a message begins, which comes in several events. One that used no tool is a
// step as well.
func (m *messages) begin(e message, s *story) {
	if e.ID != m.last {
		if m.last != "" && !m.tools {
			s.step("")
		}
		m.last, m.tools = e.ID, false
	}
	m.refused = e.Stop == "refusal"
}

// count adds what a message used. One message comes in several events, each of which says what it
// used so far.
func (m *messages) count(e message, s *story) {
	if e.ID == "" || len(e.ID) > 100 {
		return
	}
	if m.used == nil {
		m.used = make(map[string]usage)
	}
	before := m.used[e.ID]
	m.used[e.ID] = e.Usage
	s.tokens(s.out.InputTokens+m.in(e.Usage)-m.in(before),
		s.out.OutputTokens+max(0, e.Usage.Out)-max(0, before.Out))
}

func (m *messages) limit(line []byte, s *story) error {
	var e struct {
		Info struct {
			Status string  `json:"status"`
			Resets float64 `json:"resetsAt"`
		} `json:"rate_limit_info"`
	}
	if err := json.Unmarshal(line, &e); err != nil {
		return err
	}
	m.until = time.Time{}
	if e.Info.Status == "rejected" && e.Info.Resets > 0 && e.Info.Resets < 1<<40 {
		m.until = time.Unix(int64(e.Info.Resets), 0).In(s.now().Location())
	}
	return nil
}

// result is the end. Its subtype is success in every API error, so is_error counts too.
func (m *messages) result(line []byte, s *story) error {
	var e struct {
		Subtype string          `json:"subtype"`
		IsError bool            `json:"is_error"`
		Reason  string          `json:"terminal_reason"`
		Stop    string          `json:"stop_reason"`
		Status  *int            `json:"api_error_status"`
		Word    string          `json:"api_error"`
		Text    json.RawMessage `json:"result"`
		Error   json.RawMessage `json:"error"`
		Session string          `json:"session_id"`
		Cost    float64         `json:"total_cost_usd"`
		Usage   usage           `json:"usage"`
		Models  map[string]struct {
			In      int64 `json:"inputTokens"`
			Out     int64 `json:"outputTokens"`
			Read    int64 `json:"cacheReadInputTokens"`
			Created int64 `json:"cacheCreationInputTokens"`
		} `json:"modelUsage"`
		Denials []struct {
			Tool string `json:"tool_name"`
		} `json:"permission_denials"`
	}
	if err := json.Unmarshal(line, &e); err != nil {
		return err
	}
	s.finish()
	s.out.CostUSD = max(0, e.Cost)
	s.out.InputTokens, s.out.OutputTokens = m.in(e.Usage), max(0, e.Usage.Out)
	if len(e.Models) > 0 { // counts what other models did for this one as well
		var in, out int64
		for _, u := range e.Models {
			in, out = in+m.in(usage{In: u.In, Read: u.Read, Created: u.Created}), out+u.Out
		}
		s.tokens(in, out)
	}
	if e.Session != "" {
		s.out.Session = e.Session
	}
	for _, d := range e.Denials {
		s.deny(d.Tool)
	}
	text := words(e.Text)
	if e.Word == "max_output_tokens" || e.Stop == "max_tokens" {
		s.unread("the model's answer was cut off: " + text)
		return nil
	}
	if m.refused || e.Stop == "refusal" {
		s.refuse(text)
		return nil
	}
	if e.IsError || strings.HasPrefix(e.Subtype, "error_") {
		m.failed(e.Subtype, e.Reason, e.Status, strings.TrimSpace(text+" "+words(e.Error)), s)
		return nil
	}
	if e.Text != nil && !m.all {
		s.final.reset()
		s.say(text, true)
	}
	return nil
}

// failed reads a result that says it is an error.
func (m *messages) failed(subtype, reason string, status *int, text string, s *story) {
	if strings.HasPrefix(subtype, "error_max_") {
		s.limited(subtype)
		if s.capped && subtype == "error_max_budget_usd" {
			s.out.Kind = BudgetExhausted
		}
		return
	}
	code := 0
	if status != nil {
		code = *status
	}
	s.fail(code, bare(text))
	switch {
	case reason == "prompt_too_long":
		s.out.Kind = ContextOverflow
	case !m.until.IsZero():
		s.out.Kind, s.out.Until = UsageLimit, m.until
	}
}

// end reads an end without a last event: by a limit of use, and by the exit codes of qwen's own
// limits.
func (m *messages) end(s *story) {
	if !s.finished && !s.failed && s.exit.Code != 0 && !m.until.IsZero() {
		s.fail(0, "the provider refused the request: its limit of use is reached")
		s.out.Kind, s.out.Until = UsageLimit, m.until
	}
	if code := s.exit.Code; !s.finished && !s.failed && (code == 53 || code == 55) {
		s.limited(headline(readable(s.exit.Tail, "")))
	}
}

// usage counts tokens as Anthropic's interfaces do: tokens from and to a cache are separate.
type usage struct {
	In      int64 `json:"input_tokens"`
	Out     int64 `json:"output_tokens"`
	Read    int64 `json:"cache_read_input_tokens"`
	Created int64 `json:"cache_creation_input_tokens"`
}

// in returns the input tokens, those from a cache included.
func (m *messages) in(u usage) int64 {
	if m.within {
		return max(0, u.In)
	}
	return max(0, u.In) + max(0, u.Read) + max(0, u.Created)
}
