package attempt

import (
	"context"
	"strings"
	"testing"
	"time"
)

// An end that only looks like a success lands nothing, although files changed and every gate
// passes: the prompt's own example read aloud, a result that is cut, or one of somebody else's.
func TestNoFalseSuccess(t *testing.T) {
	complete := object(`"status": "complete", "tasks": {"total": 2, "completed": 2}`)
	failed := object(`"status": "failed", "tasks": {"total": 2, "completed": 1}`)
	for name, c := range map[string]struct {
		final string // "PROMPT" stands for the prompt, "EXAMPLE" for its block
		file  string
		kind  string
	}{
		"the prompt read aloud":           {final: "PROMPT"},
		"the prompt, and work after it":   {final: "user\nPROMPT\nassistant\nI begin with main.go.\n"},
		"the prompt's example":            {final: "I am to end with this:\n\nEXAMPLE\n"},
		"the prompt's example, quoted":    {final: "````markdown\nEXAMPLE\n````\nI begin.\n"},
		"the prompt's example in a file":  {file: "PROMPT"},
		"the prompt with CRLF":            {final: "CRLF"},
		"quoted line by line":             {final: "> ```json\n> " + complete + "\n> ```\n"},
		"a second result that is cut":     {final: fenced(complete) + "No, wait.\n```json\n" + failed[:len(failed)-20]},
		"a second result without a fence": {final: fenced(complete) + "No, wait.\n```json\n" + failed},
		"two results":                     {final: fenced(complete, failed)},
		"cut at the last brace":           {final: "```json\n" + complete[:len(complete)-1] + "\n```\n"},
		"cut in the fence":                {final: "```json\n" + complete + "\n``"},
		"a zero-width key":                {final: fenced(strings.Replace(complete, "status", "sta\u200btus", 1))},
		"a zero-width nonce":              {final: fenced(strings.Replace(complete, nonce, nonce+"\u200b", 1))},
		"an earlier attempt's":            {final: fenced(strings.ReplaceAll(complete, nonce, "n0nce-of-another"))},
		"colours within":                  {final: fenced(strings.Replace(complete, "complete", "\x1b[32mcomplete\x1b[0m", 1))},
		"nothing, exit 0":                 {},
		"only words":                      {final: "The phase is complete. All tests pass.\n"},
		"a limit after it":                {final: fenced(complete), kind: "usage_limit"},
		"a refusal after it":              {final: fenced(complete), kind: "refusal"},
		"a file beside a limit":           {file: complete, kind: "usage_limit"},
		"a file that is cut":              {file: complete[:len(complete)-1]},
		"a file with two":                 {file: complete + failed},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.agent.out.Kind = c.kind
			b.agent.does = func(_ context.Context, job Job) {
				_, example, _ := strings.Cut(job.Prompt, "```json\n{\"nonce\"")
				example, _, _ = strings.Cut("```json\n{\"nonce\""+example, "\n```\n")
				fill := strings.NewReplacer("PROMPT", job.Prompt, "EXAMPLE", example+"\n```",
					"CRLF", strings.ReplaceAll(job.Prompt, "\n", "\r\n")).Replace
				b.agent.out.Final = fill(c.final)
				if c.file != "" {
					path, _ := b.agent.env("AUTOBUILD_RESULT_FILE")
					write(t, path, fill(c.file))
				}
				job.Activity("ended", time.Second)
			}
			if got, err := b.attempt(); err == nil {
				t.Errorf("landed with verdict %s", got.Verdict)
			}
		})
	}
}
