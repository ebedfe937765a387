package attempt

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autobuild/failure"
	"autobuild/orchestrator/verify/referee"
	"autobuild/plan"
	"autobuild/state"
)

// fakeTrees has one changed file.
type fakeTrees struct {
	t       *testing.T
	err     error
	removed int
}

func (f *fakeTrees) Difference(context.Context, string, string) ([]referee.Edit, error) {
	return []referee.Edit{{Path: "add.sh", NewMode: "100644", New: "eval 1\n"}}, f.err
}

func (*fakeTrees) Source(context.Context, string) (referee.Source, error) { return noFiles{}, nil }

func (*fakeTrees) Compose(_ context.Context, tree, _ string, _ []referee.Overlay) (string, error) {
	return tree, nil
}

func (f *fakeTrees) Hold(context.Context, string, Tree) error { return nil }

func (f *fakeTrees) Copy(context.Context, string) (string, func() error, error) {
	return f.t.TempDir(), func() error { f.removed++; return nil }, nil
}

type noFiles struct{}

func (noFiles) Paths() []string            { return nil }
func (noFiles) Read(string) (string, bool) { return "", false }
func (noFiles) Mode(string) string         { return "" }

const banned = `[{"file": "add.sh", "line": 1, "claim": "it uses eval", "criterion": "Do not use ` + "`eval`" + `.", "quote": "eval 1"}]`

// reviewed is a bench whose reviewer ends so; its phase rules out eval.
func reviewed(t *testing.T, findings string, reviewer *fakeAgent) *bench {
	t.Helper()
	b := newBench(t)
	b.plan = planOf(t, phase("2A", "Backend", "### Phase 2A\n\n- [ ] one\n- [ ] two\n\nIt is done when:\n\n- Do not use `eval`.\n", "one", "two"))
	b.task.Phase, b.runner.Plan = b.plan.At(0), b.plan
	b.space.candidate = Candidate{Tip: "tip", Work: "work", Tree: "tree"}
	if findings != "" {
		reviewer.out.Final = "```json\n{\"nonce\": \"" + nonce + "\", \"phase_id\": \"2a\", \"status\": \"complete\", \"findings\": " + findings + "}\n```\n"
	}
	b.runner.Review = &Review{
		Agent: reviewer, Name: "other", Rounds: 2, Trees: &fakeTrees{t: t},
		On: func(plan.Phase) string { return "all" },
	}
	return b
}

// A finding that counts refuses the attempt, and is kept for the next one.
func TestReviewRejects(t *testing.T) {
	b := reviewed(t, banned, &fakeAgent{out: Outcome{Claims: true, CostUSD: 0.5}})
	got, d := b.fails()
	if d.Type != failure.ReviewRejected || !d.Retryable || len(d.Places) != 1 || !strings.Contains(d.Details, "eval 1") {
		t.Errorf("diagnosis = %+v", d)
	}
	if r := got.Review; r == nil || r.Usage.CostUSD != 0.5 || got.Usage.CostUSD != 0 || len(r.Counting()) != 1 {
		t.Errorf("review = %+v, usage %+v", got.Review, got.Usage)
	}

	// the next attempt is refused by it although the reviewer says nothing any more …
	again := reviewed(t, "[]", &fakeAgent{out: Outcome{Claims: true}})
	got.Failure = &d
	again.task.Attempt, again.task.Earlier = 2, []state.Attempt{got}
	if _, d := again.fails(); d.Type != failure.ReviewRejected {
		t.Errorf("diagnosis = %+v", d)
	}

	// … unless its author answers: then a person decides
	answer := reviewed(t, banned, &fakeAgent{out: Outcome{Claims: true}})
	answer.task.Attempt, answer.task.Earlier = 2, []state.Attempt{got}
	answer.says(`"status": "complete", "tasks": {"total": 2, "completed": 2}, "referee_changes": [{"file": "add.sh", "test": "review", "why": "the plan means calls"}]`)
	landed := answer.lands(state.Verified)
	if c := landed.Contested(); len(c) != 1 || c[0].Cause != state.CauseReview || c[0].Why != "the plan means calls" {
		t.Errorf("contested = %+v", c)
	}
	if len(answer.space.landing.Contested) != 1 {
		t.Errorf("landing = %+v", answer.space.landing)
	}

	// an answer before anything was found excuses nothing
	early := reviewed(t, banned, &fakeAgent{out: Outcome{Claims: true}})
	early.says(`"status": "complete", "tasks": {"total": 2, "completed": 2}, "referee_changes": [{"file": "add.sh", "test": "review", "why": "no"}]`)
	if _, d := early.fails(); d.Type != failure.ReviewRejected {
		t.Errorf("diagnosis = %+v", d)
	}
}

// Nothing that a reviewer does wrong keeps work from landing.
func TestReviewMissing(t *testing.T) {
	for name, c := range map[string]struct {
		findings string
		agent    fakeAgent
		change   func(*bench)
		want     string
	}{
		"fails":        {"", fakeAgent{out: Outcome{ExitCode: 3}}, nil, "the reviewer failed: exit code 3"},
		"no start":     {"", fakeAgent{out: Outcome{Err: "no such program"}}, nil, "could not start"},
		"hangs":        {banned, fakeAgent{out: Outcome{TimedOut: true}}, nil, "did not end in time"},
		"breaks":       {banned, fakeAgent{err: errors.New("boom")}, nil, "could not be run: boom"},
		"no result":    {"", fakeAgent{out: Outcome{Final: "fine!"}}, nil, "left no result"},
		"no list":      {`"all of it"`, fakeAgent{}, nil, "no list of findings"},
		"cannot":       {banned, fakeAgent{}, func(b *bench) { b.runner.Review.Missing = "not there" }, "not there"},
		"no trees":     {banned, fakeAgent{}, func(b *bench) { b.runner.Review.Trees = &fakeTrees{t: t, err: errors.New("gone")} }, "gone"},
		"a limit":      {"", fakeAgent{out: Outcome{Kind: "usage_limit", Message: "try later"}}, nil, "try later"},
		"a breach":     {banned, fakeAgent{}, func(b *bench) { b.runner.Workspace = &breachedSpace{b.space, 0} }, "changed things outside its place"},
		"what is good": {"[]", fakeAgent{}, nil, ""},
	} {
		b := reviewed(t, c.findings, &c.agent)
		if c.change != nil {
			c.change(b)
		}
		got := b.lands(state.Verified)
		if got.Review == nil || (got.Review.Missing == "") != (c.want == "") || !strings.Contains(got.Review.Missing, c.want) {
			t.Errorf("%s: review = %+v, want %q", name, got.Review, c.want)
		}
		if b.space.taken != 0 {
			t.Errorf("%s: %d benches were not given back", name, b.space.taken)
		}
	}
}

// breachedSpace finds a breach after the reviewer: the author and its gates leave none.
type breachedSpace struct {
	*fakeSpace
	asked int
}

func (s *breachedSpace) Breaches(context.Context, string) (Breaches, error) {
	if s.asked++; s.asked == 4 {
		return Breaches{Found: []string{".autobuild/config.json"}}, nil
	}
	return Breaches{}, nil
}

// A reviewer is asked in so many attempts, and only where the mode wants it.
func TestReviewRounds(t *testing.T) {
	agent := &fakeAgent{}
	b := reviewed(t, "[]", agent)
	b.task.Attempt = 3
	for range 2 {
		b.task.Earlier = append(b.task.Earlier, state.Attempt{
			Failure: &failure.Diagnosis{Type: failure.TestFailure}, Review: &state.Review{Agent: "other"},
		})
	}
	if got := b.lands(state.Verified); agent.job.Prompt != "" || got.Review == nil || got.Review.Agent != "" {
		t.Errorf("it was asked a third time: %+v", got.Review)
	}
	off := reviewed(t, banned, &fakeAgent{})
	off.runner.Review.On = func(plan.Phase) string { return "off" }
	if got := off.lands(state.Verified); got.Review != nil {
		t.Errorf("review = %+v", got.Review)
	}
}

// A test that is kept replaces nothing, and no link leads it out of the worktree.
func TestPutNew(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	write(t, filepath.Join(dir, "old_test.sh"), "old")
	if err := os.Symlink(outside, filepath.Join(dir, "out")); err != nil {
		t.Skip(err)
	}
	if err := errors.Join(putNew(dir, "old_test.sh", "new"), putNew(dir, "tests/new_test.sh", "new")); err != nil {
		t.Fatal(err)
	}
	old, _ := os.ReadFile(filepath.Join(dir, "old_test.sh"))
	made, _ := os.ReadFile(filepath.Join(dir, "tests", "new_test.sh"))
	if string(old) != "old" || string(made) != "new" {
		t.Errorf("old %q, new %q", old, made)
	}
	if err := putNew(dir, "out/x_test.sh", "new"); err == nil {
		t.Error("it was written through a link")
	}
}
