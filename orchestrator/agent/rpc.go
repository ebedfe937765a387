package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
)

// The JSON-RPC codes that are used.
const (
	rpcNoMethod = -32601
	rpcNoAuth   = -32000
)

// packet is a JSON-RPC message of any kind: a request has a method and an id, a notification a
// method, an answer an id.
type packet struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

// rpcError is why a request failed.
type rpcError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// words are what the error says, and its HTTP status, 0 where it says none. The reason is often in
// its data alone, which is of any form.
func (e *rpcError) words() (text string, status int) {
	text = strings.TrimPrefix(e.Message, "Internal error: ")
	var doc any
	if json.Unmarshal(e.Data, &doc) == nil {
		var data errorText
		data.spell(doc, "", 0)
		status = data.status
		if more := strings.TrimSpace(data.words.String() +
			data.fields.String() + data.headers.String()); more != "" && !strings.Contains(text, more) {
			text = strings.TrimPrefix(text+": "+more, "Internal error: ")
		}
	}
	if e.Code >= 400 && e.Code < 600 {
		status = e.Code
	}
	return text, status
}

// line is a packet as it is sent.
func (p packet) line() []byte {
	p.Version = "2.0"
	raw, err := json.Marshal(p)
	if err != nil { // all that is sent is made of strings
		raw = fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"$/unsent","params":%q}`, err.Error())
	}
	return append(raw, '\n')
}

// mailbox is the stdin of a child in a conversation: writing never waits for the child, because the
// writer also empties the child's stdout, and both waiting would be a deadlock.
type mailbox struct {
	mu     sync.Mutex
	wake   *sync.Cond
	buf    bytes.Buffer
	closed bool
}

func newMailbox() *mailbox {
	m := new(mailbox)
	m.wake = sync.NewCond(&m.mu)
	return m
}

func (m *mailbox) send(p packet) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.closed {
		m.buf.Write(p.line())
		m.wake.Signal()
	}
}

// close lets the reader see the end, behind what was sent.
func (m *mailbox) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	m.wake.Broadcast()
}

// Read waits for what is sent.
func (m *mailbox) Read(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for m.buf.Len() == 0 {
		if m.closed {
			return 0, io.EOF
		}
		m.wake.Wait()
	}
	return m.buf.Read(p)
}
