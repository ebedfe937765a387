package agent

import (
	"testing"
	"time"

	"autobuild/internal/proc"
)

// TestCodexWithoutNetwork proves that its endless waiting for a network ends: not at once, and not
// when it has come back.
func TestCodexWithoutNetwork(t *testing.T) {
	const waits = `{"type":"error","message":"Reconnecting... waiting for network (no route)"}`
	const works = `{"type":"item.completed","item":{"type":"reasoning"}}`
	present, stopped := noon, 0
	r, out := new(turns), new(Outcome)
	s := &story{out: out, final: ending{limit: maxFinal}, now: func() time.Time { return present }, stop: func() { stopped++ }}
	say := func(after time.Duration, line string) {
		present = present.Add(after)
		s.line(r, []byte(line))
	}
	say(0, waits)
	say(patience, waits)
	say(time.Second, works)
	say(patience, waits)
	if say(patience, waits); stopped != 0 {
		t.Fatalf("it was stopped too early: %+v", out)
	}
	if say(time.Second, waits); stopped != 1 || out.Kind != Transient || out.Message == "" {
		t.Errorf("stopped %d times: %+v", stopped, out)
	}
}

// TestCodexAsleep proves that a silence that began with asking again is no hang, and that any other
// is.
func TestCodexAsleep(t *testing.T) {
	const again = `{"type":"error","message":"Reconnecting... 1/5 (exceeded retry limit, last status: 429 Too Many Requests)"}`
	const works = `{"type":"item.completed","item":{"type":"reasoning"}}`
	for _, c := range []struct {
		law   string
		said  []string
		idle  bool
		wants string
	}{
		{"it sleeps until its provider is ready", []string{again}, true, Transient},
		{"it got through, and hangs", []string{again, works}, true, ""},
		{"its time is up, and it has only asked again", []string{again}, false, Transient},
		{"its time is up, and it has worked", []string{works, again}, false, ""},
	} {
		r, out := new(turns), &Outcome{TimedOut: true, Idle: c.idle}
		s := &story{out: out, final: ending{limit: maxFinal}, now: func() time.Time { return noon }}
		for _, line := range c.said {
			s.line(r, []byte(line))
		}
		s.settle(r.end, proc.Exit{})
		if out.Kind != c.wants || out.TimedOut == (c.wants == Transient) {
			t.Errorf("%s: %+v", c.law, out)
		}
	}
}

func TestShellLess(t *testing.T) {
	for in, want := range map[string]string{
		`/bin/bash -lc 'go test ./...'`: "go test ./...",
		`bash -lc "make"`:               "make",
		`/usr/bin/zsh -lc ls`:           "ls",
		`echo bash -lc x`:               "echo bash -lc x",
		`make`:                          "make",
	} {
		if got := shellLess(in); got != want {
			t.Errorf("%q became %q, not %q", in, got, want)
		}
	}
}
