package workflow_test

import (
	"time"

	"autobuild/failure"
	"autobuild/orchestrator"
	"autobuild/orchestrator/plantest"
	"autobuild/state"
)

// step is how one attempt at a phase ends. The zero step lands.
type step struct {
	fails  failure.Type
	same   bool          // with the fingerprint of every other failure like it
	reset  time.Duration // of a usage limit, from now on
	with   string        // the phase in conflict with it
	cost   float64
	broken bool // machinery
	spent  bool // the run's budget ended during it
	class  failure.Class
}

// scene is a plan, what becomes of its phases, and the settings of the run.
type scene struct {
	name    string
	lines   []string
	steps   map[string][]step // by phase; the last one repeats; none: it lands
	policy  string            // "" is single
	options func(*orchestrator.Options)
	final   state.GateStatus // of the final gate; empty: the plan has none
	asks    []ask
}

// ask is a command of a user at a time of the run.
type ask struct {
	at      time.Duration
	command orchestrator.Command
	edit    []string // of a reload: the plan as it is saved
}

// scenes are what both engines must end alike.
func scenes() []scene {
	fail := func(t failure.Type) []step { return []step{{fails: t}} }
	once := func(t failure.Type) []step { return []step{{fails: t}, {}} }
	chain := []string{"1", "2: 1", "3: 2"}
	wide := []string{"1", "2", "3", "4", "5: 1, 2, 3, 4"}
	jobs := func(n int) func(*orchestrator.Options) {
		return func(o *orchestrator.Options) { o.Jobs = n }
	}
	keep := func(o *orchestrator.Options) { o.KeepGoing = true }
	eager := func(o *orchestrator.Options) { o.Schedule = orchestrator.Eager }
	agents := func(n int, names ...orchestrator.Agent) func(*orchestrator.Options) {
		return func(o *orchestrator.Options) {
			for range n {
				o.Agents = append(o.Agents, names)
			}
		}
	}
	a, b := orchestrator.Agent{Name: "a", Account: "a"}, orchestrator.Agent{Name: "b", Account: "b"}
	return append(steered(), []scene{
		{name: "one phase", lines: []string{"1"}},
		{name: "chain", lines: chain},
		{name: "diamond", lines: plantest.Diamond},
		{name: "wide, one at a time", lines: wide, options: jobs(1)},
		{name: "wide, eager", lines: wide, options: eager},
		{name: "retry", lines: chain, steps: map[string][]step{"2": once(failure.TestFailure)}},
		{name: "two retries side by side", lines: plantest.Diamond, steps: map[string][]step{
			"2a": once(failure.LintError), "2b": once(failure.TestFailure),
		}},
		{name: "halt", lines: chain, steps: map[string][]step{"2": fail(failure.TestFailure)}},
		{name: "halt, the same twice", lines: chain, steps: map[string][]step{
			"1": {{fails: failure.TestFailure, same: true}},
		}},
		{name: "halt, siblings end", lines: wide, steps: map[string][]step{
			"2": fail(failure.TaskIncomplete),
		}},
		{name: "halt, eager", lines: wide, options: eager, steps: map[string][]step{
			"2": fail(failure.TaskIncomplete),
		}},
		{name: "two halt", lines: wide, steps: map[string][]step{
			"2": fail(failure.TestFailure), "3": fail(failure.Timeout),
		}},
		{
			name: "keep going", lines: []string{"1", "2", "3: 1", "4: 2"}, options: keep,
			steps: map[string][]step{"1": fail(failure.TestFailure)},
		},
		{name: "not retryable", lines: chain, steps: map[string][]step{
			"2": fail(failure.SetupFailure),
		}},
		{name: "a program is missing", lines: chain, steps: map[string][]step{
			"2": fail(failure.DependencyMissing),
		}},
		{name: "conflict redone", lines: []string{"1", "2"}, steps: map[string][]step{
			"2": {{fails: failure.FileConflict, with: "1"}, {}},
		}},
		{name: "conflict twice", lines: []string{"1", "2"}, steps: map[string][]step{
			"2": {{fails: failure.FileConflict, with: "1"}},
		}},
		{name: "conflict with the user", lines: []string{"1", "2"}, steps: map[string][]step{
			"2": {{fails: failure.FileConflict}},
		}},
		{name: "limit waited for", lines: chain, options: agents(3, a), steps: map[string][]step{
			"2": {{fails: failure.UsageLimit, reset: 3 * time.Hour}, {}},
		}},
		{
			name: "limit that says no end", lines: chain, options: agents(3, a),
			steps: map[string][]step{"2": {{fails: failure.UsageLimit}, {}}},
		},
		{
			name: "limit for ever", lines: []string{"1"}, options: agents(1, a),
			steps: map[string][]step{"1": {{fails: failure.UsageLimit, reset: time.Hour}}},
		},
		{
			name: "limit of all, side by side", lines: wide, options: agents(5, a),
			steps: map[string][]step{
				"1": {{fails: failure.UsageLimit, reset: time.Hour}, {}},
				"2": {{fails: failure.UsageLimit, reset: time.Hour}, {}},
			},
		},
		{
			name: "limit, the next agent goes on", lines: chain, options: agents(3, a, b),
			steps: map[string][]step{"2": {{fails: failure.UsageLimit, reset: 9 * time.Hour}, {}}},
		},
		{name: "limit, stop", lines: chain, options: func(o *orchestrator.Options) {
			agents(3, a)(o)
			o.StopLimit = true
		}, steps: map[string][]step{"1": {{fails: failure.UsageLimit, reset: time.Hour}}}},
		{name: "transport", lines: chain, options: agents(3, a), steps: map[string][]step{
			"1": {{fails: failure.TransportError}, {fails: failure.TransportError}, {}},
		}},
		{
			name: "refusal, the next agent", lines: []string{"1"}, options: agents(1, a, b),
			steps: map[string][]step{"1": {{fails: failure.Refusal}, {}}},
		},
		{name: "agent unusable", lines: wide, steps: map[string][]step{
			"1": fail(failure.AgentUnusable),
		}},
		{
			name: "budget", lines: chain, options: func(o *orchestrator.Options) { o.MaxCost = 1.5 },
			steps: map[string][]step{"1": {{cost: 1}}, "2": {{cost: 1}}},
		},
		{name: "budget ends an attempt", lines: chain, steps: map[string][]step{
			"2": {{spent: true}},
		}},
		{
			name: "tokens are enough", lines: chain,
			options: func(o *orchestrator.Options) { o.MaxTokens = 1 << 40 },
		},
		{name: "machinery", lines: chain, steps: map[string][]step{"2": {{broken: true}}}},
		{name: "machinery, siblings end", lines: wide, steps: map[string][]step{
			"2": {{broken: true}},
		}},
		{name: "a part", lines: chain, options: func(o *orchestrator.Options) {
			o.Selected = []bool{true, false, false}
		}},
		{name: "adaptive", policy: "adaptive", lines: chain, steps: map[string][]step{
			"2": {
				{fails: failure.TestFailure, class: failure.Transient},
				{fails: failure.TestFailure, class: failure.Transient},
				{},
			},
		}},
		{name: "adaptive gives up", policy: "adaptive", lines: chain, steps: map[string][]step{
			"2": fail(failure.TestFailure),
		}},
		{name: "adaptive freezes", policy: "adaptive", lines: chain, steps: map[string][]step{
			"2": {{fails: failure.TestFailure, class: failure.Architectural}},
		}},
		{name: "known fix blocks", policy: "known-fix", lines: chain, steps: map[string][]step{
			"1": fail(failure.LintError),
		}},
		{
			name: "escalate", policy: "escalate", lines: chain, options: tiers,
			steps: map[string][]step{"2": once(failure.TestFailure)},
		},
		{
			name: "escalate to the user", policy: "escalate", lines: chain, options: tiers,
			steps: map[string][]step{"2": fail(failure.TestFailure)},
		},
		{name: "breach, alone again", lines: []string{"1", "2"}, steps: map[string][]step{
			"1": fail(failure.IsolationBreach),
		}},
		{name: "final gate passes", lines: chain, final: state.GatePassed},
		{name: "final gate fails", lines: chain, final: state.GateFailed},
		{
			name: "final gate of a halt", lines: chain, final: state.GatePassed,
			steps: map[string][]step{"3": fail(failure.TestFailure)},
		},
	}...)
}

// steered are scenes in which a user changes the run. An attempt at phase 1 takes 109 seconds, each
// at a later one a second more, and one at phase zzz 426.
func steered() []scene {
	chain := []string{"1", "2: 1", "3: 2"}
	late := []string{"1", "zzz", "3: 1", "4: 3"}
	failing := map[string][]step{"1": {{fails: failure.SetupFailure}, {}}}
	const soon, between = 10 * time.Second, 150 * time.Second
	do := func(at time.Duration, kind orchestrator.CommandKind, phase ...string) ask {
		c := orchestrator.Command{Kind: kind, By: "kim"}
		if len(phase) > 0 {
			c.Phase = phase[0]
		}
		if len(phase) > 1 {
			c.Text = phase[1]
		}
		return ask{at: at, command: c}
	}
	save := func(at time.Duration, lines ...string) ask {
		return ask{
			at: at, command: orchestrator.Command{Kind: orchestrator.ReloadPlan}, edit: lines,
		}
	}
	now := func(at time.Duration) ask {
		return ask{at: at, command: orchestrator.Command{
			Kind: orchestrator.PauseRun, Now: true, By: "kim",
		}}
	}
	const (
		pause, goOn       = orchestrator.PauseRun, orchestrator.ContinueRun
		note, skip, retry = orchestrator.NotePhase, orchestrator.SkipPhase, orchestrator.RetryPhase
	)
	return []scene{
		{name: "pause", lines: chain, asks: []ask{do(soon, pause), do(time.Hour, goOn)}},
		{name: "pause twice", lines: chain, asks: []ask{
			do(soon, pause), do(between, pause), do(time.Hour, goOn), do(time.Hour+soon, goOn),
		}},
		{name: "pause at once", lines: []string{"1", "2", "3: 1, 2"}, asks: []ask{
			now(soon), do(time.Hour, goOn),
		}},
		{name: "pause while the last phase is in work", lines: []string{"1"}, asks: []ask{
			do(soon, pause),
		}},
		{name: "pause after a failure", lines: late, steps: failing, asks: []ask{
			do(between, pause), do(time.Hour, goOn),
		}},
		{name: "resume without a pause", lines: chain, asks: []ask{do(soon, goOn)}},
		{name: "note", lines: chain, asks: []ask{
			do(soon, note, "1", "in work"), do(soon, note, "3", " to come "),
			do(between, note, "1", "too late"), do(between, note, "9", "unknown"),
		}},
		{
			name: "note for a retry", lines: chain,
			steps: map[string][]step{"1": {{fails: failure.TestFailure}, {}}},
			asks:  []ask{do(between, note, "1", "for the retry")},
		},
		{name: "skip", lines: chain, asks: []ask{do(soon, skip, "2"), do(between, skip, "2")}},
		{name: "skip what is in work", lines: chain, asks: []ask{do(soon, skip, "1", "by hand")}},
		{name: "skip what is complete", lines: chain, asks: []ask{do(between, skip, "1")}},
		{name: "skip what has failed", lines: late, steps: failing, asks: []ask{
			do(between, skip, "1", "not needed"),
		}},
		{name: "skip what is blocked", lines: late, steps: failing, asks: []ask{
			do(between, skip, "3"),
		}},
		{name: "skip and take in again", lines: late, asks: []ask{
			do(soon, skip, "3"), do(between, retry, "3"),
		}},
		{name: "retry", lines: late, steps: failing, asks: []ask{do(between, retry, "1")}},
		{name: "retry what has not failed", lines: late, steps: failing, asks: []ask{
			do(soon, retry, "1"), do(soon, retry, "3"), do(between, retry, "3"),
			do(between, retry, "zzz"),
		}},
		{name: "no command", lines: chain, asks: []ask{do(soon, "dance")}},
		{name: "edit, a new phase", lines: chain, asks: []ask{save(soon, "1", "2: 1", "3: 2", "4: 3")}},
		{name: "edit, nothing", lines: chain, asks: []ask{save(soon, chain...)}},
		{name: "edit, a phase to come leaves", lines: chain, asks: []ask{save(soon, "1", "3: 1")}},
		{name: "edit, a complete phase leaves", lines: chain, asks: []ask{save(between, "2", "3: 2")}},
		{name: "edit, what is in work leaves and lands", lines: chain, asks: []ask{
			save(soon, "2", "3: 2"),
		}},
		{
			name: "edit, what is in work leaves and fails", lines: chain,
			steps: map[string][]step{"1": {{fails: failure.SetupFailure}}},
			asks:  []ask{save(soon, "2", "3: 2")},
		},
		{name: "edit, what is in work gets another text", lines: chain, asks: []ask{
			save(soon, "1: ; 7", "2: 1", "3: 2"),
		}},
		{
			name: "edit, a failure begins again", lines: late, steps: failing,
			asks: []ask{save(between, "1: ; 7", "zzz", "3: 1", "4: 3")},
		},
		{
			name: "edit, what blocked it is not needed", lines: late, steps: failing,
			asks: []ask{save(between, "1", "zzz", "3", "4: 3")},
		},
		{
			name: "edit, what fails later has a new text", lines: late, steps: failing,
			asks: []ask{save(soon, "1: ; 7", "zzz", "3: 1", "4: 3")},
		},
		{name: "edit, another order of work", lines: chain, asks: []ask{
			save(soon, "1", "3: 1", "2: 3"),
		}},
		{name: "edit twice", lines: chain, asks: []ask{
			save(soon, "1", "2: 1", "3: 2", "4"), save(between, "1", "2: 1", "3: 2; 4"),
		}},
		{name: "edit in a pause", lines: chain, asks: []ask{
			do(soon, pause), save(between, "1", "2: 1", "4: 1"), do(time.Hour, goOn),
		}},
	}
}

func tiers(o *orchestrator.Options) {
	o.Tiers = map[string]orchestrator.Agent{"strong": {Name: "s"}, "stronger": {Name: "t"}}
}
