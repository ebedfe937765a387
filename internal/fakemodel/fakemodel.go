// Package fakemodel is a model provider on the loopback interface that follows a script. It
// implements the four protocols that coding agents use, so that tests drive real agents to every
// good and bad end without a network, a key or a bill. It derives the position in the script from
// the conversation in the request, so that an agent may retry. The package has no notion of which
// agent asks, nor of the use of its answers.
package fakemodel

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// maxBody bounds a request, in bytes. Agents send the whole conversation and a hundred kilobytes of
// tools each time.
const maxBody = 64 << 20

// maxAsked is how often one answer is given: an agent that does not get on would otherwise go round
// for ever.
const maxAsked = 100

// Server is a provider that follows one scenario. It is ready for use when Start returns it.
type Server struct {
	// URL is where it listens: http://127.0.0.1:PORT, without a path. Agents that want a version
	// behind it take /v1.
	URL string

	scenario *Scenario
	now      func() time.Time
	http     *http.Server
	served   chan struct{} // closed when the server is down
	released chan struct{} // closed by Release

	mu sync.Mutex
	// phase → the nonces of its attempts, in the order in which they came
	tries    map[string][]string
	asked    map[position]int // how often each answer was asked for
	ids      int              // given so far
	requests []Request
	once     sync.Once
}

// position is a place in the script of one attempt.
type position struct {
	nonce string
	turn  int
}

// Request is what the server noted about one request.
type Request struct {
	Path string
	// "anthropic", "responses", "chat" or "gemini"; empty where it asked for no answer
	Dialect string
	Model   string
	// id of the phase whose prompt it contains; empty for a side request, such as one for a title
	Phase   string
	Attempt int    // of that phase, from 1
	Turn    int    // of the script, from 0
	Answer  string // "text", "tools", "429", "cut", "hold" …
}

// Start listens on a free port of 127.0.0.1. The clock gives the moments at which scripted limits
// are reset; nil means that they are reset in 1970.
func Start(scenario *Scenario, now func() time.Time) (*Server, error) {
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening on the loopback interface: %w", err)
	}
	if now == nil {
		now = func() time.Time { return time.Unix(0, 0) }
	}
	s := &Server{
		URL: "http://" + listener.Addr().String(), scenario: scenario, now: now,
		served: make(chan struct{}), released: make(chan struct{}),
		tries: make(map[string][]string), asked: make(map[position]int),
	}
	s.http = &http.Server{Handler: http.HandlerFunc(s.route), ReadHeaderTimeout: time.Minute}
	go func() {
		defer close(s.served)
		_ = s.http.Serve(listener) // it always ends with an error, at the latest that it was closed
	}()
	return s, nil
}

// Close ends the server and every connection.
func (s *Server) Close() error {
	s.Release()
	err := s.http.Close()
	<-s.served
	return err
}

// Release lets all answers go that the script holds back, now and later.
func (s *Server) Release() { s.once.Do(func() { close(s.released) }) }

// Requests lists what was asked for, in order.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

func (s *Server) note(r Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
}

// route finds out what is asked for. Agents put versions and prefixes of their own before the same
// last words, so only those count.
func (s *Server) route(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimSuffix(r.URL.Path, "/")
	for _, d := range dialects {
		if model, ok := d.asks(path); ok && r.Method == http.MethodPost {
			s.serve(w, r, d, model)
			return
		}
	}
	s.note(Request{Path: path})
	switch {
	case r.Method == http.MethodHead:
		// Claude Code looks whether anyone is there before it asks.
	case strings.HasSuffix(path, "/count_tokens"):
		writeJSON(w, http.StatusOK, nil, object{"input_tokens": 1200})
	case strings.HasSuffix(path, ":countTokens"):
		writeJSON(w, http.StatusOK, nil, object{"totalTokens": 1200})
	case strings.HasSuffix(path, "/models"):
		// One list in the words of all providers: each client looks at its own fields.
		model := object{
			"id": "fake-model", "object": "model", "type": "model",
			"display_name": "Fake", "created": 0, "owned_by": "fake",
		}
		writeJSON(w, http.StatusOK, nil, object{
			"object": "list", "has_more": false,
			"data": []any{model}, "models": []any{},
		})
	default:
		writeJSON(w, http.StatusNotFound, nil,
			object{"error": object{"type": "not_found_error", "message": "there is nothing at " +
				path}})
	}
}

// serve answers one request for an answer.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, d dialect, model string) {
	raw, err := body(r)
	var req *request
	if err == nil {
		req, err = d.read(raw)
	}
	if err != nil {
		s.note(Request{Path: r.URL.Path, Dialect: d.name, Answer: "unread"})
		writeJSON(w, http.StatusBadRequest, nil,
			d.refuse(&Refusal{Status: http.StatusBadRequest, Message: err.Error()}))
		return
	}
	if model != "" {
		req.model = model
	}
	if strings.HasSuffix(r.URL.Path, ":streamGenerateContent") {
		req.stream = true
	}
	t, seen := s.next(req)
	seen.Path, seen.Dialect, seen.Model = r.URL.Path, d.name, req.model
	s.note(seen)
	x := exchange{server: s, w: w, r: r, dialect: d, req: req}
	x.reply(t)
}

// next finds the turn that a request asks for. A request that offers no tools or holds no prompt of
// autobuild's is a side request: titles, probes, routers. It gets a short answer, or the refusal
// that everyone gets.
func (s *Server) next(req *request) (Turn, Request) {
	task, ok := taskOf(req.prompt)
	if talk := s.scenario.Talk; !ok && talk != nil && req.hasTools() &&
		strings.Contains(req.prompt, talk.About) {
		at := min(place(talk.Turns, req.said), len(talk.Turns)-1)
		t := talk.Turns[at]
		t.Text = strings.ReplaceAll(t.Text, "${HEARD}", req.heard())
		return t, Request{Turn: at, Answer: t.word()}
	}
	if !ok || !req.hasTools() {
		first := s.scenario.Attempts[0][0]
		if first.Refuse != nil && first.Refuse.Times == 0 && !first.Refuse.Middle {
			return first, Request{Answer: fmt.Sprint(first.Refuse.Status)}
		}
		return Turn{Text: "A title", side: true}, Request{Answer: "side"}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	nonces := s.tries[task.phase]
	n := slices.Index(nonces, task.nonce)
	if n < 0 {
		n = len(nonces)
		s.tries[task.phase] = append(nonces, task.nonce)
	}
	script := s.scenario.Attempts[min(n, len(s.scenario.Attempts)-1)]
	// requests after the end get the last turn again
	at := min(place(script, req.said), len(script)-1)
	key := position{task.nonce, at}
	s.asked[key]++
	t := Turn{Text: "It has been said a hundred times."}
	if s.asked[key] <= maxAsked {
		t = script[at].try(s.asked[key])
	}
	t.task = task
	return t, Request{Phase: task.phase, Attempt: n + 1, Turn: at, Answer: t.word()}
}

// id is a name that nothing else has: an agent that sees one twice takes two answers for one, and
// one result for another.
func (s *Server) id() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ids++
	return fmt.Sprintf("%04d", s.ids)
}

// body reads a request, unpacked.
func body(r *http.Request) ([]byte, error) {
	from := io.Reader(http.MaxBytesReader(nil, r.Body, maxBody))
	switch encoding := r.Header.Get("Content-Encoding"); encoding {
	case "", "identity":
	case "gzip":
		z, err := gzip.NewReader(from)
		if err != nil {
			return nil, fmt.Errorf("unpacking a request: %w", err)
		}
		from = io.LimitReader(z, maxBody)
	default:
		return nil, fmt.Errorf("a request is packed by %q; only gzip is known", encoding)
	}
	raw, err := io.ReadAll(from)
	if err != nil {
		return nil, fmt.Errorf("reading a request: %w", err)
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, errors.New("the request is empty")
	}
	return raw, nil
}

func writeJSON(w http.ResponseWriter, status int, headers map[string]string, v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		status, raw = http.StatusInternalServerError, []byte(`{}`)
	}
	for name, value := range headers {
		w.Header().Set(name, value)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(raw) // a client that has gone needs no answer
}
