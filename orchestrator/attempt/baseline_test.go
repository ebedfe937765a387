package attempt

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"autobuild/failure"
	"autobuild/state"
)

func tests(names ...string) state.Gate {
	g := state.Gate{Name: "test", Kind: "test", Command: "go test ./...", Status: state.GateFailed, Exit: 1, Failed: len(names), Tail: "FAIL"}
	for i, n := range names {
		g.Tests = append(g.Tests, state.Test{Name: n, File: "a_test.go", Line: 10 + i})
	}
	return g
}

// counted is a failure of which only the number is known; 0: not even that.
func counted(n int) state.Gate {
	g := tests()
	g.Failed = n
	return g
}

func places(messages ...string) state.Gate {
	g := tests()
	g.Failed = len(messages)
	for i, m := range messages {
		g.Places = append(g.Places, state.Place{File: "a.go", Line: i, Col: i, Message: m})
	}
	return g
}

func timedOut(g state.Gate) state.Gate { g.Status = state.GateTimeout; return g }

func of(kind string, g state.Gate) state.Gate { g.Kind = kind; return g }

func TestCompare(t *testing.T) {
	for name, c := range map[string]struct {
		before, now state.Gate
		want        state.Comparison
	}{
		"the same tests":                      {tests("A", "B"), tests("B", "A"), state.NotWorse},
		"fewer tests":                         {tests("A", "B"), tests("B"), state.NotWorse},
		"a new test beside old ones":          {tests("A", "B"), tests("A", "B", "C"), ""},
		"as many tests, one of them another":  {tests("A", "B"), tests("A", "C"), ""},
		"the same findings, lines have moved": {of("lint", places("x", "y")), of("lint", places("y", "x")), state.NotWorse},
		"the same finding in another worktree": {
			of("lint", places("redeclared, see /home/me/x/.autobuild/worktrees/.sample/a.go:5:6", "x")),
			of("lint", places("x", "redeclared, see /home/me/x/.autobuild/worktrees/2b/a.go:17:6")), state.NotWorse,
		},
		"the same finding, once more":           {of("lint", places("x")), of("lint", places("x", "x")), ""},
		"tests did not run, and fail now":       {places("undefined: x"), tests("A"), ""},
		"tests failed, and do not even run now": {tests("A"), places("undefined: x"), ""},
		"as many, names unknown":                {counted(3), counted(3), state.NotWorse},
		"more, names unknown":                   {counted(3), counted(4), ""},
		"named now, as many as before":          {counted(2), tests("A", "B"), state.NotWorse},
		"nothing is known":                      {counted(0), counted(0), state.NotComparable},
		"findings where nothing was known":      {counted(0), tests("A"), ""},
		"nothing is known where findings were":  {tests("A"), counted(0), ""},
		"late, and was not":                     {tests("A"), timedOut(counted(0)), ""},
		"late, and was":                         {timedOut(counted(0)), timedOut(counted(0)), state.NotComparable},
		"fails in time, and was late":           {timedOut(counted(0)), tests("A"), state.NotComparable},
		"too many to be named, as many":         {tests(many(maxNamed)...), tests(append(many(maxNamed-1), "other")...), state.NotWorse},
		"one more than could be named":          {tests(many(maxNamed)...), func() state.Gate { g := tests(many(maxNamed)...); g.Failed++; return g }(), ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := compare(c.before, c.now); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func many(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("T%02d", i)
	}
	return names
}

// Whatever failed: a gate is never worse than itself, one more name is always worse, and one less
// never is.
func TestCompareLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[A-Z]{1,3}`), 1, maxNamed-2, rapid.ID).Draw(t, "names")
		g := tests(names...)
		if compare(g, g) != state.NotWorse {
			t.Error("worse than itself")
		}
		if compare(g, tests(append(slices.Clone(names), "new")...)) != "" {
			t.Error("one more is not worse")
		}
		if compare(tests(append(slices.Clone(names), "old")...), g) != state.NotWorse {
			t.Error("one less is worse")
		}
	})
}

// A phase answers for what it made worse, and for that alone.
func TestBaseline(t *testing.T) {
	other := state.Gate{Name: "lint", Kind: "lint", Command: "go test ./...", Status: state.GatePassed}
	for name, c := range map[string]struct {
		before, now state.Gate
		verdict     state.Verdict
		warning     string
	}{
		"nothing new":     {tests("A", "B"), tests("A"), state.Verified, "test fails as it did before, and nothing new (1 found, 2 before)"},
		"cannot be told":  {counted(0), counted(0), state.Unverified, "counts neither for nor against"},
		"it passed":       {other, tests("A"), state.Refused, ""},
		"something new":   {tests("A", "B"), tests("A", "C"), state.Refused, "only what is new is held against the work"},
		"without a word":  {state.Gate{Name: "test", Command: "go test ./...", Status: state.GateFailed}, counted(0), state.Refused, ""},
		"another command": {func() state.Gate { g := tests("A"); g.Command = "make test"; return g }(), tests("A"), state.Refused, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.runner.Baseline = NewBaseline([]state.Gate{c.before})
			b.checks.gates = map[string]state.Gate{"test": c.now}
			if c.verdict != state.Refused {
				got := b.lands(c.verdict)
				if !strings.Contains(strings.Join(got.Warnings, "\n"), c.warning) {
					t.Errorf("warnings %q, want %q", got.Warnings, c.warning)
				}
				return
			}
			got, d := b.fails()
			if !strings.Contains(strings.Join(got.Warnings, "\n"), c.warning) {
				t.Errorf("warnings %q, want %q", got.Warnings, c.warning)
			}
			if name == "something new" && (len(d.Tests) != 1 || d.Tests[0].Name != "C" || d.Count != 1) {
				t.Errorf("held against it: %d, %+v; want C alone", d.Count, d.Tests)
			}
			if len(got.Gates[0].Tests) != len(c.now.Tests) {
				t.Errorf("recorded are %d tests, want all %d", len(got.Gates[0].Tests), len(c.now.Tests))
			}
		})
	}
}

// What a landed phase has mended stays mended: the next one answers for it. Landings may report in
// any order.
func TestBaselineShrinks(t *testing.T) {
	b := newBench(t)
	var saved []string
	b.runner.Baseline = NewBaseline([]state.Gate{tests("A", "B", "C")})
	b.runner.Baseline.Save = func(_ context.Context, commit string, failed []state.Gate) {
		saved = append(saved, commit+" "+strings.Join(namesOf(failed), ","))
	}
	b.checks.gates = map[string]state.Gate{"test": tests("A", "B")}
	b.lands(state.Verified)
	if got := namesOf(b.runner.Baseline.Failed()); !slices.Equal(got, []string{"A", "B"}) {
		t.Errorf("after a landing %q fail, want A and B", got)
	}
	if !slices.Equal(saved, []string{"abc123 A,B"}) {
		t.Errorf("saved %q", saved)
	}
	b.checks.gates = map[string]state.Gate{"test": tests("A", "C")}
	if _, d := b.fails(); len(d.Tests) != 1 || d.Tests[0].Name != "C" {
		t.Errorf("held against it: %+v, want C", d.Tests)
	}
	b.checks.gates = nil
	b.lands(state.Verified)
	stale := tests("A")
	stale.Before = state.NotWorse
	b.runner.Baseline.landed(t.Context(), "", []state.Gate{stale})
	if got := b.runner.Baseline.Failed(); len(got) != 0 {
		t.Errorf("mended, and yet %+v", got)
	}
}

func namesOf(gates []state.Gate) []string {
	var names []string
	for _, g := range gates {
		for _, test := range g.Tests {
			names = append(names, test.Name)
		}
	}
	return names
}

// On merged content the line counts as it stands then: what a sibling has mended meanwhile is not
// broken again.
func TestBaselineAtLanding(t *testing.T) {
	b := newBench(t)
	base := NewBaseline([]state.Gate{tests("A")})
	b.runner.Baseline, b.space.again = base, true
	b.checks.gates = map[string]state.Gate{"test": tests("A")}
	b.checks.landing = map[string]state.Gate{"test": tests("A")}
	b.agent.does = func(ctx context.Context, _ Job) {
		base.landed(ctx, "sibling", []state.Gate{{Name: "test", Command: "go test ./...", Status: state.GatePassed}})
	}
	_, d := b.fails()
	if d.Type != failure.VerificationMismatch || len(d.Tests) != 1 {
		t.Errorf("%s: %s", d.Type, d.Message)
	}
}

// Old failures do not keep a flaky test from being told: it passes, beside them, when it is asked
// again.
func TestFlakyBesideOldFailures(t *testing.T) {
	b, v := doubtful(t)
	b.runner.Baseline = NewBaseline([]state.Gate{func() state.Gate { g := tests("A"); g.Command = ""; return g }()})
	v.gates = map[string]state.Gate{"test": tests("A", "B")}
	v.second = map[string]state.Gate{"test": tests("A")}
	got := b.lands(state.Verified)
	if !slices.ContainsFunc(got.Warnings, func(w string) bool { return strings.Contains(w, "flaky") }) {
		t.Errorf("warnings %q do not say that the test is flaky", got.Warnings)
	}
}

// The agent hears what fails without its work.
func TestPromptTellsBaseline(t *testing.T) {
	b := newBench(t)
	b.runner.Baseline = NewBaseline([]state.Gate{tests("A", "B")})
	b.lands(state.Verified)
	if want := "test fails already, without your work (2 found)"; !strings.Contains(b.agent.job.Prompt, want) {
		t.Errorf("the prompt does not say %q", want)
	}
}

// Work waits for a place to be judged in, says so, and gives it back after it has landed; an
// attempt that is stopped while it waits runs nothing.
func TestBench(t *testing.T) {
	b := newBench(t)
	b.space.bench = func(waiting func()) error { waiting(); return nil }
	b.checks.during = func() {
		if b.space.taken != 1 {
			t.Errorf("gates run with %d places", b.space.taken)
		}
	}
	b.space.whileLanding = b.checks.during
	b.lands(state.Verified)
	if b.space.taken != 0 {
		t.Errorf("%d places were not given back", b.space.taken)
	}
	if !slices.ContainsFunc(b.events, func(e state.Event) bool {
		return e.Type == state.Activity && strings.HasPrefix(e.Text, "waiting for the gates")
	}) {
		t.Error("no event says that the phase waits")
	}
	b.space.bench = func(func()) error { return context.Canceled }
	b.checks.prefixes = nil
	if _, err := b.attempt(); err == nil || len(b.checks.prefixes) > 0 {
		t.Errorf("stopped while waiting: %v, and ran %q", err, b.checks.prefixes)
	}
}

// An attempt's agent and its gates have temporary files of their own each, which are given back
// however the attempt ends.
func TestPrivate(t *testing.T) {
	b := newBench(t)
	own, left := &fakeVerifier{}, 0
	b.runner.Private = func(string) (Private, error) {
		return Private{Vars: map[string]string{"TMPDIR": "/tmp/mine"}, Verifier: own, Leave: func() { left++ }}, nil
	}
	b.lands(state.Verified)
	if got, _ := b.agent.env("TMPDIR"); got != "/tmp/mine" {
		t.Errorf("the agent's TMPDIR is %q", got)
	}
	if len(own.prefixes) == 0 || len(b.checks.prefixes) > 0 {
		t.Errorf("gates ran with what is everybody's: %q", b.checks.prefixes)
	}
	own.gates = map[string]state.Gate{"test": failing}
	b.fails()
	if left != 4 {
		t.Errorf("given back %d times, want for agent and gates of each attempt", left)
	}
	if b.runner.Vars != nil {
		t.Errorf("one attempt's variables are everybody's: %v", b.runner.Vars)
	}
}

// Whatever phases mend, and in whatever order they report: what is left is what all of them have
// left, and nothing comes back.
func TestBaselineShrinksInAnyOrder(t *testing.T) {
	ctx := t.Context()
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[A-Z]{1,2}`), 1, 12, rapid.ID).Draw(t, "names")
		left := slices.Clone(names)
		var landings [][]state.Gate
		for range rapid.IntRange(1, 5).Draw(t, "landings") {
			fails := slices.DeleteFunc(slices.Clone(names), func(string) bool { return rapid.Bool().Draw(t, "mended") })
			g := tests(fails...)
			g.Before = state.NotWorse
			if len(fails) == 0 {
				g = state.Gate{Name: g.Name, Command: g.Command, Status: state.GatePassed}
			}
			landings = append(landings, []state.Gate{g})
			left = slices.DeleteFunc(left, func(n string) bool { return !slices.Contains(fails, n) })
		}
		for range 3 {
			b := NewBaseline([]state.Gate{tests(names...)})
			for _, gates := range rapid.Permutation(landings).Draw(t, "order") {
				before := b.Failed()
				b.landed(ctx, "", gates)
				if len(namesOf(b.Failed())) > len(namesOf(before)) {
					t.Fatal("it grew")
				}
			}
			if got := namesOf(b.Failed()); !slices.Equal(got, left) || len(left) == 0 && len(b.Failed()) > 0 {
				t.Fatalf("left %q, want %q", got, left)
			}
		}
	})
}
