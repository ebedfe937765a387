package render

import (
	"fmt"
	"strings"
	"time"

	"autobuild/failure"
	"autobuild/state"
)

// Status is a table of a run: how it stands, then a row a phase. Now is needed for what still runs.
func Status(run *state.Run, now time.Time, s Style) string {
	d := digest(run)
	var out strings.Builder
	head := fmt.Sprintf("run %s of %s, %s", run.Config.RunID, run.Config.Plan, standingOf(run))
	out.WriteString(s.paint(strong, s.show(head, 400)) + "\n")
	if run.End != nil && run.End.Reason != "" {
		out.WriteString(s.show(run.End.Reason, 400) + "\n")
	}
	out.WriteString(s.show(d.tally(), 400) + "\n\n")
	rows := make([][]string, 0, len(run.Phases))
	inks := make([]ink, 0, len(run.Phases))
	g := s.glyphs()
	name := max(12, s.width()/4)
	for i := range run.Phases {
		p := &run.Phases[i]
		_, mark, in := markOf(p.Status, g)
		word := string(p.Status)
		if p.Status == state.Complete && p.Verdict() == state.Unverified {
			word, in = "unverified", warn
		}
		rows = append(rows, []string{
			mark, s.show(p.Label, 16), s.show(p.Name, name), word, tries(p), elapsed(p, now), cost(p.Spent),
			s.show(remark(d, p), longest),
		})
		inks = append(inks, in)
	}
	out.WriteString(s.table(rows, inks))
	return screen(out.String())
}

// table aligns rows in columns; the first and the fourth have the ink of their row. The last gets what room is left:
// where a bad row's last cell does not fit, it has a line of its own.
func (s Style) table(rows [][]string, inks []ink) string {
	if len(rows) == 0 {
		return ""
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for c, cell := range row {
			widths[c] = max(widths[c], Width(cell))
		}
	}
	var out strings.Builder
	last := len(widths) - 1
	for r, row := range rows {
		line, room := "  ", s.width()-2
		for c, cell := range row {
			if c == last {
				if inks[r] == bad && Width(cell) > room {
					line, room = strings.TrimRight(line, " ")+"\n      ", s.width()-6
				}
				line += cut(cell, max(12, room), s.glyphs().more)
				break
			}
			if widths[c] == 0 {
				continue
			}
			padded := pad(cell, widths[c])
			switch c {
			case 0, 3:
				padded = s.paint(inks[r], padded)
			case 1:
				padded = s.paint(strong, padded)
			}
			gap := "  "
			if c == 0 {
				gap = " "
			}
			line += padded + gap
			room -= widths[c] + len(gap)
		}
		out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return out.String()
}

func standingOf(run *state.Run) string {
	if run.End == nil {
		return "running"
	}
	return string(run.End.Outcome)
}

func tries(p *state.Phase) string {
	if len(p.Attempts) == 0 || len(p.Attempts) == 1 && p.Status == state.Complete {
		return ""
	}
	return fmt.Sprintf("%d/%d", len(p.Attempts), max(len(p.Attempts), p.MaxAttempts))
}

// elapsed is how long a phase's attempts took, the running one included.
func elapsed(p *state.Phase, now time.Time) string {
	if len(p.Attempts) == 0 {
		return ""
	}
	return duration(worked(p, now))
}

func worked(p *state.Phase, now time.Time) time.Duration {
	var sum time.Duration
	for i, a := range p.Attempts {
		if i == len(p.Attempts)-1 && p.Status == state.Running {
			sum += max(0, now.Sub(a.Started))
			continue
		}
		sum += a.Duration
	}
	return sum
}

// remark is the most telling fact about a phase.
func remark(d account, p *state.Phase) string {
	switch p.Status {
	case state.Complete:
		if p.Commit == nil {
			return ""
		}
		text := subject(p.Commit.Message)
		if p.Commit.SHA != "" && !p.Commit.Delivered {
			text += " (not yet in your checkout)"
		}
		return text
	case state.Failed:
		if a, ok := p.Last(); ok && a.Failure != nil {
			text := string(a.Failure.Type) + ": " + a.Failure.Message
			if p.Retry {
				text += " (a retry is due)"
			}
			return text
		}
	case state.Blocked:
		return "by " + d.label(p.BlockedBy)
	case state.Waiting:
		return "for a usage limit, until " + p.Until.UTC().Format("2006-01-02 15:04 UTC")
	case state.Pending:
		if open := d.open(p); len(open) > 0 {
			return "needs " + some(open, 12)
		}
		return p.Reason
	case state.Skipped:
		return p.Reason
	case state.Running:
	}
	return ""
}

// statusDocument is what status --json prints.
type statusDocument struct {
	Schema  int           `json:"schema"`
	Run     string        `json:"run"`
	Plan    string        `json:"plan"`
	Status  string        `json:"status"` // running, or the outcome of the last session
	Started time.Time     `json:"started,omitzero"`
	Resumed time.Time     `json:"resumed,omitzero"`
	Commit  string        `json:"commit_mode"`
	Agent   string        `json:"agent"`
	Seq     int64         `json:"seq"`
	End     *state.End    `json:"end"` // null while a session runs
	Totals  state.Totals  `json:"totals"`
	Phases  []statusPhase `json:"phases"`
}

type statusPhase struct {
	ID          string         `json:"id"`
	Label       string         `json:"label"`
	Name        string         `json:"name"`
	Status      state.Status   `json:"status"`
	DependsOn   []string       `json:"depends_on"`
	Attempt     int            `json:"attempt"`
	MaxAttempts int            `json:"max_attempts"`
	Verdict     state.Verdict  `json:"verdict,omitzero"`
	BlockedBy   string         `json:"blocked_by,omitzero"`
	Until       time.Time      `json:"until,omitzero"`
	Reason      string         `json:"reason,omitzero"`
	Started     time.Time      `json:"started,omitzero"`
	Finished    time.Time      `json:"finished,omitzero"`
	Seconds     float64        `json:"seconds"` // of finished attempts
	Usage       state.Usage    `json:"usage,omitzero"`
	Error       *statusFailure `json:"error,omitzero"`
	Commit      *state.Commit  `json:"commit,omitzero"`
	Log         string         `json:"log,omitzero"`
	Worktree    string         `json:"worktree,omitzero"`
}

type statusFailure struct {
	Type      failure.Type `json:"type"`
	Message   string       `json:"message"`
	Retryable bool         `json:"retryable"`
}

// StatusJSON is a run as schema 1 of the JSON document. Its field names do not change; new ones may come.
func StatusJSON(run *state.Run) ([]byte, error) {
	c := run.Config
	doc := statusDocument{
		Schema: 1, Run: c.RunID, Plan: c.Plan, Status: standingOf(run), Started: c.Started, Resumed: c.Resumed,
		Commit: string(c.CommitMode), Agent: c.Agent, Seq: run.Seq, End: run.End, Totals: run.Totals(),
		Phases: make([]statusPhase, 0, len(run.Phases)),
	}
	for i := range run.Phases {
		p := &run.Phases[i]
		row := statusPhase{
			ID: p.ID, Label: p.Label, Name: p.Name, Status: p.Status, DependsOn: array(p.DependsOn),
			Attempt: len(p.Attempts), MaxAttempts: p.MaxAttempts, Verdict: p.Verdict(), BlockedBy: p.BlockedBy,
			Until: p.Until, Reason: p.Reason, Started: p.Started, Finished: p.Finished, Usage: p.Spent, Commit: p.Commit,
		}
		for _, a := range p.Attempts {
			row.Seconds += a.Duration.Seconds()
		}
		if a, ok := p.Last(); ok {
			row.Log, row.Worktree = a.Log, a.Dir
			if a.Failure != nil {
				row.Error = &statusFailure{a.Failure.Type, a.Failure.Message, a.Failure.Retryable}
			}
		}
		doc.Phases = append(doc.Phases, row)
	}
	return document(doc)
}
