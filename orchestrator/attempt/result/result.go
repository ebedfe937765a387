// Package result reads what an agent claims: the result block in its final message or file. Only a
// block with the attempt's own nonce and phase counts, and JSON that can be read in two ways does
// not. It does not know whether a claim is true.
package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"autobuild/failure"
	"autobuild/internal/text"
	"autobuild/plan"
	"autobuild/state"
)

// Bounds of a result block.
const (
	MaxBytes   = 1 << 20 // of a block
	maxClaimed = 2000    // files of each kind
	MaxText    = 4096    // bytes of one text in it
	maxReferee = 500     // changes of tests and gates that it names
)

// block is the wire form of an agent's result.
type block struct {
	Nonce   string `json:"nonce"`
	PhaseID string `json:"phase_id"`
	Status  string `json:"status"`
	Tasks   struct {
		Total     int `json:"total"`
		Completed int `json:"completed"`
	} `json:"tasks"`
	Gates map[string]struct {
		Passed bool `json:"passed"`
	} `json:"quality_gates"`
	CommitMessage string `json:"commit_message"`
	Files         struct {
		Created  []string `json:"created"`
		Modified []string `json:"modified"`
		Deleted  []string `json:"deleted"`
	} `json:"files"`
	Referee json.RawMessage `json:"referee_changes"` // a list; what does not fit names nothing
	Error   json.RawMessage `json:"error"`           // null, a string, or an object with type and message
}

// ErrNone says that no block looks like a result.
var ErrNone = errors.New("no result block in the final message")

// Parse returns the last valid fenced json block of text that carries this attempt's nonce and
// phase id. Anything else is text. Without a result the error is the last candidate's, or ErrNone.
func Parse(text, phase, nonce string) (*state.Report, error) {
	_, report, err := last(text, phase, nonce)
	return report, err
}

// Block returns the JSON of the block that Parse reads.
func Block(text, phase, nonce string) (string, error) {
	raw, _, err := last(text, phase, nonce)
	return raw, err
}

// last finds the last valid block.
func last(text, phase, nonce string) (raw string, report *state.Report, err error) {
	reason := ErrNone
	blocks, rest := fencedJSON(text)
	if len(blocks) > 0 && strings.Contains(rest, nonce) { // it may take back the one before
		return "", nil, errors.New("the final message ends within a result block")
	}
	for _, raw := range slices.Backward(blocks) {
		report, err := Decode(raw, phase, nonce)
		if err == nil {
			return raw, report, nil
		}
		if errors.Is(reason, ErrNone) {
			reason = err
		}
	}
	return "", nil, reason
}

// fencedJSON lists the contents of fenced blocks whose info word is json, in order. A fence ends at
// a bare fence of at least its length; an unfinished one is no block, but cut.
func fencedJSON(text string) (blocks []string, cut string) {
	var open string // the fence that is open
	var info string
	var body strings.Builder
	for line := range strings.Lines(text) {
		fence, rest := SplitFence(strings.TrimSpace(strings.TrimPrefix(line, byteOrder)))
		switch {
		case open == "" && fence != "":
			open, info = fence, strings.ToLower(rest)
			body.Reset()
		case open != "" && fence != "" && rest == "" && fence[0] == open[0] &&
			len(fence) >= len(open):
			if info == "json" {
				blocks = append(blocks, body.String())
			}
			open = ""
		case open != "" && fence != "" && strings.EqualFold(rest, "json"):
			// A json fence inside a fence that the agent did not close. It starts anew; no
			// JSON holds such a line.
			open, info = fence, "json"
			body.Reset()
		case open != "":
			body.WriteString(line)
		}
	}
	if open != "" && info == "json" {
		cut = body.String()
	}
	return blocks, cut
}

// SplitFence splits "```json" into the fence and its info word; fence is empty where the line is
// none.
func SplitFence(line string) (fence, info string) {
	for _, c := range []string{"`", "~"} {
		rest := strings.TrimLeft(line, c)
		if n := len(line) - len(rest); n >= 3 {
			return line[:n], strings.TrimSpace(rest)
		}
	}
	return "", ""
}

// byteOrder is the mark that some programs put before a text.
const byteOrder = "\uFEFF"

// Decode reads one candidate.
func Decode(raw, phase, nonce string) (*state.Report, error) {
	raw = strings.TrimPrefix(raw, byteOrder)
	if len(raw) > MaxBytes {
		return nil, fmt.Errorf("the result block has %d bytes, more than %d", len(raw), MaxBytes)
	}
	if err := oneObject(raw); err != nil {
		return nil, fmt.Errorf("the result block is not valid JSON: %w", err)
	}
	var b block
	if err := json.Unmarshal([]byte(raw), &b); err != nil {
		return nil, fmt.Errorf("the result block does not fit: %w", err)
	}
	switch {
	case b.Nonce == "":
		return nil, errors.New("the result block has no nonce")
	case b.Nonce != nonce:
		return nil, errors.New("the result block carries another attempt's nonce")
	case !samePhase(b.PhaseID, phase):
		return nil, fmt.Errorf("the result block is for phase %q, not %q",
			text.Truncate(b.PhaseID, 60), phase)
	case b.Status != "complete" && b.Status != "failed":
		return nil, fmt.Errorf("the result block has status %q; it must be complete or failed",
			text.Truncate(b.Status, 60))
	case b.Tasks.Total < 0 || b.Tasks.Completed < 0:
		return nil, errors.New("the result block counts less than zero tasks")
	}
	return b.report(), nil
}

// samePhase compares ids as a plan would: an agent may well write the label that it saw in the
// plan.
func samePhase(got, want string) bool {
	id, err := plan.NormalID(got)
	return err == nil && id == want
}

func (b *block) report() *state.Report {
	r := &state.Report{
		Complete: b.Status == "complete",
		Tasks:    failure.TaskCount{Total: b.Tasks.Total, Done: b.Tasks.Completed},
		Commit:   text.Truncate(b.CommitMessage, 4*MaxText),
		Created:  b.Files.Created[:min(len(b.Files.Created), maxClaimed)],
		Modified: b.Files.Modified[:min(len(b.Files.Modified), maxClaimed)],
		Deleted:  b.Files.Deleted[:min(len(b.Files.Deleted), maxClaimed)],

		RefereeChanges: refereeChanges(b.Referee),
	}
	if len(b.Gates) > 0 {
		r.Gates = make(map[string]bool, len(b.Gates))
		for name, g := range b.Gates {
			r.Gates[text.Truncate(name, 60)] = g.Passed
		}
	}
	var message string
	var object struct {
		Type, Message, Category string
		Retryable               json.RawMessage
	}
	switch {
	case json.Unmarshal(b.Error, &message) == nil:
		r.Error = text.Truncate(message, MaxText)
	case json.Unmarshal(b.Error, &object) == nil:
		r.Error, r.ErrType = text.Truncate(object.Message, MaxText), text.Truncate(object.Type, 60)
		r.Category = categoryOf(object.Category)
		var again bool
		if json.Unmarshal(object.Retryable, &again) == nil && string(object.Retryable) != "null" {
			r.Retry = &again
		}
	}
	return r
}

// refereeChanges are the changes of tests and gates that an agent names. An entry without a file,
// or in another shape, is left out: it could excuse nothing.
func refereeChanges(raw json.RawMessage) []state.ClaimedChange {
	var entries []json.RawMessage
	if json.Unmarshal(raw, &entries) != nil {
		return nil
	}
	var named []state.ClaimedChange
	for _, entry := range entries[:min(len(entries), maxReferee)] {
		var c state.ClaimedChange
		if json.Unmarshal(entry, &c) != nil || strings.TrimSpace(c.File) == "" {
			continue
		}
		named = append(named, state.ClaimedChange{
			File: text.Truncate(c.File, MaxText), Test: text.Truncate(c.Test, MaxText),
			Why: text.Truncate(c.Why, MaxText),
		})
	}
	return named
}

// categoryOf is a category as an agent writes it; empty for a word that is none.
func categoryOf(word string) failure.Category {
	c := failure.Category(strings.ReplaceAll(strings.ToLower(strings.TrimSpace(word)), " ", "_"))
	switch c {
	case failure.Prerequisite, failure.Execution, failure.UnexpectedResult, failure.Misalignment,
		failure.Ambiguity:
		return c
	}
	return ""
}

// oneObject checks what encoding/json lets pass: that there is one object and nothing behind it,
// and that no object has a key twice, in whatever case: "status" and "STATUS" would decode into the
// same field, the last one winning.
func oneObject(raw string) error {
	dec := json.NewDecoder(strings.NewReader(raw))
	if err := walkObject(dec); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the object")
	}
	if !bytes.HasPrefix(bytes.TrimSpace([]byte(raw)), []byte("{")) {
		return errors.New("it is not an object")
	}
	return nil
}

// maxDepth bounds the nesting of a result block.
const maxDepth = 32

// folded is one spelling for all keys that encoding/json takes for the same field: it folds more
// than upper and lower case, "ſtatus" is status to it.
func folded(key string) string {
	return strings.Map(func(r rune) rune {
		for {
			next := unicode.SimpleFold(r)
			if next <= r { // round the orbit once, to its smallest rune
				return next
			}
			r = next
		}
	}, key)
}

// walkObject reads one value token by token.
func walkObject(dec *json.Decoder) error {
	type level struct {
		keys  map[string]bool // nil in an array
		value bool            // the next token is a value
	}
	var stack []level
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
		top := len(stack) - 1
		switch t := token.(type) {
		case json.Delim:
			switch t {
			case '{':
				stack = append(stack, level{keys: make(map[string]bool)})
			case '[':
				stack = append(stack, level{})
			default:
				stack = stack[:top]
			}
			if len(stack) > maxDepth {
				return fmt.Errorf("nested deeper than %d", maxDepth)
			}
			if t == '{' || t == '[' {
				continue
			}
		case string:
			if top >= 0 && stack[top].keys != nil && !stack[top].value {
				key := folded(t)
				if stack[top].keys[key] {
					return fmt.Errorf("key %q stands twice", text.Truncate(t, 60))
				}
				stack[top].keys[key] = true
				stack[top].value = true
				continue
			}
		}
		if len(stack) == 0 {
			return nil
		}
		stack[len(stack)-1].value = false
	}
}
