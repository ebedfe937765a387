package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"autobuild/failure"
	"autobuild/orchestrator"
	"autobuild/plan"
	"autobuild/state"
)

// stamp makes a time comparable after a round trip.
func stamp(t time.Time) time.Time { return t.Round(0).UTC() }

// hashed stands for a text that is only compared.
func hashed(s string) string {
	if s == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:6])
}

// title is the part of a phase's name that may travel: screens show it.
func title(s string) string {
	r := []rune(s)
	return string(r[:min(len(r), maxTitle)])
}

// ThinDiagnosis keeps what policies and Next branch on.
func ThinDiagnosis(d *failure.Diagnosis) *failure.Diagnosis {
	if d == nil {
		return nil
	}
	thin := &failure.Diagnosis{
		Type: d.Type, Cause: d.Cause, Count: d.Count, Together: d.Together, Unbilled: d.Unbilled,
		Unattributed: d.Unattributed, After: d.After, Retryable: d.Retryable, Category: d.Category,
		Transient: d.Transient, Deviation: d.Deviation, Flaky: d.Flaky,
		Fingerprint: hashed(d.Fingerprint), Until: stamp(d.Until),
	}
	thin.Class.Class, thin.Class.Confidence, thin.Class.Action = d.Class.Class,
		d.Class.Confidence, d.Class.Action
	for _, c := range d.Conflicts {
		thin.Conflicts = append(thin.Conflicts, failure.Conflict{
			File: hashed(c.File), Phase: c.Phase, Other: c.Other,
		})
	}
	return thin
}

// ThinDecision keeps everything but the reason in words.
func ThinDecision(d *failure.Decision) *failure.Decision {
	if d == nil {
		return nil
	}
	thin := *d
	thin.Rationale, thin.Until = "", stamp(d.Until)
	return &thin
}

// ThinAttempt keeps times, counts and verdicts.
func ThinAttempt(a state.Attempt) state.Attempt {
	thin := state.Attempt{
		N: a.N, Key: a.Key, Started: stamp(a.Started), Ended: stamp(a.Ended), Duration: a.Duration,
		Agent: a.Agent, Account: a.Account, Tier: a.Tier, ExitCode: a.ExitCode, Tasks: a.Tasks,
		Verdict: a.Verdict, Failure: ThinDiagnosis(a.Failure), Decision: ThinDecision(a.Decision),
		Commit: thinCommit(a.Commit), Usage: a.Usage,
	}
	return thin
}

func thinCommit(c *state.Commit) *state.Commit {
	if c == nil {
		return nil
	}
	return &state.Commit{SHA: c.SHA, Delivered: c.Delivered}
}

// ThinGates keeps names, kinds, results and counts.
func ThinGates(gates []state.Gate) []state.Gate {
	var thin []state.Gate
	for _, g := range gates {
		thin = append(thin, state.Gate{
			Name: title(g.Name), Kind: g.Kind, Status: g.Status, Exit: g.Exit,
			Duration: g.Duration, Count: g.Count, Failed: g.Failed,
		})
	}
	return thin
}

// ThinPhase is a phase of a run as it may travel. Its notes are those of a run without texts, see
// ThinCommand.
func ThinPhase(p *state.Phase) Standing {
	s := Standing{
		Status: p.Status, Max: p.MaxAttempts, BlockedBy: p.BlockedBy, Until: stamp(p.Until),
		Account: p.Account, Waits: p.Waits, Limits: slices.Clone(p.Limits),
		Refused: p.Refused, Retry: p.Retry, Print: hashed(p.Fingerprint),
		Commit: thinCommit(p.Commit), Was: p.Was, Revisions: p.Revisions, Proposals: p.Proposals,
		Spent: p.Spent, ErrorWait: p.ErrorWait, Notes: slices.Clone(p.Notes),
		Removed: p.Removed, Edited: stamp(p.Edited),
	}
	for i := range s.Notes {
		s.Notes[i].Time = stamp(s.Notes[i].Time)
	}
	if s.Status == state.Pending {
		s.Status = ""
	}
	for i := range s.Limits {
		s.Limits[i].Met, s.Limits[i].Until = stamp(s.Limits[i].Met), stamp(s.Limits[i].Until)
	}
	for _, a := range p.Attempts {
		s.Attempts = append(s.Attempts, ThinAttempt(a))
	}
	if last, ok := p.Last(); ok && p.Status == state.Complete {
		// it comes back by a reset alone, which takes all of it away
		s.Attempts = []state.Attempt{{
			N: last.N, Key: last.Key, Started: stamp(last.Started).Truncate(time.Second),
			Account: last.Account, Verdict: last.Verdict,
		}}
	}
	for _, e := range p.Past {
		s.Past = append(s.Past, failure.Earlier{
			Type: e.Type, Class: e.Class, Category: e.Category,
			Fingerprint: e.Fingerprint, Count: e.Count, Action: e.Action, Conflict: e.Conflict,
		})
		last := &s.Past[len(s.Past)-1]
		if len(last.Fingerprint) != 12 {
			last.Fingerprint = hashed(last.Fingerprint)
		}
		if len(last.Conflict) != 12 {
			last.Conflict = hashed(last.Conflict)
		}
	}
	return s
}

// Restore is the inverse of ThinPhase, as far as it goes.
func (p Phase) Restore() state.Phase {
	s := p.Standing
	out := state.Phase{
		ID: p.ID, Label: p.Label, Name: p.Name, DependsOn: p.Needs, MaxAttempts: s.Max,
		Status: s.Status, Attempts: slices.Clone(s.Attempts), BlockedBy: s.BlockedBy,
		Until: s.Until, Account: s.Account, Waits: s.Waits, Limits: slices.Clone(s.Limits),
		Refused: s.Refused, Retry: s.Retry, Fingerprint: s.Print, Commit: s.Commit, Was: s.Was,
		Past: slices.Clone(s.Past), Revisions: s.Revisions, Proposals: s.Proposals, Spent: s.Spent,
		ErrorWait: s.ErrorWait, Notes: slices.Clone(s.Notes),
		Removed: s.Removed, Edited: s.Edited,
	}
	if out.Status == "" {
		out.Status = state.Pending
	}
	return out
}

// Thin makes the phases of an Input. The run is the plan's; attempts says how many the policy of a
// phase allows, runsOn what the plan or the configuration asks for.
func Thin(
	p *plan.Plan, run *state.Run, attempts func(id string) int, runsOn func(plan.Phase) string,
) []Phase {
	phases := make([]Phase, p.Len())
	for i, from := range p.Phases() {
		phases[i] = Phase{
			ID: from.ID, Label: title(from.Label), Name: title(from.Name), Needs: from.DependsOn,
			Weight: from.Estimate.Weight, Print: hashed(from.Fingerprint), Settings: settings(from),
			RunsOn:   runsOn(from),
			Attempts: attempts(from.ID), Standing: ThinPhase(&run.Phases[i]),
		}
		for k := range phases[i].Standing.Notes {
			phases[i].Standing.Notes[k].Text = "" // it is in the spec
		}
	}
	return phases
}

// settings is a hash of what decides how a phase is attempted, beside its text; empty: nothing does.
func settings(p plan.Phase) string {
	if len(p.Gates)+len(p.Setup)+len(p.Settings) == 0 {
		return ""
	}
	said := fmt.Sprintf("%q", p.Setup)
	for _, g := range p.Gates {
		said += fmt.Sprintf("gate %q %q", g.Name, g.Command)
	}
	for _, s := range p.Settings {
		said += fmt.Sprintf("setting %q %q", s.Name, s.Value)
	}
	return hashed(said)
}

// Whole is a hash of what a plan states for all of its phases.
func Whole(p *plan.Plan) string {
	said := fmt.Sprintf("title %q", p.Title)
	for _, g := range p.Final {
		said += fmt.Sprintf("gate %q %q", g.Name, g.Command)
	}
	for _, c := range p.Constraints {
		said += fmt.Sprintf("constraint %q", c.Text)
	}
	return hashed(said)
}

// Graph is the plan of an Input.
func (in Input) Graph() (*plan.Plan, error) { return graph(in.Phases, in.Whole) }

// Graph is the edited plan.
func (e Edit) Graph() (*plan.Plan, error) { return graph(e.Phases, e.Whole) }

// graph is a plan in which hashes stand for what does not travel: an edit compares them.
func graph(thin []Phase, whole string) (*plan.Plan, error) {
	phases := make([]plan.Phase, len(thin))
	for i, p := range thin {
		phases[i] = plan.Phase{
			ID: p.ID, Label: p.Label, Name: p.Name, DependsOn: p.Needs, Fingerprint: p.Print,
			Estimate: plan.Estimate{Weight: p.Weight},
		}
		if p.Settings != "" {
			phases[i].Settings = []plan.Setting{{Name: "hash", Value: p.Settings}}
		}
	}
	p, err := plan.Graph(phases)
	if err == nil {
		p.Title = whole
	}
	return p, err
}

// WholeEdit puts into the event of an edit what does not travel: the edit as EditRun makes it of
// the whole plans. It returns the plan by which the run goes after the event, and its options. was
// is the plan before; run is the run before the event.
func WholeEdit(
	e *state.Event, was *plan.Plan, run *state.Run, old orchestrator.Options, edited *plan.Plan,
	options orchestrator.Options,
) (*plan.Plan, orchestrator.Options, error) {
	r, err := orchestrator.EditRun(was, run, old, edited, options)
	if err != nil {
		return nil, old, err
	}
	for _, whole := range r.Events {
		if whole.Type == state.PlanEdited {
			e.Phases, e.Edit, e.Text, e.User = whole.Phases, whole.Edit, whole.Text, true
			return r.Plan, r.Options, nil
		}
	}
	// this run goes by the text already
	e.Phases, e.User = orchestrator.Seeds(r.Plan, 0), true
	for i := range e.Phases {
		if p, ok := run.Find(e.Phases[i].ID); ok {
			e.Phases[i].MaxAttempts = p.MaxAttempts
			e.Phases[i].Removed, e.Phases[i].Changed = p.Removed, !p.Edited.IsZero()
		}
	}
	e.Edit = &state.PlanEdit{
		Hash: edited.Hash, Meaning: orchestrator.Fingerprint(edited), Title: edited.Title,
		Counts: state.Counts{Phases: edited.Len(), Batches: len(edited.Batches())},
	}
	for _, p := range edited.Phases() {
		e.Edit.Counts.Tasks += len(p.Tasks)
	}
	return r.Plan, r.Options, nil
}

// State is the run of an Input.
func (in Input) State() *state.Run {
	run := &state.Run{
		Config: state.Config{
			RunID: in.Run, Sessions: in.Session, Jobs: in.Options.Jobs, Paused: in.Paused,
		},
		Seq: in.Seq, Without: in.Without,
	}
	for _, p := range in.Phases {
		run.Phases = append(run.Phases, p.Restore())
	}
	return run
}

// ThinOptions are options as they may travel. attempts is what the run's policy allows.
func ThinOptions(o orchestrator.Options, attempts int) Options {
	return Options{
		Jobs: min(o.Jobs, MaxJobs), Schedule: o.Schedule, KeepGoing: o.KeepGoing,
		Selected: o.Selected, Held: o.Held, MaxCost: o.MaxCost, MaxTokens: o.MaxTokens,
		StopLimit: o.StopLimit, Agents: o.Agents, Tiers: o.Tiers, GoOn: stamp(o.GoOn),
		Attempts: attempts,
	}
}

// letters stand for statuses, in the order of codes.
const letters = "prwcfbs"

var codes = [...]state.Status{
	state.Pending, state.Running, state.Waiting, state.Complete, state.Failed, state.Blocked,
	state.Skipped,
}

// Letters are the statuses of a run's phases, each with the number of those in a row: "c12r1p3".
// Phases that the plan does not have any more, which are the last ones, are left out.
func Letters(run *state.Run) string {
	var b strings.Builder
	in := len(run.Phases)
	for in > 0 && run.Phases[in-1].Removed {
		in--
	}
	for i := 0; i < in; {
		status, n := run.Phases[i].Status, 0
		for i < in && run.Phases[i].Status == status {
			i, n = i+1, n+1
		}
		b.WriteByte(letters[slices.Index(codes[:], status)])
		b.WriteString(strconv.Itoa(n))
	}
	return b.String()
}

// Statuses is the inverse of Letters. It returns an error for what Letters does not make, and for
// more than most statuses.
func Statuses(text string, most int) ([]state.Status, error) {
	var out []state.Status
	for text != "" {
		code := strings.IndexByte(letters, text[0])
		digits := strings.IndexFunc(text[1:], func(r rune) bool { return r < '0' || r > '9' })
		if digits < 0 {
			digits = len(text) - 1
		}
		n, err := strconv.Atoi(text[1 : 1+digits])
		if code < 0 || err != nil || n > most-len(out) {
			return nil, fmt.Errorf("%q are no statuses of %d phases", text, most)
		}
		out, text = append(out, slices.Repeat(codes[code:code+1], n)...), text[1+digits:]
	}
	return out, nil
}

// Ending is how the run ended, for the end of a session. broken is the error that the record of
// what was Broken holds.
func (o Output) Ending(broken error) orchestrator.Ending {
	e := orchestrator.Ending{Cause: o.Cause, Type: o.Type, Reason: o.Reason}
	if o.Cause == orchestrator.Broken {
		e.Err = broken
	}
	return e
}
