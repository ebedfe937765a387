package fakemodel

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"
)

// Scenario is what the model says, attempt by attempt.
type Scenario struct {
	What     string   `json:"what"`     // a sentence: its purpose
	Attempts [][]Turn `json:"attempts"` // a script for each attempt at a phase; the last serves all later ones
	Usage    Usage    `json:"usage"`    // of each answer; zero means 1200 in, 80 out
	Talk     *Talk    `json:"talk"`     // a conversation that is about no phase
	Headers  map[string]string
}

// Talk is a conversation of a person's, with an agent whose prompt holds certain words.
type Talk struct {
	About string `json:"about"` // the words
	Turns []Turn `json:"turns"` // in their texts ${HEARD} is what the last tool has printed
}

// Usage counts tokens.
type Usage struct {
	In     int `json:"input"`
	Out    int `json:"output"`
	Cached int `json:"cached"` // of In
}

// Turn is one answer of the model. Text and calls make an answer; the other fields say what happens
// instead, or to it.
//
// In texts, paths and commands ${PHASE} is replaced by the id of the phase that is asked for,
// ${RESULT} by a result block that says complete, ${FAILED} by one that says failed, and
// ${STRANGER} by one of an attempt that does not exist.
type Turn struct {
	Text     string   `json:"text"`
	Calls    []Call   `json:"calls"`
	Cut      bool     `json:"cut"`      // the answer has reached the longest that it may be
	Filtered bool     `json:"filtered"` // a filter of the provider, or the model itself, ends the answer as refused
	End      string   `json:"end"`      // "drop": the connection breaks in the middle; "stop": the stream ends without its end
	Hold     string   `json:"hold"`     // "before" or "middle": it goes no further until Server.Release, or the agent has gone
	Delay    string   `json:"delay"`    // before it begins, as in "200ms"
	Times    int      `json:"times"`    // End and Hold concern only so many requests; 0: all
	Refuse   *Refusal `json:"refuse"`   // an error instead
	// RefuseAs holds the refusals of dialects that word this error in their own way, by dialect.
	RefuseAs map[string]*Refusal `json:"refuse_as"`

	task task
	side bool
}

// Call is a use of a tool: one of the two abstract ones, which become what the agent offers, or one
// that it does not offer.
type Call struct {
	Tool    string `json:"tool"` // "write", "shell" or "missing"
	Path    string `json:"path"` // of write, below the agent's working directory
	Content string `json:"content"`
	Command string `json:"command"` // of shell
}

// Refusal is an error of the provider.
type Refusal struct {
	Status  int               `json:"status"`
	Message string            `json:"message"`
	Type    string            `json:"type"`    // as the protocol names it; empty: by the status
	Code    string            `json:"code"`    // the same
	Headers map[string]string `json:"headers"` // "${NOW+3600}" is the moment in an hour, in seconds
	Fields  map[string]any    `json:"fields"`  // more of the error's own; "${NOW+3600}" becomes a number
	Times   int               `json:"times"`   // only so many requests are refused; 0: all
	Middle  bool              `json:"middle"`  // it comes as an event of a stream that had begun well
}

// Load reads a scenario. A key that is not known is an error: a script that says less than it seems
// to proves nothing.
func Load(path string) (*Scenario, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading a scenario: %w", err)
	}
	s, err := Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// Parse reads a scenario from JSON.
func Parse(raw []byte) (*Scenario, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	var s Scenario
	if err := dec.Decode(&s); err != nil {
		return nil, fmt.Errorf("no scenario: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the scenario")
	}
	if s.Talk != nil && (s.Talk.About == "" || len(s.Talk.Turns) == 0) {
		return nil, errors.New(`a talk says what it is "about", and has "turns"`)
	}
	if s.What == "" || len(s.Attempts) == 0 {
		return nil, errors.New(`a scenario says "what" it is for, and has a script in "attempts"`)
	}
	if s.Usage == (Usage{}) {
		s.Usage = Usage{In: 1200, Out: 80}
	}
	for i, script := range s.Attempts {
		if len(script) == 0 {
			return nil, fmt.Errorf("attempt %d has no turn", i+1)
		}
		for j, t := range script {
			if err := t.check(); err != nil {
				return nil, fmt.Errorf("attempt %d, turn %d: %w", i+1, j+1, err)
			}
		}
	}
	return &s, nil
}

func (t Turn) check() error {
	for _, c := range t.Calls {
		if (c.Tool != "write" || c.Path == "") && (c.Tool != "shell" || c.Command == "") &&
			c.Tool != "missing" {
			return fmt.Errorf("a call is a write with a path, a shell with a command or missing, not %+v", c)
		}
	}
	if t.End != "" && t.End != "drop" && t.End != "stop" {
		return fmt.Errorf(`end is "drop" or "stop", not %q`, t.End)
	}
	if t.Hold != "" && t.Hold != "before" && t.Hold != "middle" {
		return fmt.Errorf(`hold is "before" or "middle", not %q`, t.Hold)
	}
	if _, err := t.delay(); err != nil {
		return err
	}
	for _, r := range t.RefuseAs {
		if t.Refuse == nil || r == nil || r.Status < 400 {
			return errors.New(
				"refuse_as words a refusal for a dialect; it needs a refuse, and a status of " +
					"its own")
		}
	}
	if t.Refuse != nil && t.Refuse.Status < 400 {
		return fmt.Errorf("%d is no status of an error", t.Refuse.Status)
	}
	return nil
}

func (t Turn) delay() (time.Duration, error) {
	if t.Delay == "" {
		return 0, nil
	}
	return time.ParseDuration(t.Delay)
}

// try is the turn as the nth request for it meets it: troubles pass after their times.
func (t Turn) try(n int) Turn {
	if t.Times > 0 && n > t.Times {
		t.End, t.Hold = "", ""
	}
	if t.Refuse != nil && t.Refuse.Times > 0 && n > t.Refuse.Times {
		t.Refuse = nil
	}
	return t
}

// word names what the turn does, for the notes.
func (t Turn) word() string {
	switch {
	case t.Refuse != nil:
		return strconv.Itoa(t.Refuse.Status)
	case t.Hold != "":
		return "hold"
	case t.End != "":
		return t.End
	case t.Cut:
		return "cut"
	case t.Filtered:
		return "filtered"
	case len(t.Calls) > 0:
		return "tools"
	}
	return "text"
}
