package agent

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"autobuild/internal/proc"
)

// quiet is a conversation with nobody: what is said is lost, what is heard is given by the test.
func quiet(dir string) (*talk, *Outcome) {
	out := &Outcome{Claims: true}
	t := newTalk(ACPOptions{}, Job{Dir: dir, Prompt: "do it"}, &story{
		out: out, final: ending{limit: maxFinal}, stop: func() {}, now: func() time.Time { return noon },
	})
	return t, out
}

// Whatever an agent says, the conversation goes on or ends, and what comes out can be shown.
func FuzzTalk(f *testing.F) {
	f.Add(`{"id":1,"result":{"authMethods":[{"id":"x"}]}}` + "\n" + `{"id":2,"result":{"sessionId":"s"}}` + "\n" + `{"id":3,"result":{"stopReason":"end_turn"}}`)
	f.Add(`{"id":"a","method":"session/request_permission","params":{"toolCall":{"kind":"edit","locations":[{"path":"../x"}]},"options":[{"optionId":"n","kind":"reject_once"}]}}`)
	f.Add(`{"id":1,"error":{"code":-32000,"message":"x"}}`)
	f.Add(`{"method":"session/update","params":{"update":{"sessionUpdate":"agent_message_chunk","content":{"text":"x"}}}}`)
	f.Add(`{"id":1,"method":"fs/write_text_file","params":{"path":"../x","content":"x"}}`)
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, said string) {
		c, out := quiet(dir)
		for line := range strings.Lines(said) {
			c.hear([]byte(line))
		}
		c.stopTimer()
		c.settle(proc.Exit{Ended: proc.Exited})
		if wrong := presentable(*out); wrong != "" {
			t.Fatalf("%s: %+v", wrong, *out)
		}
	})
}

// TestTalkRecordings replays what real agents said by the protocol, where the recordings are at hand.
func TestTalkRecordings(t *testing.T) {
	paths, err := filepath.Glob("../../../shared/transcripts/acp/*/*.jsonl")
	if err != nil || len(paths) == 0 {
		t.Skip("the recordings of real agents are not here")
	}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out := retell(t, raw)
		scene := strings.TrimSuffix(filepath.Base(path), ".jsonl")
		agent := filepath.Base(filepath.Dir(path))
		t.Logf("%-9s %-22s %-16s $%.4f %d/%d denied=%v %s", agent, scene, out.Kind, out.CostUSD, out.InputTokens, out.OutputTokens, out.Denied, out.Message)
		want := map[string]string{"err_401": Unusable, "err_429_forever": Transient, "err_529_forever": Transient}[scene]
		cut := bytes.Contains(raw, []byte("(cut here)")) || strings.HasPrefix(scene, "close_stdin")
		switch {
		case cut:
		case out.Kind != want:
			t.Errorf("%s %s is %q, not %q: %s", agent, scene, out.Kind, want, abridged(out))
		case (scene == "success" || scene == "success_yolo") && conclude(out)[0] != "complete":
			t.Errorf("%s %s has no result: %s", agent, scene, abridged(out))
		case strings.HasPrefix(scene, "cancel") && !strings.Contains(out.Message, "cancelled"):
			t.Errorf("%s %s: %s", agent, scene, abridged(out))
		}
	}
}

// retell lets a recorded agent answer ours. The recorded client asked in its own order, so answers go by what was asked.
func retell(t *testing.T, raw []byte) Outcome {
	t.Helper()
	c, out := quiet(t.TempDir())
	asked := make(map[string]string) // by the recorded client
	for line := range bytes.Lines(raw) {
		var m struct {
			Dir string         `json:"dir"`
			Msg map[string]any `json:"msg"`
		}
		if json.Unmarshal(line, &m) != nil || m.Msg == nil {
			continue
		}
		id, _ := json.Marshal(m.Msg["id"])
		method, _ := m.Msg["method"].(string)
		if m.Dir == ">" {
			asked[string(id)] = method
			continue
		}
		if method == "" {
			ours := ""
			for k, v := range c.asked {
				if v == asked[string(id)] && v != "" {
					ours = k
				}
			}
			if ours == "" {
				continue // ours did not ask for it
			}
			m.Msg["id"] = json.RawMessage(ours)
		}
		again, err := json.Marshal(m.Msg)
		if err != nil {
			t.Fatal(err)
		}
		c.hear(again)
	}
	c.stopTimer()
	c.settle(proc.Exit{Ended: proc.Exited})
	return *out
}
