package state

import (
	"fmt"
	"slices"
	"time"

	"autobuild/failure"
)

// TransitionError says that an event cannot happen to a phase as it stands. It is a bug in
// autobuild, or an edited diary.
type TransitionError struct {
	Event EventType
	Phase string
	From  Status
	Why   string // may be empty
}

// Error names the event, the phase and its status.
func (e *TransitionError) Error() string {
	s := string(e.Event) + " cannot happen"
	if e.Phase != "" {
		s += " to phase " + e.Phase
	}
	if e.From != "" {
		s += ", which is " + string(e.From)
	}
	if e.Why != "" {
		s += ": " + e.Why
	}
	return s
}

// Apply folds one event into the run. It is the only way in which a Run changes. On an error
// nothing has changed.
func (r *Run) Apply(e Event) error {
	var err error
	switch {
	case !e.Type.Lifecycle():
		return nil
	case e.Seq != 0 && e.Seq != r.Seq+1:
		err = &TransitionError{
			Event: e.Type, Phase: e.Phase,
			Why: fmt.Sprintf("event %d after event %d", e.Seq, r.Seq),
		}
	case e.Type == RunStarted:
		err = r.start(e)
	case r.Config.RunID == "":
		err = &TransitionError{Event: e.Type, Why: "no run has started"}
	case e.Type == RunFinished:
		err = r.finish(e)
	case e.Type == RunPaused:
		err = r.pause(e)
	case e.Type == RunContinued:
		err = r.goOn(e)
	case e.Type == PlanEdited:
		err = r.edit(e)
	default:
		err = r.applyPhase(e)
	}
	if err == nil && e.Seq != 0 {
		r.Seq = e.Seq
	}
	return err
}

func (r *Run) start(e Event) error {
	if e.Config == nil || e.Config.RunID == "" {
		return &TransitionError{Event: e.Type, Why: "it names no run"}
	}
	if r.Config.RunID != "" && r.Config.RunID != e.Config.RunID {
		return &TransitionError{Event: e.Type, Why: "it belongs to run " + e.Config.RunID +
			", not " + r.Config.RunID}
	}
	phases, index, err := r.seeded(e)
	if err != nil {
		return err
	}
	former := r.Config.Former
	for i := range r.Phases {
		if _, stays := index[r.Phases[i].ID]; !stays {
			former = former.Add(r.Phases[i].Spent)
		}
	}
	for i := range phases {
		// a new session tries every agent again
		p := &phases[i]
		p.Limits, p.Refused, p.ErrorWait, p.Removed = nil, nil, false, false
	}
	r.Config, r.Phases, r.index, r.End, r.Without = *e.Config, phases, index, nil, nil
	r.Config.Former, r.unlimited = former, true
	return nil
}

func (r *Run) finish(e Event) error {
	if e.End == nil {
		return &TransitionError{Event: e.Type, Why: "it does not say how"}
	}
	for i := range r.Phases {
		if p := &r.Phases[i]; p.Status == Running {
			return &TransitionError{Event: e.Type, Phase: p.ID, From: p.Status}
		}
	}
	end := *e.End
	r.End = &end
	return nil
}

func (r *Run) pause(e Event) error {
	if !r.Config.Paused.IsZero() || r.End != nil {
		return &TransitionError{Event: e.Type, Why: "the run is paused already, or has ended"}
	}
	r.Config.Paused = e.Time
	return nil
}

func (r *Run) goOn(e Event) error {
	if r.Config.Paused.IsZero() {
		return &TransitionError{Event: e.Type, Why: "the run is not paused"}
	}
	r.Config.Paused = time.Time{}
	return nil
}

func (r *Run) applyPhase(e Event) error {
	p, ok := r.Find(e.Phase)
	if !ok {
		return &TransitionError{Event: e.Type, Phase: e.Phase, Why: "the run has no such phase"}
	}
	if !p.allows(e) {
		return &TransitionError{Event: e.Type, Phase: p.ID, From: p.Status}
	}
	switch e.Type {
	case PhaseStarted:
		if err := p.start(e); err != nil {
			return err
		}
	case AttemptFinished:
		if e.Result == nil || e.Result.N != len(p.Attempts) {
			return &TransitionError{
				Event: e.Type, Phase: p.ID, From: p.Status,
				Why: "it has no result of this attempt",
			}
		}
		p.settle(e, r.Waited(p)+1)
		r.unlimited = r.unlimited && len(p.Limits) == 0
		r.exclude(p, e)
	case PhaseInterrupted:
		p.Status = Pending
		p.Attempts = p.Attempts[:len(p.Attempts)-1]
		if e.Usage != nil {
			p.Spent = p.Spent.Add(*e.Usage)
		}
	case PhaseBlocked:
		p.Status, p.BlockedBy = Blocked, e.By
	case PhaseSkipped:
		p.Status, p.Reason, p.LeftOut = Skipped, e.Text, e.User
	case PhaseAccepted:
		p.Accepted, p.AcceptedWhy = e.Time, e.Text
		r.settleContest()
	case PhaseNoted:
		p.Notes = append(slices.Clone(p.Notes), Note{Time: e.Time, Text: e.Text})
	case PhaseMended:
		p.mend(*e.Commit)
	case PhaseReset:
		p.reset(e)
	}
	p.Updated = e.Time
	return nil
}

// start begins the next attempt.
func (p *Phase) start(e Event) error {
	if e.Attempt != len(p.Attempts)+1 {
		return &TransitionError{
			Event: e.Type, Phase: p.ID, From: p.Status,
			Why: fmt.Sprintf("attempt %d after %d", e.Attempt, len(p.Attempts)),
		}
	}
	if len(p.Attempts) == 0 {
		p.Started = e.Time
	}
	p.revise(e.Print)
	p.Edited = time.Time{}
	p.Status, p.Retry, p.Account = Running, false, ""
	p.MaxAttempts = max(p.MaxAttempts, e.Attempt)
	p.Attempts = append(p.Attempts, Attempt{
		N: e.Attempt, Key: e.Key, Started: e.Time,
		Agent: e.Agent, Account: e.Account,
	})
	return nil
}

// exclude records the agents that the end of an attempt rules out: for this phase after a refusal,
// else for the session.
func (r *Run) exclude(p *Phase, e Event) {
	if d := e.Result.Failure; d != nil && d.Type == failure.Refusal {
		p.Refused = appendNew(p.Refused, e.Without)
		return
	}
	r.Without = appendNew(r.Without, e.Without)
}

// appendNew appends those of names that are not in list.
func appendNew(list, names []string) []string {
	for _, name := range names {
		if !slices.Contains(list, name) {
			list = append(slices.Clone(list), name)
		}
	}
	return list
}

// allows is the table of transitions.
func (p *Phase) allows(e Event) bool {
	switch e.Type {
	case PhaseStarted:
		return p.Status == Pending || p.Status == Waiting || p.Status == Failed && p.Retry
	case AttemptFinished, PhaseInterrupted:
		return p.Status == Running
	case PhaseBlocked, PhaseSkipped:
		return p.Status == Pending
	case PhaseAccepted:
		return len(p.Contested()) > 0
	case PhaseMended:
		return p.Status == Complete && e.Commit != nil && len(p.Attempts) > 0
	case PhaseNoted:
		return p.Status != Complete && p.Status != Skipped && len(p.Notes) < MaxNotes &&
			e.Text != "" && len(e.Text) <= MaxNote
	case PhaseReset:
		return true
	}
	return false
}

// mend replaces the recorded commit of the phase and of its last attempt.
func (p *Phase) mend(c Commit) {
	p.Commit = &c
	p.Attempts[len(p.Attempts)-1].Commit = p.Commit
}

// settle ends the running attempt: complete, failed, or waiting, which takes the attempt back.
// waits counts those for its account, were this one to be another.
func (p *Phase) settle(e Event, waits int) {
	last := *e.Result
	p.Spent = p.Spent.Add(last.Usage)
	if last.Review != nil {
		p.Spent = p.Spent.Add(last.Review.Usage)
	}
	if d := last.Decision; last.Failure != nil && d != nil && d.Action == failure.Wait {
		p.Status, p.Until, p.Account = Waiting, d.Until, ""
		p.Waits, p.ErrorWait = waits, p.ErrorWait || last.Failure.Type == failure.AgentError
		if !d.Until.IsZero() { // else it goes on at once, with another agent
			p.limit(last.Failure.Type, e.Time, d.Until, waits)
		}
		p.Attempts = p.Attempts[:len(p.Attempts)-1]
		return
	}
	p.overcome(p.Attempts[len(p.Attempts)-1].Account)
	p.Waits, p.Finished = 0, e.Time
	p.Attempts[len(p.Attempts)-1] = last
	if last.Failure == nil {
		p.Status, p.Commit = Complete, last.Commit
		p.Accepted, p.AcceptedWhy = time.Time{}, ""
		p.forget()
		return
	}
	p.Status = Failed
	p.Retry = last.Decision != nil && last.Decision.Again()
	p.remember(last)
}

// reset makes the phase pending with no attempts. It keeps spending and past failures. It keeps
// proposals that changed nothing too, unless the user asked for the reset. A phase that was frozen
// gets its proposals back.
func (p *Phase) reset(e Event) {
	proposals := p.Proposals
	if e.User || p.Frozen() {
		proposals = 0
	}
	*p = Phase{
		ID: p.ID, Label: p.Label, Name: p.Name, Status: Pending, MaxAttempts: p.MaxAttempts,
		DependsOn:   p.DependsOn,
		Fingerprint: p.Fingerprint, Notes: p.Notes, Reason: e.Text, Was: p.Status,
		Past: p.Past, Revisions: p.Revisions,
		Proposals: proposals, Spent: p.Spent, Created: p.Created,
	}
}

// Index makes Find quick for a Run whose phases were filled in by hand.
func (r *Run) Index() {
	r.index = make(map[string]int, len(r.Phases))
	for i := range r.Phases {
		r.index[r.Phases[i].ID] = i
	}
}

// Find is the phase with this id, for reading.
func (r *Run) Find(id string) (*Phase, bool) {
	if i, ok := r.index[id]; ok && i < len(r.Phases) && r.Phases[i].ID == id {
		return &r.Phases[i], true
	}
	for i := range r.Phases { // a Run without Index
		if r.Phases[i].ID == id {
			return &r.Phases[i], true
		}
	}
	return nil, false
}

// Last is the latest attempt; ok is false when there is none.
func (p *Phase) Last() (a Attempt, ok bool) {
	if len(p.Attempts) == 0 {
		return Attempt{}, false
	}
	return p.Attempts[len(p.Attempts)-1], true
}

// Verdict is the verdict of the latest attempt.
func (p *Phase) Verdict() Verdict {
	if len(p.Attempts) == 0 {
		return ""
	}
	return p.Attempts[len(p.Attempts)-1].Verdict // no copy: Totals asks all phases at each event
}

// Totals counts the run's phases.
func (r *Run) Totals() Totals {
	t := Totals{Phases: len(r.Phases), Usage: r.Config.Former}
	for i := range r.Phases {
		p := &r.Phases[i]
		switch p.Status {
		case Complete:
			t.Complete++
			if p.Verdict() == Unverified {
				t.Unverified++
			}
			if len(p.Contested()) > 0 {
				t.Contested++
			}
		case Failed:
			t.Failed++
		case Blocked:
			t.Blocked++
		case Pending:
			t.Pending++
		case Skipped:
			t.Skipped++
		case Running:
			t.Running++
		case Waiting:
			t.Waiting++
		}
		t.Attempts += len(p.Attempts)
		t.Usage = t.Usage.Add(p.Spent)
	}
	return t
}

// Finished reports whether nothing is left to run: every phase is complete or was skipped.
func (r *Run) Finished() bool {
	for i := range r.Phases {
		if s := r.Phases[i].Status; s != Complete && s != Skipped {
			return false
		}
	}
	return len(r.Phases) > 0
}

// Warm reports whether the last completed phase was judged with copied build folders.
func (r *Run) Warm() bool {
	var newest Attempt
	for i := range r.Phases {
		if last, ok := r.Phases[i].Last(); ok && r.Phases[i].Status == Complete &&
			!last.Ended.Before(newest.Ended) {
			newest = last
		}
	}
	return newest.Warm
}

// RetryAt is the time before which a failed phase with a try left must not be tried again.
func (p *Phase) RetryAt() time.Time {
	last, ok := p.Last()
	if !ok || last.Decision == nil {
		return time.Time{}
	}
	return p.Finished.Add(last.Decision.Delay)
}

// Claimed is the agent's own claim about the attempt, in a word or two.
func (a Attempt) Claimed() string {
	switch {
	case a.Report == nil:
		return "no result"
	case a.Report.Complete:
		return "claims complete"
	}
	return "claims failed"
}
