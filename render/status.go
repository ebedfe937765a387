package render

import (
	"fmt"
	"strings"
	"time"

	"autobuild/failure"
	"autobuild/state"
)

// Status is a table of a run: how it stands, then a row a phase, and where nobody works on it, what may be typed next. Alive says whether
// somebody does, now is needed for what runs, and of the ending are used Program and Resume.
func Status(run *state.Run, e Ending, alive bool, now time.Time, s Style) string {
	d := digest(run, alive)
	text := d.statusHead(s) + d.statusTable(now, s, nil)
	if !alive {
		text += d.commands(e, s)
	}
	return screen(text)
}

// statusHead is what stands above the table of phases.
func (d account) statusHead(s Style) string {
	run := d.run
	var out strings.Builder
	para := func(i ink, text string) {
		for _, row := range wrap(s.show(text, 600), s.width()) {
			out.WriteString(s.paint(i, row) + "\n")
		}
	}
	stands := d.standing()
	para(strong, fmt.Sprintf("run %s of %s, %s", run.Config.RunID, run.Config.Plan, strings.ReplaceAll(stands, "_", " ")))
	switch {
	case stands == cutOff:
		para(warn, "It was cut off: nobody is running it, and nothing that was recorded is lost.")
	case run.End != nil && run.End.Reason != "" && !d.part():
		para(plainInk, run.End.Reason)
	}
	para(plainInk, d.tally())
	if proofs := d.proofs(); proofs != "" {
		para(plainInk, "Proof: "+proofs)
	}
	if gates := d.end().Final; len(gates) > 0 {
		para(plainInk, "Final gates: "+strings.Join(finalLines(gates), ", "))
	}
	if d.part() {
		para(plainInk, others)
	}
	return out.String() + "\n"
}

// statusTable is the table of phases, or of those that shown has; nil shows all.
func (d account) statusTable(now time.Time, s Style, shown []bool) string {
	run := d.run
	rows := make([]row, 0, len(run.Phases))
	g := s.glyphs()
	for i := range run.Phases {
		if shown != nil && !shown[i] {
			continue
		}
		p := &run.Phases[i]
		word, mark, in := d.word(p, g)
		rows = append(rows, row{
			mark: mark, label: s.show(p.Label, min(16, s.width()/5)), name: s.show(p.Name, max(12, s.width()/4)), word: word, ink: in,
			facts: [3]string{tries(p), elapsed(p, d.live, now), cost(p.Spent)}, remark: s.show(remark(d, p, s, now), 3*longest),
			whole: in == bad || p.Status == state.Waiting || len(p.Contested()) > 0 || p.AcceptedWhy != "",
		})
	}
	return s.table(rows)
}

// word is how a phase stands, with the mark and the ink for it.
func (d account) word(p *state.Phase, g glyphs) (word, mark string, i ink) {
	_, mark, i = markOf(p.Status, g)
	switch {
	case interrupted(p, d.live):
		return "interrupted", g.pending, warn
	case len(p.Contested()) > 0:
		return "contested", mark, warn
	case p.Status == state.Complete && p.Verdict() == state.Unverified:
		return "unverified", mark, warn
	}
	return string(p.Status), mark, i
}

// How a run stands beside the outcomes of its last session.
const (
	goesOn = "running"
	cutOff = "cut_off"
	partly = "part_complete"
)

func (d account) standing() string {
	switch {
	case d.run.End == nil && d.live:
		return goesOn
	case d.run.End == nil:
		return cutOff
	case d.part():
		return partly
	}
	return string(d.run.End.Outcome)
}

func tries(p *state.Phase) string {
	if len(p.Attempts) == 0 || len(p.Attempts) == 1 && p.Status == state.Complete {
		return ""
	}
	return fmt.Sprintf("%d/%d", len(p.Attempts), max(len(p.Attempts), p.MaxAttempts))
}

// elapsed is how long a phase's attempts took, the running one included. Of one that was cut off nobody knows.
func elapsed(p *state.Phase, alive bool, now time.Time) string {
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
	return duration(sum)
}

// remark is the most telling fact about a phase.
func remark(d account, p *state.Phase, s Style, now time.Time) string {
	switch {
	case d.stuck(p):
		return fmt.Sprintf("cut off %d times in a row", p.CutOff)
	case interrupted(p, d.live):
		return "starts on resume"
	}
	switch p.Status {
	case state.Complete:
		if items := contestItems(p.Contested()); len(items) > 0 {
			return items[0].where() + ": " + items[0].what()
		}
		if p.Commit == nil {
			return ""
		}
		text := subject(p.Commit.Message)
		if p.Commit.SHA != "" && !p.Commit.Delivered && !d.delivered() {
			text = "not yet in your checkout: " + text // first, since a subject may be cut
		}
		if !p.Accepted.IsZero() {
			text += "; its changes of tests and gates were accepted " + acceptedWords(p, s)
		}
		return text
	case state.Failed:
		if a, ok := p.Last(); ok && a.Failure != nil {
			text := failureLine(a)
			if discovery(p) {
				text = "BLOCKED, nothing known fits: " + text
			}
			if p.Retry {
				text += " (a retry is due)"
			}
			return text
		}
	case state.Blocked:
		return "by " + d.label(p.BlockedBy)
	case state.Waiting:
		return "until " + s.moment(p.Until, now) + ", for " + p.WaitsFor() // the moment first: an account may have any name
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
	Status  string        `json:"status"` // running, cut_off, part_complete, or the outcome of the last session
	Alive   bool          `json:"alive"`  // somebody works on it now
	Started time.Time     `json:"started,omitzero"`
	Resumed time.Time     `json:"resumed,omitzero"`
	Commit  string        `json:"commit_mode"`
	Agent   string        `json:"agent"`
	Then    []string      `json:"fallback_agents,omitzero"`
	Policy  string        `json:"retry_policy"`
	Tiers   []string      `json:"tiers,omitzero"`
	Seq     int64         `json:"seq"`
	End     *state.End    `json:"end"` // null while a session runs, and after one that was cut off
	Totals  state.Totals  `json:"totals"`
	Phases  []statusPhase `json:"phases"`
}

type statusPhase struct {
	ID          string         `json:"id"`
	Label       string         `json:"label"`
	Name        string         `json:"name"`
	Status      state.Status   `json:"status"`
	Interrupted bool           `json:"interrupted,omitzero"` // it began, and was stopped from outside
	DependsOn   []string       `json:"depends_on"`
	Attempt     int            `json:"attempt"`
	MaxAttempts int            `json:"max_attempts"`
	Verdict     state.Verdict  `json:"verdict,omitzero"`
	Proof       state.Proof    `json:"proof,omitzero"`
	BlockedBy   string         `json:"blocked_by,omitzero"`
	Until       time.Time      `json:"until,omitzero"`
	Account     string         `json:"account,omitzero"` // whose usage limit is waited for
	Reason      string         `json:"reason,omitzero"`
	Started     time.Time      `json:"started,omitzero"`
	Finished    time.Time      `json:"finished,omitzero"`
	Seconds     float64        `json:"seconds"` // of finished attempts
	Usage       state.Usage    `json:"usage,omitzero"`
	Error       *statusFailure `json:"error,omitzero"`
	Commit      *state.Commit  `json:"commit,omitzero"`
	Log         string         `json:"log,omitzero"`
	Worktree    string         `json:"worktree,omitzero"`

	Settings map[string]string `json:"settings,omitzero"` // that differ from the run's

	Contested []state.RefereeChange `json:"contested,omitzero"` // that a person has to decide about
	Accepted  time.Time             `json:"accepted,omitzero"`  // when a person did
	Because   string                `json:"accepted_because,omitzero"`
}

type statusFailure struct {
	Type      failure.Type `json:"type"`
	Message   string       `json:"message"`
	Retryable bool         `json:"retryable"`
}

// StatusJSON is a run as schema 1 of the JSON document; alive is as for Status. Its field names do not change; new ones
// may come.
func StatusJSON(run *state.Run, alive bool) ([]byte, error) {
	c := run.Config
	doc := statusDocument{
		Schema: 1, Run: c.RunID, Plan: c.Plan, Status: digest(run, alive).standing(), Alive: alive, Started: c.Started, Resumed: c.Resumed,
		Commit: string(c.CommitMode), Agent: c.Agent, Then: c.Fallbacks, Policy: c.RetryPolicy, Tiers: c.Tiers, Seq: run.Seq, End: run.End, Totals: run.Totals(),
		Phases: make([]statusPhase, 0, len(run.Phases)),
	}
	for i := range run.Phases {
		doc.Phases = append(doc.Phases, statusOf(run, &run.Phases[i], alive))
	}
	return document(doc)
}

// statusOf is one phase of the document.
func statusOf(run *state.Run, p *state.Phase, alive bool) statusPhase {
	row := statusPhase{
		ID: p.ID, Label: p.Label, Name: p.Name, Status: p.Status, Interrupted: interrupted(p, alive), DependsOn: array(p.DependsOn),
		Attempt: len(p.Attempts), MaxAttempts: p.MaxAttempts, Verdict: p.Verdict(), BlockedBy: p.BlockedBy,
		Until: p.Until, Account: p.Account, Reason: p.Reason, Started: p.Started, Finished: p.Finished, Usage: p.Spent, Commit: p.Commit,
		Settings: run.Config.Choices[p.ID], Contested: p.Contested(), Accepted: p.Accepted, Because: p.AcceptedWhy,
	}
	for _, a := range p.Attempts {
		row.Seconds += a.Duration.Seconds()
	}
	if a, ok := p.Last(); ok {
		row.Log, row.Worktree, row.Proof = a.Log, a.Dir, a.Proof
		if a.Failure != nil {
			row.Error = &statusFailure{a.Failure.Type, a.Failure.Message, a.Failure.Retryable}
		}
	}
	return row
}
