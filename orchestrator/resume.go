package orchestrator

import (
	"cmp"
	"fmt"
	"slices"

	"autobuild/internal/text"
	"autobuild/plan"
	"autobuild/state"
)

// Session is what a call of autobuild adds to a run: how it was called, and what becomes of each
// phase's past.
type Session struct {
	Config    state.Config
	Decisions []Decision        // of Resume; none for a fresh run
	Skip      map[string]string // id → why a phase is left out
	Notices   []string          // facts for the user before anything starts
}

// Verb is what happens to a phase when a run goes on.
type Verb string

// The verbs.
const (
	Keep  Verb = "keep"  // complete: stays so
	Again Verb = "again" // becomes pending
	// complete, and its recorded commit is not what git and another witness say: that is corrected
	Mend  Verb = "mend"
	Adopt Verb = "adopt" // its work had landed when the run was cut off: complete
	Begin Verb = "begin" // has not started yet
	// frozen, or blocked by a phase that is: stays so, and everything else runs
	Hold Verb = "hold"
)

// Decision is what happens to one phase when a run goes on, and why.
type Decision struct {
	Phase  string // id
	Label  string
	Verb   Verb
	Reason string
	// Adopt: the attempt that landed, with its commit; Mend: with the right commit
	Attempt state.Attempt
}

// Found is a landed commit, read from its trailers.
type Found struct {
	Commit    state.Commit
	Verdict   state.Verdict         // empty: it does not say
	Contested []state.RefereeChange // that a person is to look at
}

// ResumeOptions is what only the outside knows about a loaded run.
type ResumeOptions struct {
	// Landed finds what the attempt with this key has landed, if anything.
	Landed func(phase, key string) (Found, bool)
	// Present reports whether this commit is still part of the work. nil: commits are not looked
	// for.
	Present func(commit state.Commit) bool
	// Rerun makes complete phases pending whose text changed since.
	Rerun bool
	// Thaws says why a frozen phase is tried again; empty where it is not. nil: none is.
	Thaws func(phase *state.Phase) string
	// Skip are the ids of phases that are left out of this session for good: their dependents do
	// not wait.
	Skip map[string]string
}

// Resume decides for every phase of the plan what becomes of its past. It is pure; the run must
// have been loaded for this plan. Its decisions come in plan order.
func Resume(p *plan.Plan, run *state.Run, past ResumeOptions) []Decision {
	order := make([]int, p.Len())
	for i := range order {
		order[i] = i
	}
	// The needs of a phase are decided before the phase.
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p.Level(a), p.Level(b)) })
	decisions := make([]Decision, p.Len())
	done := make([]bool, p.Len())
	for _, i := range order {
		decisions[i], done[i] = past.decide(p, run, i, done)
	}
	for i := range decisions {
		keepBlocked(p, run, decisions, i)
	}
	return decisions
}

// decide looks at one phase; done says which phases stay complete.
func (past ResumeOptions) decide(p *plan.Plan, run *state.Run, i int, done []bool) (Decision, bool) {
	phase := p.At(i)
	d := Decision{Phase: phase.ID, Label: phase.Label, Verb: Begin, Reason: "not started yet"}
	old, ok := run.Find(phase.ID)
	if !ok {
		d.Reason = "new in the plan"
		return d, false
	}
	switch old.Status {
	case state.Pending, state.Skipped:
		if old.Reason != "" {
			d.Reason = old.Reason
		}
		_, again := past.Skip[phase.ID]
		switch {
		case old.Status == state.Skipped && old.LeftOut:
			d.Verb = Keep
			d.Reason = "left out by hand; autobuild retry " + phase.Label + " takes it in again"
			return d, true
		case old.Status == state.Skipped && again:
			d.Verb, d.Reason = Keep, "left out again"
			return d, true
		case old.Status == state.Skipped:
			d.Verb, d.Reason = Again, "was left out before"
		case len(old.Attempts) > 0 || !old.Started.IsZero():
			d.Verb, d.Reason = Again, "was interrupted"
		}
	case state.Complete:
		return past.decideComplete(p, run, i, old, done)
	case state.Running:
		last, _ := old.Last()
		if past.Landed != nil {
			if found, landed := past.Landed(phase.ID, last.Key); landed {
				d.Verb, d.Attempt, d.Reason = Adopt, last,
					"its work had landed when the run was cut off"
				d.Attempt.Commit, d.Attempt.Verdict, d.Attempt.Referee = &found.Commit,
					found.Verdict, found.Contested
				return d, true
			}
		}
		d.Verb, d.Reason = Again, "was running when the run was cut off"
	case state.Failed:
		past.decideFailed(&d, phase, old)
	case state.Blocked:
		d.Verb, d.Reason = Again, "was blocked by "+label(p, old.BlockedBy)
	case state.Waiting:
		d.Verb, d.Reason = Again, "was waiting for "+old.WaitsFor()
	}
	return d, false
}

// decideFailed tries a failed phase again, unless it is frozen: then it takes a person, or another
// text.
func (past ResumeOptions) decideFailed(d *Decision, phase plan.Phase, old *state.Phase) {
	last, _ := old.Last()
	_, skipped := past.Skip[phase.ID]
	d.Verb, d.Reason = Again, "failed"
	switch {
	case old.Frozen() && old.Fingerprint != "" && old.Fingerprint != phase.Fingerprint:
		d.Reason = "was frozen, and its text has changed"
	case old.Frozen() && !skipped:
		if why := past.thaws(old); why != "" {
			d.Reason = "was frozen, and " + why
			return
		}
		d.Verb = Hold
		d.Reason = "frozen: " + text.Clip(last.Decision.Rationale, 160) +
			"; a commit of yours, an edit of its text or autobuild reset " +
			phase.Label + " ends that"
	case last.Failure != nil:
		d.Reason = "failed: " + string(last.Failure.Type)
	}
}

func (past ResumeOptions) thaws(phase *state.Phase) string {
	if past.Thaws == nil {
		return ""
	}
	return past.Thaws(phase)
}

// keepBlocked leaves a phase blocked that a held one blocks, instead of making it pending to block
// it again.
func keepBlocked(p *plan.Plan, run *state.Run, decisions []Decision, i int) {
	d := &decisions[i]
	old, ok := run.Find(d.Phase)
	if !ok || d.Verb != Again || old.Status != state.Blocked {
		return
	}
	root, ok := p.Index(old.BlockedBy)
	if ok && decisions[root].Verb == Hold && slices.Contains(p.Descendants(root), i) {
		d.Verb, d.Reason = Hold, "blocked by "+decisions[root].Label+", which is frozen"
	}
}

// decideComplete keeps a complete phase while its commit exists, its text is unchanged (or Rerun is
// off), and its needs are complete too.
func (past ResumeOptions) decideComplete(
	p *plan.Plan, run *state.Run, i int, old *state.Phase, done []bool,
) (Decision, bool) {
	phase := p.At(i)
	edited := old.Fingerprint != "" && old.Fingerprint != phase.Fingerprint
	d := Decision{Phase: phase.ID, Label: phase.Label, Verb: Again}
	right, witness := past.outvoted(phase.ID, old)
	if past.lost(old) && right == nil {
		d.Reason = "its commit " + short(old.Commit.SHA) + " is not part of the work any more"
		return d, false
	}
	if edited && past.Rerun {
		d.Reason = "changed since it completed"
		return d, false
	}
	for _, need := range p.Needs(i) {
		if !done[need] && !past.excused(p, run, need, old, edited) {
			d.Reason = "needs " + p.At(need).Label + ", which runs again"
			return d, false
		}
	}
	d.Verb, d.Reason = Keep, "complete"
	if right != nil {
		d.Verb, d.Attempt.Commit = Mend, right
		d.Reason = fmt.Sprintf(
			"complete; its commit was recorded as %s, which is not part of the work: %s and git "+
				"say %s",
			old.Commit.SHA, witness, short(right.SHA))
		return d, true
	}
	if edited {
		d.Reason = "complete; changed since it completed (--resume=changed runs it again)"
	}
	return d, true
}

// lost reports whether the commit that is recorded of a complete phase is no part of the work.
func (past ResumeOptions) lost(old *state.Phase) bool {
	return past.Present != nil && old.Commit != nil && old.Commit.SHA != "" &&
		!past.Present(*old.Commit)
}

// outvoted is the right commit of a complete phase where the recorded one is lost and two
// witnesses agree on another: git and the key of the attempt, or git and the diary. It names the
// witness beside git.
func (past ResumeOptions) outvoted(id string, old *state.Phase) (right *state.Commit, witness string) {
	if !past.lost(old) {
		return nil, ""
	}
	commit := *old.Commit
	last, _ := old.Last()
	if past.Landed != nil {
		if found, ok := past.Landed(id, last.Key); ok {
			commit.SHA = found.Commit.SHA
			return &commit, "its attempt's key"
		}
	}
	return nil, ""
}

// excused reports whether a complete phase may stay so although it needs one that is not: that one
// had been left out, or an edit of the plan has added it as a need. An edit while the run went on
// is recorded with the phase; of another one the need was not started yet.
func (ResumeOptions) excused(
	p *plan.Plan, run *state.Run, need int, old *state.Phase, edited bool,
) bool {
	other, known := run.Find(p.At(need).ID)
	return known && other.Status == state.Skipped ||
		!old.Edited.IsZero() && (!known || other.Status != state.Complete) ||
		edited && (!known || other.Fingerprint == "")
}

// Held are the positions of the phases that the session holds; nil when there are none.
func (s Session) Held(p *plan.Plan) []bool {
	var held []bool
	for _, d := range s.Decisions {
		if i, ok := p.Index(d.Phase); ok && d.Verb == Hold {
			if held == nil {
				held = make([]bool, p.Len())
			}
			held[i] = true
		}
	}
	return held
}

// Events are what a session records before anything runs.
func (s Session) Events(p *plan.Plan, o Options) []state.Event {
	config := s.Config
	seeds := Seeds(p, 0)
	for i := range seeds {
		seeds[i].MaxAttempts = o.policy(seeds[i].ID).Attempts()
	}
	events := []state.Event{{Type: state.RunStarted, Config: &config, Phases: seeds}}
	for _, d := range s.Decisions {
		switch d.Verb {
		case Again:
			events = append(events, state.Event{
				Type: state.PhaseReset, Phase: d.Phase,
				Text: d.Reason,
			})
		case Adopt:
			events = append(events, adopted(d))
		case Mend:
			events = append(events, state.Event{
				Type: state.PhaseMended, Phase: d.Phase,
				Commit: d.Attempt.Commit, Text: d.Reason,
			})
		case Keep, Begin, Hold:
		}
	}
	kept := make(map[string]bool)
	for _, d := range s.Decisions {
		kept[d.Phase] = d.Verb == Keep || d.Verb == Mend || d.Verb == Adopt
	}
	for _, phase := range p.Phases() {
		if why, ok := s.Skip[phase.ID]; ok && !kept[phase.ID] {
			events = append(events, state.Event{
				Type: state.PhaseSkipped, Phase: phase.ID,
				Text: why,
			})
		}
	}
	for _, text := range s.Notices {
		events = append(events, state.Event{Type: state.Notice, Text: text})
	}
	return events
}

// adopted completes a phase whose landing was not recorded any more.
func adopted(d Decision) state.Event {
	result := d.Attempt
	if !result.Verdict.Passed() {
		result.Verdict = state.Unverified // the commit does not say
	}
	result.Warnings = []string{d.Reason + "; the record of its gates is lost"}
	return state.Event{
		Type: state.AttemptFinished, Phase: d.Phase, Attempt: result.N,
		Result: &result,
	}
}

// Seeds are the plan's phases as a run knows them.
func Seeds(p *plan.Plan, attempts int) []state.Seed {
	seeds := make([]state.Seed, p.Len())
	for i, phase := range p.Phases() {
		seeds[i] = state.Seed{
			ID: phase.ID, Label: phase.Label, Name: phase.Name,
			DependsOn: phase.DependsOn, MaxAttempts: attempts,
		}
	}
	return seeds
}

func label(p *plan.Plan, id string) string {
	if i, ok := p.Index(id); ok {
		return p.At(i).Label
	}
	return id
}

func short(sha string) string { return sha[:min(len(sha), 9)] }
