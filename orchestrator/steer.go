package orchestrator

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	"unicode"

	"autobuild/internal/text"
	"autobuild/state"
)

// CommandKind is what a person asks of a run.
type CommandKind string

// The commands.
const (
	PauseRun    CommandKind = "pause"  // no attempt starts; with Now those that run are stopped
	ContinueRun CommandKind = "resume" // ends a pause
	NotePhase   CommandKind = "note"   // Text goes into the prompt of the phase's next attempt
	SkipPhase   CommandKind = "skip"   // leaves the phase out; what depends on it does not wait
	RetryPhase  CommandKind = "retry"  // tries a failed or skipped phase again
	ReloadPlan  CommandKind = "reload" // goes by the plan as it is saved now
)

// Command is what a person asks of a run that goes on.
type Command struct {
	Kind  CommandKind `json:"command"`
	Phase string      `json:"phase,omitzero"` // id; of note, skip and retry
	Text  string      `json:"text,omitzero"`  // of note; of skip: the reason
	Now   bool        `json:"now,omitzero"`   // of pause
	By    string      `json:"by,omitzero"`    // who asks, in a few words
}

// Request is a command on its way to a run. Answer is called once: after what follows from the
// command is recorded, or with the reason why nothing does.
type Request struct {
	Command Command
	Answer  func(text string, err error)
}

// Steered is what follows from a command.
type Steered struct {
	Events []state.Event
	// Stop are the ids of phases whose attempts are stopped. With Wait, the command is decided
	// anew after the first of them has ended.
	Stop   []string
	Wait   bool
	Answer string // in words, once Events are recorded
}

// CommandError says why a command cannot be done, and what can.
type CommandError struct{ Why, Next string }

// Error is the reason and the way out.
func (e *CommandError) Error() string {
	if e.Next == "" {
		return e.Why
	}
	return e.Why + "; " + e.Next
}

// ErrEnding answers a command that comes too late.
var ErrEnding = &CommandError{
	Why: "the run is ending", Next: "autobuild status shows how it goes on",
}

// EachStop calls stop for each phase of Stop. again is true where the command is decided anew after
// that phase's attempt has ended.
func (s Steered) EachStop(stop func(phase string, again bool)) {
	for i, id := range s.Stop {
		stop(id, s.Wait && i == 0)
	}
}

// Steer decides what a command means for the run as it stands. It is pure. A command that changes
// nothing any more, such as a pause of a paused run, is answered and has no events. The error is a
// *CommandError, and then nothing is to be done.
func Steer(run *state.Run, c Command) (Steered, error) {
	switch c.Kind {
	case PauseRun:
		return pause(run, c), nil
	case ContinueRun:
		if run.Config.Paused.IsZero() {
			return Steered{Answer: "the run is not paused"}, nil
		}
		e := state.Event{Type: state.RunContinued, Text: c.By, User: true}
		return Steered{Events: []state.Event{e}, Answer: "the run goes on"}, nil
	case ReloadPlan:
		return Steered{}, &CommandError{Why: "no run goes on here", Next: "--resume reads the plan"}
	case NotePhase, SkipPhase, RetryPhase:
	default:
		return Steered{}, &CommandError{Why: fmt.Sprintf("%q is no command for a run",
			text.Clean(string(c.Kind), 40))}
	}
	p, ok := run.Find(c.Phase)
	if !ok {
		return Steered{}, &CommandError{
			Why:  fmt.Sprintf("the run has no phase %s", text.Clean(c.Phase, 40)),
			Next: "autobuild status lists them",
		}
	}
	switch c.Kind {
	case NotePhase:
		return note(p, c)
	case SkipPhase:
		return skip(run, p, c)
	}
	return retry(run, p, c)
}

// pause stops nothing that runs, unless it is to be at once.
func pause(run *state.Run, c Command) Steered {
	var s Steered
	running := 0
	for i := range run.Phases {
		if p := &run.Phases[i]; p.Status == state.Running {
			running++
			if c.Now {
				s.Stop = append(s.Stop, p.ID)
			}
		}
	}
	switch {
	case len(s.Stop) > 0:
		s.Answer = fmt.Sprintf("the run is paused; %s stopped, with every attempt kept",
			text.Count(running, "phase"))
	case running > 0:
		s.Answer = fmt.Sprintf("the run is paused; still in work: %s",
			text.Count(running, "phase"))
	default:
		s.Answer = "the run is paused"
	}
	if run.Config.Paused.IsZero() {
		s.Events = []state.Event{{Type: state.RunPaused, Text: c.By, User: true}}
	}
	return s
}

// note keeps a person's words for the next attempt.
func note(p *state.Phase, c Command) (Steered, error) {
	words := strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1 // it would steer a terminal, and says nothing to an agent
		}
		return r
	}, strings.ToValidUTF8(c.Text, "�")))
	switch {
	case words == "":
		return Steered{}, &CommandError{Why: "the note is empty"}
	case len(words) > state.MaxNote:
		return Steered{}, &CommandError{
			Why: fmt.Sprintf("the note has %d bytes, and at most %d go into a prompt", len(words),
				state.MaxNote),
			Next: "write the rest into the plan",
		}
	case p.Status == state.Complete || p.Status == state.Skipped:
		return Steered{}, &CommandError{
			Why: fmt.Sprintf("phase %s is %s, and no attempt will read the note", p.Label, p.Status),
		}
	case len(p.Notes) >= state.MaxNotes:
		return Steered{}, &CommandError{
			Why:  fmt.Sprintf("phase %s has %d notes already", p.Label, len(p.Notes)),
			Next: "write the rest into the plan",
		}
	}
	answer := fmt.Sprintf("phase %s: its first attempt will read the note", p.Label)
	switch {
	case p.Status == state.Running:
		answer = fmt.Sprintf("phase %s: the attempt in work does not see the note; the next will",
			p.Label)
	case len(p.Attempts) > 0:
		answer = fmt.Sprintf("phase %s: its next attempt will read the note", p.Label)
	}
	e := state.Event{Type: state.PhaseNoted, Phase: p.ID, Text: words, User: true}
	return Steered{Events: []state.Event{e}, Answer: answer}, nil
}

// skip leaves a phase out. One that runs is stopped first, and its work is kept.
func skip(run *state.Run, p *state.Phase, c Command) (Steered, error) {
	switch p.Status {
	case state.Complete:
		return Steered{}, &CommandError{
			Why: fmt.Sprintf("phase %s is complete, and its work has landed", p.Label),
		}
	case state.Skipped:
		return Steered{Answer: fmt.Sprintf("phase %s is skipped already", p.Label)}, nil
	case state.Running:
		return Steered{Stop: []string{p.ID}, Wait: true}, nil
	case state.Pending, state.Waiting, state.Failed, state.Blocked:
	}
	why := cmp.Or(strings.TrimSpace(c.Text), "skipped by "+cmp.Or(c.By, "hand"))
	var s Steered
	if p.Status != state.Pending {
		s.Events = append(s.Events, reset(p, "to be skipped"))
	}
	s.Events = append(s.Events,
		state.Event{Type: state.PhaseSkipped, Phase: p.ID, Text: why, User: true})
	freed := unblocked(run, p, "phase "+p.Label+", which blocked it, is skipped")
	s.Events = append(s.Events, freed...)
	s.Answer = fmt.Sprintf("phase %s is skipped", p.Label)
	if len(freed) > 0 {
		s.Answer += "; " + text.Count(len(freed), "phase") + " that it blocked may start"
	}
	return s, nil
}

// retry makes a failed or skipped phase pending, and with it what it blocks.
func retry(run *state.Run, p *state.Phase, c Command) (Steered, error) {
	refuse := func(why, next string) (Steered, error) {
		return Steered{}, &CommandError{Why: "phase " + p.Label + " " + why, Next: next}
	}
	switch p.Status {
	case state.Complete:
		return refuse("is complete",
			"when the run has ended, autobuild reset "+p.Label+" makes it run again")
	case state.Running:
		return refuse("is in work", "autobuild skip "+p.Label+" stops it")
	case state.Pending:
		return refuse("has not failed", "it starts when its turn comes")
	case state.Waiting:
		return refuse("waits for "+p.WaitsFor(), "it goes on by itself")
	case state.Blocked:
		blocker := p.BlockedBy
		if root, ok := run.Find(blocker); ok {
			blocker = root.Label
		}
		return refuse("is blocked by "+blocker, "try: autobuild retry "+blocker)
	case state.Failed:
		if p.Retry {
			return refuse("is tried again by itself", "autobuild note "+p.Label+
				" tells its next attempt what to do")
		}
	case state.Skipped:
	}
	s := Steered{Events: []state.Event{reset(p, "tried again by "+cmp.Or(c.By, "hand"))}}
	freed := unblocked(run, p, "phase "+p.Label+", which blocked it, is tried again")
	s.Events = append(s.Events, freed...)
	s.Answer = fmt.Sprintf("phase %s is tried again", p.Label)
	if len(freed) > 0 {
		s.Answer += ", and what it blocked may follow"
	}
	return s, nil
}

// unblocked resets the phases that root blocks. Next blocks them again where another failed phase
// is in their way.
func unblocked(run *state.Run, root *state.Phase, why string) []state.Event {
	var events []state.Event
	for i := range run.Phases {
		if p := &run.Phases[i]; p.Status == state.Blocked && p.BlockedBy == root.ID {
			events = append(events, reset(p, why))
		}
	}
	return events
}

func reset(p *state.Phase, why string) state.Event {
	return state.Event{Type: state.PhaseReset, Phase: p.ID, Text: why, User: true}
}

// SteerStored does a command between sessions: the events are applied, then saved.
func SteerStored(run *state.Run, sink Sink, c Command, now time.Time) (answer string, err error) {
	s, err := Steer(run, c)
	if err != nil {
		return "", err
	}
	for _, e := range s.Events {
		if err = byHand(run, sink, e, now); err != nil {
			return "", err
		}
	}
	return s.Answer, nil
}
