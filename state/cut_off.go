package state

import (
	"slices"
	"time"
)

// MaxCutOff is how many starts in a row of one phase may be cut off, where the phase itself is
// the likely cause each time, before a person has to look.
const MaxCutOff = 3

// CutOff describes the moment in which a start of a phase ended without a result. The zero value:
// nothing is known.
type CutOff struct {
	// Place is the step, and behind a blank a fingerprint of the last line that the attempt had
	// written. Empty where neither is known, or where other phases were at work too.
	Place  string        `json:"place,omitzero"`
	After  time.Duration `json:"after,omitzero"`  // from the start of the attempt to its last sign of life, nanoseconds
	Memory bool          `json:"memory,omitzero"` // the system killed for lack of memory during the attempt
}

// MemoryKills counts what the system has killed for lack of memory.
type MemoryKills struct {
	Boot  string `json:"boot"`  // id of the boot in which it counts; empty: it does not count
	Count int64  `json:"count"` // since that boot
}

// Since reports whether something was killed between an earlier count and this one.
func (k MemoryKills) Since(earlier MemoryKills) bool {
	return k.Boot != "" && k.Boot == earlier.Boot && k.Count > earlier.Count
}

// like reports whether two starts ended in one place within one minute of the attempt.
func (c CutOff) like(other CutOff) bool {
	return c.Place != "" && c.Place == other.Place && (c.After-other.After).Abs() < time.Minute
}

// Blamed reports whether the phase is the likely cause of its last MaxCutOff cut-offs, of which
// last is the latest: in each the system killed for lack of memory, or two of them ended in the
// same place.
func (p *Phase) Blamed(last CutOff) bool {
	cuts := append(slices.Clone(p.Cuts), last)
	if p.CutOff < MaxCutOff || len(cuts) < MaxCutOff {
		return false
	}
	cuts = cuts[len(cuts)-MaxCutOff:]
	for i, c := range cuts {
		if !c.Memory && !slices.ContainsFunc(slices.Delete(slices.Clone(cuts), i, i+1), c.like) {
			return false
		}
	}
	return true
}

// Stuck reports whether a phase is recorded as running without a worker and stays so until the user
// has looked at it. Cut must have been looked up.
func (p *Phase) Stuck() bool { return p.Status == Running && p.Blamed(p.Cut) }

// cutOff notes how a start ended without a result.
func (p *Phase) cutOff(c *CutOff) {
	if c == nil {
		c = &CutOff{}
	}
	p.Cuts = append(p.Cuts, *c)
	p.Cuts = p.Cuts[max(0, len(p.Cuts)-(MaxCutOff-1)):]
}
