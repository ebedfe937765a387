package render_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"autobuild/render"
	"autobuild/render/rendertest"
	"autobuild/state"
)

// TestJSONLines: every event is one line, and reading it gives the event back.
func TestJSONLines(t *testing.T) {
	var out rendertest.Writer
	sink := render.JSON{W: &out}
	story := rendertest.Halted(t, func(e state.Event, run *state.Run) { rendertest.Check(t, sink.Event(e, run)) })
	lines := strings.Split(strings.TrimSuffix(out.Text.String(), "\n"), "\n")
	if len(lines) != len(story.Events) || out.Writes != len(lines) {
		t.Fatalf("%d lines by %d writes for %d events", len(lines), out.Writes, len(story.Events))
	}
	for i, line := range lines {
		var e state.Event
		rendertest.Check(t, json.Unmarshal([]byte(line), &e))
		if !reflect.DeepEqual(e, story.Events[i]) {
			t.Errorf("line %d reads back as %+v, want %+v", i+1, e, story.Events[i])
		}
		if strings.Contains(line, `"seq":`) != e.Type.Lifecycle() {
			t.Errorf("line %d, %s: a number belongs to what changes the run, and to nothing else:\n%s", i+1, e.Type, line)
		}
	}
}

// TestJSONIsMute: text that a terminal or a CI runner would obey is written as escapes, and reads
// back the same.
func TestJSONIsMute(t *testing.T) {
	text := "\x1b[31m ##[x] ##vso[y] ## z \u202e \u009b \u200d \u2028 \x7f 🚀 \U000e0041"
	var out rendertest.Writer
	sink := render.JSON{W: &out}
	rendertest.Check(t, sink.Event(state.Event{Type: state.Activity, Text: text}, nil))
	line := out.Text.String()
	rendertest.Lacks(t, line, "\x1b", "##[", "##vso[", "\u202e", "\u009b", "\u200d", "\x7f", "\U000e0041")
	var e state.Event
	rendertest.Check(t, json.Unmarshal([]byte(line), &e))
	if e.Text != text {
		t.Errorf("reads back as %q", e.Text)
	}
}
