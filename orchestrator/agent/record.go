package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"autobuild/internal/lazyregexp"
	"autobuild/internal/proc"
	"autobuild/internal/safefile"
)

// sessionID matches the session ids of all agents. An id becomes part of a path in some agents'
// homes.
var sessionID = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$`)

// maxRecord bounds what is read of an agent's record of its use, in bytes.
const maxRecord = 4 << 20

// record is the content of an agent's own record of a session.
type record struct {
	in, out  int64
	requests int    // that were answered; 0 where that is not known
	last     string // the id of the last answer
	failure  string // why its last turn failed; empty where it did not
	status   int    // the HTTP status of that, 0 where it is not known
}

// recorder reads the record of a session.
type recorder func(recording) record

// recording says which record is meant.
type recording struct {
	ctx     context.Context
	run     *proc.Runner
	job     Job
	env     []string // of the agent
	session string   // its id
	program string   // that the agent was started with
	began   time.Time
}

// recorderOf is the recorder of a program that its user has made an agent of the protocol; nil
// where its stream has all there is.
func recorderOf(program string) recorder {
	switch programName(program) {
	case "opencode":
		return opencodeRecord
	case "qwen":
		return qwenRecord
	}
	if l := ledgerOf(program); l != nil {
		return l.record
	}
	return nil
}

// programName is the name of a program without its directory.
func programName(path string) string { return strings.TrimSuffix(filepath.Base(path), ".exe") }

// bill takes the use from the agent's own record where its stream reports none.
func (c cli) bill(job Job, s *story) {
	if c.spec.record == nil || s.out.InputTokens+s.out.OutputTokens > 0 {
		return
	}
	r := c.spec.record(recording{job: job, env: c.environ(job.Env), session: s.out.Session})
	s.tokens(r.in, r.out)
}

// usageFile is the flag that makes the agent write what it has used up, and the file.
func (c cli) usageFile(job Job) []string {
	if c.spec.usage == "" || job.Scratch == "" || c.given(c.spec.usage) {
		return nil
	}
	return []string{c.spec.usage, usageIn(job)}
}

func usageIn(job Job) string { return filepath.Join(job.Scratch, "usage.json") }

// copilotRecord reads the file of copilot's --usage-output-file.
func copilotRecord(of recording) (r record) {
	job := of.job
	var usage struct {
		Models map[string]struct {
			Usage struct {
				In  int64 `json:"inputTokens"` // reads from a cache included
				Out int64 `json:"outputTokens"`
			} `json:"usage"`
		} `json:"modelMetrics"`
	}
	raw, err := safefile.ReadPlain(usageIn(job), maxRecord)
	if err != nil || json.Unmarshal(raw, &usage) != nil {
		return r
	}
	for _, m := range usage.Models {
		r.in, r.out = r.in+max(0, m.Usage.In), r.out+max(0, m.Usage.Out)
	}
	return r
}

// qwenRecord reads the file in which qwen notes the use of each session when it ends. The protocol
// has another id for the session, so its directory and its start name it.
func qwenRecord(of recording) (r record) {
	path := filepath.Join(qwenHome(of.env), "usage_record.jsonl")
	for line := range bytes.Lines(endOf(path)) {
		var e struct {
			Project string `json:"project"`
			Start   int64  `json:"startTime"` // milliseconds
			Models  map[string]struct {
				In  int64 `json:"inputTokens"` // reads from a cache included
				Out int64 `json:"outputTokens"`
			} `json:"models"`
		}
		if json.Unmarshal(line, &e) != nil || e.Project != resolved(of.job.Dir) ||
			e.Start < of.began.UnixMilli() {
			continue
		}
		for _, m := range e.Models {
			r.in, r.out = r.in+max(0, m.In), r.out+max(0, m.Out)
		}
	}
	return r
}

// qwenHome is the directory in which qwen keeps its files.
func qwenHome(env []string) string {
	if home := valueOf(env, "QWEN_HOME"); home != "" {
		return home
	}
	return filepath.Join(valueOf(env, "HOME"), ".qwen")
}

// exportTime bounds how long an agent may take to print a session.
const exportTime = 30 * time.Second

// opencodeRecord asks opencode itself, which keeps its sessions in a database. It runs like the
// agent, but outside the worktree, whose files could configure it.
func opencodeRecord(of recording) (r record) {
	if !sessionID.MatchString(of.session) || of.job.Scratch == "" {
		return r
	}
	whole := ending{limit: maxRecord}
	exit, err := of.run.Run(of.ctx, proc.Command{
		Argv: []string{of.program, "export", of.session}, Dir: of.job.Scratch, Env: of.env,
		Stdout: whole.write, Timeout: exportTime,
	})
	var session struct {
		Info struct {
			Tokens struct {
				In        int64 `json:"input"`
				Out       int64 `json:"output"`
				Reasoning int64 `json:"reasoning"`
				Cache     struct {
					Read  int64 `json:"read"`
					Write int64 `json:"write"`
				} `json:"cache"`
			} `json:"tokens"`
		} `json:"info"`
	}
	text := whole.String()
	text = text[max(0, strings.IndexByte(text, '{')):]
	if err != nil || exit.Ended != proc.Exited || json.Unmarshal([]byte(text), &session) != nil {
		return r
	}
	u := session.Info.Tokens
	r.in = max(0, u.In) + max(0, u.Cache.Read) + max(0, u.Cache.Write)
	r.out = max(0, u.Out) + max(0, u.Reasoning)
	return r
}

// endOf is the end of a file, at most maxRecord bytes; nothing where it cannot be read.
func endOf(path string) []byte {
	f, err := safefile.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close() //nolint:errcheck // it is only read
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	if _, err = f.Seek(max(0, info.Size()-maxRecord), io.SeekStart); err != nil {
		return nil
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxRecord))
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

// kimiFiles are the files that kimi writes of a session.
func kimiFiles(of recording) []string {
	home := valueOf(of.env, "KIMI_CODE_HOME")
	if home == "" {
		home = filepath.Join(valueOf(of.env, "HOME"), ".kimi-code")
	}
	if !sessionID.MatchString(of.session) {
		return nil
	}
	// the pattern is well formed
	found, _ := filepath.Glob(filepath.Join(literal(home), "sessions", "*", of.session, "agents",
		"*", "wire.jsonl"))
	return found
}
