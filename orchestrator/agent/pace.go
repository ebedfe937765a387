package agent

import (
	"encoding/json"
	"fmt"
	"hash"
	"hash/fnv"
	"io"
	"strings"
	"time"
)

const (
	// maxStale bounds the steps in a row that bring nothing new: no call, no text and no file that
	// was not there before.
	maxStale = 40
	// maxRetrying is how long an agent may only ask its model again, without an answer.
	maxRetrying = 5 * time.Minute
)

// pace distinguishes progress from repetition. The zero value has seen nothing.
type pace struct {
	seen  map[uint64]bool // the steps so far, by their hash
	said  hash.Hash64     // the text since the last step; nil: never any text
	stale int             // steps in a row that were there before
	files uint64          // how the working directory was in the middle of them

	// the trouble that keeps the agent from its model, as last reported; empty once there was an
	// answer
	trouble string
	status  int       // its HTTP status, 0 where that is not known
	since   time.Time // of the first such word in a row
}

// hear adds text of the agent to the hash of the current step.
func (p *pace) hear(text string) {
	if p.said == nil {
		p.said = fnv.New64a()
	}
	_, _ = io.WriteString(p.said, text) // a hash has no errors
}

// step takes one round of the agent: its action, together with its text since the round before. A
// repeated round makes no progress, and many of them in a row end the run.
func (s *story) step(does string) {
	p := &s.pace
	if p.seen == nil {
		p.seen = make(map[uint64]bool)
	}
	p.hear("\x00" + does)
	sum := p.said.Sum64()
	p.said.Reset()
	if !p.seen[sum] {
		p.seen[sum], p.stale = true, 0
		return
	}
	switch p.stale++; p.stale {
	case maxStale / 2:
		p.files = s.look()
	case maxStale:
		if now := s.look(); now != p.files {
			p.files, p.stale = now, maxStale/2
			return
		}
		s.circles()
	}
}

// look is how the working directory is now; 0 where that is not known.
func (s *story) look() uint64 {
	if s.files == nil {
		return 0
	}
	return s.files()
}

// circles ends a run that goes round in circles. Where its model cannot be reached, that is the
// reason.
func (s *story) circles() {
	if s.pace.trouble != "" {
		s.failTransport()
		s.halt()
		return
	}
	s.failed = true
	s.out.Kind = Loop
	s.out.Message = fmt.Sprintf("%d steps in a row brought no new call, text or file", maxStale)
	if last := strings.TrimSpace(s.out.Last); last != "" {
		s.out.Message += "; the last: " + last
	}
	if n := s.out.InputTokens + s.out.OutputTokens; n > 0 {
		s.out.Message += fmt.Sprintf("; %d tokens were used", n)
	}
	s.halt()
}

// hitch notes what keeps the agent from its model. It may yet overcome it; where it only tries
// again for too long, it is stopped.
func (s *story) hitch(status int, text string) {
	p := &s.pace
	if p.trouble == "" {
		p.since = s.now()
	}
	p.trouble, p.status = text, status
	if p.trouble == "" {
		p.trouble = "its model did not answer"
	}
	s.active(p.trouble)
	if s.now().Sub(p.since) > maxRetrying && !s.failed {
		s.failTransport()
		s.halt()
	}
}

// failTransport ends the run with the trouble that it met last. Trouble without a kind of its own
// counts as the transport's.
func (s *story) failTransport() {
	s.fail(s.pace.status, s.pace.trouble)
	if s.out.Kind == Failed {
		s.out.Kind = Transient
	}
}

// overcome says that the model has answered.
func (s *story) overcome() { s.pace.trouble, s.pace.status = "", 0 }

// stuck reports whether the run ended in the midst of a trouble. One that was stopped at its
// deadline has to have been in it for a while: else it worked.
func (s *story) stuck() bool {
	out, p := s.out, &s.pace
	switch {
	case p.trouble == "" || s.failed || out.Err != "":
		return false
	case out.Idle:
		return true
	case out.TimedOut:
		return s.now().Sub(p.since) >= patience
	}
	return out.Signal == "" && !strings.Contains(out.Final, "```")
}

// unstick makes of such an end what it is.
func (s *story) unstick() {
	timedOut := s.out.TimedOut
	s.fail(s.pace.status, s.pace.trouble)
	if timedOut && s.out.Kind == Failed {
		s.out.Kind = Transient
	}
	s.out.TimedOut, s.out.Idle = false, false
}

// call is a use of a tool as one step.
func call(name string, input json.RawMessage) string { return name + "\x00" + string(input) }
