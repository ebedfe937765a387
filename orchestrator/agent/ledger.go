package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"autobuild/internal/safefile"
)

// ledger is where an agent writes what it has used up, while it works: files with a line for each
// request to its model.
type ledger struct {
	// find is the files of a session; none while they are not there
	find func(recording) []string
	// read takes a line
	read func(line []byte, r *record)
}

// ledgers are those of agents, by program.
func ledgerOf(program string) *ledger {
	switch programName(program) {
	case "codex", "codex-acp":
		return &ledger{codexFiles, readCodex}
	case "kimi":
		return &ledger{kimiFiles, readKimi}
	case "gemini":
		return &ledger{geminiFiles, readGemini}
	case "copilot":
		return &ledger{copilotFiles, readCopilot}
	}
	return nil
}

// record reads all there is of a session. A nil ledger has nothing.
func (l *ledger) record(of recording) record { return (&bookkeeper{ledger: l, of: of}).look() }

// Times between two looks: into files, and for files that are not there yet.
const (
	lookEvery = 20 * time.Millisecond
	findEvery = 50   // looks
	findLong  = 1500 // looks: until then, with each
)

// bookkeeper reads what is new in a ledger.
type bookkeeper struct {
	*ledger
	of    recording
	files map[string]int64 // how much of each file has been read, in bytes
	looks int
	sum   record
}

// look is what the ledger says by now.
func (b *bookkeeper) look() record {
	if b.ledger == nil {
		return record{}
	}
	if b.looks%findEvery == 0 || len(b.files) == 0 && b.looks < findLong {
		for _, path := range b.find(b.of) {
			if b.files == nil {
				b.files = make(map[string]int64)
			}
			b.files[path] += 0
		}
	}
	b.looks++
	for _, path := range slices.Sorted(maps.Keys(b.files)) {
		b.files[path] += b.readFrom(path, b.files[path])
	}
	return b.sum
}

// readFrom takes the whole lines of a file from an offset on, and returns how long they are.
func (b *bookkeeper) readFrom(path string, at int64) (taken int64) {
	info, err := os.Stat(path)
	if err != nil || info.Size() <= at {
		return 0
	}
	f, err := safefile.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close() //nolint:errcheck // it is only read
	if _, err = f.Seek(at, io.SeekStart); err != nil {
		return 0
	}
	raw, err := io.ReadAll(io.LimitReader(f, 4*maxRecord))
	if err != nil {
		return 0
	}
	whole := bytes.LastIndexByte(raw, '\n') + 1
	if whole == 0 && len(raw) == 4*maxRecord {
		return int64(len(raw)) // no line is that long
	}
	for line := range bytes.Lines(raw[:whole]) {
		b.read(line, &b.sum)
	}
	return int64(whole)
}

// keep lets the story go by the ledger until the returned function is called. mu guards the story.
func (s *story) keep(l *ledger, of recording, mu *sync.Mutex) (stop func()) {
	if l == nil {
		return func() {}
	}
	b := bookkeeper{ledger: l, of: of}
	look := func() {
		mu.Lock()
		b.of.session = s.out.Session
		mu.Unlock()
		r := b.look()
		mu.Lock()
		s.tally(r)
		mu.Unlock()
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(lookEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				look()
			case <-done:
				return
			}
		}
	}()
	return func() {
		close(done)
		<-ended
		look()
	}
}

// tally takes what an agent's own files say of its requests, where its stream has not said more.
// Requests in a row that bring no text, no tool and no changed file end the run.
func (s *story) tally(r record) {
	if r.in+r.out > s.out.InputTokens+s.out.OutputTokens {
		s.tokens(r.in, r.out)
		s.count()
	}
	for ; s.requests < r.requests; s.requests++ {
		if s.silent.reaches(maxStale, s.look) && !s.finished {
			s.circles(fmt.Sprintf("%d answers in a row brought no text, no tool and no changed file",
				maxStale))
		}
	}
}

// codexFiles is the session's own record.
func codexFiles(of recording) []string {
	home := valueOf(of.env, "CODEX_HOME")
	if home == "" {
		home = filepath.Join(valueOf(of.env, "HOME"), ".codex")
	}
	if !sessionID.MatchString(of.session) {
		return nil
	}
	// the pattern is well formed
	found, _ := filepath.Glob(filepath.Join(literal(home), "sessions", "*", "*", "*",
		"rollout-*-"+of.session+".jsonl"))
	return found
}

// readCodex takes the sum that codex writes after each answer.
func readCodex(line []byte, r *record) {
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
	if !bytes.Contains(line, []byte("token_count")) || json.Unmarshal(line, &e) != nil ||
		e.Payload.Type != "token_count" {
		return
	}
	if total := e.Payload.Info.Total; total.In+total.Out > r.in+r.out {
		r.in, r.out = total.In, total.Out
		r.requests++
	}
}

// readKimi takes the use of each answer, and why a turn failed.
func readKimi(line []byte, r *record) {
	var e struct {
		Type  string `json:"type"`
		Error struct {
			Message string `json:"message"`
			Details struct {
				Status int `json:"statusCode"`
			} `json:"details"`
		} `json:"error"`
		Usage struct {
			Other   int64 `json:"inputOther"`
			Read    int64 `json:"inputCacheRead"`
			Created int64 `json:"inputCacheCreation"`
			Out     int64 `json:"output"`
		} `json:"usage"`
	}
	known := bytes.Contains(line, []byte(`"usage.record"`)) ||
		bytes.Contains(line, []byte(`"turn.ended"`))
	if !known || json.Unmarshal(line, &e) != nil {
		return
	}
	switch e.Type {
	case "usage.record":
		r.add(max(0, e.Usage.Other)+max(0, e.Usage.Read)+max(0, e.Usage.Created), e.Usage.Out)
	case "turn.ended":
		r.failure, r.status = e.Error.Message, e.Error.Details.Status
	}
}

// geminiFiles is the session's chat: its name has the beginning of the session's id.
func geminiFiles(of recording) []string {
	home := valueOf(of.env, "GEMINI_CLI_HOME")
	if home == "" {
		home = valueOf(of.env, "HOME")
	}
	if !sessionID.MatchString(of.session) || len(of.session) < 8 {
		return nil
	}
	// the pattern is well formed
	found, _ := filepath.Glob(filepath.Join(literal(home), ".gemini", "tmp", "*", "chats",
		"session-*-"+of.session[:8]+".jsonl"))
	return found
}

// readGemini takes the use of each answer. One that calls tools stands there once more with their
// results.
func readGemini(line []byte, r *record) {
	var e struct {
		ID     string `json:"id"`
		Tokens *struct {
			In       int64 `json:"input"` // reads from a cache included
			Out      int64 `json:"output"`
			Thoughts int64 `json:"thoughts"`
		} `json:"tokens"`
	}
	if bytes.Contains(line, []byte(`"tokens"`)) && json.Unmarshal(line, &e) == nil &&
		e.Tokens != nil && e.ID != r.last {
		r.last = e.ID
		r.add(e.Tokens.In, max(0, e.Tokens.Out)+max(0, e.Tokens.Thoughts))
	}
}

// copilotFiles are the events of the session that began in the job's directory.
func copilotFiles(of recording) []string {
	home := valueOf(of.env, "COPILOT_HOME")
	if home == "" {
		home = filepath.Join(valueOf(of.env, "HOME"), ".copilot")
	}
	// the pattern is well formed
	found, _ := filepath.Glob(filepath.Join(literal(home), "session-state", "*", "events.jsonl"))
	return slices.DeleteFunc(found, func(path string) bool {
		info, err := os.Stat(path)
		if err != nil || info.ModTime().Before(of.began) {
			return true
		}
		var e struct {
			Data struct {
				Context struct {
					Dir string `json:"cwd"`
				} `json:"context"`
			} `json:"data"`
		}
		first, _, _ := bytes.Cut(startOf(path, 64<<10), []byte("\n"))
		return json.Unmarshal(first, &e) != nil || e.Data.Context.Dir != resolved(of.job.Dir)
	})
}

// readCopilot takes the use of each answer.
func readCopilot(line []byte, r *record) {
	var e struct {
		Type string `json:"type"`
		Data struct {
			Usage struct {
				In  int64 `json:"inputTokens"` // reads from a cache included
				Out int64 `json:"outputTokens"`
			} `json:"usage"`
		} `json:"data"`
	}
	if bytes.Contains(line, []byte("session.usage_record")) && json.Unmarshal(line, &e) == nil &&
		strings.HasPrefix(e.Type, "session.usage_record") {
		r.add(e.Data.Usage.In, e.Data.Usage.Out)
	}
}

// add takes the use of one answer.
func (r *record) add(in, out int64) {
	r.in, r.out = r.in+max(0, in), r.out+max(0, out)
	r.requests++
}

// startOf is the beginning of a file, at most limit bytes; nothing where it cannot be read.
func startOf(path string, limit int64) []byte {
	f, err := safefile.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close() //nolint:errcheck // it is only read
	raw, _ := io.ReadAll(io.LimitReader(f, limit))
	return raw
}
