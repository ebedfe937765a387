package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"autobuild/internal/proc"
)

// clock is a moment of a test's day, in the form of logs.
func clock(seconds int) string {
	return noon.Add(time.Duration(seconds) * time.Second).Format("2006-01-02T15:04:05.000Z")
}

// qwenLog is a session's file with refusals and answers at the given seconds; negative: an answer.
func qwenLog(t *testing.T, home, why string, at ...int) {
	t.Helper()
	var b strings.Builder
	for _, second := range at {
		event := `"qwen-code.api_error","error_message":"` + why + `","status_code":429`
		if second < 0 {
			second, event = -second, `"qwen-code.api_response"`
		}
		b.WriteString(`{"timestamp":"` + clock(second) + `","type":"system","subtype":"ui_telemetry",` +
			`"systemPayload":{"uiEvent":{"event.name":` + event + "}}}\n")
	}
	keep(t, filepath.Join(home, ".qwen", "projects", "-repo", "chats", "s-1.jsonl"), b.String())
}

// opencodeLog is the shared log: another process in the same directory, then this one, another one
// elsewhere, and a title that is refused. A negative second is a request, a positive one a refusal.
func opencodeLog(t *testing.T, home, dir, why string, at ...int) {
	t.Helper()
	line := func(second int, run, rest string) string {
		return "timestamp=" + clock(second) + " level=INFO run=" + run + " " + rest + "\n"
	}
	const request = `providerID=p modelID=m session.id=ses_1 small=false agent=build mode=primary`
	refusal := `message="stream error" ` + request + ` error.error="AI_APICallError: ` + why + `"`
	text := line(-100, "old", `message="creating instance" directory=`+dir) + line(-99, "old", refusal) +
		line(1, "mine", `message="creating instance" directory=`+dir) +
		line(1, "other", `message="creating instance" directory=/elsewhere`) + line(2, "other", refusal) +
		line(3, "mine", strings.Replace(refusal, "small=false", "small=true", 1))
	for _, second := range at {
		if second < 0 {
			text += line(-second, "mine", "message=stream "+request)
		} else {
			text += line(second, "mine", refusal)
		}
	}
	keep(t, filepath.Join(home, ".local", "share", "opencode", "log", "opencode.log"), text)
}

func keep(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// An agent that our deadline ended, and that did nothing, ended as its own log says. One whose
// provider took its last request, and one that worked, ran out of time.
func TestOnlyAskedAgain(t *testing.T) {
	const limit, busy = "You have reached your usage limit. Please try again in 1 hour.", "Overloaded"
	for name, tt := range map[string]struct {
		agent, why string
		at         []int
		stdout     string
		files      bool // change
		kind       string
	}{
		"qwen, a limit":              {"qwen", limit, []int{5, 10, 30}, "", false, UsageLimit},
		"qwen, overloaded":           {"qwen", busy, []int{5}, "", false, Transient},
		"qwen, unknown words":        {"qwen", "Zork.", []int{5}, "", false, Transient},
		"qwen, money":                {"qwen", "Your credit balance is too low", []int{5, 9}, "", false, Unusable},
		"qwen, answered":             {"qwen", limit, []int{5, -10}, "", false, ""},
		"qwen, only answered":        {"qwen", limit, []int{-9}, "", false, ""},
		"qwen, thinks":               {"qwen", limit, nil, "", false, ""},
		"qwen, files":                {"qwen", limit, []int{5, 10}, "", true, ""},
		"opencode, a limit":          {"opencode", limit, []int{-5, 6, -10, 11}, "", false, UsageLimit},
		"opencode, asks now":         {"opencode", limit, []int{-5, 6, -50}, "", false, UsageLimit},
		"opencode, overloaded":       {"opencode", busy, []int{-5, 6}, "", false, Transient},
		"opencode, took it and runs": {"opencode", busy, []int{-5, 6, -8}, "", false, ""},
		"opencode, thinks":           {"opencode", busy, []int{-5}, "", false, ""},
		"opencode, worked": {
			"opencode", busy,
			[]int{-5, 6},
			`{"type":"tool_use","part":{"tool":"bash","state":{}}}` + "\n", false, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			home, dir := t.TempDir(), resolved(t.TempDir())
			if tt.agent == "qwen" {
				qwenLog(t, home, tt.why, tt.at...)
			} else {
				opencodeLog(t, home, dir, tt.why, tt.at...)
			}
			driven := specNamed(t, tt.agent)
			out, r, files := Outcome{TimedOut: true, Session: "s-1"}, driven.reader(), uint64(0)
			s := &story{
				out: &out, final: ending{limit: maxFinal}, stop: func() {},
				now:   func() time.Time { return noon.Add(90 * time.Second) },
				files: func() uint64 { return files },
			}
			if tt.files {
				files++
			}
			for line := range strings.Lines(tt.stdout) {
				s.line(r, []byte(line))
			}
			s.consult(driven.journal(recording{
				job: Job{Dir: dir}, env: []string{"HOME=" + home}, session: out.Session, began: noon,
			}))
			s.settle(r.end, proc.Exit{Ended: proc.Timeout})
			if out.Kind != tt.kind || out.TimedOut == (tt.kind != "") {
				t.Errorf("%q, timed out %t: %s", out.Kind, out.TimedOut, out.Message)
			}
			if tt.kind == UsageLimit && out.Until.IsZero() {
				t.Error("its reset is lost")
			}
		})
	}
}

// An agent that only asks again is stopped after a bound, and at once where its limit is named
// twice. One that was refused once, long ago, may be at work.
func TestOnlyAsksAgain(t *testing.T) {
	at := func(seconds int) time.Time { return noon.Add(time.Duration(seconds) * time.Second) }
	for name, tt := range map[string]struct {
		r    requests
		now  int
		kind string
	}{
		"for long":       {requests{refused: 9, why: "Overloaded", first: at(0), last: at(290)}, 301, Transient},
		"not so long":    {requests{refused: 9, why: "Overloaded", first: at(0), last: at(290)}, 299, ""},
		"once, long ago": {requests{refused: 1, why: "Overloaded", first: at(0), last: at(0)}, 800, ""},
		"it sleeps":      {requests{refused: 1, why: "Overloaded", first: at(0), last: at(0), begins: true}, 121, Transient},
		"it sleeps well": {requests{refused: 1, why: "Overloaded", first: at(0), last: at(0), begins: true}, 119, ""},
		"a limit, twice": {requests{refused: 2, why: "Usage limit reached, resets in 2h", first: at(0), last: at(2)}, 60, UsageLimit},
		"a limit, once":  {requests{refused: 1, why: "Usage limit reached, resets in 2h", first: at(0), last: at(0)}, 60, ""},
		"no refusal":     {requests{}, 800, ""},
		"taken at last":  {requests{refused: 9, why: "Overloaded", first: at(0), last: at(290), pending: at(300)}, 380, ""},
	} {
		var out Outcome
		stopped := 0
		s := &story{out: &out, now: func() time.Time { return at(tt.now) }, stop: func() { stopped++ }}
		s.review(tt.r)
		if out.Kind != tt.kind || (stopped == 1) != (tt.kind != "") {
			t.Errorf("%s: stopped %d times, %q: %s", name, stopped, out.Kind, out.Message)
		}
	}
}

// What an agent writes for people names the reason of a deadline only where the agent did nothing
// and says that it asks its model again.
func TestAskedAgainInWords(t *testing.T) {
	const spoke = `{"type":"message","role":"assistant","content":"I look around.","delta":true}` + "\n"
	for name, tt := range map[string]struct{ stdout, tail, kind string }{
		"gemini's own":    {"", "Attempt 3 failed with status 429. Retrying with backoff...\n", Transient},
		"a limit":         {"", "Retrying in 60s (attempt 1/10): [API Error: 429 Usage limit reached, resets in 2 hours]\n", UsageLimit},
		"it has spoken":   {spoke, "Attempt 3 failed with status 429. Retrying with backoff...\n", ""},
		"no retry":        {"", "warning: 429 Too Many Requests from the registry of extensions\n", ""},
		"a tool's server": {"", "MCP server github: 401 unauthorized, retrying\n", ""},
		"its own end":     {"", "Operation cancelled.\n", ""},
		"nothing":         {"", "", ""},
	} {
		out := replay(specNamed(t, "gemini"), tt.stdout, proc.Exit{Code: -1, Ended: proc.Timeout, Tail: tt.tail}, 1<<16)
		if out.Kind != tt.kind || out.TimedOut == (tt.kind != "") {
			t.Errorf("%s: %q, timed out %t: %s", name, out.Kind, out.TimedOut, out.Message)
		}
	}
}

// The deadline of an agent that is being stopped changes nothing about why it is.
func TestStoppedAtItsDeadline(t *testing.T) {
	out := Outcome{TimedOut: true, Idle: true}
	s := &story{out: &out, now: func() time.Time { return noon }, stop: func() {}}
	s.review(requests{refused: 2, why: "Usage limit reached, resets in 2h", first: noon, last: noon})
	s.settle(func(*story) {}, proc.Exit{Ended: proc.Timeout})
	if out.Kind != UsageLimit || out.TimedOut || out.Idle {
		t.Errorf("%+v", out)
	}
}

// An agent that sleeps after a refusal is ended: at once where its log says how long it sleeps, and
// after a bound where it is silent. A model that has answered may think as long as it wants.
func TestOnlyWaits(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, ".kimi-code", "sessions", "w", "s-1", "agents", "main")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	line := fmt.Sprintf(`{"type":"turn.step.retrying","delayMs":7200000,`+
		`"errorMessage":"429 Too many requests.","statusCode":429,"time":%d}`+"\n", noon.UnixMilli())
	if err := os.WriteFile(filepath.Join(dir, "wire.jsonl"), []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	slept := kimiJournal(recording{env: []string{"HOME=" + home}, session: "s-1", began: noon})
	refused := requests{refused: 1, why: "429 Too many requests.", status: 429, first: noon, last: noon}
	for name, tt := range map[string]struct {
		log    requests
		hitch  bool
		answer bool
		after  time.Duration
		kind   string
	}{
		"says how long":          {slept, false, false, time.Minute, UsageLimit},
		"silent, by its log":     {refused, false, false, 11 * time.Minute, Transient},
		"not yet, by its log":    {refused, false, false, 9 * time.Minute, ""},
		"silent, by its stream":  {requests{}, true, false, 11 * time.Minute, Transient},
		"not yet, by its stream": {requests{}, true, false, 9 * time.Minute, ""},
		"answered":               {requests{}, true, true, time.Hour, ""},
		"no word of a refusal":   {requests{}, false, false, time.Hour, ""},
	} {
		present, stopped := noon, false
		out := Outcome{}
		s := &story{
			out: &out, final: ending{limit: maxFinal}, stop: func() { stopped = true },
			now: func() time.Time { return present },
		}
		if tt.hitch {
			s.hitch(0, "Reconnecting... 1/1 (last status: 429 Too Many Requests)")
		}
		if tt.answer {
			s.say("I begin.", false)
		}
		present = noon.Add(tt.after)
		s.review(tt.log)
		if out.Kind != tt.kind || stopped != (tt.kind != "") {
			t.Errorf("%s: %q, stopped %t", name, out.Kind, stopped)
		}
		if tt.kind == UsageLimit && !out.Until.Equal(present.Add(2*time.Hour)) {
			t.Errorf("%s: until %s", name, out.Until)
		}
	}
}
