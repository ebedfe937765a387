//go:build linux

package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	enums "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/protobuf/encoding/protojson"
)

// histories are the recorded histories of all workflows, as JSON.
func (l *lab) histories() map[string][]byte {
	l.t.Helper()
	list, err := l.conn.ListWorkflow(l.t.Context(), &workflowservice.ListWorkflowExecutionsRequest{})
	if err != nil {
		l.t.Fatal(err)
	}
	found := map[string][]byte{}
	for _, w := range list.GetExecutions() {
		id := w.GetExecution().GetWorkflowId()
		events := l.conn.GetWorkflowHistory(l.t.Context(), id, w.GetExecution().GetRunId(), false,
			enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		var h historypb.History
		for events.HasNext() {
			e, err := events.Next()
			if err != nil {
				l.t.Fatal(err)
			}
			h.Events = append(h.Events, e)
		}
		raw, err := protojson.Marshal(&h)
		if err != nil {
			l.t.Fatal(err)
		}
		found[id] = append(raw, payloads(&h)...)
		if dir := os.Getenv("RECORD_HISTORIES"); dir != "" {
			name := strings.ReplaceAll(l.t.Name(), "/", "-") + "-" + id + ".json"
			if err = os.WriteFile(filepath.Join(dir, name), raw, 0o600); err != nil {
				l.t.Fatal(err)
			}
		}
	}
	return found
}

// payloads is the text of all payloads, which JSON holds in base64.
func payloads(h *historypb.History) []byte {
	var all bytes.Buffer
	for _, e := range h.GetEvents() {
		raw, _ := protojson.MarshalOptions{}.Marshal(e)
		for _, word := range bytes.FieldsFunc(raw, func(r rune) bool { return r == '"' }) {
			if text, ok := decoded(word); ok {
				all.Write(text)
				all.WriteByte('\n')
			}
		}
	}
	return all.Bytes()
}

// noLeaks checks that no history holds words of the plan, of prompts, of scripts, of logs, or paths
// of the machine, nor any of words.
func (l *lab) noLeaks(repo string, words ...string) {
	l.t.Helper()
	found := l.histories()
	if len(found) == 0 {
		l.t.Error("there is no history")
	}
	for id, text := range found {
		if !bytes.Contains(text, []byte(`"attempt"`)) {
			l.t.Errorf("%s was not decoded", id)
		}
		for _, word := range append(words,
			"secret-plan-word", "secret-log-word", "make it", "AUTOBUILD_", "echo ", "sleep ",
			l.dir, repo+".git", "starts", "test@example.com",
		) {
			if at := bytes.Index(text, []byte(word)); at >= 0 {
				l.t.Errorf("the history of %s holds %q: %s", id, word, text[max(0, at-200):min(len(text), at+100)])
			}
		}
	}
}
