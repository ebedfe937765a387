package attempt

import (
	"fmt"
	"slices"
	"sync"

	"autobuild/failure"
	"autobuild/state"
)

// nearly is the part of a budget at which a notice says that it comes to its end.
const nearly = 0.8

// Budget is what may be used up. Zero fields are no limit.
type Budget struct {
	CostUSD float64
	Tokens  int64 // in and out
}

// Meter counts what the attempts of a run use up while they do: together against the run's budget,
// and each against its phase's. Agents report at different times, and the loop that
// owns the run receives only ends.
type Meter struct {
	// Near is called once with what is used, when that is most of the run's budget: from any
	// goroutine. It must not block. May be nil.
	Near func(what string)

	budget Budget

	mu     sync.Mutex
	ended  state.Usage // by attempts that have ended, those of earlier sessions included
	open   []*tab
	warned bool
}

// NewMeter is a meter for a run that has used up something already.
func NewMeter(budget Budget, used state.Usage) *Meter { return &Meter{budget: budget, ended: used} }

// tab is what one attempt uses up.
type tab struct {
	meter  *Meter
	budget Budget      // of the phase
	before state.Usage // by earlier attempts at the phase
	now    state.Usage
	stop   func(error)
	warned bool
}

// phaseSpent is why an agent is stopped that has used up what its phase may; failure.Spent is the
// other reason.
type phaseSpent struct{ reason string }

func (e *phaseSpent) Error() string { return e.reason }

// start opens a tab. stop is called, perhaps more than once and from any goroutine, when this or
// another attempt has used up what there was. The error is a *failure.Spent or a *phaseSpent where
// nothing was left before.
func (m *Meter) start(budget Budget, before state.Usage, stop func(error)) (*tab, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := &tab{meter: m, budget: budget, before: before, stop: stop}
	if err := m.spent(); err != nil {
		return nil, err
	}
	if err := t.spent(); err != nil {
		return nil, err
	}
	m.open = append(m.open, t)
	return t, nil
}

// set takes what the attempt has used up so far, and gives back what a person should hear of.
func (t *tab) set(now state.Usage) []string {
	t.meter.mu.Lock()
	defer t.meter.mu.Unlock()
	t.now = now
	return t.look()
}

// close takes what the attempt has used up in the end. It may be less than it was thought to be.
func (t *tab) close(end state.Usage) []string {
	m := t.meter
	m.mu.Lock()
	defer m.mu.Unlock()
	t.now = end
	notes := t.look()
	m.ended = m.ended.Add(end)
	m.open = slices.DeleteFunc(m.open, func(o *tab) bool { return o == t })
	return notes
}

// look stops the attempts whose budget is spent.
func (t *tab) look() (notes []string) {
	m := t.meter
	if note := m.budget.near(m.used()); note != "" && !m.warned {
		m.warned = true
		notes = append(notes, "the run has used up "+note)
		if m.Near != nil {
			m.Near(note)
		}
	}
	if note := t.budget.near(t.used()); note != "" && !t.warned {
		t.warned = true
		notes = append(notes, "the phase has used up "+note)
	}
	if err := m.spent(); err != nil {
		for _, o := range m.open {
			o.stop(err)
		}
	} else if err := t.spent(); err != nil {
		t.stop(err)
	}
	return notes
}

// used is what the run has used up.
func (m *Meter) used() state.Usage {
	sum := m.ended
	for _, t := range m.open {
		sum = sum.Add(t.now)
	}
	return sum
}

// used is what the phase has used up.
func (t *tab) used() state.Usage { return t.before.Add(t.now) }

// spent says that nothing is left for the run.
func (m *Meter) spent() error {
	switch u := m.used(); {
	case m.budget.CostUSD > 0 && u.CostUSD >= m.budget.CostUSD:
		return &failure.Spent{Reason: fmt.Sprintf("the cost budget is spent: $%.2f of $%.2f",
			u.CostUSD, m.budget.CostUSD)}
	case m.budget.Tokens > 0 && u.InputTokens+u.OutputTokens >= m.budget.Tokens:
		return &failure.Spent{Reason: fmt.Sprintf("the token budget is spent: %d of %d",
			u.InputTokens+u.OutputTokens, m.budget.Tokens)}
	}
	return nil
}

// spent says that nothing is left for the phase.
func (t *tab) spent() error {
	switch u := t.used(); {
	case t.budget.CostUSD > 0 && u.CostUSD >= t.budget.CostUSD:
		return &phaseSpent{fmt.Sprintf("the phase has cost $%.2f and may cost $%.2f", u.CostUSD,
			t.budget.CostUSD)}
	case t.budget.Tokens > 0 && u.InputTokens+u.OutputTokens >= t.budget.Tokens:
		return &phaseSpent{fmt.Sprintf("the phase has used %d tokens and may use %d",
			u.InputTokens+u.OutputTokens, t.budget.Tokens)}
	}
	return nil
}

// near words how much of a budget is used up, once that is most of it.
func (b Budget) near(u state.Usage) string {
	tokens := u.InputTokens + u.OutputTokens
	switch {
	case b.CostUSD > 0 && u.CostUSD >= nearly*b.CostUSD:
		return fmt.Sprintf("%.0f %% of what it may cost: $%.2f of $%.2f", 100*u.CostUSD/b.CostUSD,
			u.CostUSD, b.CostUSD)
	case b.Tokens > 0 && float64(tokens) >= nearly*float64(b.Tokens):
		return fmt.Sprintf("%.0f %% of its tokens: %d of %d", 100*float64(tokens)/float64(b.Tokens),
			tokens, b.Tokens)
	}
	return ""
}

// left is what the attempt may cost, zero where there is no limit, and why it may not cost more.
func (t *tab) left() (usd float64, why error) {
	t.meter.mu.Lock()
	defer t.meter.mu.Unlock()
	if b := t.meter.budget.CostUSD; b > 0 {
		usd = b - t.meter.used().CostUSD
		why = &failure.Spent{Reason: fmt.Sprintf(
			"the cost budget is spent: the agent has reached what was left of $%.2f", b)}
	}
	if b := t.budget.CostUSD; b > 0 && (why == nil || b-t.used().CostUSD < usd) {
		usd = b - t.used().CostUSD
		why = &phaseSpent{fmt.Sprintf(
			"the agent has reached what was left of the $%.2f that the phase may cost", b)}
	}
	return max(usd, 0), why
}
