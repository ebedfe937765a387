package render

import (
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"

	"autobuild/state"
)

// JSON writes every event as one line of JSON, fleeting ones included. The lines are those of events.jsonl.
type JSON struct {
	W io.Writer

	err error
}

// Event writes one line by one Write. It always returns nil, because a closed pipe must not stop a run: Err tells.
func (j *JSON) Event(e state.Event, _ *state.Run) error {
	if j.err != nil {
		return nil
	}
	text, err := json.Marshal(e)
	if err != nil {
		j.err = fmt.Errorf("encoding event %s: %w", e.Type, err)
		return nil
	}
	_, j.err = j.W.Write(append(mute(text), '\n'))
	return nil
}

// Err is the first error. Nothing is written after it.
func (j *JSON) Err() error { return j.err }

// mute writes what a terminal or CI runner would obey as JSON escapes. All of it can stand in strings only, so the
// meaning of the JSON stays the same.
func mute(text []byte) []byte {
	text = command.ReplaceAllFunc(text, func(m []byte) []byte { return append(m[:len(m)-1:len(m)-1], `\u005b`...) })
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r < 0x7f || !hidden(r):
			out = append(out, text[:size]...)
		case r > 0xFFFF:
			r -= 0x10000
			out = fmt.Appendf(out, `\u%04x\u%04x`, 0xD800+r>>10, 0xDC00+r&0x3ff)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		text = text[size:]
	}
	return out
}

// document is indented JSON with a line end, safe on a terminal.
func document(v any) ([]byte, error) {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encoding JSON: %w", err)
	}
	return append(mute(text), '\n'), nil
}
