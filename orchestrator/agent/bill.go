package agent

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"

	"autobuild/internal/safefile"
)

// maxBill bounds what is read of a file that tells what was used, in bytes.
const maxBill = 4 << 20

// biller reads what an agent has written down of its use in a session.
type biller func(job Job, env []string, session string) (in, out int64)

// bill is asked where the agent's stream does not tell: of one that failed, or never tells.
func (c cli) bill(job Job, s *story) {
	if c.spec.bill == nil || s.out.InputTokens+s.out.OutputTokens > 0 {
		return
	}
	in, out := c.spec.bill(job, c.environ(job.Env), s.out.Session)
	if c.spec.sums && len(c.resumed(job)) > 0 {
		in, out = in-job.Past.Input, out-job.Past.Output
	}
	s.tokens(in, out)
}

// usageFile is where the agent is told to write what it has used up, and the flag for it.
func (c cli) usageFile(job Job) []string {
	if c.spec.usage == "" || job.Scratch == "" || c.given(c.spec.usage) {
		return nil
	}
	return []string{c.spec.usage, usageIn(job)}
}

func usageIn(job Job) string { return filepath.Join(job.Scratch, "usage.json") }

// copilotBill reads the file of copilot's --usage-output-file.
func copilotBill(job Job, _ []string, _ string) (in, out int64) {
	var usage struct {
		Models map[string]struct {
			Usage struct {
				In  int64 `json:"inputTokens"` // what was read from a cache included
				Out int64 `json:"outputTokens"`
			} `json:"usage"`
		} `json:"modelMetrics"`
	}
	raw, err := safefile.ReadPlain(usageIn(job), maxBill)
	if err != nil || json.Unmarshal(raw, &usage) != nil {
		return 0, 0
	}
	for _, m := range usage.Models {
		in, out = in+max(0, m.Usage.In), out+max(0, m.Usage.Out)
	}
	return in, out
}

// codexBill reads the end of the session's own record: codex tells nothing of a turn that failed.
func codexBill(_ Job, env []string, session string) (in, out int64) {
	home := valueOf(env, "CODEX_HOME")
	if home == "" {
		home = filepath.Join(valueOf(env, "HOME"), ".codex")
	}
	if !sessionID.MatchString(session) {
		return 0, 0
	}
	found, _ := filepath.Glob(filepath.Join(literal(home), "sessions", "*", "*", "*", "rollout-*-"+session+".jsonl")) // the pattern is well formed
	for _, path := range found {
		for line := range bytes.Lines(endOf(path, maxBill)) {
			var e struct {
				Payload struct {
					Type string `json:"type"`
					Info struct {
						Total struct {
							In  int64 `json:"input_tokens"`
							Out int64 `json:"output_tokens"`
						} `json:"total_token_usage"`
					} `json:"info"`
				} `json:"payload"`
			}
			if bytes.Contains(line, []byte("token_count")) && json.Unmarshal(line, &e) == nil && e.Payload.Type == "token_count" {
				if total := e.Payload.Info.Total; total.In+total.Out > 0 {
					in, out = total.In, total.Out
				}
			}
		}
	}
	return in, out
}

// kimiBill reads the session's own record: kimi tells nothing by the protocol.
func kimiBill(_ Job, env []string, session string) (in, out int64) {
	home := valueOf(env, "KIMI_CODE_HOME")
	if home == "" {
		home = filepath.Join(valueOf(env, "HOME"), ".kimi-code")
	}
	if !sessionID.MatchString(session) {
		return 0, 0
	}
	found, _ := filepath.Glob(filepath.Join(literal(home), "sessions", "*", session, "agents", "*", "wire.jsonl")) // the pattern is well formed
	for _, path := range found {
		for line := range bytes.Lines(endOf(path, 16*maxBill)) {
			var e struct {
				Type  string `json:"type"`
				Usage struct {
					Other   int64 `json:"inputOther"`
					Read    int64 `json:"inputCacheRead"`
					Created int64 `json:"inputCacheCreation"`
					Out     int64 `json:"output"`
				} `json:"usage"`
			}
			if bytes.Contains(line, []byte("usage.record")) && json.Unmarshal(line, &e) == nil && e.Type == "usage.record" {
				in, out = in+max(0, e.Usage.Other)+max(0, e.Usage.Read)+max(0, e.Usage.Created), out+max(0, e.Usage.Out)
			}
		}
	}
	return in, out
}

// endOf is the end of a file, at most limit bytes; nothing where it cannot be read.
func endOf(path string, limit int64) []byte {
	f, err := safefile.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close() //nolint:errcheck // it is only read
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	if _, err := f.Seek(max(0, info.Size()-limit), io.SeekStart); err != nil {
		return nil
	}
	raw, err := io.ReadAll(io.LimitReader(f, limit))
	if err != nil {
		return nil
	}
	return raw
}

// valueOf is a variable of an environment, the last one of that name; empty where there is none.
func valueOf(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(env[i], name+"="); ok {
			return value
		}
	}
	return ""
}

// literal is a path as a pattern that fits it alone.
func literal(path string) string {
	if os.PathSeparator == '\\' { // where the pattern has no escapes
		return path
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
