package render

import (
	"slices"

	"autobuild/state"
)

// CommitsPerPhase reports whether a run makes a commit a phase on the user's branch.
func CommitsPerPhase(run *state.Run) bool {
	return run.Config.CommitMode != state.CommitSingle &&
		run.Config.CommitMode != state.CommitMessage
}

// CompleteWord is how a complete phase stands, with the ink for it.
func CompleteWord(p *state.Phase) (string, Ink) {
	switch {
	case len(p.Contested()) > 0:
		return "complete, contested", Warn
	case p.Verdict() == state.Unverified:
		return "complete, unverified", Warn
	case p.Verdict() == state.Upgraded:
		return "complete, upgraded", Warn
	case len(p.Attempts) > 1:
		return "complete on retry", Good
	}
	return "complete", Good
}

// MaxLine is the room for foreign text in a progress line, in cells.
const MaxLine = 200

// WholeRun stands where the label would, in lines about the run.
const WholeRun = ".."

// EventLabel is the label of the phase that an event is about, and whole for an event of the run.
func EventLabel(e state.Event, run *state.Run, s Style) string {
	label := e.Label
	if label == "" {
		label = e.Phase
	}
	if p, ok := run.Find(e.Phase); ok && e.Label == "" {
		label = p.Label
	}
	if label == "" {
		return WholeRun
	}
	return s.Show(label, 12)
}

// WhyUnproven says why nothing proves an attempt's work.
func WhyUnproven(a state.Attempt) string {
	if inconclusive(a) {
		return "the gates failed before it as well, and prove nothing"
	}
	return "no gate was run"
}

// inconclusive reports whether gates ran, and prove nothing about the attempt's work.
func inconclusive(a state.Attempt) bool {
	return slices.ContainsFunc(a.Gates,
		func(g state.Gate) bool { return g.Before == state.NotComparable })
}

// Reused says whose verdict on the same content a gate's is; empty: the gate ran.
func Reused(g state.Gate) string {
	if g.Reused == "" {
		return ""
	}
	return "verdict of " + g.Reused + " reused"
}

// GateWord is how a gate ended, with the ink for it.
func GateWord(g state.Gate) (string, Ink) {
	if g.Before != "" {
		return "fails as before", Warn
	}
	switch g.Status {
	case state.GatePassed:
		return "passed", Good
	case state.GateTimeout:
		return "TIMED OUT", Bad
	case state.GateNotAvailable:
		return "not available", Warn
	case state.GateFailed:
	}
	return "FAILED", Bad
}
