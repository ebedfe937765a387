package orchestrator

import (
	"slices"
	"time"

	"autobuild/failure"
	"autobuild/plan"
	"autobuild/state"
)

// probation is how long the first attempt after a limit works alone. A refusal comes within
// seconds; an attempt that works this long has been accepted, and the others follow before it ends.
const probation = 2 * time.Minute

// Agent is who may do a phase. A usage limit is that of its account, which several agents may
// share.
type Agent struct {
	Name    string
	Account string
}

// candidates are those who may make the next attempt at phase i, in the order in which they are
// asked.
func (o *Options) candidates(i int, run *state.Run) []Agent {
	if next := run.Phases[i].Next(); next.Action == failure.Escalate {
		return []Agent{o.Tiers[next.To]}
	}
	if o.Agents == nil || len(o.Agents[i]) == 0 {
		return []Agent{{}}
	}
	able := slices.DeleteFunc(slices.Clone(o.Agents[i]), func(a Agent) bool {
		return slices.Contains(run.Without, a.Name) ||
			slices.Contains(run.Phases[i].Refused, a.Name)
	})
	if len(able) == 0 {
		return o.Agents[i] // the last one is asked until it ends the run
	}
	return able
}

// hold is why a phase that could start does not: the account that is open first, and when. Until
// zero: it is open now.
type hold struct {
	account string
	until   time.Time
	// by a limit that is still to be reset, and not by another phase that tries first
	limited bool
	kind    failure.Type // of that limit
}

// agentFor returns the agent of the next attempt at phase i: the first whose account is open. Where
// none is open, it returns the reason that ends first.
func (n *next) agentFor(i int) (agent Agent, held hold) {
	for _, agent = range n.opts.candidates(i, n.run) {
		h := n.account(agent.Account)
		if h.until.IsZero() {
			return agent, h
		}
		if held.until.IsZero() || h.until.Before(held.until) {
			held = h
		}
	}
	return Agent{}, held
}

// account says whether one more attempt may start on an account. After a limit one probes it; once
// that has worked for a while the others follow, so that they do not meet together what one could
// have met.
func (n *next) account(name string) hold {
	s, ok := n.limits[name]
	if !ok {
		return hold{}
	}
	impatient := !s.Met.After(n.opts.GoOn)
	if s.Until.After(n.now) && !impatient {
		return hold{account: name, until: s.Until, limited: true, kind: s.Type}
	}
	if in := s.Probe.Add(probation); !s.Probe.IsZero() && in.After(n.now) {
		return hold{account: name, until: in}
	}
	return hold{}
}

// starts lists the phases that start now, each with its agent. For the other ready phases it
// records in holds why they wait.
func (n *next) starts() []Action {
	var actions []Action
	for _, i := range n.ready() {
		agent, held := n.agentFor(i)
		if !held.until.IsZero() {
			n.holds = append(n.holds, held)
			continue
		}
		if len(actions) >= n.jobs()-n.running {
			continue
		}
		actions = append(actions,
			Action{Kind: Start, Phase: i, Attempt: len(n.run.Phases[i].Attempts) + 1, Agent: agent})
		if s, ok := n.limits[agent.Account]; ok && s.Probe.IsZero() {
			s.Probe = n.now
			n.limits[agent.Account] = s
		}
	}
	return actions
}

// stopAtLimit ends the run where a limit keeps something from starting, and waiting is not wanted.
func (n *next) stopAtLimit() (Action, bool) {
	if !n.opts.StopLimit {
		return Action{}, false
	}
	ends := slices.IndexFunc(n.holds,
		func(h hold) bool { return h.limited && (h.kind == "" || h.kind == failure.UsageLimit) })
	if ends < 0 { // a hold for a moment is waited out in any case
		return Action{}, false
	}
	if n.closing { // as with a budget, a failure is the better reason
		_, reason := haltReason(n.run)
		return Action{Kind: Halt, Reason: reason}, true
	}
	h, whose := n.holds[ends], ""
	if h.account != "" {
		whose = " of " + h.account
	}
	return Action{
		Kind: Stop, StopType: failure.UsageLimit, Until: h.until,
		Reason: "the usage limit" + whose + " was met; it resets at " +
			h.until.UTC().Format("2006-01-02 15:04 UTC"),
	}, true
}

// waiting is what usage limits keep from starting.
type waiting struct {
	account string // that is open first
	until   time.Time
	phases  int // 0: no limit keeps any
}

func (n *next) waiting() (w waiting) {
	for _, h := range n.holds {
		if !h.limited {
			continue
		}
		if w.phases++; w.phases == 1 || h.until.Before(w.until) {
			w.account, w.until = h.account, h.until
		}
	}
	return w
}

// waitingFor is what usage limits keep from starting now.
func waitingFor(p *plan.Plan, run *state.Run, o Options, now time.Time) waiting {
	n := next{plan: p, run: run, opts: o, now: now}
	n.survey()
	n.starts()
	return n.waiting()
}
