package orchestrator

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"autobuild/failure"
	"autobuild/plan"
	"autobuild/state"
)

// Kind is what an Action does.
type Kind int

// The kinds of actions.
const (
	Start  Kind = iota // attempt Action.Attempt of the phase
	Block              // the phase, because of the failed phase By
	Sleep              // nothing can start before Until
	Finish             // nothing is left to do
	Halt               // start nothing more; it ends when nothing runs, because of Reason
	Pause              // nothing starts before the user lets the run go on
	Stop               // the same, at a budget or limit: StopType and Reason
)

// Action is one thing that the loop has to do.
type Action struct {
	Kind     Kind
	Phase    int // position in the plan
	Attempt  int
	Agent    Agent
	By       string
	Until    time.Time
	StopType failure.Type
	Reason   string
}

// Next decides what happens now. It is a pure function of its arguments; run.Phases[i] must be the
// plan's phase i. When nothing runs, its answer is never empty: something starts, or sleeps, or it
// is the end.
func Next(p *plan.Plan, run *state.Run, o Options, now time.Time) []Action {
	n := next{plan: p, run: run, opts: o, now: now}
	n.survey()
	actions := n.blocks()
	if len(actions) > 0 {
		return actions // the statuses change: ask again
	}
	if !run.Config.Paused.IsZero() {
		return n.paused()
	}
	if stop, ok := n.stop(); ok {
		return []Action{stop}
	}
	actions = n.starts()
	if stop, ok := n.stopAtLimit(); ok {
		return []Action{stop}
	}
	if len(actions) == 0 && n.running == 0 {
		return []Action{n.end()}
	}
	if until := n.nextWake(); !until.IsZero() {
		actions = append(actions, Action{Kind: Sleep, Until: until})
	}
	return actions
}

// paused starts nothing. A run that is complete ends all the same.
func (n *next) paused() []Action {
	switch {
	case n.running > 0:
		return nil
	case !n.failed && n.complete():
		return []Action{{Kind: Finish}}
	}
	return []Action{{Kind: Pause}}
}

// next is the working space of one decision.
type next struct {
	plan *plan.Plan
	run  *state.Run
	opts Options
	now  time.Time

	running int
	// a phase runs that does its work again because of a conflict: nothing else starts
	redoing bool
	level   int       // batch: the lowest with unfinished work; the plan's length: there is none
	failed  bool      // some phase has failed for good
	closing bool      // … in this session: nothing else begins, unless the run keeps going
	halted  bool      // … and its decision was to halt even if other phases could run
	wake    time.Time // the earliest time at which a delayed retry may start
	limits  map[string]state.Standing
	holds   []hold // of phases that only their accounts keep from starting
}

func (n *next) jobs() int {
	if n.opts.Jobs <= 0 {
		return DefaultJobs
	}
	return n.opts.Jobs
}

func (n *next) selected(i int) bool { return n.opts.Selected == nil || n.opts.Selected[i] }

func (n *next) held(i int) bool { return n.opts.Held != nil && n.opts.Held[i] }

// survey counts what runs, what has failed and what waits, and finds the lowest level on which a
// selected phase is neither settled nor blocked for good.
func (n *next) survey() {
	n.limits, n.level = n.run.Limited(), n.plan.Len()
	for i := range n.run.Phases {
		if n.plan.Level(i) < n.level && n.selected(i) && !n.isOver(i) {
			n.level = n.plan.Level(i)
		}
		switch p := &n.run.Phases[i]; p.Status {
		case state.Running:
			n.running++
			n.redoing = n.redoing || p.Next().Redo()
		case state.Failed:
			switch {
			case p.Retry:
			case n.held(i):
				n.failed = n.failed || n.selected(i)
			default:
				last, _ := p.Last()
				n.failed, n.closing = true, !n.opts.KeepGoing
				n.halted = n.halted || last.Decision != nil && last.Decision.Action == failure.Halt
			}
		}
	}
}

// blocks names the root cause to everyone downstream of a failed phase.
func (n *next) blocks() []Action {
	if !n.failed {
		return nil
	}
	var actions []Action
	seen := make([]bool, n.plan.Len())
	for root := range n.run.Phases {
		if p := &n.run.Phases[root]; p.Status != state.Failed || p.Retry {
			continue
		}
		queue := slices.Clone(n.plan.Dependents(root))
		for len(queue) > 0 {
			i := queue[0]
			queue = queue[1:]
			if seen[i] {
				continue
			}
			seen[i] = true
			queue = append(queue, n.plan.Dependents(i)...)
			if n.run.Phases[i].Status == state.Pending && n.selected(i) {
				actions = append(actions, Action{Kind: Block, Phase: i, By: n.run.Phases[root].ID})
			}
		}
	}
	slices.SortFunc(actions, func(a, b Action) int { return cmp.Compare(a.Phase, b.Phase) })
	return actions
}

// stop returns the action that ends the run if a budget is spent, even if phases are ready.
func (n *next) stop() (Action, bool) {
	if n.opts.MaxCost > 0 || n.opts.MaxTokens > 0 {
		u := n.run.Totals().Usage
		tokens := u.InputTokens + u.OutputTokens
		switch {
		case n.complete() || n.closing: // a failure is the better reason
		case n.opts.MaxCost > 0 && u.CostUSD >= n.opts.MaxCost:
			return Action{
				Kind: Stop, StopType: failure.BudgetExhausted,
				Reason: fmt.Sprintf("the cost budget is spent: $%.2f of $%.2f", u.CostUSD,
					n.opts.MaxCost),
			}, true
		case n.opts.MaxTokens > 0 && tokens >= n.opts.MaxTokens:
			return Action{
				Kind: Stop, StopType: failure.BudgetExhausted,
				Reason: fmt.Sprintf("the token budget is spent: %d of %d", tokens,
					n.opts.MaxTokens),
			}, true
		}
	}
	return Action{}, false
}

// ready lists the phases that may start now, in the order in which they should.
func (n *next) ready() []int {
	if n.halted {
		return nil
	}
	if n.redoing {
		return nil
	}
	var ready []int
	if n.opts.Schedule == Eager {
		for i := range n.run.Phases {
			if n.startable(i) {
				ready = append(ready, i)
			}
		}
		slices.SortStableFunc(ready,
			func(a, b int) int { return cmp.Compare(n.plan.Rest(b), n.plan.Rest(a)) })
		return n.alone(ready)
	}
	if n.level == n.plan.Len() {
		return nil
	}
	batch := n.plan.Batch(n.level)
	for _, i := range batch {
		if n.startable(i) {
			ready = append(ready, i)
		}
	}
	return n.alone(n.thisRound(ready, batch))
}

// startable reports whether phase i may start now. It notes when a delayed one may.
func (n *next) startable(i int) bool {
	if !n.selected(i) || !n.mayStart(i) {
		return false
	}
	at := n.delayed(i)
	n.wake = sooner(n.wake, at)
	return at.IsZero()
}

// alone keeps phases that a conflict makes do their work again until nothing else runs or is ready,
// and then lets one of them start, so that none of them can lose to another.
func (n *next) alone(ready []int) []int {
	redo := func(i int) bool { return n.run.Phases[i].Next().Redo() }
	rest := slices.DeleteFunc(slices.Clone(ready), redo)
	if len(rest) == len(ready) || len(rest) > 0 || n.running > 0 {
		return rest
	}
	return ready[:1]
}

// isOver phases will not run again in this session.
func (n *next) isOver(i int) bool {
	switch p := &n.run.Phases[i]; p.Status {
	case state.Complete, state.Skipped, state.Blocked:
		return true
	case state.Failed:
		return !p.Retry
	}
	return false
}

// mayStart reports whether phase i is startable: a first attempt needs its dependencies and no
// failure elsewhere (unless the run keeps going); a phase that has begun gets its retry in any
// case, for its siblings' sake.
func (n *next) mayStart(i int) bool {
	p := &n.run.Phases[i]
	switch p.Status {
	case state.Failed:
		return p.Retry
	case state.Waiting:
		return true
	case state.Pending:
		if n.closing {
			return false
		}
		for _, d := range n.plan.Needs(i) {
			if s := n.run.Phases[d].Status; s != state.Complete && s != state.Skipped {
				return false
			}
		}
		return true
	}
	return false
}

// delayed is when the retry of phase i may start; zero: now.
func (n *next) delayed(i int) time.Time {
	p := &n.run.Phases[i]
	at := p.RetryAt()
	if p.Status != state.Failed || !at.After(n.now) {
		return time.Time{}
	}
	_, held := n.agentFor(i)
	return laterOf(at, held.until)
}

// thisRound keeps the phases whose turn it is within a batch: attempt k+1 of one starts when
// attempt k of all its siblings has ended.
func (n *next) thisRound(ready, batch []int) []int {
	round := 0
	consider := func(attempt int) {
		if round == 0 || attempt < round {
			round = attempt
		}
	}
	for _, i := range batch {
		if p := &n.run.Phases[i]; p.Status == state.Running {
			consider(len(p.Attempts))
		}
	}
	for _, i := range ready {
		consider(len(n.run.Phases[i].Attempts) + 1)
	}
	return slices.DeleteFunc(ready,
		func(i int) bool { return len(n.run.Phases[i].Attempts)+1 > round })
}

// nextWake is the earliest time at which the passing of time alone changes the answer; zero when it
// does not.
func (n *next) nextWake() time.Time {
	wake := n.wake
	for _, h := range n.holds {
		wake = sooner(wake, h.until)
	}
	return wake
}

// sooner is the earlier of two times; zero is none.
func sooner(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// end is the answer when nothing runs and nothing can start.
func (n *next) end() Action {
	switch {
	case n.halted:
	case !n.nextWake().IsZero():
		return Action{Kind: Sleep, Until: n.nextWake()}
	case !n.failed && n.complete():
		return Action{Kind: Finish}
	}
	_, reason := haltReason(n.run)
	return Action{Kind: Halt, Reason: reason}
}

// complete reports whether every selected phase is.
func (n *next) complete() bool {
	for i := range n.run.Phases {
		if s := n.run.Phases[i].Status; n.selected(i) && s != state.Complete && s != state.Skipped {
			return false
		}
	}
	return true
}
