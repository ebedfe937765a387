package agent

import (
	"encoding/json"
	"fmt"
	"hash"
	"hash/fnv"
	"io"
	"slices"
	"strings"
	"time"

	"autobuild/internal/lazyregexp"
)

const (
	// maxStale bounds the steps in a row that bring nothing new: no call, no text and no file that
	// was not there before.
	maxStale = 40
	// maxSame bounds the calls in a row of which at most maxKinds differ, whatever is said between
	// them, while no file changes.
	maxSame  = 60
	maxKinds = 3
	// maxRetrying is how long an agent may only ask its model again, without an answer.
	maxRetrying = 5 * time.Minute
)

// pace distinguishes progress from repetition. The zero value has seen nothing.
type pace struct {
	seen  map[uint64]bool // the steps so far, by their hash
	said  hash.Hash64     // what was said since the last step; nil: nothing ever
	stale streak          // steps that were there before
	same  streak          // calls of few kinds
	kinds []uint64        // … and which these are, by their hash

	// the trouble that keeps the agent from its model, as last reported; empty once there was an
	// answer
	trouble string
	status  int       // its HTTP status, 0 where that is not known
	since   time.Time // of the first such word in a row
	met     time.Time // … and of the last
	// when the model last gave a sign of life; zero: it has given none
	answered time.Time
}

// streak counts steps in a row that lead nowhere.
type streak struct {
	steps int
	files uint64 // how the working directory was in the middle of them
}

// reaches counts a step, and reports whether limit steps were made while no file changed in the
// second half of them. Where one changed, the first half is forgotten.
func (k *streak) reaches(limit int, look func() uint64) bool {
	switch k.steps++; k.steps {
	case limit / 2:
		k.files = look()
	case limit:
		now := look()
		if now == k.files {
			return true
		}
		k.files, k.steps = now, limit/2
	}
	return false
}

// hear takes what is said.
func (p *pace) hear(text string) {
	if p.said == nil {
		p.said = fnv.New64a()
	}
	_, _ = io.WriteString(p.said, text) // a hash has no errors
}

// step takes one round of the agent: what it does, together with what it has said since the round
// before; does is empty where it has called no tool. A round that was there before leads nowhere,
// and so do calls of a few kinds, whatever it says. Many of them in a row end the run.
func (s *story) step(does string) {
	p := &s.pace
	if p.seen == nil {
		p.seen = make(map[uint64]bool)
	}
	p.hear("\x00" + does)
	sum := p.said.Sum64()
	p.said.Reset()
	known := p.seen[sum]
	if p.seen[sum] = true; !known {
		p.stale = streak{}
	}
	if known && p.stale.reaches(maxStale, s.look) {
		s.circles(fmt.Sprintf("%d steps in a row brought no new call, text or file", maxStale))
		return
	}
	if does == "" {
		return
	}
	kind := fnv.New64a()
	_, _ = io.WriteString(kind, does)
	if !slices.Contains(p.kinds, kind.Sum64()) {
		if len(p.kinds) == maxKinds {
			p.kinds, p.same = p.kinds[:0], streak{}
		}
		p.kinds = append(p.kinds, kind.Sum64())
	}
	if p.same.reaches(maxSame, s.look) {
		s.circles(fmt.Sprintf("of %d calls in a row at most %d differ, and no file changed",
			maxSame, maxKinds))
	}
}

// look is how the working directory is now; 0 where that is not known.
func (s *story) look() uint64 {
	if s.files == nil {
		return 0
	}
	return s.files()
}

// circles ends a run that goes round in circles, as what says. Where its model cannot be reached,
// that is the reason.
func (s *story) circles(what string) {
	if s.halted {
		return
	}
	if s.pace.trouble != "" {
		s.failTransport()
		s.halt()
		return
	}
	s.failed = true
	s.out.Kind = Loop
	s.out.Message = what
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
	p.trouble, p.status, p.met = text, status, s.now()
	if p.trouble == "" {
		p.trouble = unanswered
	}
	s.active(p.trouble)
	if s.now().Sub(p.since) > maxRetrying && !s.failed {
		s.failTransport()
		s.halt()
	}
}

// unanswered is a trouble of which the agent's events do not say more.
const unanswered = "its model did not answer"

// asksAgain matches a line by which an agent says that it asks its model again.
var asksAgain = lazyregexp.New(`(?i)^(?:.*[^\w-])??(?:retry|retrying|retries|reconnecting|` +
	`(?:attempt|retry|try)\W{0,2}\d+|(?:trying|asking|try) again)\b`)

// toolServer matches a line about a server of tools, which is no way to the model.
var toolServer = lazyregexp.New(`(?i)\bmcp\b`)

// explain looks for more about such a trouble in what the agent wrote for people: the last line
// that is an error of a known kind. One that may be the echo of being stopped counts least. Of an
// agent that did nothing until its deadline only lines count by which it asks its model again.
func (s *story) explain() {
	mute := s.pace.trouble == "" && s.out.TimedOut && s.didNothing()
	if s.pace.trouble != unanswered && !mute {
		return
	}
	definite := false
	for line := range strings.Lines(s.out.Tail) {
		line = strings.TrimSpace(line)
		if mute && (!asksAgain.MatchString(line) || toolServer.MatchString(line)) {
			continue
		}
		kind := read(fault{status: s.pace.status, said: line, prose: true}, s.now()).kind
		if kind != "" && (kind != Transient || !definite) {
			s.pace.trouble, definite = line, kind != Transient
		}
	}
	if s.halted && s.failed && s.pace.trouble != unanswered {
		s.halted = false
		s.fail(s.pace.status, s.pace.trouble)
		s.halted = true
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
func (s *story) overcome() {
	s.pace.trouble, s.pace.status, s.pace.answered = "", 0, s.now()
}

// stuck reports whether the run ended in the midst of a trouble. One that was stopped at its
// deadline has to have been in it for a while, unless it has done nothing else: it worked.
func (s *story) stuck() bool {
	out, p := s.out, &s.pace
	switch {
	case p.trouble == "" || s.failed || out.Err != "":
		return false
	case out.Idle:
		return true
	case out.TimedOut:
		return s.now().Sub(p.since) >= patience || s.didNothing()
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

// call is a use of a tool as one step. What an input says to people about the call, in words that
// may differ each time, is no part of it.
func call(name string, input json.RawMessage) string {
	var args map[string]any
	if json.Unmarshal(input, &args) == nil {
		for _, remark := range []string{"description", "explanation", "justification"} {
			if len(args) > 1 {
				delete(args, remark)
			}
		}
		if raw, err := json.Marshal(args); err == nil {
			input = raw
		}
	}
	return name + "\x00" + string(input)
}
