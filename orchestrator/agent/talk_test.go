package agent

import (
	"strings"
	"testing"
	"time"

	"autobuild/internal/proc"
)

// quiet is a conversation without a peer: requests are lost, and the test supplies the answers.
func quiet(dir string) (*talk, *Outcome) {
	out := &Outcome{Claims: true}
	t := newTalk(ACPOptions{}, Job{Dir: dir, Prompt: "do it"}, &story{
		out: out, final: ending{limit: maxFinal}, stop: func() {}, now: func() time.Time { return noon },
	})
	return t, out
}

// The law: for any line of an agent, the conversation goes on or ends, and the result can be shown.
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
