package orchestrator

import (
	"maps"
	"slices"
	"time"

	"autobuild/failure"
	"autobuild/state"
)

// probation is how long the first attempt after a limit works alone. Whoever is still refused is refused within seconds; one that
// works this long has been let in, and the others follow before it ends.
const probation = 2 * time.Minute

// recheck bounds a sleep: a reset is a time of the wall clock, which may be set, while timers stand still with the machine.
const recheck = time.Minute

// nextAgent is the rule by which another agent takes over.
const nextAgent = "fallback.next-agent"

// Agent is who may do a phase. A usage limit is that of its account, which several agents may share.
type Agent struct {
	Name    string
	Account string
}

// candidates are those who may make the next attempt at phase i, in the order in which they are asked.
func (o *Options) candidates(i int, p *state.Phase) []Agent {
	if next := p.Next(); next.Action == failure.Escalate {
		return []Agent{o.Tiers[next.To]}
	}
	if o.Agents == nil || len(o.Agents[i]) == 0 {
		return []Agent{{}}
	}
	able := slices.DeleteFunc(slices.Clone(o.Agents[i]), func(a Agent) bool { return o.Out[a.Name] || slices.Contains(o.Refused[i], a.Name) })
	if len(able) == 0 {
		return o.Agents[i] // the last one is asked until it ends the run
	}
	return able
}

// hold is why a phase that could start does not: the account that is open first, and when. Until zero: it is open now.
type hold struct {
	account string
	until   time.Time
	limited bool         // by a limit that is still to be reset, and not by another phase that tries first
	kind    failure.Type // of that limit
}

// who says which agent makes the next attempt at phase i: the first whose account is open. Where none is, it says what holds it.
func (n *next) who(i int) (agent Agent, held hold) {
	for _, agent = range n.opts.candidates(i, &n.run.Phases[i]) {
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

// account says whether one more attempt may start on an account. After a limit one probes it; once that has worked for a while the
// others follow, so that they do not meet together what one could have met.
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

// starts are the phases that start now, each with who does it. What keeps the others is remembered.
func (n *next) starts() []Action {
	var actions []Action
	for _, i := range n.ready() {
		agent, held := n.who(i)
		if !held.until.IsZero() {
			n.holds = append(n.holds, held)
			continue
		}
		if len(actions) >= n.jobs()-n.running {
			continue
		}
		actions = append(actions, Action{Kind: Start, Phase: i, Attempt: len(n.run.Phases[i].Attempts) + 1, Agent: agent})
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
	ends := slices.IndexFunc(n.holds, func(h hold) bool { return h.limited && (h.kind == "" || h.kind == failure.UsageLimit) })
	if ends < 0 { // what is only in the way for a moment is waited out in any case
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
		Reason: "the usage limit" + whose + " was met; it resets at " + h.until.UTC().Format("2006-01-02 15:04 UTC"),
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

// waiting is what usage limits keep from starting now.
func (l *loop) waiting() waiting {
	n := next{plan: l.Plan, run: l.run, opts: l.options, now: l.now()}
	n.survey()
	n.starts()
	return n.waiting()
}

// stampLimit says in an event which account is waited for, until when, and how many phases that keeps.
func (l *loop) stampLimit(e *state.Event) {
	switch {
	case e.Type == state.Heartbeat:
		w := l.waiting()
		e.Account, e.Until, e.Waiting = w.account, w.until, w.phases
	case e.Type == state.AttemptFinished && e.Status == state.Waiting:
		p, _ := l.run.Find(e.Phase)
		if p.Until.IsZero() {
			return // it goes on with another agent
		}
		e.Account, e.Until, e.Waiting = p.Account, p.Until, l.waiting().phases
		if s, ok := l.run.Limited()[p.Account]; ok {
			e.Until = s.Until
		}
	}
}

// sleep sets the timer for the time at which something may start. It wakes before: see recheck.
func (l *loop) sleep(until time.Time) {
	l.timer.Reset(min(until.Sub(l.now()), recheck))
}

// goOn forgets what usage limits say of their resets: a person wants them tried.
func (l *loop) goOn() {
	l.options.GoOn = l.now()
	l.tell(state.Event{Type: state.Notice, Text: "asked to go on: no usage limit that was met so far is waited for"})
}

// replace lets another agent go on where one cannot be used at all, where its model refuses the phase, or where waiting for its
// account leads nowhere. No attempt is spent. A refusal is of this phase alone; the other reasons take the agent out of the session.
// It reports whether that is news.
func (l *loop) replace(p *state.Phase, d failure.Diagnosis, decision failure.Decision) (failure.Decision, bool) {
	if !d.Changes() || decision.Action == failure.Wait || d.Type.Waits() && decision.Action != failure.Halt {
		return decision, false
	}
	i, _ := l.Plan.Index(p.ID)
	last, _ := p.Last()
	if d.Type == failure.Refusal {
		return l.reassign(i, last.Agent, decision), false
	}
	out := maps.Clone(l.options.Out)
	if out == nil {
		out = make(map[string]bool)
	}
	others := slices.DeleteFunc(slices.Clone(l.options.candidates(i, p)), func(a Agent) bool {
		same := a.Name == last.Agent || d.Type.Waits() && a.Account == last.Account
		out[a.Name] = out[a.Name] || same
		return same
	})
	if len(others) == 0 {
		return decision, false
	}
	news := !l.options.Out[last.Agent]
	l.options.Out = out
	return handOver(decision, others[0]), news
}

// reassign lets the first agent that has not refused phase i do it, if there is one.
func (l *loop) reassign(i int, refused string, decision failure.Decision) failure.Decision {
	others := slices.DeleteFunc(l.options.candidates(i, &l.run.Phases[i]), func(a Agent) bool { return a.Name == refused })
	if len(others) == 0 {
		return decision
	}
	all := maps.Clone(l.options.Refused)
	if all == nil {
		all = make(map[int][]string)
	}
	all[i] = append(slices.Clone(all[i]), refused)
	l.options.Refused = all
	return handOver(decision, others[0])
}

// handOver is the decision by which another agent goes on at once.
func handOver(decision failure.Decision, to Agent) failure.Decision {
	return failure.Decision{
		Action: failure.Wait, Attempts: decision.Attempts, Rule: nextAgent,
		Rationale: decision.Rationale + "; " + to.Name + " goes on, and no attempt is spent",
	}
}
