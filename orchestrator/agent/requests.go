package agent

import (
	"bytes"
	"cmp"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// requests are those of an agent to its provider that were refused in a row, by its own log.
type requests struct {
	refused int    // 0: the last request that ended was answered, or none is known
	why     string // the provider's last refusal
	status  int    // its HTTP status; 0: not known
	first   time.Time
	last    time.Time
	// when the request began that is under way since then; zero: none is known
	pending time.Time
	begins  bool // the log says when a request begins, so that none is under way unknown
	// how long the agent sleeps after the last refusal; 0: not known
	sleep time.Duration
}

// refuse adds a refusal.
func (r *requests) refuse(at time.Time, status int, why string) {
	if r.refused++; r.refused == 1 {
		r.first = at
	}
	r.last, r.pending, r.status, r.why = at, time.Time{}, status, why
}

// journal reads what an agent's own log says of its requests.
type journal func(recording) requests

// journalOf is the journal of a program that its user has made an agent of the protocol; nil where
// it has none.
func journalOf(program string) journal {
	switch programName(program) {
	case "opencode":
		return opencodeJournal
	case "qwen":
		return qwenJournal
	case "kimi":
		return kimiJournal
	}
	return nil
}

// qwenJournal reads the session's own file, which has a line for each answer and each refusal.
func qwenJournal(of recording) (r requests) {
	home := valueOf(of.env, "QWEN_RUNTIME_DIR")
	if home == "" {
		home = qwenHome(of.env)
	}
	if !sessionID.MatchString(of.session) {
		return r
	}
	// the pattern is well formed
	found, _ := filepath.Glob(filepath.Join(literal(home), "projects", "*", "chats",
		of.session+".jsonl"))
	for _, path := range found {
		for line := range bytes.Lines(endOf(path)) {
			var e struct {
				Time    time.Time `json:"timestamp"`
				Payload struct {
					Event struct {
						Name   string `json:"event.name"`
						Error  string `json:"error_message"`
						Status int    `json:"status_code"`
					} `json:"uiEvent"`
				} `json:"systemPayload"`
			}
			if !bytes.Contains(line, []byte("qwen-code.api_")) || json.Unmarshal(line, &e) != nil ||
				e.Time.Before(of.began) {
				continue
			}
			switch event := e.Payload.Event; event.Name {
			case "qwen-code.api_error":
				r.refuse(e.Time, event.Status, event.Error)
			case "qwen-code.api_response":
				r = requests{}
			}
		}
	}
	return r
}

// kimiJournal reads the session's own files, which say how long kimi sleeps after a refusal.
func kimiJournal(of recording) (r requests) {
	for _, path := range kimiFiles(of) {
		for line := range bytes.Lines(endOf(path)) {
			var e struct {
				Type   string  `json:"type"`
				Delay  float64 `json:"delayMs"`
				Error  string  `json:"errorMessage"`
				Status int     `json:"statusCode"`
				Time   int64   `json:"time"` // ms
			}
			at := func() time.Time { return time.UnixMilli(e.Time).In(of.began.Location()) }
			if json.Unmarshal(line, &e) != nil || at().Before(of.began) {
				continue
			}
			switch e.Type {
			case "turn.step.retrying":
				r.refuse(at(), e.Status, e.Error)
				r.sleep = millis(e.Delay)
			case "usage.record", "turn.ended":
				r = requests{}
			}
		}
	}
	return r
}

// opencodeJournal reads the log that all processes of opencode share. The last one that began in
// the job's directory is meant. Requests for a title are no part of the job.
func opencodeJournal(of recording) (r requests) {
	home := valueOf(of.env, "XDG_DATA_HOME")
	if home == "" {
		home = filepath.Join(valueOf(of.env, "HOME"), ".local", "share")
	}
	process := ""
	for line := range strings.Lines(string(endOf(
		filepath.Join(home, "opencode", "log", "opencode.log")))) {
		head, refusal, _ := strings.Cut(line, " error.error=")
		at, err := time.Parse(time.RFC3339Nano, logged(head, "timestamp"))
		if err != nil || at.Before(of.began) {
			continue
		}
		message, run := logged(head, "message"), logged(head, "run")
		switch {
		case message == "creating instance" &&
			logged(head, "directory") == resolved(of.job.Dir):
			process, r = run, requests{begins: true}
		case run != process || logged(head, "small") != "false":
		case message == "stream":
			r.pending = at
		case message == "stream error":
			r.refuse(at, 0, unquoted(strings.TrimSpace(refusal)))
		}
	}
	return r
}

// logged is a value in a line of a log, such as run=a or message="b c"; empty where it has none.
func logged(line, name string) string {
	_, value, ok := strings.Cut(" "+line, " "+name+"=")
	if !ok {
		return ""
	}
	if !strings.HasPrefix(value, `"`) {
		value, _, _ = strings.Cut(value, " ")
	}
	return unquoted(strings.TrimSpace(value))
}

// unquoted is the text at the beginning of s, without quotes where it has some.
func unquoted(s string) string {
	quoted, err := strconv.QuotedPrefix(s)
	if err != nil {
		return s
	}
	text, err := strconv.Unquote(quoted)
	if err != nil {
		return s
	}
	return text
}

// accepted is how long a request is under way that the provider has not refused at once. Its
// model works on the answer.
const accepted = time.Minute

// consult takes what the agent's own log says of its requests. Refusals before the model's last
// sign of life are overcome, and so are those before a request that was not refused at once.
func (s *story) consult(r requests) (refused bool) {
	p := &s.pace
	if r.refused == 0 || !r.last.After(p.answered) ||
		!r.pending.IsZero() && s.now().Sub(r.pending) > accepted {
		return false
	}
	if p.trouble == "" || r.first.Before(p.since) {
		p.since = r.first
	}
	p.trouble, p.status, p.met = r.why, r.status, r.last
	return true
}

// maxSilent is how long an agent whose last word is HTTP 429 may be silent: it sleeps, as it was
// asked to, or its model thinks about the next request.
const maxSilent = 10 * time.Minute

// review stops an agent that only asks again or only waits, by its stream and its own log: after a
// bound, when it sleeps for longer than autobuild lets it, and at once where a limit of use is
// named twice.
func (s *story) review(r requests) {
	if s.failed || s.halted || s.finished {
		return
	}
	p, logged := &s.pace, s.consult(r)
	if p.trouble == "" {
		return
	}
	s.active(p.trouble)
	if logged && r.sleep > patience {
		s.retry(r.sleep, r.status, r.why)
		return
	}
	asks := s.now().Sub(r.last) < patience && s.now().Sub(p.since) > maxRetrying
	sleeps := r.begins && r.pending.IsZero() && s.now().Sub(r.last) > patience
	limit := r.refused > 1 && classify(p.status, p.trouble) == UsageLimit
	silent := cmp.Or(p.status, statusIn(p.trouble)) == 429 && s.now().Sub(p.met) > maxSilent
	if logged && (asks || sleeps || limit) || silent {
		s.failTransport()
		s.halt()
	}
}

// review looks at the agent's own log of its requests.
func (t *talk) review(asked func(session string) requests) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.ended {
		t.s.review(asked(t.session))
	}
}

// didNothing reports whether the agent has done nothing of its own: no text, no tool, no token, and
// no file is changed.
func (s *story) didNothing() bool {
	return s.pace.said == nil && s.pace.answered.IsZero() && !s.used &&
		s.out.InputTokens+s.out.OutputTokens == 0 && s.look() == s.began
}
