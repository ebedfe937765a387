package store

import (
	"autobuild/failure"
	"autobuild/state"
)

// finalRetries is error.final when every attempt was used.
const finalRetries = "Failed after maximum retries"

// toFile is the phase as its file says it.
func toFile(p *state.Phase) phaseFile {
	f := phaseFile{
		Schema: state.Schema, ID: p.ID, Label: p.Label, Name: p.Name, Status: p.Status,
		Attempt: len(p.Attempts), MaxAttempts: p.MaxAttempts,
		Timestamps:   timestamps{p.Created, p.Started, p.Finished, p.Updated, p.Accepted, p.Edited},
		Dependencies: dependencies{p.DependsOn, p.BlockedBy},
		Waiting:      waiting{p.Until, p.Account, p.Waits}, Limits: p.Limits,
		Retry: p.Retry, Fingerprint: p.Fingerprint,
		Reason: p.Reason, AcceptedWhy: p.AcceptedWhy, Was: p.Was, Spent: p.Spent,
		History: p.Past, Revisions: p.Revisions, Proposals: p.Proposals, LeftOut: p.LeftOut,
		Notes: p.Notes, Removed: p.Removed,
	}
	for i := range p.Attempts {
		e := toEarlier(&p.Attempts[i])
		if i < len(p.Attempts)-1 {
			f.Earlier = append(f.Earlier, e)
			continue
		}
		f.Execution, f.Gates, f.Verification = &e.execution, e.Gates, e.Verification
		f.Commit, f.PlanUpdates = e.Commit, e.PlanUpdates
	}
	f.Error = toErrors(p)
	return f
}

func toErrors(p *state.Phase) *attemptErrors {
	e := attemptErrors{Attempts: map[int]attemptError{}}
	var last attemptError
	for i := range p.Attempts {
		if a := &p.Attempts[i]; a.Failure != nil {
			last = attemptError{*a.Failure, a.Decision}
			e.Attempts[a.N] = last
		}
	}
	if len(e.Attempts) == 0 {
		return nil
	}
	switch {
	case p.Status == state.Complete:
		e.Resolved = true
	case p.Status != state.Failed || p.Retry:
	case !p.Frozen() && len(p.Attempts) > 1 && len(p.Attempts) >= p.MaxAttempts:
		e.Final = finalRetries
	case last.Decision != nil && last.Decision.Rationale != "":
		e.Final = last.Decision.Rationale
	default:
		e.Final = "Failed without another attempt"
	}
	return &e
}

func toEarlier(a *state.Attempt) earlier {
	e := earlier{N: a.N, execution: execution{
		Key: a.Key, Agent: a.Agent, Account: a.Account, Model: a.Model, Session: a.Session,
		Tier: a.Tier, Log: a.Log, Dir: a.Dir, Branch: a.Branch,
		Base: a.Base, ExitCode: a.ExitCode, Started: a.Started, Ended: a.Ended,
		Duration: seconds(a.Duration),
		Tasks:    a.Tasks.Total, TasksDone: a.Tasks.Done, Claim: a.Report, Usage: a.Usage,
	}}
	if !a.Changes.IsZero() {
		e.Changes = &a.Changes
	}
	for i := range a.Gates {
		g := &a.Gates[i]
		e.Gates = append(e.Gates, gateRun{
			Name: g.Name, Kind: g.Kind, Command: g.Command, Fix: g.Fix, Status: g.Status,
			Exit:     g.Exit,
			Duration: seconds(g.Duration), Log: g.Log, Count: g.Count, Failed: g.Failed,
			Tests:  g.Tests,
			Places: g.Places, Tail: g.Tail, Missing: g.Missing, Landing: g.Landing, Flaky: g.Flaky,
			Before: g.Before, Reused: g.Reused,
		})
	}
	if a.Verdict != "" || len(a.Warnings) > 0 || len(a.Referee) > 0 || a.Proof != "" ||
		a.RefereeLog != "" || a.Review != nil {
		e.Verification = &verification{
			a.Verdict, a.Referee, a.Proof, a.RefereeLog, a.Review, a.Warnings, a.Warm,
		}
	}
	if c := a.Commit; c != nil {
		e.Commit = &commit{c.SHA, c.Message, c.Delivered, c.Undelivered, c.Obstacle, c.Overlap}
		if c.PlanMarked {
			e.PlanUpdates = &planUpdates{true}
		}
	}
	return e
}

// phase converts the file's content, which check has accepted.
func (f *phaseFile) phase() state.Phase {
	p := state.Phase{
		ID: f.ID, Label: f.Label, Name: f.Name, Status: f.Status, MaxAttempts: f.MaxAttempts,
		DependsOn: f.Dependencies.DependsOn, BlockedBy: f.Dependencies.BlockedBy,
		Until: f.Waiting.Until, Account: f.Waiting.Account, Waits: f.Waiting.Waits,
		Limits: f.Limits, Retry: f.Retry, Fingerprint: f.Fingerprint,
		Reason: f.Reason, AcceptedWhy: f.AcceptedWhy, Was: f.Was,
		Spent: f.Spent,
		Past:  f.History, Revisions: f.Revisions, Proposals: f.Proposals, LeftOut: f.LeftOut,
		Notes:   f.Notes,
		Created: f.Timestamps.Created, Started: f.Timestamps.Started,
		Finished: f.Timestamps.Finished, Updated: f.Timestamps.Updated,
		Accepted: f.Timestamps.Accepted, Edited: f.Timestamps.Edited, Removed: f.Removed,
	}
	for i := range f.Earlier {
		p.Attempts = append(p.Attempts, f.attempt(&f.Earlier[i]))
	}
	if f.Attempt > 0 {
		last := earlier{f.Attempt, *f.Execution, f.Gates, f.Verification, f.Commit, f.PlanUpdates}
		p.Attempts = append(p.Attempts, f.attempt(&last))
	}
	if p.Status == state.Complete {
		p.Commit = p.Attempts[len(p.Attempts)-1].Commit
	}
	return p
}

func (f *phaseFile) attempt(e *earlier) state.Attempt {
	a := state.Attempt{
		N: e.N, Key: e.Key, Agent: e.Agent, Account: e.Account, Model: e.Model, Session: e.Session,
		Tier: e.Tier, Log: e.Log, Dir: e.Dir, Branch: e.Branch,
		Base: e.Base, ExitCode: e.ExitCode, Started: e.Started, Ended: e.Ended,
		Duration: e.Duration.duration(),
		Tasks:    failure.TaskCount{Total: e.Tasks, Done: e.TasksDone}, Report: e.Claim,
		Usage: e.Usage,
	}
	if e.Changes != nil {
		a.Changes = *e.Changes
	}
	for i := range e.Gates {
		g := &e.Gates[i]
		a.Gates = append(a.Gates, state.Gate{
			Name: g.Name, Kind: g.Kind, Command: g.Command, Fix: g.Fix, Status: g.Status,
			Exit:     g.Exit,
			Duration: g.Duration.duration(), Log: g.Log, Count: g.Count, Failed: g.Failed,
			Tests:  g.Tests,
			Places: g.Places, Tail: g.Tail, Missing: g.Missing, Landing: g.Landing, Flaky: g.Flaky,
			Before: g.Before, Reused: g.Reused,
		})
	}
	if e.Verification != nil {
		v := e.Verification
		a.Verdict, a.Referee, a.Proof, a.Warnings = v.Verdict, v.Referee, v.Proof, v.Warnings
		a.RefereeLog, a.Review, a.Warm = v.Log, v.Review, v.Warm
	}
	if c := e.Commit; c != nil {
		a.Commit = &state.Commit{
			SHA: c.SHA, Message: c.Message, Delivered: c.Delivered, Undelivered: c.Undelivered,
			Obstacle: c.Obstacle, Overlap: c.Overlap,
			PlanMarked: e.PlanUpdates != nil && e.PlanUpdates.Marked,
		}
	}
	if x, ok := f.errorOf(e.N); ok {
		a.Failure, a.Decision = &x.Diagnosis, x.Decision
	}
	return a
}

func (f *phaseFile) errorOf(n int) (attemptError, bool) {
	if f.Error == nil {
		return attemptError{}, false
	}
	e, ok := f.Error.Attempts[n]
	return e, ok
}
