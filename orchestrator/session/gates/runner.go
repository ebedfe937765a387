package gates

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"autobuild/internal/proc"
	"autobuild/internal/text"
	"autobuild/orchestrator/attempt"
	"autobuild/orchestrator/prepare"
	"autobuild/orchestrator/session/workspace"
	"autobuild/orchestrator/verify"
	"autobuild/orchestrator/verify/referee"
	"autobuild/plan"
	"autobuild/state"
)

// Runner runs the gates of a run. Every field is required but Setup, Timeout and Vars.
type Runner struct {
	Gates   *Set
	Space   workspace.Space
	Process *proc.Runner
	Env     []string // of agents and gates
	Shell   verify.Shell
	Timeout time.Duration // of one gate; 0: none
	Log     func(name string) (*os.File, string, error)
	Rooms   *verify.Rooms
	Setup   []string
	// the user's checkout if gates run in clones, and the source of Setup if not autobuild.yaml
	Root     string
	Declared prepare.Declared
	// more variables of an attempt with this temporary directory; nil: none
	Vars func(temporary string) map[string]string

	// GateJobs is called with what the baseline took; nil: how many suites run at once is settled,
	// and suites do not disturb each other
	GateJobs func(cpu, wall time.Duration)

	Verdicts *verify.Verdicts // of the session

	suites verify.Suites

	asked sync.Once
	ports bool // result of portsInGates
}

// Verifier runs gates whose commands get these variables besides.
func (r *Runner) Verifier(vars map[string]string) *verify.Verifier {
	v := &verify.Verifier{
		Run: r.Process, Env: proc.Environ(r.Env, vars), Timeout: r.Timeout,
		Shell: r.Shell, Log: r.Log, Verdicts: r.Verdicts, Root: r.Root, Declared: r.Declared,
	}
	if r.GateJobs != nil {
		v.Suites = &r.suites
	}
	return v
}

// Private holds an attempt's own resources: temporary files, ports, and commands that refer to
// them.
func (r *Runner) Private(string) (attempt.Private, error) { return r.private(false) }

func (r *Runner) private(brief bool) (attempt.Private, error) {
	room, err := r.Rooms.Take()
	if err != nil {
		return attempt.Private{}, err
	}
	if r.Vars != nil {
		maps.Copy(room.Vars, r.Vars(room.Vars["TMPDIR"]))
	}
	judged := maps.Clone(room.Vars)
	if !r.portsInGates() {
		delete(judged, verify.PortBase)
	}
	v := r.Verifier(judged)
	if v.Brief = brief; brief {
		v.Verdicts = nil // a gate that was ended has no verdict
	}
	return attempt.Private{
		Vars: room.Vars, Verifier: r.Space.Guarded(v, true), Leave: room.Leave,
	}, nil
}

// portsInGates reports whether gates get the variable verify.PortBase: only if a tracked file or a
// gate's command names it. Product code must not detect autobuild by its environment.
func (r *Runner) portsInGates() bool {
	r.asked.Do(func() {
		used, err := r.Space.Mentions(context.Background(), verify.PortBase)
		r.ports = used || err != nil ||
			slices.ContainsFunc(r.Gates.first,
				func(g state.GateSpec) bool { return strings.Contains(g.Command, verify.PortBase) })
	})
	return r.ports
}

// Judge runs gates on the line's tip, where no phase works. name begins the names of their logs;
// choose names the gates in the directory that shows the tip. A setup command that fails there is
// returned as broken, and then no gate has run.
func (r *Runner) Judge(
	ctx context.Context, name string, choose func(dir string) []state.GateSpec,
	each func(state.Gate),
) (ran referee.Outcome, broken *state.Gate, err error) {
	content, err := r.Space.Content(ctx, "")
	if err != nil {
		return ran, nil, err
	}
	return r.judge(ctx, name, content, choose, each, judging{keeps: true})
}

// Passes reports whether a gate passes on a tree. It stops the gate at the first failure in its
// output.
func (r *Runner) Passes(
	ctx context.Context, name, tree string, spec state.GateSpec,
) (bool, error) {
	ran, broken, err := r.judge(ctx, name, tree,
		func(string) []state.GateSpec { return []state.GateSpec{spec} }, func(state.Gate) {},
		judging{brief: true, cold: true})
	return err == nil && broken == nil && ran.Passed, err
}

// judging is how gates run outside attempts.
type judging struct {
	brief bool // each is ended at its first failure
	cold  bool // without build folders of earlier trees
	keeps bool // theirs are kept if they pass
}

func (r *Runner) judge(
	ctx context.Context, name, content string, choose func(dir string) []state.GateSpec,
	each func(state.Gate), how judging,
) (ran referee.Outcome, broken *state.Gate, err error) {
	place, err := r.Space.Bench(ctx, func() {})
	if err != nil {
		return ran, nil, err
	}
	defer place.Leave()
	own, err := r.private(how.brief)
	if err != nil {
		return ran, nil, err
	}
	defer own.Leave()
	if how.cold {
		place.Cold()
	}
	at, err := place.Show(ctx, content, r.Setup,
		func(ctx context.Context, dir string, commands []string) (failed error) {
			if broken, failed = own.Verifier.Setup(ctx, dir, name, commands); failed == nil &&
				broken != nil {
				failed = fmt.Errorf("setup `%s` failed with exit code %d", broken.Command,
					broken.Exit)
			}
			return failed
		})
	switch {
	case broken != nil:
		return ran, broken, nil
	case err != nil:
		return ran, nil, err
	}
	ran, err = own.Verifier.Judge(ctx, at, name, choose(at.Dir), each)
	if err == nil && ran.Passed && how.keeps {
		err = place.Accept(ctx, content)
	}
	return ran, nil, err
}

// Final runs the gates that the plan states for the whole, and reports an event for each. A phase
// may create the programs that they call, so they are not probed before. If the last phase was
// judged with build folders of earlier work, its gates run once more without them; those that fail
// and did not before are returned too. A setup that fails there is a final gate that failed.
func (r *Runner) Final(
	ctx context.Context, p *plan.Plan, base *attempt.Baseline, warm bool, report func(state.Event),
) ([]state.Gate, error) {
	if len(p.Final) == 0 && !warm {
		return nil, nil
	}
	content, err := r.Space.Content(ctx, "")
	if err != nil {
		return nil, err
	}
	cold := 0
	choose := func(dir string) (specs []state.GateSpec) {
		if warm {
			specs = slices.DeleteFunc(r.Gates.In(dir, plan.Phase{}), func(s state.GateSpec) bool {
				return IsHooks(s) || !s.Available || base.Fails(s.Name)
			})
			cold = len(specs)
		}
		for _, g := range p.Final {
			specs = append(specs, state.GateSpec{
				Name: g.Name, Kind: verify.Kind(g.Name), Command: g.Command,
				Source: verify.SourcePlan, Available: true,
			})
		}
		names := make([]string, len(specs))
		for i, s := range specs {
			names[i] = s.Name
		}
		what := "final gates: "
		if len(p.Final) == 0 {
			what = "once more without build folders of earlier work: "
		}
		report(state.Event{Type: state.Notice, Text: "all phases are complete; " + what +
			text.Clean(strings.Join(names, ", "), 300)})
		return specs
	}
	each := func(g state.Gate) {
		kind := state.GateFinished
		if g.Status == "" {
			kind = state.GateStarted
		}
		report(state.Event{Type: kind, Gate: &g})
	}
	ran, broken, err := r.judge(ctx, "final", content, choose, each, judging{cold: true})
	if broken != nil {
		each(*broken)
		return []state.Gate{*broken}, nil
	}
	if err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("running the final gates: %w", err)
	}
	known := min(cold, len(ran.Gates)) // what passes there was known to pass
	ran.Gates = slices.Concat(slices.DeleteFunc(slices.Clone(ran.Gates[:known]),
		func(g state.Gate) bool { return g.Status == state.GatePassed }), ran.Gates[known:])
	return ran.Gates, err
}
