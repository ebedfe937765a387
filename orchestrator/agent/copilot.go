package agent

import (
	"cmp"
	"encoding/json"
	"fmt"
)

// copilot is GitHub Copilot CLI without a terminal. All tools are allowed, since it works
// unattended in no other way; paths outside the working directory and addresses on the network are
// not.
func copilot() spec {
	return spec{
		name: "copilot", argv: []string{"copilot"},
		options: []option{
			{args: []string{"--output-format", "json"}},
			{args: []string{"--allow-all-tools"}, rival: []string{
				"--allow-all", "--yolo",
				"--allow-tool",
			}},
			{args: []string{"--no-ask-user"}},
			{args: []string{"--no-auto-update"}},
			{args: []string{"--no-color"}},
			{args: []string{"--no-remote"}, rival: []string{"--remote"}},
		},
		model:  "--model",
		dir:    "-C",
		env:    map[string]string{"COPILOT_AUTO_UPDATE": "false"},
		spool:  true,
		reader: func() reader { return &session{} },
		effort: func(level string) []string { return []string{"--reasoning-effort", level} },
		usage:  "--usage-output-file",
		record: copilotRecord,
		about: About{
			Tested:  "1.0.102",
			Install: "npm install -g @github/copilot",
			Login:   "copilot login",
			Keys: []string{
				"COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN",
				"COPILOT_PROVIDER_API_KEY",
			},
			Files:    []string{".copilot/config.json"},
			Help:     []string{"--help"},
			Confined: true,
			Write:    []string{".copilot", ".cache/copilot"},
			Ability: "all tools are allowed; files elsewhere and addresses on the network stay " +
				"checked",
			Homepage: "https://docs.github.com/copilot/how-tos/copilot-cli",
			Homes: []Home{
				{".copilot", "COPILOT_HOME", ""},
				{".cache/copilot", "COPILOT_CACHE_HOME", ""},
			},
			Marks: []string{"COPILOT_CLI"},
		},
	}
}

// session reads the stream of copilot, the one with the most definite errors.
type session struct {
	tools map[string]string // the tools in use, by call
	code  int               // in the last event
	err   *sessionError
}

type sessionError struct {
	Type    string `json:"errorType"`
	Message string `json:"message"`
	Status  int    `json:"statusCode"`
}

// sessionEvent is one line.
type sessionEvent struct {
	Session string `json:"sessionId"`
	Exit    int    `json:"exitCode"`
	Data    struct {
		sessionError
		Model    string          `json:"model"`
		Content  string          `json:"content"`
		Requests json.RawMessage `json:"toolRequests"`
		Parent   string          `json:"parentToolCallId"` // a sub-agent's
		Call     string          `json:"toolCallId"`
		Tool     string          `json:"toolName"`
		Input    json.RawMessage `json:"arguments"`
		Error    struct {
			Code string `json:"code"`
		} `json:"error"`
	} `json:"data"`
}

func (c *session) read(kind string, line []byte, s *story) error {
	var e sessionEvent
	switch kind {
	case "assistant.message", "tool.execution_start", "tool.execution_complete", "session.error",
		"model.call_failure", "result":
		if err := json.Unmarshal(line, &e); err != nil {
			return err
		}
	}
	switch kind {
	case "assistant.message":
		if c.err = nil; e.Data.Parent == "" {
			s.model(e.Data.Model)
			s.say(e.Data.Content, false)
		}
	case "tool.execution_start":
		c.start(e, s)
	case "tool.execution_complete":
		if tool, ok := c.tools[e.Data.Call]; ok && e.Data.Error.Code == "denied" {
			s.deny(tool)
		}
		delete(c.tools, e.Data.Call)
	case "session.error":
		failed := e.Data.sessionError
		c.err = &failed
		s.hitch(failed.Status, failed.Message)
	case "model.call_failure":
		s.hitch(e.Data.Status, cmp.Or(e.Data.Message, "the model did not answer"))
		s.active(fmt.Sprintf("the model did not answer (HTTP %d); asking it again", e.Data.Status))
	case "result":
		s.finish()
		s.out.Session, c.code = e.Session, e.Exit
	}
	return nil
}

func (c *session) start(e sessionEvent, s *story) {
	if e.Data.Parent == "" {
		s.tool(e.Data.Tool, e.Data.Input)
	}
	if c.tools == nil {
		c.tools = make(map[string]string)
	}
	if len(c.tools) < 100 { // at once; more is a stream gone wrong
		c.tools[e.Data.Call] = e.Data.Tool
	}
}

func (c *session) end(s *story) {
	switch {
	case c.err != nil:
		status := c.err.Status
		if status == 0 && c.err.Type == "rate_limit" {
			status = 429
		}
		s.fail(status, c.err.Message)
		if s.out.Kind == Failed && c.err.Type == "authentication" {
			s.out.Kind = Unusable
		}
	case c.code != 0:
		s.fail(0, "")
	}
}
