package render

import (
	"time"

	"autobuild/failure"
	"autobuild/state"
)

// statusDocument is the output of status --json.
type statusDocument struct {
	Schema  int           `json:"schema"`
	Run     string        `json:"run"`
	Plan    string        `json:"plan"`
	Status  string        `json:"status"` // running, cut_off, part_complete, or the outcome of the last session
	Alive   bool          `json:"alive"`  // a session works on it now
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
	Review      *state.Review  `json:"review,omitzero"` // of the last attempt
	BlockedBy   string         `json:"blocked_by,omitzero"`
	Until       time.Time      `json:"until,omitzero"`
	Account     string         `json:"account,omitzero"` // of the limit that is waited for
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

// StatusJSON is a run as schema 1 of the JSON document; alive is as for Status. Its field names do
// not change; new ones may come.
func StatusJSON(run *state.Run, alive bool) ([]byte, error) {
	c := run.Config
	doc := statusDocument{
		Schema: 1, Run: c.RunID, Plan: c.Plan, Status: NewOverview(run, alive).StatusWord(),
		Alive: alive, Started: c.Started, Resumed: c.Resumed,
		Commit: string(c.CommitMode), Agent: c.Agent, Then: c.Fallbacks, Policy: c.RetryPolicy,
		Tiers: c.Tiers, Seq: run.Seq, End: run.End, Totals: run.Totals(),
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
		ID: p.ID, Label: p.Label, Name: p.Name, Status: p.Status,
		Interrupted: interrupted(p, alive), DependsOn: array(p.DependsOn),
		Attempt: len(p.Attempts), MaxAttempts: p.MaxAttempts, Verdict: p.Verdict(),
		BlockedBy: p.BlockedBy,
		Until:     p.Until, Account: p.Account, Reason: p.Reason, Started: p.Started,
		Finished: p.Finished, Usage: p.Spent, Commit: p.Commit,
		Settings: run.Config.Choices[p.ID], Contested: p.Contested(), Accepted: p.Accepted,
		Because: p.AcceptedWhy,
	}
	for _, a := range p.Attempts {
		row.Seconds += a.Duration.Seconds()
	}
	if a, ok := p.Last(); ok {
		row.Log, row.Worktree, row.Proof, row.Review = a.Log, a.Dir, a.Proof, a.Review
		if a.Failure != nil {
			row.Error = &statusFailure{a.Failure.Type, a.Failure.Message, a.Failure.Retryable}
		}
	}
	return row
}
