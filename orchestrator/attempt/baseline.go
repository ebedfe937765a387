package attempt

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"autobuild/failure"
	"autobuild/state"
)

// Baseline is how the gates end on the line: what failed there before any phase began and has not
// passed since. It only shrinks: a gate or a test that passed with one phase's work must pass with
// the next one's.
type Baseline struct {
	// Save keeps the gates that still fail, with the commit on which they do (empty: there is
	// none); nil keeps nothing.
	Save func(ctx context.Context, commit string, failed []state.Gate)

	mu     sync.Mutex
	failed []state.Gate
}

// NewBaseline is made of the gates as they ran before anything was done. What passed or could not
// run is no part of it; nor is a gate that failed without a word, such as test -f: that is a
// condition which phases are there to meet, and nothing broken.
func NewBaseline(gates []state.Gate) *Baseline {
	b := &Baseline{}
	for _, g := range gates {
		if (g.Status == state.GateFailed || g.Status == state.GateTimeout) && !Mute(g) {
			b.failed = append(b.failed, g)
		}
	}
	return b
}

// Mute reports whether a gate failed and said nothing by which its failure could be known again.
func Mute(g state.Gate) bool {
	return g.Status == state.GateFailed && len(g.Tests)+len(g.Places)+g.Failed == 0 &&
		strings.TrimSpace(g.Tail) == ""
}

// Failed are the gates that fail on the line as it stands. The zero of *Baseline knows none.
func (b *Baseline) Failed() []state.Gate {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.failed)
}

// Fails reports whether a gate fails on the line's tip.
func (b *Baseline) Fails(gate string) bool {
	return slices.ContainsFunc(b.Failed(), func(g state.Gate) bool { return g.Name == gate })
}

// landed takes in how the gates ended on what has become part of the line. Landings may report in
// any order: a failure that one of them removed does not come back by an older result.
func (b *Baseline) landed(ctx context.Context, commit string, gates []state.Gate) {
	if b == nil {
		return
	}
	b.mu.Lock()
	var left []state.Gate
	for _, was := range b.failed {
		is, ran := lastOf(gates, was)
		if ran && is.Status == state.GatePassed {
			continue
		}
		if ran && is.Before == state.NotWorse {
			if was = remaining(was, is); was.Failed == 0 {
				continue // each of two phases has fixed what the other left
			}
		}
		left = append(left, was)
	}
	b.failed = left
	failed := slices.Clone(left)
	b.mu.Unlock()
	if b.Save != nil {
		b.Save(ctx, commit, failed)
	}
}

// lastOf is the last run of a gate.
func lastOf(gates []state.Gate, of state.Gate) (state.Gate, bool) {
	for _, g := range slices.Backward(gates) {
		if g.Name == of.Name && g.Command == of.Command {
			return g, true
		}
	}
	return state.Gate{}, false
}

// remaining is what is left of a gate's findings after a run that was not worse.
func remaining(was, is state.Gate) state.Gate {
	if clipped(was) || clipped(is) || len(findings(was)) == 0 {
		if is.Failed < was.Failed {
			return is
		}
		return was
	}
	kept := newly(newly(is, was), was) // what fails in both
	kept.Tail, kept.Exit = is.Tail, is.Exit
	return kept
}

// maxNamed is how many tests and places the readers of an output keep, and so from where on a list
// may be a part.
const maxNamed = 50

func clipped(g state.Gate) bool { return len(g.Tests) >= maxNamed || len(g.Places) >= maxNamed }

// findings are the failures of a gate by names that stay when lines move, each with how often it
// occurs. A test suite's are its tests; its places are the words of the same failures, unless no
// test could run.
func findings(g state.Gate) map[string]int {
	all := map[string]int{}
	for _, t := range g.Tests {
		all[testKey(t)]++
	}
	if len(g.Tests) > 0 && g.Kind == "test" {
		return all
	}
	for _, p := range g.Places {
		all[placeKey(p)]++
	}
	return all
}

func testKey(t state.Test) string { return "test\x00" + t.File + "\x00" + t.Name }

// placeKey leaves out of a message what belongs to one worktree and one moment: lines, paths,
// times.
func placeKey(p state.Place) string {
	return "place\x00" + p.File + "\x00" + p.Rule + "\x00" + failure.Mask(p.Message)
}

// newly is a gate with those findings only that it did not have before.
func newly(before, now state.Gate) state.Gate {
	known := findings(before)
	fresh := func(key string) bool {
		known[key]--
		return known[key] < 0
	}
	out := now
	out.Tests, out.Places = nil, nil
	for _, t := range now.Tests {
		if fresh(testKey(t)) {
			out.Tests = append(out.Tests, t)
		}
	}
	if len(now.Tests) == 0 || now.Kind != "test" {
		for _, p := range now.Places {
			if fresh(placeKey(p)) {
				out.Places = append(out.Places, p)
			}
		}
	}
	out.Failed = len(out.Tests) + len(out.Places)
	return out
}

// compare says how a gate's failure stands to that of before; empty: it is worse. Where both name
// what fails, names decide; where names are missing, or too many to be kept, the number; where
// there is neither, they cannot be compared. A gate that has begun to fail without the names that
// it had has broken in another way, and that is worse.
func compare(before, now state.Gate) state.Comparison {
	named, was := len(findings(now)), len(findings(before))
	switch {
	case now.Status == state.GateTimeout && before.Status != state.GateTimeout:
		return ""
	case before.Status == state.GateTimeout:
		return state.NotComparable
	case was > 0 && named > 0 && !clipped(before):
		if len(findings(newly(before, now))) > 0 {
			return ""
		}
		return state.NotWorse
	case before.Failed > 0 && now.Failed > 0:
		if now.Failed > before.Failed {
			return ""
		}
		return state.NotWorse
	case before.Failed == 0 && now.Failed == 0:
		return state.NotComparable
	}
	return ""
}

// weigh compares a gate that has ended with how it stood before.
func (t *try) weigh(g *state.Gate) {
	if g.Status != state.GateFailed && g.Status != state.GateTimeout {
		return
	}
	if before, ok := lastOf(t.before, *g); ok {
		g.Before = compare(before, *g)
	}
}

// worse is a gate that speaks against the phase, with what it found before left out: that is not
// this phase's to mend.
func (t *try) worse(g state.Gate) state.Gate {
	before, ok := lastOf(t.before, g)
	if !ok || clipped(before) || clipped(g) {
		return g
	}
	if fresh := newly(before, g); fresh.Failed > 0 {
		return fresh
	}
	return g
}

// excuse notes what failed and is not held against the phase, and what of a failure was there
// before.
func (t *try) excuse(gates []state.Gate) {
	for _, g := range gates {
		switch before, ok := lastOf(t.before, g); {
		case g.Before == state.NotWorse:
			t.warn(fmt.Sprintf("%s fails as it did before, and nothing new (%d found, %d before)",
				g.Name, g.Failed, before.Failed))
		case g.Before == state.NotComparable:
			t.warn(g.Name + " failed before as well, and nothing tells the two failures apart: " +
				"it counts neither for nor against the work")
		case ok && t.refuses(g) && g.Failed > 0 && before.Failed > 0:
			t.warn(fmt.Sprintf(
				"%s failed before as well (%d found): only what is new is held against the work",
				g.Name, before.Failed))
		}
	}
}

// warn keeps a warning once, however often its cause is met.
func (t *try) warn(text string) {
	if !slices.Contains(t.record.Warnings, text) {
		t.record.Warnings = append(t.record.Warnings, text)
	}
}
