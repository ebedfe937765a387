package agent

import (
	"encoding/json"
	"strings"
)

// opencode is opencode run. Its permissions are given as configuration: instead of asking for one
// it would refuse, and end.
func opencode() spec {
	return spec{
		name: "opencode", argv: []string{"opencode", "run"},
		options: []option{{args: []string{"--format", "json"}}},
		model:   "-m",
		dir:     "--dir",
		env: map[string]string{
			"OPENCODE_DISABLE_AUTOUPDATE":   "1",
			"OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
			"OPENCODE_CONFIG_CONTENT": `{"autoupdate":false,"share":"disabled",` +
				`"permission":{"edit":"allow","bash":"allow","webfetch":"allow","external_directory":"deny"}}`,
		},
		reader: func() reader { return &steps{} }, journal: opencodeJournal,
		effort: func(level string) []string { return []string{"--variant", level} },
		costs:  true,
		about: About{
			Tested:  "1.18.33",
			Install: "npm install -g opencode-ai",
			Login:   "opencode auth login",
			Keys: []string{
				"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY",
				"OPENROUTER_API_KEY", "OPENCODE_CONFIG", "OPENCODE_CONFIG_CONTENT",
			},
			Files:    []string{".local/share/opencode/auth.json", ".config/opencode/opencode.json"},
			Help:     []string{"run", "--help"},
			Confined: true,
			Write: []string{
				".local/share/opencode", ".local/state/opencode", ".config/opencode",
				".cache/opencode",
			},
			Ability: "edits, commands and the web are allowed by a configuration of its own; " +
				"what it would ask for is refused",
			Homepage: "https://opencode.ai/docs",
			Marks:    []string{"OPENCODE"},
		},
	}
}

// steps reads the stream of opencode, which has no last event: the reason of the last step says
// how it ended.
type steps struct {
	begun    bool
	tools    bool // the step has used some
	reason   string
	overflow int // how often the job did not fit
	err      *stepError
}

type stepError struct {
	Name string          `json:"name"`
	Data json.RawMessage `json:"data"` // with the provider's answer: its headers and its body
}

// said is the message of an error, and its HTTP status.
func (e stepError) said() (message string, status int) {
	var data struct {
		Message string `json:"message"`
		Status  int    `json:"statusCode"`
	}
	if json.Unmarshal(e.Data, &data) != nil {
		return "", 0
	}
	return data.Message, data.Status
}

// stepEvent is one line.
type stepEvent struct {
	Session string     `json:"sessionID"`
	Error   *stepError `json:"error"`
	Part    struct {
		Text      string `json:"text"`
		Synthetic bool   `json:"synthetic"` // said by opencode, not by the model
		Tool      string `json:"tool"`
		State     struct {
			Status string          `json:"status"`
			Input  json.RawMessage `json:"input"`
			Error  string          `json:"error"`
		} `json:"state"`
		Reason string  `json:"reason"`
		Cost   float64 `json:"cost"`
		Tokens struct {
			In        int64 `json:"input"`
			Out       int64 `json:"output"`
			Reasoning int64 `json:"reasoning"`
			Cache     struct {
				Read  int64 `json:"read"`
				Write int64 `json:"write"`
			} `json:"cache"`
		} `json:"tokens"`
	} `json:"part"`
}

func (t *steps) read(kind string, line []byte, s *story) error {
	var e stepEvent
	switch kind {
	case "step_start", "text", "tool_use", "step_finish", "error":
		if err := json.Unmarshal(line, &e); err != nil {
			return err
		}
	default:
		return nil
	}
	if e.Session != "" {
		s.out.Session = e.Session
	}
	switch kind {
	case "step_start":
		t.begun, t.tools, t.err = true, false, nil // it has recovered
		s.overcome()
	case "text":
		if !e.Part.Synthetic {
			s.say(e.Part.Text, false)
		}
	case "tool_use":
		t.tools = true
		s.tool(e.Part.Tool, e.Part.State.Input)
		if e.Part.State.Status == "error" && strings.Contains(e.Part.State.Error, "permission") {
			s.deny(e.Part.Tool)
		}
	case "step_finish":
		t.finish(e, s)
	case "error":
		t.failed(e.Error, s)
	}
	return nil
}

func (t *steps) finish(e stepEvent, s *story) {
	t.reason = e.Part.Reason
	if !t.tools {
		s.step("")
	}
	s.ended = t.reason == "stop" || t.reason == "length" // unless another step begins
	u := e.Part.Tokens
	s.out.CostUSD += max(0, e.Part.Cost)
	s.tokens(s.out.InputTokens+u.In+u.Cache.Read+u.Cache.Write,
		s.out.OutputTokens+u.Out+u.Reasoning)
}

// failed takes an error, which may yet be overcome. One is not: where the job does not fit,
// opencode makes it smaller and tries again, for ever, and each try is paid for.
func (t *steps) failed(e *stepError, s *story) {
	if e == nil {
		return
	}
	t.err = e
	message, _ := e.said()
	s.active(message)
	if e.Name != "ContextOverflowError" {
		return
	}
	if t.overflow++; t.overflow == 2 {
		s.fail(0, message)
		s.out.Kind = ContextOverflow
		s.halt()
	}
}

func (t *steps) end(s *story) {
	switch {
	case s.failed:
	case t.err != nil:
		message, status := t.err.said()
		s.failBy(fault{status: status, said: message, text: string(t.err.Data)})
		switch {
		case t.err.Name == "ContextOverflowError":
			s.out.Kind = ContextOverflow
		case t.err.Name == "UnknownError" && !t.begun:
			// it could not even ask: a matter of its configuration
			s.out.Kind, s.out.About = Unusable, AboutFlags
		}
	case t.reason == "content-filter":
		s.refuse(s.final.String())
	case t.reason == "length":
		s.unread("the model's answer was cut off")
	case s.exit.Code != 0:
	case t.reason == "tool-calls" && len(s.out.Denied) > 0:
		s.fail(0, "its permissions denied "+s.out.Denied[len(s.out.Denied)-1]+
			", and so it stopped; allow it in opencode's configuration")
		s.out.Kind, s.out.About = Unusable, AboutFlags
	case t.reason == "tool-calls":
		s.limited("the last step was a tool, not an answer")
	default:
		s.finished = t.reason != ""
	}
}
