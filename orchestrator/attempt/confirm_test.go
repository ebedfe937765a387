package attempt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"autobuild/failure"
	"autobuild/orchestrator/verify/referee"
	"autobuild/plan"
	"autobuild/state"
)

// wavering is a verifier whose gates fail at first, and the second time do what the test says.
type wavering struct {
	fakeVerifier
	second map[string]state.Gate
	merged map[string]state.Gate // the second time on merged content
	err    error
	asked  [][]string // names of gates, call by call
}

func (v *wavering) Judge(ctx context.Context, at referee.Shown, prefix string, specs []state.GateSpec, each func(state.Gate)) (referee.Outcome, error) {
	var names []string
	for _, s := range specs {
		names = append(names, s.Name)
	}
	v.asked = append(v.asked, names)
	if strings.HasSuffix(prefix, ".confirm") {
		again := fakeVerifier{gates: v.second, err: v.err}
		if strings.HasSuffix(prefix, ".landing.confirm") {
			again.gates = v.merged
		}
		out, err := again.Judge(ctx, at, prefix, specs, each)
		v.prefixes = append(v.prefixes, prefix)
		return out, err
	}
	return v.fakeVerifier.Judge(ctx, at, prefix, specs, each)
}

// doubtful is a bench whose test gate fails at its last attempt; the second run passes unless a
// test says otherwise.
func doubtful(t *testing.T) (*bench, *wavering) {
	t.Helper()
	b := newBench(t)
	v := &wavering{fakeVerifier: fakeVerifier{gates: map[string]state.Gate{"test": failing}}}
	b.runner.Verifier, b.task.Last = v, true
	b.runner.Gates = func(string, plan.Phase) []state.GateSpec {
		return []state.GateSpec{
			{Name: "lint", Kind: "lint", Source: "config"}, {Name: "test", Kind: "test", Source: "config"}, {Name: "smoke", Kind: "custom", Source: "config"},
		}
	}
	return b, v
}

// A test that fails and then passes on the same content refuses nobody: it is recorded in both of
// its runs, and told.
func TestFlaky(t *testing.T) {
	for name, given := range map[string]func(b *bench){
		"at the last attempt": func(*bench) {},
		"to learn from it":    func(b *bench) { b.task.Last, b.runner.Discover = false, true },
		"it may be the last":  func(b *bench) { b.task.Last, b.task.Attempt, b.runner.Doubt = false, 2, true },
		"of an own kind": func(b *bench) {
			v := b.runner.Verifier.(*wavering) //nolint:errcheck,forcetypeassert // the fixture's own
			v.gates = map[string]state.Gate{"test": failing, "smoke": failing}
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, v := doubtful(t)
			given(b)
			got := b.lands(state.Verified)
			var runs []string
			for _, g := range got.Gates {
				if g.Name == "test" {
					runs = append(runs, string(g.Status))
					if !g.Flaky {
						t.Errorf("a run of the gate is not called flaky: %+v", g)
					}
				} else if g.Name == "lint" && g.Flaky {
					t.Error("lint is called flaky")
				}
			}
			if !slices.Equal(runs, []string{"failed", "passed"}) {
				t.Errorf("recorded runs %q", runs)
			}
			if !slices.Contains(got.Warnings, "test failed once and passed on the same content: flaky (TestUsers)") {
				t.Errorf("warnings %q", got.Warnings)
			}
			if !slices.Contains(v.prefixes, fmt.Sprintf("phase-2a.%d.confirm", b.task.Attempt)) || len(v.asked) != 2 || slices.Contains(v.asked[1], "lint") {
				t.Errorf("logs %q, asked for %q", v.prefixes, v.asked)
			}
			if !slices.ContainsFunc(b.events, func(e state.Event) bool { return e.Type == state.Notice && strings.Contains(e.Text, "once more") }) {
				t.Error("nobody is told that a gate runs again")
			}
		})
	}
}

// Where asking again changes nothing, or is not worth it, nothing runs again.
func TestNotConfirmed(t *testing.T) {
	timeout := state.Gate{Status: state.GateTimeout}
	for name, given := range map[string]func(b *bench, v *wavering){
		"another attempt follows": func(b *bench, _ *wavering) { b.task.Last = false },
		"it is the first of many": func(b *bench, _ *wavering) { b.task.Last, b.runner.Doubt = false, true },
		"a linter refuses too":    func(_ *bench, v *wavering) { v.gates["lint"] = failing },
		"only a linter refuses":   func(_ *bench, v *wavering) { v.gates = map[string]state.Gate{"lint": failing} },
		"it ran out of time":      func(_ *bench, v *wavering) { v.gates["test"] = timeout },
		"its tool is missing":     func(_ *bench, v *wavering) { v.gates["smoke"] = state.Gate{Status: state.GateNotAvailable} },
	} {
		t.Run(name, func(t *testing.T) {
			b, v := doubtful(t)
			given(b, v)
			b.fails()
			if len(v.asked) != 1 {
				t.Errorf("gates ran %d times: %q", len(v.asked), v.asked)
			}
		})
	}
}

// What fails twice is believed; what of it wavered is said with it.
func TestConfirmed(t *testing.T) {
	b, v := doubtful(t)
	v.gates["smoke"] = failing
	v.second = map[string]state.Gate{"smoke": failing}
	got, d := b.fails()
	if d.Gate != "smoke" || slices.ContainsFunc(got.Gates, func(g state.Gate) bool { return g.Flaky && g.Name != "test" }) {
		t.Errorf("gate %q, %+v", d.Gate, got.Gates)
	}
	if n := len(got.Gates); n != 5 {
		t.Errorf("%d runs are recorded, want 3 and 2", n)
	}
	if len(v.asked) != 2 {
		t.Errorf("gates ran %d times", len(v.asked))
	}
}

// On merged content a failure may be chance as well.
func TestFlakyLanding(t *testing.T) {
	b, v := doubtful(t)
	v.gates, v.landing, b.space.again = nil, map[string]state.Gate{"test": failing}, true
	got := b.lands(state.Verified)
	last := got.Gates[len(got.Gates)-1]
	if !last.Flaky || !last.Landing || !slices.Contains(v.prefixes, "phase-2a.1.landing.confirm") {
		t.Errorf("last run %+v, logs %q", last, v.prefixes)
	}
}

// What wavered before and fails on merged content, twice, fails; that it wavered is known of it.
func TestFlakyThenFailing(t *testing.T) {
	b, v := doubtful(t)
	v.landing, v.merged, b.space.again = map[string]state.Gate{"test": failing}, map[string]state.Gate{"test": failing}, true
	if _, d := b.fails(); d.Gate != "test" || !d.Flaky {
		t.Errorf("gate %q, flaky %t", d.Gate, d.Flaky)
	}
}

// Machinery that breaks on the second run says so.
func TestConfirmBreaks(t *testing.T) {
	b, v := doubtful(t)
	v.err = errors.New("disk full")
	if _, err := b.attempt(); err == nil || !strings.Contains(err.Error(), "running the gates: disk full") {
		t.Errorf("Attempt = %v", err)
	}
}

// memory is a knowledge base of one entry.
type memory struct {
	match   *failure.Match
	lessons []failure.Lesson
	prevent []string
	asked   []failure.Diagnosis
	last    *failure.Diagnosis
}

func (m *memory) Match(d failure.Diagnosis) *failure.Match {
	m.asked = append(m.asked, d)
	return m.match
}

func (m *memory) Relevant(_ plan.Phase, last *failure.Diagnosis) []failure.Lesson {
	m.last = last
	return m.lessons
}

func (m *memory) Prevent(plan.Phase) []string { return m.prevent }

// What is known is matched with the finished diagnosis, told to the agent with what failed last,
// and run before it begins.
func TestMemory(t *testing.T) {
	b := newBench(t)
	m := &memory{match: &failure.Match{Name: "clock"}, lessons: make([]failure.Lesson, 2*maxLessons), prevent: []string{"npm ci"}}
	m.lessons[0] = failure.Lesson{Name: "clock", Trigger: "got 11:00", Fix: "set TZ"}
	m.lessons[maxLessons].Name = "one-too-many"
	last := state.Attempt{N: 1, Failure: &failure.Diagnosis{Type: failure.TestFailure, Message: "TestUsers failed"}}
	b.runner.Memory, b.task.Attempt, b.task.Earlier = m, 2, []state.Attempt{last}
	b.checks.gates = map[string]state.Gate{"test": failing}
	_, d := b.fails()
	if d.Match == nil || d.Match.Name != "clock" || len(m.asked) != 1 || m.asked[0].Fingerprint == "" {
		t.Errorf("match %+v after %d questions", d.Match, len(m.asked))
	}
	if m.last != last.Failure || !strings.Contains(b.agent.job.Prompt, "clock: when got 11:00 → set TZ") || strings.Contains(b.agent.job.Prompt, "one-too-many") {
		t.Errorf("asked with %+v; the prompt says %s", m.last, b.agent.job.Prompt)
	}
	if !slices.Equal(b.checks.commands, []string{"npm ci"}) || !slices.Contains(b.checks.prefixes, "phase-2a.2.prevent.setup") {
		t.Errorf("ran %q with logs %q", b.checks.commands, b.checks.prefixes)
	}
}

// A remedy that fails is told apart from the plan's own setup.
func TestPreventFails(t *testing.T) {
	b := newBench(t)
	b.runner.Memory = &memory{prevent: []string{"npm ci"}}
	b.checks.setup = &state.Gate{Name: "setup", Command: "npm ci", Status: state.GateFailed, Exit: 1}
	got, d := b.fails()
	if d.Type != failure.SetupFailure || !strings.Contains(strings.Join(got.Warnings, "\n"), "the knowledge base has it run before this phase (npm ci)") {
		t.Errorf("%s: %s; %q", d.Type, d.Message, got.Warnings)
	}
	if b.agent.job.Prompt != "" {
		t.Error("the agent was started nevertheless")
	}
}

// Paths that something did not find are looked for: those that are named and taken for granted, and
// that lie in the tree. Those that the phase is to make are not: its section says so, a gate asks
// for them, or the agent claims them.
func TestNear(t *testing.T) {
	b := newBench(t)
	write(t, b.dir+"/here.sql", "x")
	b.task.Phase.Prerequisites.Files = []string{"schema.sql", "here.sql", "../elsewhere.sql"}
	b.task.Phase.Files.Existing = []string{"src/old.go"}
	b.says(`"status": "complete", "tasks": {"total": 2, "completed": 2}, "files": {"created": ["CLAUDE.md"], "modified": ["old.md"]}`)
	b.checks.gates = map[string]state.Gate{"test": {Status: state.GateFailed, Exit: 1, Tail: "cat: data/users.json: No such file or directory\ncat: docs/REPORT.md: No such file or directory\n"}}
	b.task.Phase.Text += "\n- [ ] Create docs/REPORT.md\n"
	var sought []string
	b.runner.Near = func(_ context.Context, dir, path string) []string {
		if dir != b.dir {
			t.Errorf("looked in %s", dir)
		}
		if sought = append(sought, path); path == "schema.sql" {
			return nil
		}
		return slices.Repeat([]string{"near/" + path}, 2*maxNear)
	}
	_, d := b.fails()
	if want := []string{"old.md", "data/users.json", "schema.sql", "src/old.go"}; !slices.Equal(sought, want) {
		t.Errorf("sought %q, want %q", sought, want)
	}
	if len(d.Near) == 0 || len(d.Near) > maxNear || !strings.HasPrefix(d.Near[0], "near/") {
		t.Errorf("near %q", d.Near)
	}
}

// The rules of a diagnosis are told what the attempt changed, also where it broke.
func TestPast(t *testing.T) {
	for name, given := range map[string]func(b *bench){
		"a gate fails": func(b *bench) { b.checks.gates = map[string]state.Gate{"test": failing} },
		"no result":    func(b *bench) { b.agent.out.Final = "done" },
		"it timed out": func(b *bench) { b.agent.out = Outcome{Claims: true, TimedOut: true} },
		"gave up early": func(b *bench) {
			b.says(`"status": "failed", "error": {"type": "timeout", "message": "m"}, "tasks": {"total": 2, "completed": 0}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			given(b)
			b.space.changes = state.Changes{Created: []string{"z.go"}, Modified: []string{"m.go"}, Deleted: []string{"a.go"}}
			b.task.Past = failure.Past{Failed: 2, Siblings: []failure.Sibling{{Phase: "2B"}}}
			tr := &try{Runner: b.runner, task: b.task, id: "2a", nonce: nonce, report: func(state.Event) {}}
			tr.seen.Past = b.task.Past
			if err := tr.choose(); err != nil {
				t.Fatal(err)
			}
			if _, is := asFailure(tr.run(t.Context())); !is {
				t.Fatal("it did not fail")
			}
			if past := tr.seen.Past; !slices.Equal(past.Files, []string{"z.go", "m.go", "a.go"}) || past.Failed != 2 || len(past.Siblings) != 1 {
				t.Errorf("past %+v", past)
			}
			b.task.Past.Node = "a node"
			if _, d := b.fails(); d.Class.Node != "a node" {
				t.Errorf("the diagnosis knows nothing of the past: %+v", d.Class)
			}
			if tr.record.Changes.Len() != 3 {
				t.Errorf("recorded changes %+v", tr.record.Changes)
			}
		})
	}
}

// A gate that fails on the merge and passes on the phase's own work is a matter between phases;
// one that a signal ended is none.
func TestTogether(t *testing.T) {
	killed := failing
	killed.Exit = -1
	for name, c := range map[string]struct {
		gate  state.Gate
		alone bool
	}{"failed": {failing, true}, "ended by a signal": {killed, false}} {
		t.Run(name, func(t *testing.T) {
			b, v := doubtful(t)
			v.gates, v.second = map[string]state.Gate{"test": c.gate}, map[string]state.Gate{"test": c.gate}
			b.space.candidate = Candidate{Tree: "merged", Alone: "own", Moved: true}
			b.fails()
			alone := slices.ContainsFunc(v.prefixes, func(p string) bool { return strings.HasSuffix(p, ".alone") })
			if alone != c.alone {
				t.Errorf("the work was judged alone: %t, want %t (%q)", alone, c.alone, v.prefixes)
			}
		})
	}
}
