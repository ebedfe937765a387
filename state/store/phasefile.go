package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"autobuild/failure"
	"autobuild/state"
)

// phaseFile is phases/phase-ID.json. It is apart from state.Phase so that the format can stay while
// the program moves.
type phaseFile struct {
	Schema       int               `json:"schema"`
	ID           string            `json:"phase_id"`
	Label        string            `json:"phase_label,omitzero"`
	Name         string            `json:"phase_name,omitzero"`
	Status       state.Status      `json:"status"`
	Attempt      int               `json:"attempt"`
	MaxAttempts  int               `json:"max_attempts"`
	Timestamps   timestamps        `json:"timestamps,omitzero"`
	Dependencies dependencies      `json:"dependencies,omitzero"`
	Execution    *execution        `json:"execution,omitzero"`
	Gates        gateRuns          `json:"quality_gates,omitzero"`
	Verification *verification     `json:"verification,omitzero"`
	Commit       *commit           `json:"commit,omitzero"`
	PlanUpdates  *planUpdates      `json:"plan_updates,omitzero"`
	Error        *attemptErrors    `json:"error,omitzero"`
	Earlier      []earlier         `json:"earlier_attempts,omitzero"`
	History      []failure.Earlier `json:"history,omitzero"`
	Revisions    int               `json:"revisions,omitzero"`
	Proposals    int               `json:"proposals,omitzero"`
	Waiting      waiting           `json:"waiting,omitzero"`
	Limits       []state.Limit     `json:"limits,omitzero"`
	Retry        bool              `json:"retry_pending,omitzero"`
	Fingerprint  string            `json:"plan_fingerprint,omitzero"`
	Reason       string            `json:"reason,omitzero"`
	AcceptedWhy  string            `json:"accepted_because,omitzero"`
	LeftOut      bool              `json:"left_out,omitzero"`
	Removed      bool              `json:"removed,omitzero"` // from the plan, in this session
	Notes        []state.Note      `json:"notes,omitzero"`
	Was          state.Status      `json:"was,omitzero"`
	Spent        state.Usage       `json:"spent,omitzero"`
}

type timestamps struct {
	Created  time.Time `json:"created,omitzero"`
	Started  time.Time `json:"started,omitzero"`
	Finished time.Time `json:"finished,omitzero"`
	Updated  time.Time `json:"updated,omitzero"`
	Accepted time.Time `json:"accepted,omitzero"` // by a person: the phase's changes of the referee
	Edited   time.Time `json:"edited,omitzero"`   // the plan's text of the phase, after it began
}

type dependencies struct {
	DependsOn []string `json:"depends_on,omitzero"`
	BlockedBy string   `json:"blocked_by,omitzero"`
}

// execution is the record of an attempt: the latest one, and under earlier_attempts each of the
// others.
type execution struct {
	Key       string         `json:"key,omitzero"`
	Agent     string         `json:"agent,omitzero"`
	Account   string         `json:"account,omitzero"`
	Model     string         `json:"model,omitzero"`
	Session   string         `json:"session,omitzero"`
	Tier      string         `json:"tier,omitzero"`
	Log       string         `json:"log,omitzero"`
	Dir       string         `json:"worktree,omitzero"`
	Branch    string         `json:"branch,omitzero"`
	Base      string         `json:"base,omitzero"`
	ExitCode  int            `json:"exit_code,omitzero"`
	Started   time.Time      `json:"started,omitzero"`
	Ended     time.Time      `json:"ended,omitzero"`
	Duration  seconds        `json:"duration_seconds,omitzero"`
	Tasks     int            `json:"tasks_total,omitzero"`
	TasksDone int            `json:"tasks_completed,omitzero"`
	Claim     *state.Report  `json:"claim,omitzero"`
	Changes   *state.Changes `json:"changes,omitzero"`
	Usage     state.Usage    `json:"usage,omitzero"`
}

type verification struct {
	Verdict  state.Verdict         `json:"verdict,omitzero"`
	Referee  []state.RefereeChange `json:"referee,omitzero"`
	Proof    state.Proof           `json:"proof,omitzero"`
	Log      string                `json:"referee_log,omitzero"`
	Review   *state.Review         `json:"review,omitzero"`
	Warnings []string              `json:"warnings,omitzero"`
	Warm     bool                  `json:"warm,omitzero"`
}

type commit struct {
	SHA         string         `json:"sha,omitzero"`
	Message     string         `json:"message"`
	Delivered   bool           `json:"delivered"`
	Undelivered string         `json:"undelivered,omitzero"`
	Obstacle    state.Obstacle `json:"obstacle,omitzero"`
	Overlap     []string       `json:"overlap,omitzero"`
}

type planUpdates struct {
	Marked bool `json:"marked"`
}

type waiting struct {
	Until   time.Time `json:"until,omitzero"`
	Account string    `json:"account,omitzero"`
	Waits   int       `json:"waits,omitzero"`
}

type earlier struct {
	N int `json:"attempt"`
	execution
	Gates        gateRuns      `json:"quality_gates,omitzero"`
	Verification *verification `json:"verification,omitzero"`
	Commit       *commit       `json:"commit,omitzero"`
	PlanUpdates  *planUpdates  `json:"plan_updates,omitzero"`
}

// attemptError is error.attempt_N.
type attemptError struct {
	failure.Diagnosis
	Decision *failure.Decision `json:"decision,omitzero"`
}

// attemptErrors is the object "error". Resolved and Final are for readers: they follow from the
// rest.
type attemptErrors struct {
	Attempts map[int]attemptError
	Resolved bool
	Final    string
}

const attemptKey = "attempt_"

// MarshalJSON writes the attempts in order, then what follows from them.
func (e attemptErrors) MarshalJSON() ([]byte, error) {
	var o object
	last := 0
	for n := range e.Attempts {
		last = max(last, n)
	}
	for n := 1; n <= last; n++ {
		if a, ok := e.Attempts[n]; ok {
			o.add(attemptKey+strconv.Itoa(n), a)
		}
	}
	if e.Resolved {
		o.add("resolved_on_retry", true)
	}
	if e.Final != "" {
		o.add("final", e.Final)
	}
	return o.bytes()
}

// UnmarshalJSONFrom reads the attempts, and what follows from them.
func (e *attemptErrors) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return eachMember(d, func(key string) error {
		switch key {
		case "resolved_on_retry":
			return jsonv2.UnmarshalDecode(d, &e.Resolved)
		case "final":
			return jsonv2.UnmarshalDecode(d, &e.Final)
		}
		number, ok := strings.CutPrefix(key, attemptKey)
		n, err := strconv.Atoi(number)
		if !ok || err != nil || n < 1 || strconv.Itoa(n) != number {
			return jsonv2.ErrUnknownName
		}
		if e.Attempts == nil {
			e.Attempts = map[int]attemptError{}
		}
		var a attemptError
		err = jsonv2.UnmarshalDecode(d, &a)
		e.Attempts[n] = a
		return err
	})
}

// eachMember reads an object, and calls value behind each key.
func eachMember(d *jsontext.Decoder, value func(key string) error) error {
	t, err := d.ReadToken()
	if err != nil || t.Kind() == 'n' {
		return err
	}
	if t.Kind() != '{' {
		return fmt.Errorf("want an object, found %s", kindName(t.Kind()))
	}
	for d.PeekKind() != '}' {
		if t, err = d.ReadToken(); err != nil {
			return err
		}
		if err = value(t.String()); err != nil {
			return err
		}
	}
	_, err = d.ReadToken()
	return err
}

// gateRun is one gate under quality_gates. Its name is its key there, unless the gate ran more than
// once.
type gateRun struct {
	Name     string           `json:"name,omitzero"`
	Kind     string           `json:"kind,omitzero"`
	Command  string           `json:"command,omitzero"`
	Fix      string           `json:"fix_command,omitzero"`
	Status   state.GateStatus `json:"status"`
	Exit     int              `json:"exit_code,omitzero"`
	Duration seconds          `json:"duration_seconds,omitzero"`
	Log      string           `json:"log,omitzero"`
	Count    int              `json:"count,omitzero"`
	Failed   int              `json:"failed,omitzero"`
	Tests    []failure.Test   `json:"tests,omitzero"`
	Places   []failure.Place  `json:"places,omitzero"`
	Tail     string           `json:"tail,omitzero"`
	Missing  string           `json:"missing,omitzero"`
	Landing  bool             `json:"landing,omitzero"`
	Flaky    bool             `json:"flaky,omitzero"`
	Before   state.Comparison `json:"before,omitzero"`
	Reused   string           `json:"reused,omitzero"`
}

// gateRuns is an object in the order in which the gates ran: "test", and "test (landing)" for its
// second run.
type gateRuns []gateRun

// MarshalJSON gives every run a key of its own.
func (gs gateRuns) MarshalJSON() ([]byte, error) {
	var o object
	taken := make(map[string]bool, len(gs))
	for _, g := range gs {
		key := g.Name
		if taken[key] && g.Landing {
			key = g.Name + " (landing)"
		}
		for n := 2; taken[key]; n++ {
			key = g.Name + " (" + strconv.Itoa(n) + ")"
		}
		taken[key] = true
		if key == g.Name {
			g.Name = ""
		}
		o.add(key, g)
	}
	return o.bytes()
}

// UnmarshalJSONFrom keeps the order of the members.
func (gs *gateRuns) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return eachMember(d, func(key string) error {
		var g gateRun
		err := jsonv2.UnmarshalDecode(d, &g)
		if g.Name == "" {
			g.Name = key
		}
		*gs = append(*gs, g)
		return err
	})
}

// seconds is a duration as an exact decimal number of seconds.
type seconds time.Duration

// MarshalJSON writes nine digits at most and no exponent.
func (s seconds) MarshalJSON() ([]byte, error) {
	sign, n := "", uint64(s)
	if s < 0 {
		sign, n = "-", -n
	}
	text := fmt.Sprintf("%s%d.%09d", sign, n/1e9, n%1e9)
	return []byte(strings.TrimRight(strings.TrimRight(text, "0"), ".")), nil
}

// UnmarshalJSON reads a decimal number.
func (s *seconds) UnmarshalJSON(data []byte) error {
	d, err := time.ParseDuration(string(data) + "s")
	*s = seconds(d)
	return err
}

func (s seconds) duration() time.Duration { return time.Duration(s) }

// object builds a JSON object member by member.
type object struct {
	buf bytes.Buffer
	err error
}

func (o *object) add(key string, value any) {
	k, err := marshal(key)
	if err == nil {
		var v []byte
		if v, err = marshal(value); err == nil {
			if o.buf.Len() > 0 {
				o.buf.WriteByte(',')
			}
			o.buf.Write(k)
			o.buf.WriteByte(':')
			o.buf.Write(v)
		}
	}
	if o.err == nil {
		o.err = err
	}
}

func (o *object) bytes() ([]byte, error) {
	return append(append([]byte{'{'}, o.buf.Bytes()...), '}'), o.err
}

// marshal is json.Marshal that leaves <, > and & readable.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}

// encode is v as a file: two spaces a level, and a newline at the end.
func encode(v any) ([]byte, error) {
	raw, err := marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encoding state: %w", err)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return nil, fmt.Errorf("encoding state: %w", err)
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}
