package attempt

import (
	"context"
	"fmt"
	"testing"

	"autobuild/orchestrator/verify/referee"
	"autobuild/plan"
	"autobuild/state"
)

// beside is a verifier whose gates run beside those of other phases, unless they run alone.
type beside struct {
	fakeVerifier
	alone map[string]state.Gate // how gates end that run alone
}

func (v *beside) Judge(ctx context.Context, at referee.Shown, prefix string, specs []state.GateSpec, each func(state.Gate)) (referee.Outcome, error) {
	if at.Alone {
		return (&fakeVerifier{gates: v.alone}).Judge(ctx, at, prefix, specs, each)
	}
	o, err := v.fakeVerifier.Judge(ctx, at, prefix, specs, each)
	o.Beside = true
	return o, err
}

// What fails beside the gates of other phases counts only if it fails alone as well. A linter reads
// files alone, so its findings count as they are.
func TestGatesThatFailBesideOthersRunAgainAlone(t *testing.T) {
	for _, c := range []struct {
		gate  string
		alone map[string]state.Gate
		lands bool
		shown int
	}{
		{"test", nil, true, 2},
		{"test", map[string]state.Gate{"test": failing}, false, 2},
		{"lint", nil, false, 1},
	} {
		b := newBench(t)
		v := &beside{fakeVerifier: fakeVerifier{gates: map[string]state.Gate{c.gate: failing}}, alone: c.alone}
		b.runner.Verifier, b.space.candidate = v, Candidate{Tree: "work"}
		b.runner.Gates = func(string, plan.Phase) []state.GateSpec {
			return []state.GateSpec{{Name: c.gate, Kind: c.gate, Source: "config"}}
		}
		a, err := b.attempt()
		if (err == nil) != c.lands || len(b.space.shown) != c.shown {
			t.Errorf("%+v: %+v, %v, shown %q", c, a.Verdict, err, b.space.shown)
		}
	}
}

// ahead is a workspace in which another phase's candidate stands before the work, until it has been
// waited for.
type ahead struct {
	*fakeSpace
	waited bool
}

func (s *ahead) Candidate(context.Context, Tree, Landing) (Candidate, error) {
	if s.waited {
		return Candidate{Tree: "on the tip"}, nil
	}
	return Candidate{Tree: "on top", Ahead: true}, nil
}

func (s *ahead) Ahead(context.Context, string) error {
	s.waited = true
	return nil
}

// Work that passes on top of work that has not landed is judged once; work that fails there is
// judged again on the tip, and nothing of the first judgement is left.
func TestWorkOnTopOfOthersIsJudgedAgainWhereItFails(t *testing.T) {
	for _, c := range []struct {
		first, second map[string]state.Gate
		want          string
	}{
		{nil, nil, "waited false, landed true, judged on top"},
		{map[string]state.Gate{"test": failing}, nil, "waited true, landed true, judged on the tip"},
		{map[string]state.Gate{"test": failing}, map[string]state.Gate{"test": failing}, "waited true, landed false, judged "},
	} {
		b := newBench(t)
		space := &ahead{fakeSpace: b.space}
		v := &fakeVerifier{gates: c.first}
		v.during = func() {
			if space.waited {
				v.gates = c.second
			}
		}
		b.runner.Verifier, b.runner.Workspace = v, space
		b.runner.Gates = func(string, plan.Phase) []state.GateSpec {
			return []state.GateSpec{{Name: "test", Kind: "test", Source: "config"}}
		}
		a, err := b.attempt()
		got := fmt.Sprintf("waited %t, landed %t, judged %s", space.waited, err == nil, b.space.landing.Judged)
		if got != c.want || len(a.Gates) != 1 {
			t.Errorf("%s, not %s: %+v", got, c.want, a.Gates)
		}
	}
}
