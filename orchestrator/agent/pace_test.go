package agent

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"autobuild/internal/proc"
)

// The same step again and again ends a run, unless it changes files.
func TestCircles(t *testing.T) {
	for _, works := range []bool{false, true} {
		var out Outcome
		stopped, files := false, uint64(0)
		s := &story{out: &out, stop: func() { stopped = true }}
		s.files = func() uint64 {
			if works {
				files++
			}
			return files
		}
		for range 5 * maxStale {
			s.step("bash: ./next.sh")
		}
		if stopped == works || (out.Kind == Loop) == works {
			t.Errorf("works %t: stopped %t, %+v", works, stopped, out)
		}
	}
}

// TestCirclesWithTalk: the same few calls end an attempt, also with text between them and with
// other remarks. Further kinds of calls, and files that change, do not.
func TestCirclesWithTalk(t *testing.T) {
	for name, tt := range map[string]struct {
		calls int
		works bool
		loops bool
	}{
		"one call": {1, false, true}, "two": {2, false, true}, "three": {3, false, true},
		"many calls": {50, false, false}, "files change": {2, true, false},
	} {
		var out Outcome
		files, stopped := uint64(0), 0
		s := &story{out: &out, final: ending{limit: maxFinal}, now: func() time.Time { return noon }}
		s.files = func() uint64 {
			if tt.works {
				files++
			}
			return files
		}
		s.stop = func() { stopped++ }
		s.tool("Write", json.RawMessage(`{"file_path":"a.go"}`))
		for i := range 2*maxSame + 1 {
			s.say(fmt.Sprintf("Now for the %dth idea.", i), false)
			s.tool("Bash", json.RawMessage(fmt.Sprintf(`{"command":"make %d","description":"try %d"}`, i%tt.calls, i)))
		}
		if (stopped == 1) != tt.loops || (out.Kind == Loop) != tt.loops {
			t.Errorf("%s: stopped %d times, %+v", name, stopped, out)
		}
	}
}

// An agent whose events do not say why it waits may have said it to people.
func TestWhyItWaits(t *testing.T) {
	retry := `{"type":"system","subtype":"retry","data":{"delayMs":60000}}` + "\n"
	said := "Retrying in 60s (attempt 1/10): [API Error: 429 You have reached your usage limit. Please try again in 1 hour.]\nRetrying provider attempt.\nOperation cancelled.\n"
	for name, tt := range map[string]struct {
		stdout string
		exit   proc.Exit
		kind   string
	}{
		"stopped":     {strings.Replace(retry, "60000", "600000", 1), proc.Exit{Code: 1, Ended: proc.Exited, Tail: said}, UsageLimit},
		"ended":       {retry, proc.Exit{Code: 1, Ended: proc.Exited, Tail: said}, UsageLimit},
		"not a word":  {retry, proc.Exit{Code: 1, Ended: proc.Exited, Tail: "Retrying\n"}, Failed},
		"other words": {retry, proc.Exit{Code: 1, Ended: proc.Exited, Tail: "Error: 529 Overloaded\n"}, Transient},
	} {
		out := replay(specNamed(t, "qwen"), tt.stdout, tt.exit, 1<<16)
		if out.Kind != tt.kind || tt.kind == UsageLimit && out.Until.Sub(noon) != time.Hour {
			t.Errorf("%s: %q until %s: %s", name, out.Kind, out.Until, out.Message)
		}
	}
}
