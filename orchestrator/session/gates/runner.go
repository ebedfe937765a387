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
		Vars: room.Vars, Verifier: v, Leave: room.Leave,
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
	return r.judge(ctx, name, content, choose, each, judgeOptions{accept: true})
}

// Passes reports whether a gate passes on a tree. It stops the gate at the first failure in its
// output.
func (r *Runner) Passes(
	ctx context.Context, name, tree string, spec state.GateSpec,
) (bool, error) {
	ran, broken, err := r.judge(ctx, name, tree,
		func(string) []state.GateSpec { return []state.GateSpec{spec} }, func(state.Gate) {},
		judgeOptions{brief: true, cold: true})
	return err == nil && broken == nil && ran.Passed, err
}

// judgeOptions are options of gates outside attempts.
type judgeOptions struct {
	brief  bool // stop each gate at its first failure
	cold   bool // without copied build folders
	accept bool // keep their build folders
}

func (r *Runner) judge(
	ctx context.Context, name, content string, choose func(dir string) []state.GateSpec,
	each func(state.Gate), o judgeOptions,
) (ran referee.Outcome, broken *state.Gate, err error) {
	place, err := r.Space.Bench(ctx, func() {})
	if err != nil {
		return ran, nil, err
	}
	defer place.Leave()
	own, err := r.private(o.brief)
	if err != nil {
		return ran, nil, err
	}
	defer own.Leave()
	if o.cold {
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
	if err == nil && o.accept {
		err = place.Accept(ctx, content)
	}
	return ran, nil, err
}

// Final runs the gates that the plan states for the whole, on a clean build, and reports an event
// for each. A phase may create the programs that they call, so they are not probed before. A setup
// that fails is a final gate that failed. With warm, the gates of the phases run first; those that
// fail twice are returned too.
func (r *Runner) Final(
	ctx context.Context, p *plan.Plan, base *attempt.Baseline, warm bool, report func(state.Event),
) ([]state.Gate, error) {
	var failed []state.Gate
	if warm {
		var err error
		if failed, err = r.clean(ctx, base, report); err != nil {
			return nil, err
		}
	}
	if len(p.Final) == 0 {
		return failed, nil
	}
	specs := make([]state.GateSpec, len(p.Final))
	for i, g := range p.Final {
		specs[i] = state.GateSpec{
			Name: g.Name, Kind: verify.Kind(g.Name), Command: g.Command,
			Source: verify.SourcePlan, Available: true,
		}
	}
	gates, err := r.whole(ctx, "final", "final gates",
		func(string) []state.GateSpec { return specs }, report)
	return append(failed, gates...), err
}

// clean runs the gates of the phases on a clean build of the line's tip, except those that failed
// before. A failed gate runs a second time, because a test may be flaky. It returns the gates that
// failed twice.
func (r *Runner) clean(
	ctx context.Context, base *attempt.Baseline, report func(state.Event),
) (failed []state.Gate, err error) {
	for _, name := range []string{"clean", "clean.again"} {
		first := failed
		failed, err = r.whole(ctx, name, "running the gates on a clean build",
			func(dir string) []state.GateSpec {
				return slices.DeleteFunc(r.Gates.In(dir, plan.Phase{}), func(s state.GateSpec) bool {
					return IsHooks(s) || !s.Available || base.Fails(s.Name) || len(first) > 0 &&
						!slices.ContainsFunc(first, func(g state.Gate) bool { return g.Name == s.Name })
				})
			}, report)
		failed = slices.DeleteFunc(failed,
			func(g state.Gate) bool { return g.Status == state.GatePassed })
		if err != nil || len(failed) == 0 {
			return nil, err
		}
	}
	for i := range failed {
		failed[i].Name += " (clean build)"
	}
	return failed, nil
}

// whole runs gates on a clean build of the line's tip and reports an event for each. title begins
// the notice about them.
func (r *Runner) whole(
	ctx context.Context, name, title string, choose func(dir string) []state.GateSpec,
	report func(state.Event),
) ([]state.Gate, error) {
	content, err := r.Space.Content(ctx, "")
	if err != nil {
		return nil, err
	}
	each := func(g state.Gate) {
		kind := state.GateFinished
		if g.Status == "" {
			kind = state.GateStarted
		}
		report(state.Event{Type: kind, Gate: &g})
	}
	ran, broken, err := r.judge(ctx, name, content, func(dir string) []state.GateSpec {
		specs := choose(dir)
		names := make([]string, len(specs))
		for i, s := range specs {
			names[i] = s.Name
		}
		report(state.Event{Type: state.Notice, Text: "all phases are complete; " + title + ": " +
			text.Clean(strings.Join(names, ", "), 300)})
		return specs
	}, each, judgeOptions{cold: true})
	if broken != nil {
		each(*broken)
		return []state.Gate{*broken}, nil
	}
	if err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("running the final gates: %w", err)
	}
	return ran.Gates, err
}
