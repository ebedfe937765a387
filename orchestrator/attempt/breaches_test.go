package attempt

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"autobuild/failure"
	"autobuild/state"
)

// watched is a workspace around which something may change: at each look, the next of what it is
// told.
type watched struct {
	*fakeSpace
	finds  [][]string
	warns  []string
	looks  int
	begun  int
	ended  int
	beside bool
	err    error
}

func (w *watched) Watch(context.Context, string) error { w.begun++; return nil }

func (w *watched) Breaches(ctx context.Context, _ string) (Breaches, error) {
	if ctx.Err() != nil {
		return Breaches{}, ctx.Err()
	}
	found := Breaches{Warnings: w.warns, Unattributed: w.beside}
	if w.looks++; w.looks <= len(w.finds) {
		found.Found = w.finds[w.looks-1]
	}
	return found, w.err
}

func (w *watched) Rest(context.Context, string) { w.ended++ }

func watch(b *bench, finds ...[]string) *watched {
	w := &watched{fakeSpace: b.space, finds: finds}
	b.runner.Workspace = w
	return w
}

// A breach fails the attempt, whether the agent or what a gate ran did it, and however well
// everything else is.
func TestBreachRefuses(t *testing.T) {
	for name, finds := range map[string][][]string{
		"by the agent": {{"git's config was changed"}}, "by a gate": {nil, {"git's config was changed"}},
		"by the referee's run": {nil, nil, {"git's config was changed"}},
	} {
		b := newBench(t)
		watch(b, finds...)
		_, d := b.fails()
		if d.Type != failure.IsolationBreach || d.Retryable || !strings.Contains(d.Message, "git's config was changed") {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

// A breach while other phases were at work may be theirs: the diagnosis says so. One that was
// found with nobody else there is the phase's.
func TestUnattributedBreach(t *testing.T) {
	for name, c := range map[string]struct {
		finds [][]string
		want  bool
	}{"by the agent": {[][]string{{"a"}}, true}, "by a gate": {[][]string{nil, {"a"}}, true}} {
		for _, beside := range []bool{false, true} {
			b := newBench(t)
			watch(b, c.finds...).beside = beside
			if _, d := b.fails(); d.Type != failure.IsolationBreach || d.Unattributed != (beside && c.want) {
				t.Errorf("%s, beside others %t: %+v", name, beside, d)
			}
		}
	}
}

// What a gate does on the merged content, when everything else has passed, is a breach like any
// other.
func TestBreachAtLanding(t *testing.T) {
	b := newBench(t)
	b.space.again = true
	w := watch(b, nil, nil, nil, []string{"git's config was changed"})
	if _, d := b.fails(); d.Type != failure.IsolationBreach || w.looks != 4 {
		t.Errorf("after %d looks: %+v", w.looks, d)
	}
}

// late is a workspace that notes what had been run when the watch began.
type late struct {
	*watched
	checks *fakeVerifier
	ran    []string
}

func (w *late) Watch(ctx context.Context, phase string) error {
	w.ran = slices.Clone(w.checks.prefixes)
	return w.watched.Watch(ctx, phase)
}

// What the phase's setup changes is not held against its agent.
func TestWatchBeginsAfterSetup(t *testing.T) {
	b := newBench(t)
	w := &late{watched: watch(b), checks: b.checks}
	b.runner.Workspace, b.runner.Setup = w, []string{"make ready"}
	b.lands(state.Verified)
	if len(w.ran) != 1 || !strings.HasSuffix(w.ran[0], ".setup") {
		t.Errorf("before the watch %q were run", w.ran)
	}
}

// Nothing touched: the work lands, what was taken back without a breach is a warning, and the watch
// began once, after setup.
func TestNoBreach(t *testing.T) {
	b := newBench(t)
	w := watch(b)
	w.warns = []string{"git's config was changed; put back"}
	got := b.lands(state.Verified)
	if w.begun != 1 || w.ended != 1 || w.looks < 2 || len(got.Warnings) == 0 {
		t.Errorf("begun %d, looked %d times, warnings %q", w.begun, w.looks, got.Warnings)
	}
}

// It is looked for also when the run was stopped while the agent worked, with a context that is
// not, and a look that fails is no verdict.
func TestBreachIsLookedForAtAnyEnd(t *testing.T) {
	b := newBench(t)
	w := watch(b)
	ctx, cancel := context.WithCancel(t.Context())
	b.agent.does = func(context.Context, Job) { cancel() }
	_, err := asError(b.runner.Attempt(ctx, b.task, func(state.Event) {}))
	if !errors.Is(err, context.Canceled) || w.looks != 1 || w.ended != 1 {
		t.Errorf("error %v, looked %d times, ended %d times", err, w.looks, w.ended)
	}
	b = newBench(t)
	w = watch(b)
	w.err = errors.New("git is gone")
	if _, err := b.attempt(); !errors.Is(err, w.err) {
		t.Errorf("error = %v", err)
	}
}

// A stroke that comes while work lands does not keep its workspace from being tidied up.
func TestStrokeWhileLanding(t *testing.T) {
	b := newBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	b.space.whileLanding = cancel
	got, err := asError(b.runner.Attempt(ctx, b.task, func(state.Event) {}))
	if err != nil || got.Commit == nil || len(got.Warnings) > 0 || ctx.Err() == nil {
		t.Errorf("%v, commit %+v, warnings %q", err, got.Commit, got.Warnings)
	}
}
