package orchestrator

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autobuild/failure"
	"autobuild/failure/policy"
	"autobuild/orchestrator/plantest"
	"autobuild/state"
)

// edited makes a phase one whose text has changed since it last started.
func edited(w word) word {
	return func(p *state.Phase) { w(p); p.Fingerprint = "of another text" }
}

// unknown is a phase that the run has never heard of.
func unknown(p *state.Phase) { p.ID = "" }

func landedAs(sha string) word {
	return func(p *state.Phase) { complete(p); p.Commit = &state.Commit{SHA: sha} }
}

func reason(w word, text string) word {
	return func(p *state.Phase) { w(p); p.Reason = text }
}

func cutOff(p *state.Phase) {
	is(state.Running, 1)(p)
	p.Attempts[0].Key = "k1"
}

// landsAs says of every attempt that it landed, with this verdict.
func landsAs(v state.Verdict) func(string, string) (Found, bool) {
	return func(string, string) (Found, bool) {
		return Found{Commit: state.Commit{SHA: "x"}, Verdict: v, Contested: state.ContestedAt([]string{"a_test.go: TestA"})}, true
	}
}

func blockedBy(id string) word {
	return func(p *state.Phase) { p.Status, p.BlockedBy = state.Blocked, id }
}

// The decisions about one phase, alone.
func TestResumePhase(t *testing.T) {
	p := plantest.New(t, "1")
	none := func(string, string) (Found, bool) { return Found{}, false }
	there := func(phase, key string) (Found, bool) {
		if phase != "1" || key != "k1" {
			t.Errorf("asked for attempt %s of phase %s", key, phase)
		}
		return Found{Commit: state.Commit{SHA: "abc"}, Verdict: state.Upgraded}, true
	}
	keyed := func(string, string) (Found, bool) { return Found{Commit: state.Commit{SHA: "abc"}}, true }
	for name, c := range map[string]struct {
		was  word
		past ResumeOptions
		verb Verb
		why  string
	}{
		"never started":              {is(state.Pending, 0), ResumeOptions{}, Begin, "not started yet"},
		"reset by a person":          {reason(is(state.Pending, 0), "reset by hand"), ResumeOptions{}, Begin, "reset by hand"},
		"interrupted":                {is(state.Pending, 1), ResumeOptions{}, Again, "was interrupted"},
		"skipped":                    {reason(is(state.Skipped, 0), "--skip"), ResumeOptions{}, Again, "was left out before"},
		"skipped again":              {is(state.Skipped, 0), ResumeOptions{Skip: map[string]string{"1": "why"}}, Keep, "left out again"},
		"skipped for the first time": {is(state.Failed, 1), ResumeOptions{Skip: map[string]string{"1": "why"}}, Again, "failed"},
		"complete":                   {complete, ResumeOptions{}, Keep, "complete"},
		"complete, commit there":     {landedAs("abc"), ResumeOptions{Present: func(c state.Commit) bool { return c.SHA == "abc" }}, Keep, "complete"},
		"complete, commit gone":      {landedAs("0123456789abcdef"), ResumeOptions{Present: func(state.Commit) bool { return false }}, Again, "its commit 012345678 is not part of the work any more"},
		"complete, nobody looks":     {landedAs("abc"), ResumeOptions{}, Keep, "complete"},
		"complete without commit":    {complete, ResumeOptions{Present: func(state.Commit) bool { return false }}, Keep, "complete"},
		"complete outside git":       {landedAs(""), ResumeOptions{Present: func(state.Commit) bool { return false }}, Keep, "complete"},
		"complete, its key knows":    {landedAs("flipped"), ResumeOptions{Present: func(c state.Commit) bool { return c.SHA == "abc" }, Landed: keyed}, Mend, "complete; its commit was recorded as flipped, which is not part of the work: its attempt's key and git say abc"},
		"complete and edited":        {edited(complete), ResumeOptions{}, Keep, "complete; changed since it completed (--resume=changed runs it again)"},
		"… to be run again":          {edited(complete), ResumeOptions{Rerun: true}, Again, "changed since it completed"},
		"unchanged, with rerun":      {complete, ResumeOptions{Rerun: true}, Keep, "complete"},
		"no fingerprint":             {func(p *state.Phase) { complete(p); p.Fingerprint = "" }, ResumeOptions{Rerun: true}, Keep, "complete"},
		"running":                    {cutOff, ResumeOptions{}, Again, "was running when the run was cut off"},
		"running, nothing landed":    {cutOff, ResumeOptions{Landed: none}, Again, "was running when the run was cut off"},
		"running, landed":            {cutOff, ResumeOptions{Landed: there}, Adopt, "its work had landed when the run was cut off"},
		"failed":                     {is(state.Failed, 1), ResumeOptions{}, Again, "failed"},
		"failed, and it is known":    {lost(1, failure.Fail, failure.FileConflict), ResumeOptions{}, Again, "failed: file_conflict"},
		"blocked":                    {blockedBy("1"), ResumeOptions{}, Again, "was blocked by 1"},
		"blocked by what is gone":    {blockedBy("gone"), ResumeOptions{}, Again, "was blocked by gone"},
		"waiting":                    {waits(0), ResumeOptions{}, Again, "was waiting for a usage limit"},
	} {
		t.Run(name, func(t *testing.T) {
			got := Resume(p, runOf(t, p, map[string]word{"1": c.was}), c.past)
			if len(got) != 1 || got[0].Phase != "1" || got[0].Label != "1" {
				t.Fatalf("decisions %+v", got)
			}
			if got[0].Verb != c.verb || got[0].Reason != c.why {
				t.Errorf("%s: %s; want %s: %s", got[0].Verb, got[0].Reason, c.verb, c.why)
			}
			if c.verb == Adopt && (got[0].Attempt.Commit == nil || got[0].Attempt.Commit.SHA != "abc" || got[0].Attempt.Key != "k1" || got[0].Attempt.Verdict != state.Upgraded) {
				t.Errorf("adopts %+v", got[0].Attempt)
			}
		})
	}
}

// The decision about one phase changes the decisions about its dependents.
func TestResumeTogether(t *testing.T) {
	for name, c := range map[string]struct {
		plan []string
		said map[string]word
		past ResumeOptions
		want []string
	}{
		"what needs a lost commit runs again": {
			said: map[string]word{"1": landedAs("gone"), "2A": landedAs("a"), "2B": landedAs("b")},
			past: ResumeOptions{Present: func(c state.Commit) bool { return c.SHA != "gone" }},
			want: []string{
				"1 again: its commit gone is not part of the work any more", "2A again: needs 1, which runs again",
				"2B again: needs 1, which runs again", "3 begin: not started yet",
			},
		},
		"… and so does what needs that": {
			plan: []string{"1", "2: 1", "3: 2"}, said: map[string]word{"1": is(state.Failed, 1), "2": complete, "3": complete},
			want: []string{"1 again: failed", "2 again: needs 1, which runs again", "3 again: needs 2, which runs again"},
		},
		"what needs a phase that is new in the plan runs again": {
			plan: []string{"1", "2: 1"}, said: map[string]word{"1": unknown, "2": complete},
			want: []string{"1 begin: new in the plan", "2 again: needs 1, which runs again"},
		},
		"one edit does not pull the rest along unless asked": {
			said: map[string]word{"1": edited(complete), "2A": complete, "2B": is(state.Failed, 1)},
			want: []string{
				"1 keep: complete; changed since it completed (--resume=changed runs it again)", "2A keep: complete", "2B again: failed", "3 begin: not started yet",
			},
		},
		"… and when asked, it does": {
			said: map[string]word{"1": edited(complete), "2A": complete, "2B": complete}, past: ResumeOptions{Rerun: true},
			want: []string{
				"1 again: changed since it completed", "2A again: needs 1, which runs again", "2B again: needs 1, which runs again", "3 begin: not started yet",
			},
		},
		"a need that the edit of a complete phase added does not undo it": {
			plan: []string{"1", "2: 1"}, said: map[string]word{"2": edited(complete)},
			want: []string{"1 begin: not started yet", "2 keep: complete; changed since it completed (--resume=changed runs it again)"},
		},
		"… even if nobody knew that need": {
			plan: []string{"1", "2: 1"}, said: map[string]word{"1": unknown, "2": edited(complete)},
			want: []string{"1 begin: new in the plan", "2 keep: complete; changed since it completed (--resume=changed runs it again)"},
		},
		"… but one that has failed since does": {
			plan: []string{"1", "2: 1"}, said: map[string]word{"1": is(state.Failed, 1), "2": edited(complete)},
			want: []string{"1 again: failed", "2 again: needs 1, which runs again"},
		},
		"a need that was new without an edit undoes it": {
			plan: []string{"1", "2: 1"}, said: map[string]word{"2": complete},
			want: []string{"1 begin: not started yet", "2 again: needs 1, which runs again"},
		},
		"what had been left out before holds back nobody": {
			plan: []string{"1", "2: 1"}, said: map[string]word{"1": is(state.Skipped, 0), "2": complete},
			want: []string{"1 again: was left out before", "2 keep: complete"},
		},
		"… nor when it is left out again": {
			plan: []string{"1", "2: 1"}, said: map[string]word{"1": is(state.Skipped, 0), "2": complete}, past: ResumeOptions{Skip: map[string]string{"1": "why"}},
			want: []string{"1 keep: left out again", "2 keep: complete"},
		},
		"what was adopted is complete for those that need it": {
			plan: []string{"1", "2: 1"}, said: map[string]word{"1": cutOff, "2": complete},
			past: ResumeOptions{Landed: landsAs("")},
			want: []string{"1 adopt: its work had landed when the run was cut off", "2 keep: complete"},
		},
		"needs are looked at first, wherever they stand": {
			plan: []string{"2: 1", "1"}, said: map[string]word{"2": complete},
			want: []string{"2 again: needs 1, which runs again", "1 begin: not started yet"},
		},
		"blocked by a label, not an id": {
			said: map[string]word{"1": complete, "2A": lost(2, failure.Fail, failure.TestFailure), "2B": complete, "3": blockedBy("2a")},
			want: []string{"1 keep: complete", "2A again: failed: test_failure", "2B keep: complete", "3 again: was blocked by 2A"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			lines := c.plan
			if lines == nil {
				lines = diamond
			}
			p := plantest.New(t, lines...)
			var got []string
			for _, d := range Resume(p, runOf(t, p, c.said), c.past) {
				got = append(got, d.Label+" "+string(d.Verb)+": "+d.Reason)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("decisions (-want +got):\n%s", diff)
			}
		})
	}
}

func TestResumeNewPhase(t *testing.T) {
	old := runOf(t, plantest.New(t, "1"), map[string]word{"1": complete})
	got := Resume(plantest.New(t, "1", "2: 1"), old, ResumeOptions{})
	if len(got) != 2 || got[1].Verb != Begin || got[1].Reason != "new in the plan" {
		t.Errorf("decisions %+v", got)
	}
}

// The events of a session make the run what the decisions say.
func TestSessionEvents(t *testing.T) {
	for given, want := range map[state.Verdict]state.Verdict{state.Verified: state.Verified, "": state.Unverified} {
		t.Run("landed "+string(given), func(t *testing.T) { checkSession(t, given, want) })
	}
}

func checkSession(t *testing.T, verdict, want state.Verdict) {
	t.Helper()
	p := plantest.New(t, "1", "2", "3", "4", "5")
	run := runOf(t, p, map[string]word{"1": complete, "2": cutOff, "3": is(state.Failed, 1), "4": is(state.Pending, 0)})
	past := ResumeOptions{Landed: landsAs(verdict)}
	s := Session{
		Config: state.Config{RunID: "r1"}, Decisions: Resume(p, run, past),
		Skip:    map[string]string{"4": "left out", "1": "left out, but complete", "2": "left out, but adopted"},
		Notices: []string{"git is old"},
	}
	var words []string
	for _, e := range s.Events(p, Options{Policy: policy.Single{}}) {
		if err := run.Apply(e); err != nil {
			t.Fatalf("%s: %v", e.Type, err)
		}
		words = append(words, strings.Join(strings.Fields(string(e.Type)+" "+e.Phase+" "+e.Text), " "))
	}
	story := []string{"run.started", "attempt.finished 2", "phase.reset 3 failed", "phase.skipped 4 left out", "notice git is old"}
	if diff := cmp.Diff(story, words); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if got, want := statuses(run), []state.Status{state.Complete, state.Complete, state.Pending, state.Skipped, state.Pending}; !slices.Equal(got, want) {
		t.Errorf("statuses %q, want %q", got, want)
	}
	adopted, _ := run.Phases[1].Last()
	if adopted.Verdict != want || run.Phases[1].Commit == nil || len(adopted.Warnings) != 1 || len(adopted.Referee) != 1 || adopted.Referee[0].Test != "TestA" {
		t.Errorf("adopted as %+v", adopted)
	}
	if run.Phases[2].MaxAttempts != 2 || run.Phases[2].Was != state.Failed {
		t.Errorf("reset to %+v", run.Phases[2])
	}
}

func TestReset(t *testing.T) {
	p := plantest.New(t, "1")
	run := runOf(t, p, map[string]word{"1": cutOff})
	run.Seq = 7
	sink := &heard{}
	if err := Reset(run, sink, "1", "reset by hand", noon); err != nil {
		t.Fatal(err)
	}
	if q := run.Phases[0]; q.Status != state.Pending || q.Reason != "reset by hand" || run.Seq != 8 {
		t.Errorf("phase %+v at %d", q, run.Seq)
	}
	if e := sink.events[0]; e.Seq != 8 || e.V != state.EventVersion || e.Run != "r1" || !e.Time.Equal(noon) || !e.User || e.Label != "1" || e.Status != state.Pending {
		t.Errorf("event %+v", e)
	}
	if err := Reset(run, sink, "9", "why", noon); err == nil || len(sink.events) != 1 {
		t.Errorf("an unknown phase was reset: %v", err)
	}
}
