package state

import (
	"slices"

	"autobuild/failure"
)

// remember keeps what the rules of later attempts ask about a failed one. Past outlives resets and
// resumes, because a phase that fails once in each of five sessions has failed five times; it ends
// when the phase completes or is rewritten.
func (p *Phase) remember(a Attempt) {
	var decision failure.Decision
	if a.Decision != nil {
		decision = *a.Decision
	}
	p.Proposals = p.Proposed(*a.Failure)
	if decision.Propose || decision.Action == failure.Replan {
		p.Proposals++
	}
	p.Past = append(p.Past, a.Failure.Earlier(a.Changes.Paths(), decision.Action))
	p.Past = slices.Clone(p.Past[max(0, len(p.Past)-MaxPast):])
}

// Proposed counts the replan proposals in a row without progress, when the attempt that runs now
// has failed like this. Progress is completion, or a failure with fewer findings than any
// remembered one of its type: two failures that take turns are none.
func (p *Phase) Proposed(d failure.Diagnosis) int {
	seen := false
	for _, e := range p.Past {
		if e.Type == d.Type && e.Count > 0 {
			if !d.Less(e) {
				return p.Proposals
			}
			seen = true
		}
	}
	if seen {
		return 0
	}
	return p.Proposals
}

// revise looks at the text with which the phase starts. Another text makes a new task of it:
// failures under the old text say nothing about the new one. The change is counted, unless the
// phase was complete in between.
func (p *Phase) revise(fingerprint string) {
	if p.Fingerprint != "" && fingerprint != p.Fingerprint {
		p.Past, p.Proposals = nil, 0
		if p.Was != Complete {
			p.Revisions++
		}
	}
	p.Fingerprint = fingerprint
}

// forget ends the history of a phase that is complete.
func (p *Phase) forget() { p.Past, p.Revisions, p.Proposals = nil, 0, 0 }

// Frozen reports whether the phase has failed and stays so until a person commits something,
// changes its text, or asks for it. Frozen is no status: in its session the phase halts the run
// like any failure, and a later session holds it while everything that does not depend on it runs.
func (p *Phase) Frozen() bool {
	last, _ := p.Last()
	return p.Status == Failed && last.Decision != nil && last.Decision.Action == failure.Freeze
}

// Failures are the diagnoses of the phase's failed attempts since it was last started, resumed or
// reset, oldest first.
func (p *Phase) Failures() []failure.Diagnosis {
	var ds []failure.Diagnosis
	for i := range p.Attempts {
		if a := &p.Attempts[i]; a.Failure != nil {
			ds = append(ds, *a.Failure)
		}
	}
	return ds
}

// Decisions are what was decided about each of the Failures; the zero Decision where nothing is
// recorded.
func (p *Phase) Decisions() []failure.Decision {
	var ds []failure.Decision
	for i := range p.Attempts {
		a := &p.Attempts[i]
		switch {
		case a.Failure == nil:
		case a.Decision == nil:
			ds = append(ds, failure.Decision{})
		default:
			ds = append(ds, *a.Decision)
		}
	}
	return ds
}

// Next is the decision that the coming attempt follows: of the latest failed one, where that was to
// be followed by another. It is zero for a first attempt.
func (p *Phase) Next() failure.Decision {
	for i := len(p.Attempts) - 1; i >= 0; i-- {
		if a := &p.Attempts[i]; a.Failure != nil {
			if a.Decision != nil && a.Decision.Again() {
				return *a.Decision
			}
			break
		}
	}
	return failure.Decision{}
}

// Paths are all changed paths: the created, the modified, then the deleted ones.
func (c Changes) Paths() []string { return slices.Concat(c.Created, c.Modified, c.Deleted) }
