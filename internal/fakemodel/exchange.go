package fakemodel

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

// dialect is one provider's protocol.
type dialect struct {
	name string
	// asks reports whether a path asks for an answer in this protocol, and of which model, where
	// the path says that.
	asks func(path string) (model string, ok bool)
	read func(body []byte) (*request, error)
	// events is a streamed answer: the events of its content, and the events that end it.
	events func(r *request, a *answer) (says, ends []event)
	// whole is the same answer in one piece.
	whole func(r *request, a *answer) any
	// refuse is an error's body.
	refuse func(r *Refusal) any
	// trouble is an error within a stream.
	trouble func(r *Refusal) event
}

// dialects are all that are spoken.
var dialects = []dialect{anthropic, responses, chat, gemini}

// event is one server-sent event. Protocols whose events have no name leave it empty; data that is
// a string is sent as it is.
type event struct {
	name string
	data any
}

// answer is what the model says, in no protocol yet.
type answer struct {
	id       string
	text     string
	uses     []use
	cut      bool
	filtered bool
	usage    Usage
}

// exchange is one request and its answer.
type exchange struct {
	server  *Server
	w       http.ResponseWriter
	r       *http.Request
	dialect dialect
	req     *request
}

// reply does what the turn says.
func (x exchange) reply(t Turn) {
	if d, _ := t.delay(); d > 0 { // checked when it was read
		x.pause(d)
	}
	if t.Hold == "before" {
		x.hold()
	}
	if refusal := x.refusal(t); refusal != nil {
		x.refuse(refusal)
		return
	}
	a := &answer{
		id: x.server.id(), text: t.task.fill(t.Text), cut: t.Cut, filtered: t.Filtered,
		usage: x.server.scenario.Usage,
	}
	if t.side && x.req.schema != nil {
		// of texts and numbers, which always can be written
		raw, _ := json.Marshal(fitting(x.req.schema))
		a.text = string(raw)
	}
	for _, c := range t.Calls {
		c.Path, c.Command, c.Content = t.task.fill(c.Path), t.task.fill(c.Command),
			t.task.fill(c.Content)
		a.uses = append(a.uses, x.req.use(c, "call_"+x.server.id()))
	}
	if !x.req.stream {
		x.whole(a, t)
		return
	}
	says, ends := x.dialect.events(x.req, a)
	middle := len(says) / 2
	x.open()
	x.send(says[:middle])
	if t.Hold == "middle" {
		x.hold()
	}
	if t.End == "drop" {
		abort()
	}
	x.send(says[middle:])
	if t.End != "stop" {
		x.send(ends)
	}
}

// whole sends an answer in one piece. One that ends early lacks its end.
func (x exchange) whole(a *answer, t Turn) {
	if t.Hold == "middle" {
		x.hold()
	}
	if t.End != "" {
		abort()
	}
	writeJSON(x.w, http.StatusOK, x.server.scenario.Headers, x.dialect.whole(x.req, a))
}

// refusal is the turn's, in the words of this dialect.
func (x exchange) refusal(t Turn) *Refusal {
	r := t.Refuse
	if r == nil {
		return nil
	}
	if own, ok := t.RefuseAs[x.dialect.name]; ok {
		r = own
	}
	return r.at(x.server.now())
}

func (x exchange) refuse(r *Refusal) {
	if r.Middle && x.req.stream {
		says, _ := x.dialect.events(x.req, &answer{
			id: x.server.id(), text: "I am at it.",
			usage: x.server.scenario.Usage,
		})
		x.open()
		x.send(says)
		x.send([]event{x.dialect.trouble(r)})
		return
	}
	writeJSON(x.w, r.Status, r.Headers, x.dialect.refuse(r))
}

// open begins a stream. Clients distinguish a stream from an answer by its type alone.
func (x exchange) open() {
	for name, value := range x.server.scenario.Headers {
		x.w.Header().Set(name, moments(value, x.server.now()))
	}
	x.w.Header().Set("Content-Type", "text/event-stream")
	x.w.Header().Set("Cache-Control", "no-cache")
	x.w.WriteHeader(http.StatusOK)
	x.flush()
}

// send writes events and makes sure that they are on their way.
func (x exchange) send(events []event) {
	var b strings.Builder
	for _, e := range events {
		if e.name != "" {
			b.WriteString("event: " + e.name + "\n")
		}
		data, plain := e.data.(string)
		if !plain {
			raw, _ := json.Marshal(e.data) // of our own making
			data = string(raw)
		}
		b.WriteString("data: " + data + "\n\n")
	}
	_, _ = x.w.Write([]byte(b.String())) // a client that has gone needs no answer
	x.flush()
}

func (x exchange) flush() { _ = http.NewResponseController(x.w).Flush() }

// hold waits until the server releases the answer or the client is gone.
func (x exchange) hold() {
	select {
	case <-x.server.released:
	case <-x.r.Context().Done():
		abort()
	}
}

// abort breaks the connection, without the last chunk that would make an answer of what was sent.
func abort() {
	panic(http.ErrAbortHandler) //nolint:forbidigo // net/http knows no other way
}

func (x exchange) pause(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-x.r.Context().Done():
	}
}

// pieces cuts a text as a model's tokens would: the readers of streams must put it together again.
func pieces(s string) []string {
	const size = 48
	var all []string
	for len(s) > size {
		cut := size
		for cut > 0 && s[cut]&0xC0 == 0x80 { // not within a character
			cut--
		}
		all, s = append(all, s[:cut]), s[cut:]
	}
	if s != "" {
		all = append(all, s)
	}
	return all
}

// named is what goes with a status where the script does not say.
func named(given string, status int, names map[int]string, otherwise string) string {
	if given != "" {
		return given
	}
	if name, ok := names[status]; ok {
		return name
	}
	return otherwise
}
