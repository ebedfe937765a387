package agent

import (
	"cmp"
	"encoding/json"
	"strings"
)

// gemini is Gemini CLI without a terminal. Editing is allowed by its approval mode, and the shell,
// which that mode keeps back, by name.
func gemini() spec {
	yolo := []string{"-y", "--yolo"}
	return spec{
		name: "gemini", argv: []string{"gemini"},
		options: []option{
			{args: []string{"-o", "stream-json"}, rival: []string{"--output-format"}},
			{args: []string{"--approval-mode", "auto_edit"}, rival: yolo},
			{
				args:  []string{"--allowed-tools=run_shell_command"},
				rival: append(yolo, "--allowed-tools", "--approval-mode", "--policy"),
			},
			// the user has not approved a new worktree yet
			{args: []string{"--skip-trust"}},
		},
		model: "-m",
		env: map[string]string{
			"GEMINI_CLI_NO_RELAUNCH":     "true", // else no signal reaches it
			"GEMINI_CLI_TRUST_WORKSPACE": "true", // else the project's settings are not read there
		},
		spool:  true,
		reader: func() reader { return &deltas{} },
		about: About{
			Tested:   "0.61.0",
			Install:  "npm install -g @google/gemini-cli",
			Login:    "gemini, then choose how to log in",
			Keys:     []string{"GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI"},
			Files:    []string{".gemini/oauth_creds.json"},
			Help:     []string{"--help"},
			Confined: true,
			Write:    []string{".gemini"},
			Ability:  "edits and commands are allowed; what else it would ask for is not",
			Homepage: "https://github.com/google-gemini/gemini-cli",
			Homes:    []Home{{".gemini", "GEMINI_CLI_HOME", ".gemini"}},
			Marks:    []string{"GEMINI_CLI"},
		},
	}
}

// deltas reads the stream of gemini, whose final message comes in pieces and is nowhere as a whole.
type deltas struct {
	tool string // the last one used
	err  struct {
		kind, text string
		set        bool
	}
}

func (d *deltas) read(kind string, line []byte, s *story) error {
	var e struct {
		Session string          `json:"session_id"`
		Model   string          `json:"model"`
		Role    string          `json:"role"`
		Content string          `json:"content"`
		Tool    string          `json:"tool_name"`
		Input   json.RawMessage `json:"parameters"`
		Status  string          `json:"status"`
		Message string          `json:"message"`
		Error   *struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		} `json:"error"`
		Stats struct {
			In  int64 `json:"input_tokens"`
			Out int64 `json:"output_tokens"`
		} `json:"stats"`
	}
	switch kind {
	case "init", "message", "tool_use", "tool_result", "error", "result":
		if err := json.Unmarshal(line, &e); err != nil {
			return err
		}
	}
	switch kind {
	case "init":
		s.out.Session = e.Session
		s.model(e.Model)
	case "message":
		if e.Role == "assistant" {
			s.say(e.Content, true)
		}
	case "tool_use":
		d.tool = e.Tool
		s.tool(e.Tool, e.Input)
	case "tool_result":
		s.unsay()
		if e.Error != nil && (strings.Contains(e.Error.Type, "policy") ||
			strings.Contains(e.Error.Type, "denied")) {
			s.deny(d.tool)
		}
	case "error":
		s.hitch(0, bare(e.Message))
	case "result":
		s.finish()
		s.tokens(e.Stats.In, e.Stats.Out)
		if e.Status == "error" || e.Error != nil {
			d.err.set = true
			if e.Error != nil {
				d.err.kind, d.err.text = e.Error.Type, e.Error.Message
			}
		}
	}
	return nil
}

// end judges an error when the exit code is there, which holds what the text often lacks.
func (d *deltas) end(s *story) {
	switch {
	case d.err.kind == "FatalTurnLimitedError":
		s.limited(d.err.text)
	case d.err.set:
		// the reason may have come before it
		s.fail(httpStatus(s.exit.Code), cmp.Or(bare(d.err.text), s.pace.trouble))
	}
}

// httpStatus is the HTTP status that gemini has made its exit code of, by keeping the low eight
// bits. Zero where it is none.
func httpStatus(code int) int {
	for _, status := range []int{
		400, 401, 402, 403, 404, 408, 410, 413, 424, 429, 451, 498, 499, 500, 502, 503, 504, 529,
	} {
		if status%256 == code {
			return status
		}
	}
	return 0
}

// bare is the text of an error without the wrapping "[API Error: …]", and the message of the JSON
// there.
func bare(text string) string {
	if inner, ok := strings.CutPrefix(text, "[API Error: "); ok {
		// advice for people may follow
		inner, _, _ = strings.Cut(strings.TrimSpace(inner)+"\n", "]\n")
		return inner
	}
	return text
}
