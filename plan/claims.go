package plan

import (
	"fmt"

	"autobuild/internal/text"
)

// claim is an order that a list of dependencies states beside its edges: early comes before late.
// The finished graph has to agree with it.
type claim struct {
	early, late int
	denied      bool // the graph must not have that order
	ref         Ref
}

// mostClaims bounds the claims of a plan that are compared with its graph.
const mostClaims = 10_000

func (r *resolver) claim(early, late int, denied bool, ref Ref) {
	if early != late && len(r.claims) < mostClaims {
		r.claims = append(r.claims, claim{early: early, late: late, denied: denied, ref: ref})
	}
}

// claimAll notes what an entry says beside its edges.
func (r *resolver) claimAll(self int, e entry, ref Ref) {
	for _, k := range e.denied {
		r.claim(k, self, true, ref)
	}
	for _, k := range e.later {
		r.claim(self, k, false, ref)
	}
	for _, k := range e.beside {
		r.claim(k, self, true, ref)
		r.claim(self, k, true, ref)
	}
}

// checkClaims compares the claims with the graph.
func (b *builder) checkClaims(sorted []int) {
	pairs := make([][2]int, len(b.claims))
	for i, c := range b.claims {
		pairs[i] = [2]int{c.early, c.late}
	}
	reached := connected(pairs, b.dependents, sorted)
	for i, c := range b.claims {
		if reached[i] != c.denied {
			continue
		}
		says := "waits"
		if !c.denied {
			says = "does not wait"
		}
		b.warn(c.ref, fmt.Sprintf("%q is not what the graph says: phase %s %s for phase %s",
			text.Clip(c.ref.Text, maxQuoted), b.phases[c.late].Label, says,
			b.phases[c.early].Label),
			"write only phases to wait for, and the rest as a sentence of its own")
	}
}

// warn reports a list of dependencies that was not understood in full.
func (r *resolver) warn(ref Ref, message, hint string) {
	pos, width := r.place(ref, ref.Text)
	r.problem("W-REFERENCE", Warning, pos, width, message, hint)
}
