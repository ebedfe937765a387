package state

import (
	"cmp"
	"slices"
	"time"

	"autobuild/failure"
)

// Limit is a usage limit that an attempt has met. It belongs to the account, not to the phase:
// every user of the account meets it.
type Limit struct {
	Account string       `json:"account,omitzero"`
	Type    failure.Type `json:"type,omitzero"` // empty: a usage limit
	Met     time.Time    `json:"met"`
	Until   time.Time    `json:"until"` // when the account may be tried again
	Waits   int          `json:"waits"` // for the account, in a row, without any attempt that came to another end; this one included
}

// Standing is the state of an account whose limit still holds.
type Standing struct {
	Limit // the one met last
	// start of the first attempt that runs on the account since; zero when none does
	Probe time.Time
}

// Limited returns the accounts whose limit still holds: no attempt that began after the limit was
// met has ended in another way. An attempt that was already running proves nothing, and neither
// does one that was stopped from outside.
func (r *Run) Limited() map[string]Standing {
	if r.unlimited {
		return nil
	}
	var accounts map[string]Standing
	for i := range r.Phases {
		for _, limit := range r.Phases[i].Limits {
			if accounts == nil {
				accounts = make(map[string]Standing)
			}
			known := accounts[limit.Account].Limit
			accounts[limit.Account] = Standing{Limit: known.or(limit)}
		}
	}
	if accounts == nil {
		return nil
	}
	for i := range r.Phases {
		p := &r.Phases[i]
		for n := range p.Attempts {
			a := &p.Attempts[n]
			s, ok := accounts[a.Account]
			switch running := p.Status == Running && n == len(p.Attempts)-1; {
			case !ok || a.Started.Before(s.Met):
			case !running:
				delete(accounts, a.Account)
			case s.Probe.IsZero() || a.Started.Before(s.Probe):
				s.Probe = a.Started
				accounts[a.Account] = s
			}
		}
	}
	return accounts
}

// or returns the valid one of two limits of an account: the one met later. Attempts that met it
// side by side may report different resets: the latest reported one is valid.
func (l Limit) or(m Limit) Limit {
	if l.Met.After(m.Met) {
		l, m = m, l
	}
	if l.Waits == m.Waits && l.Until.After(m.Until) {
		m.Until = l.Until
	}
	return m
}

// Waited counts the waits in a row for the account on which the phase's latest attempt runs.
// Attempts that met the same limit side by side have waited once. The phase's own waits always
// count: otherwise two phases, each of which begins while the other runs, would wait for ever.
func (r *Run) Waited(p *Phase) int {
	last, ok := p.Last()
	s, limited := r.Limited()[last.Account]
	if !ok || !limited {
		return 0
	}
	waits := s.Waits
	if last.Started.Before(s.Met) {
		waits--
	}
	for _, own := range p.Limits {
		if own.Account == last.Account && !r.overcame(own) {
			waits = max(waits, own.Waits)
		}
	}
	return waits
}

// overcame reports whether an attempt that began since the limit was met has come to another end.
func (r *Run) overcame(l Limit) bool {
	for i := range r.Phases {
		p := &r.Phases[i]
		for n := range p.Attempts {
			a := &p.Attempts[n]
			running := p.Status == Running && n == len(p.Attempts)-1
			if a.Account == l.Account && !running && !a.Started.Before(l.Met) {
				return true
			}
		}
	}
	return false
}

// limit makes the phase wait for the account of its latest attempt, which is taken back.
func (p *Phase) limit(kind failure.Type, met, until time.Time, waits int) {
	last, _ := p.Last()
	p.overcome(last.Account)
	if !kind.Awaited() {
		kind = ""
	}
	p.Limits = append(p.Limits, Limit{
		Account: last.Account, Type: kind, Met: met, Until: until,
		Waits: waits,
	})
	p.Account = last.Account
}

// WaitsFor names the reason of a waiting phase's wait, in words: "the usage limit of claude".
func (p *Phase) WaitsFor() string {
	var kind failure.Type
	for _, l := range p.Limits {
		if l.Account == p.Account {
			kind = l.Type
		}
	}
	switch {
	case kind == failure.TransportError:
		return "the way to the model of " + cmp.Or(p.Account, "its agent")
	case kind == failure.AgentError:
		return "an error of " + cmp.Or(p.Account, "its agent") + " to pass"
	case p.Account == "":
		return "a usage limit"
	}
	return "the usage limit of " + p.Account
}

// overcome forgets the limit of an account that the phase has met.
func (p *Phase) overcome(account string) {
	p.Limits = slices.DeleteFunc(slices.Clone(p.Limits),
		func(l Limit) bool { return l.Account == account })
	if len(p.Limits) == 0 {
		p.Limits = nil
	}
}
