package agent

import (
	"encoding/json"
	"strings"
)

// cursor is Cursor's command line in print mode, after its documentation alone: it was never seen
// to run here.
func cursor() spec {
	return spec{
		name: "cursor", argv: []string{"cursor-agent", "-p"},
		options:   []option{{args: []string{"--output-format", "stream-json"}}},
		model:     "--model",
		spool:     true,
		reader:    func() reader { return &calls{messages{all: true}} },
		uncounted: true,
		about: About{
			Install: "curl https://cursor.com/install -fsS | bash",
			Login:   "cursor-agent login",
			Keys:    []string{"CURSOR_API_KEY"},
			Files:   []string{".config/cursor/auth.json", ".cursor/cli-config.json"},
			Help:    []string{"--help"},
			Write:   []string{".cursor", ".config/cursor"},
			Ability: "as its own configuration says; without one it proposes changes and makes " +
				"none",
			Homepage: "https://cursor.com/docs/cli",
			Marks:    []string{"CURSOR_AGENT"},
		},
	}
}

// calls reads the stream of Cursor: messages as Claude Code has them, and tools as events of their
// own.
type calls struct{ messages }

func (c *calls) read(kind string, line []byte, s *story) error {
	if kind != "tool_call" {
		return c.messages.read(kind, line, s)
	}
	var e struct {
		Subtype string `json:"subtype"`
		Call    map[string]struct {
			Args json.RawMessage `json:"args"`
		} `json:"tool_call"`
	}
	if err := json.Unmarshal(line, &e); err != nil {
		return err
	}
	s.unsay()
	if e.Subtype == "started" {
		for name, call := range e.Call { // there is one
			s.tool(strings.TrimSuffix(name, "ToolCall"), call.Args)
		}
	}
	return nil
}
