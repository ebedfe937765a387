package agent

import "encoding/json"

// pi is the pi coding agent in print mode. It has no permissions to set: it does everything that it
// can.
func pi() spec {
	return spec{
		name: "pi", argv: []string{"pi", "-p"},
		options: []option{
			{args: []string{"--mode", "json"}},
			{args: []string{"--no-session"}, rival: []string{
				"--session", "--continue",
				"--resume",
			}},
		},
		model:  "--model",
		spool:  true,
		env:    map[string]string{"PI_SKIP_VERSION_CHECK": "1"},
		reader: func() reader { return &rounds{} },
		effort: func(level string) []string { return []string{"--thinking", level} },
		costs:  true,
		about: About{
			Tested:  "0.87.1",
			Install: "npm install -g @earendil-works/pi-coding-agent",
			Login:   "pi, then /login",
			Keys: []string{
				"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY",
				"OPENROUTER_API_KEY",
			},
			Files:    []string{".pi/agent/auth.json", ".pi/agent/models.json"},
			Help:     []string{"--help"},
			Confined: true,
			Write:    []string{".pi/agent"},
			Ability:  "it has no permissions of its own: everything is allowed",
			Homepage: "https://github.com/badlogic/pi-mono",
			Homes:    []Home{{".pi/agent", "PI_CODING_AGENT_DIR", ""}},
			Marks:    []string{"PI_CODING_AGENT"},
		},
	}
}

// rounds reads the stream of pi. Its exit code is always 0; the last message's stop reason decides.
type rounds struct {
	reason, text string // of the last message
	ended        bool
}

func (r *rounds) read(kind string, line []byte, s *story) error {
	switch kind {
	case "message_end":
		return r.message(line, s)
	case "session", "tool_execution_start", "auto_retry_start":
	case "agent_end", "agent_settled", "compaction_end":
		r.ended = r.ended || kind == "agent_end"
		s.finished = r.ended
		return nil
	case "agent_start", "compaction_start": // also after an end, when it makes its context smaller
		r.ended = r.ended && kind == "compaction_start"
		s.finished = false
		return nil
	default:
		return nil
	}
	var e struct {
		ID    string          `json:"id"`
		Tool  string          `json:"toolName"`
		Input json.RawMessage `json:"args"`
		Delay float64         `json:"delayMs"`
		Error string          `json:"errorMessage"`
	}
	if err := json.Unmarshal(line, &e); err != nil {
		return err
	}
	switch kind {
	case "session":
		s.out.Session = e.ID
	case "tool_execution_start":
		s.tool(e.Tool, e.Input)
	case "auto_retry_start":
		s.finished = false
		s.retry(millis(e.Delay), 0, e.Error)
	}
	return nil
}

func (r *rounds) message(line []byte, s *story) error {
	var e struct {
		Message struct {
			Role    string          `json:"role"`
			Model   string          `json:"model"`
			Content json.RawMessage `json:"content"` // a string where it is not the assistant's
			Reason  string          `json:"stopReason"`
			Error   string          `json:"errorMessage"`
			Usage   struct {
				In    int64 `json:"input"`
				Out   int64 `json:"output"`
				Read  int64 `json:"cacheRead"`
				Write int64 `json:"cacheWrite"`
				Cost  struct {
					Total float64 `json:"total"`
				} `json:"cost"`
			} `json:"usage"`
		} `json:"message"`
	}
	if err := json.Unmarshal(line, &e); err != nil {
		return err
	}
	m := e.Message
	if m.Role != "assistant" {
		return nil
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal(m.Content, &parts); err != nil {
		return err
	}
	tools := false
	for _, p := range parts {
		switch p.Type {
		case "text":
			s.say(p.Text, false)
		case "toolCall":
			tools = true
			s.unsay()
		}
	}
	r.reason, r.text = m.Reason, m.Error
	if !tools {
		s.step("")
	}
	s.model(m.Model)
	s.out.CostUSD += max(0, m.Usage.Cost.Total)
	s.tokens(s.out.InputTokens+m.Usage.In+m.Usage.Read+m.Usage.Write,
		s.out.OutputTokens+m.Usage.Out)
	return nil
}

func (r *rounds) end(s *story) {
	switch {
	case s.failed:
	case r.reason == "error" || r.reason == "aborted":
		s.fail(0, r.text)
	case r.reason == "length":
		s.unread("the model's answer was cut off")
	}
}
