package agent

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// endings are the last events of each stream, and one of further work.
var endings = map[string]struct{ work, end, more string }{
	"claude": {
		`{"type":"assistant","message":{"content":[{"type":"text","text":"done"}]}}`, `{"type":"result","subtype":"success","result":"done"}`,
		`{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{}}]}}`,
	},
	"codex": {
		`{"type":"item.completed","item":{"type":"agent_message","text":"done"}}`, `{"type":"turn.completed","usage":{}}`,
		`{"type":"item.started","item":{"type":"command_execution","command":"ls"}}`,
	},
	"gemini": {
		`{"type":"message","role":"assistant","content":"done","delta":true}`, `{"type":"result","status":"success"}`,
		`{"type":"tool_use","tool_name":"run_shell_command"}`,
	},
	"opencode": {
		`{"type":"text","part":{"text":"done"}}`, `{"type":"step_finish","part":{"reason":"stop"}}`, `{"type":"step_start","part":{}}`,
	},
	"copilot": {
		`{"type":"assistant.message","data":{"content":"done"}}`, `{"type":"result","exitCode":0}`,
		`{"type":"tool.execution_start","data":{"toolName":"bash"}}`,
	},
	"pi": {
		`{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"done"}],"stopReason":"stop"}}`, `{"type":"agent_end"}`,
		`{"type":"tool_execution_start","toolName":"bash"}`,
	},
}

// patiently calls do with ever more time for a fake agent to begin in, while the end is not the
// wanted one: on a busy machine an agent takes a while until its first word, and a wrong end stays
// wrong with more time.
func patiently(do func(long time.Duration) (out Outcome, wanted bool)) Outcome {
	for long := 500 * time.Millisecond; ; long *= 2 {
		if out, wanted := do(long); wanted || long > 15*time.Second {
			return out
		}
	}
}

// An agent that has told its end and does not end is no time-out, whatever follows, and what it
// said counts; one that has not is. Only opencode's last step is no end yet when another begins.
func TestEndedButWaiting(t *testing.T) {
	for name, e := range endings {
		for what, tt := range map[string]struct {
			stdout  string
			lingers bool
		}{
			"ended":         {e.work + "\n" + e.end + "\nnoise\n", true},
			"in the middle": {e.work + "\n", false},
			"works on":      {e.work + "\n" + e.end + "\n" + e.more + "\n", name != "opencode"},
			"ends again":    {e.work + "\n" + e.end + "\n" + e.more + "\n" + e.work + "\n" + e.end + "\n", true},
		} {
			t.Run(name+"/"+what, func(t *testing.T) {
				t.Parallel()
				out := patiently(func(long time.Duration) (Outcome, bool) {
					s := newStage(t, name, "FAKE_STDOUT="+tt.stdout, "FAKE_CODE=9")
					s.job.Env = with(s.job.Env, map[string]string{"FAKE_AGENT": "hang"})
					s.job.Idle, s.job.Timeout = long, 10*time.Minute
					a, ok := Builtin(s.run, name, nil, nil)
					if !ok {
						t.Fatal("no such agent")
					}
					out := s.do(a)
					return out, out.Lingered == tt.lingers
				})
				if out.Lingered != tt.lingers || out.Idle == tt.lingers || out.TimedOut == tt.lingers {
					t.Fatalf("outcome %+v", out)
				}
				if tt.lingers && (!strings.HasSuffix(strings.TrimSpace(out.Final), "done") || out.ExitCode != 0 || out.Kind != "") {
					t.Errorf("what it said is lost: %+v", out)
				}
			})
		}
	}
}

// A command's text marks its end only where Job.Done is set, and a claim by exit code needs an end.
func TestCommandEndedButWaiting(t *testing.T) {
	done := func(text string) bool { return strings.HasSuffix(text, "the end\n") }
	for name, tt := range map[string]struct {
		opts    CommandOptions
		stdout  string
		done    func(string) bool
		lingers bool
	}{
		"text":         {CommandOptions{}, "work\nthe end\n", done, true},
		"jsonl":        {CommandOptions{Output: "jsonl text"}, `{"text":"the end\n"}` + "\n", done, true},
		"elsewhere":    {CommandOptions{}, "", func(string) bool { return true }, true},
		"middle":       {CommandOptions{}, "work\n", done, false},
		"nobody looks": {CommandOptions{}, "the end\n", nil, false},
		"exit code":    {CommandOptions{Result: "exit"}, "the end\n", done, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := patiently(func(long time.Duration) (Outcome, bool) {
				s := newStage(t, "mine", "FAKE_STDOUT="+tt.stdout)
				s.job.Env = with(s.job.Env, map[string]string{"FAKE_AGENT": "hang"})
				s.job.Idle, s.job.Timeout, s.job.Done = long, 10*time.Minute, tt.done
				out := s.do(Command(s.run, "mine", []string{"mine"}, tt.opts))
				return out, out.Lingered == tt.lingers
			})
			if out.Lingered != tt.lingers || out.TimedOut == tt.lingers {
				t.Errorf("outcome %+v", out)
			}
		})
	}
}

// Files that change in the working directory keep each kind of agent alive.
func TestWorkInFilesIsSeen(t *testing.T) {
	for name, made := range map[string]func(s *stage) Agent{
		"cli":     func(s *stage) Agent { a, _ := Builtin(s.run, "claude", nil, nil); return a },
		"command": func(s *stage) Agent { return Command(s.run, "claude", []string{"claude"}, CommandOptions{}) },
		"script": func(s *stage) Agent {
			s.job.Script = []string{"exec claude < /dev/null"}
			return Script(s.run)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := patiently(func(long time.Duration) (Outcome, bool) {
				s := newStage(t, "claude")
				s.job.Env = with(s.job.Env, map[string]string{"FAKE_AGENT": "files"})
				s.job.Idle, s.job.Timeout = 2*long, 3*long
				out := s.do(made(s))
				return out, out.TimedOut && !out.Idle
			})
			if !out.TimedOut || out.Idle {
				t.Errorf("outcome %+v", out)
			}
		})
	}
}

// Each is stopped by the signal that it cleans up after, and the deadline is reported.
func TestStoppedByItsOwnSignal(t *testing.T) {
	for _, name := range printing() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, said := "stopped by terminated", ""
			if name == "codex" || name == "claude" {
				want = "stopped by interrupt"
			}
			out := patiently(func(long time.Duration) (Outcome, bool) {
				s := newStage(t, Program(name))
				s.job.Env = with(s.job.Env, map[string]string{"FAKE_AGENT": "signal"})
				s.job.Timeout = long
				a, _ := Builtin(s.run, name, nil, nil)
				out := s.do(a)
				said = s.logged()
				return out, strings.Contains(said, want)
			})
			if !out.TimedOut || !strings.Contains(said, want) {
				t.Errorf("outcome %+v with %q, not %q", out, said, want)
			}
		})
	}
}

func TestVoice(t *testing.T) {
	var heard []string
	var silent []time.Duration
	v := voice{show: func(line string, quiet time.Duration) { heard, silent = append(heard, line), append(silent, quiet) }}
	v.quiet(time.Minute)
	v.say("Bash: npm test")
	v.quiet(3 * time.Minute)
	v.quiet(75 * time.Minute)
	v.say(strings.Repeat("x", 300))
	v.quiet(time.Minute)
	last := heard[len(heard)-1]
	if want := []string{"quiet for 1m", "Bash: npm test", "Bash: npm test · quiet for 3m", "Bash: npm test · quiet for 75m"}; !slices.Equal(heard[:4], want) {
		t.Errorf("%q", heard)
	}
	if want := []time.Duration{time.Minute, 0, 3 * time.Minute, 75 * time.Minute, 0, time.Minute}; !slices.Equal(silent, want) {
		t.Errorf("quiet for %v, want %v", silent, want)
	}
	if len(last) > 200 || !strings.HasSuffix(last, " · quiet for 1m") {
		t.Errorf("%d bytes: %q", len(last), last)
	}
	(&voice{}).say("nobody looks")
}

// No agent is able to ask: its stdin is at its end, there is no terminal, and by flag or
// configuration it denies, or allows, each request.
func TestNobodyIsAsked(t *testing.T) {
	unasked := map[string]string{
		"claude": "--permission-mode dontAsk", "codex": `approval_policy="never"`, "gemini": "--skip-trust", "opencode": `"external_directory":"deny"`,
		"qwen": "--approval-mode auto-edit", "copilot": "--no-ask-user", "cursor": "-p", "amp": "-x", "pi": "-p",
	}
	for _, name := range printing() {
		if name == "script" || name == "command" {
			continue
		}
		s := newStage(t, Program(name))
		a, ok := Builtin(s.run, name, nil, nil)
		if !ok {
			t.Fatalf("no agent %s", name)
		}
		s.do(a)
		saw := s.given()
		if text := strings.Join(saw.Argv, " ") + " " + strings.Join(saw.Env, " "); unasked[name] == "" || !strings.Contains(text, unasked[name]) {
			t.Errorf("nothing keeps %s from asking: %s", name, text)
		}
		if saw.Prompt != s.job.Prompt { // it is read to the end of stdin
			t.Errorf("%s was given %q", name, saw.Prompt)
		}
	}
}

// filesAgent prints nothing and changes a file until it gets a polite signal.
func filesAgent(polite <-chan os.Signal) int {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-polite:
			return 0
		case <-tick.C:
			if os.WriteFile(filepath.Join(".", "work.txt"), fmt.Append(nil, n), 0o600) != nil {
				return 99
			}
		}
	}
}

// Work after the event that ends a stream neither takes the end back nor drops what was said. Pi
// alone begins anew, and says so.
func TestWorkAfterTheEnd(t *testing.T) {
	for name, e := range endings {
		if name == "opencode" {
			continue
		}
		var out Outcome
		r, s := specNamed(t, name).reader(), &story{out: &out, now: time.Now, final: ending{limit: maxFinal}}
		for _, line := range []string{e.work, e.end, e.more, e.more, e.work} {
			s.line(r, []byte(line))
			if line != e.work && !s.gone.Load() {
				t.Errorf("%s: after %s it has not ended", name, line)
			}
		}
		if !s.gone.Load() || !strings.HasPrefix(cmp.Or(out.Final, s.final.String()), "done") {
			t.Errorf("%s: gone %t, said %q, %q", name, s.gone.Load(), out.Final, s.final.String())
		}
		s.line(r, []byte(`{"type":"agent_start"}`))
		if s.gone.Load() == (name == "pi") {
			t.Errorf("%s: gone %t after it began anew", name, s.gone.Load())
		}
	}
}
