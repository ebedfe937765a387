package render

import (
	"encoding/json"
	"fmt"
	"io"

	"autobuild/internal/text"
	"autobuild/state"
)

// JSON writes every event as one line of JSON, fleeting ones included. The lines are those of
// events.jsonl.
type JSON struct {
	W io.Writer

	err error
}

// Event writes one line by one Write. It always returns nil, because a closed pipe must not stop a
// run: Err has the error.
func (j *JSON) Event(e state.Event, _ *state.Run) error {
	if j.err != nil {
		return nil
	}
	content, err := json.Marshal(e)
	if err != nil {
		j.err = fmt.Errorf("encoding event %s: %w", e.Type, err)
		return nil
	}
	_, j.err = j.W.Write(append(text.EscapeJSON(content), '\n'))
	return nil
}

// Err is the first error. Nothing is written after it.
func (j *JSON) Err() error { return j.err }

// document is indented JSON with a line end, safe on a terminal.
func document(v any) ([]byte, error) {
	content, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encoding JSON: %w", err)
	}
	return append(text.EscapeJSON(content), '\n'), nil
}
