package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFormsOfOutput(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine works, slowly under the race detector")
	}
	for _, c := range []struct {
		name, output, stdout string
		fields               map[string]string
		want                 Outcome
	}{
		{
			name: "one document", output: "json answer.parts.-1.text",
			fields: map[string]string{"cost": "usd", "input_tokens": "n.in", "output_tokens": "n.out", "session": "id", "model": "m"},
			stdout: `{"answer":{"parts":[{"text":"a"},{"text":"b"}]},"usd":0.5,"n":{"in":3,"out":4},"id":"s","m":"big"}`,
			want:   Outcome{Final: "b", CostUSD: 0.5, InputTokens: 3, OutputTokens: 4, Session: "s", Model: "big"},
		},
		{
			name: "greetings first", output: "json text", stdout: "Welcome!\n{\n \"text\": \"b\"}\n",
			want: Outcome{Final: "b"},
		},
		{
			name: "lines, the last counts", output: "jsonl text where type=message", fields: map[string]string{"cost": "usd"},
			stdout: "{\"type\":\"message\",\"text\":\"a\",\"usd\":1}\nnoise\n{\"type\":\"message\",\"text\":\"b\",\"usd\":2}\n{\"type\":\"user\",\"text\":\"c\"}\n",
			want:   Outcome{Final: "b", CostUSD: 2},
		},
		{
			name: "lines, all count", output: "jsonl +delta", fields: map[string]string{"cost": "+usd", "input_tokens": "+n"},
			stdout: "{\"delta\":\"a\",\"usd\":1,\"n\":1}\n{\"delta\":\"b\",\"usd\":2,\"n\":2}",
			want:   Outcome{Final: "ab", CostUSD: 3, InputTokens: 3},
		},
		{
			name: "an error", output: "json text", fields: map[string]string{"error": "error"},
			stdout: `{"text":"so far","error":{"message":"529 Overloaded"}}`,
			want:   Outcome{Kind: Transient, Message: "529 Overloaded"},
		},
		{
			name: "nothing there", output: "json text", stdout: `{"txt":"a"}`,
			want: Outcome{Kind: ParseError, Message: "its output has no text in any of 1 documents"},
		},
		{
			name: "no document", output: "json text", stdout: "oh\n",
			want: Outcome{Kind: ParseError, Message: "line 1 of its output is not understood: invalid character 'o' looking for beginning of value: oh"},
		},
		{
			name: "no document after noise", output: "jsonl text", stdout: "hello\n\n{broken\n",
			want: Outcome{Kind: ParseError, Message: "line 3 of its output is not understood: invalid character 'b' looking for beginning of object key string: {broken"},
		},
		{
			name: "no document after greetings", output: "json text", stdout: "hello\n{broken\n",
			want: Outcome{Kind: ParseError, Message: "line 2 of its output is not understood: invalid character 'b' looking for beginning of object key string: {broken"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t, "mine", "FAKE_STDOUT="+c.stdout)
			out := s.do(Command(s.run, "mine", []string{"mine"}, CommandOptions{Output: c.output, Fields: c.fields}))
			got := Outcome{
				Final: out.Final, CostUSD: out.CostUSD, InputTokens: out.InputTokens, OutputTokens: out.OutputTokens,
				Session: out.Session, Model: out.Model, Kind: out.Kind, Message: out.Message,
			}
			if abridged(got) != abridged(c.want) {
				t.Errorf("outcome\n%s, not\n%s", abridged(got), abridged(c.want))
			}
		})
	}
}

func TestPromptInAFile(t *testing.T) {
	s := newStage(t, "mine")
	s.do(Command(s.run, "mine", []string{"mine", "--prompt={prompt_file}"}, CommandOptions{}))
	saw := s.given()
	path, ok := strings.CutPrefix(saw.Argv[1], "--prompt=")
	if raw, err := os.ReadFile(path); !ok || err != nil || string(raw) != "do it" || filepath.Dir(path) != s.job.Scratch {
		t.Errorf("argv %q: %q, %v", saw.Argv, raw, err)
	}
	if saw.Prompt != "" {
		t.Errorf("it is on stdin as well: %q", saw.Prompt)
	}
}

func TestCheck(t *testing.T) {
	for _, o := range []CommandOptions{{}, {Output: "text"}, {Output: "json a"}, {Output: "jsonl +a.0 where b.c=d", Fields: map[string]string{"cost": "+x"}}} {
		if err := o.Check(); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
	for want, o := range map[string]CommandOptions{
		"is unknown; use text": {Output: "xml a"},
		"is no path":           {Output: "json"},
		`"+" is no path`:       {Output: "json +"},
		`"a..b" is no path`:    {Output: "json a..b"},
		"where type=message":   {Output: "jsonl a where b"},
		`field "price"`:        {Output: "json a", Fields: map[string]string{"price": "x"}},
		"field cost":           {Output: "json a", Fields: map[string]string{"cost": ""}},
		"holds no fields":      {Fields: map[string]string{"cost": "x"}},
	} {
		if err := o.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v; it should say %s", o, err, want)
		}
	}
	s := newStage(t, "mine")
	if out := s.do(Command(s.run, "mine", []string{"mine"}, CommandOptions{Output: "xml"})); !strings.Contains(out.Err, "xml") {
		t.Errorf("outcome %+v", out)
	}
}
