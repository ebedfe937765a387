package render

import (
	"fmt"
	"time"

	"autobuild/internal/text"
	"autobuild/state"
)

// Word is how a phase stands, with the mark and the ink for it.
func (d Overview) Word(p *state.Phase, g Marks) (word, mark string, i Ink) {
	_, mark, i = StatusMark(p.Status, g)
	switch {
	case interrupted(p, d.Live):
		return "interrupted", g.Pending, Warn
	case len(p.Contested()) > 0:
		return "contested", mark, Warn
	case p.Status == state.Complete && p.Verdict() == state.Unverified:
		return "unverified", mark, Warn
	}
	return string(p.Status), mark, i
}

// How a run stands beside the outcomes of its last session.
const (
	StandsRunning = "running"
	StandsCutOff  = "cut_off"
	StandsPart    = "part_complete"
)

// Paused reports whether the run goes on, and starts nothing at a person's request.
func (d Overview) Paused() bool {
	return d.Live && d.Run.End == nil && !d.Run.Config.Paused.IsZero()
}

// StatusWord is how the run stands, as JSON documents say it: one of the constants above, or the
// outcome of the last session.
func (d Overview) StatusWord() string {
	switch {
	case d.Run.End == nil && d.Live:
		return StandsRunning
	case d.Run.End == nil:
		return StandsCutOff
	case d.Part():
		return StandsPart
	}
	return string(d.Run.End.Outcome)
}

// Tries is "2/3", the attempts of those allowed; empty where the first succeeded or none began.
func Tries(p *state.Phase) string {
	if len(p.Attempts) == 0 || len(p.Attempts) == 1 && p.Status == state.Complete {
		return ""
	}
	return fmt.Sprintf("%d/%d", len(p.Attempts), max(len(p.Attempts), p.MaxAttempts))
}

// Elapsed is how long a phase's attempts took, the running one included. The time of an
// attempt that was cut off is unknown.
func Elapsed(p *state.Phase, alive bool, now time.Time) string {
	var sum time.Duration
	known := false
	for i, a := range p.Attempts {
		switch {
		case i < len(p.Attempts)-1 || p.Status != state.Running:
			sum += a.Duration
		case alive:
			sum += max(0, now.Sub(a.Started))
		default:
			continue
		}
		known = true
	}
	if !known {
		return ""
	}
	return Duration(sum)
}

// editRemark says that the plan has another text for a phase, or none, than the one that it began
// with; empty: it has the same.
func editRemark(p *state.Phase) string {
	switch {
	case p.Removed:
		return "removed from the plan after it began"
	case !p.Edited.IsZero():
		return "edited in the plan after it began"
	}
	return ""
}

// Remark is the most important fact about a phase.
func Remark(d Overview, p *state.Phase, s Style, now time.Time) string {
	if interrupted(p, d.Live) {
		return "starts on resume"
	}
	switch p.Status {
	case state.Complete:
		if items := ContestItems(p.Contested()); len(items) > 0 {
			return items[0].where() + ": " + items[0].what()
		}
		if p.Commit == nil {
			return ""
		}
		text := CommitSubject(p.Commit.Message)
		if edited := editRemark(p); edited != "" {
			text = edited + ": " + text
		}
		if p.Commit.SHA != "" && !p.Commit.Delivered && !d.Delivered() {
			text = "not yet in your checkout: " + text // first, since a subject may be cut
		}
		if !p.Accepted.IsZero() {
			text += "; its changes of tests and gates were accepted " + AcceptedWords(p, s)
		}
		return text
	case state.Failed:
		if a, ok := p.Last(); ok && a.Failure != nil {
			text := FailureLine(a)
			if IsDiscovery(p) {
				text = "BLOCKED, nothing known fits: " + text
			}
			if p.Retry {
				text += " (a retry is due)"
			}
			return text
		}
	case state.Blocked:
		return "by " + text.JoinSome(d.Blockers(p), FoldLabels)
	case state.Waiting:
		// the moment first: an account may have any name
		return "until " + s.Moment(p.Until, now) + ", for " + p.WaitsFor()
	case state.Pending:
		if open := d.OpenNeeds(p); len(open) > 0 {
			return "needs " + text.JoinSome(open, 12)
		}
		return p.Reason
	case state.Skipped:
		return p.Reason
	case state.Running:
		return editRemark(p)
	}
	return ""
}
