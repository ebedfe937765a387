package agent

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"autobuild/internal/proc"
)

// patience is how long an agent may sleep by itself, waiting for its provider. Beyond it is
// stopped, since waiting is better done where it is shown, spends no deadline, and can be ended.
const patience = 2 * time.Minute

// maxWords bounds what is kept of an error's text, in bytes.
const maxWords = 4 << 10

// reader folds one agent's stream of events into a story.
type reader interface {
	// read takes one line that holds a JSON object of the given kind. It ignores unknown kinds. An
	// error means that a known kind has changed.
	read(kind string, line []byte, s *story) error
	// end is called after the last line, before the story is settled.
	end(s *story)
}

// story is the state of a job as reported so far. Readers change it only by its methods.
type story struct {
	out      *Outcome
	final    ending // text since the last tool use
	show     func(string)
	spent    func(costUSD float64, input, output int64)
	stop     func()
	now      func() time.Time
	exit     proc.Exit // how the process ended; only for end
	lines    int       // of the stream
	events   int       // lines that were events
	finished bool      // the event after which nothing comes was there
	halted   bool      // its reader has stopped it
	failed   bool      // an error ended the run: the last text is no final message
	used     bool      // it has used a tool
	strange  string    // the first line that was not understood
	capped   bool      // its command line limits its cost
	counted  spending  // the last report
	pace     pace
	requests int           // that its own files know of
	silent   streak        // … in a row without text and tools
	files    func() uint64 // how the working directory is, in one number; nil: not looked at
	began    uint64        // … and how it was at the start

	rests atomic.Bool // nothing is awaited any more but the end of the process
	gone  atomic.Bool // … and the agent has said so itself
	ended bool        // the line that is read says so
}

// line takes one line of stdout. A line that is no JSON object is noise, which all agents make now
// and then.
func (s *story) line(r reader, line []byte) {
	s.lines++
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] != '{' {
		return
	}
	var head struct {
		Type string `json:"type"`
	}
	err := json.Unmarshal(line, &head)
	if err == nil && head.Type != "" {
		s.events++
		s.ended = false
		err = r.read(head.Type, line, s)
		s.rests.Store(s.ended || s.finished)
		s.gone.Store(s.finished)
		s.count()
	}
	if err != nil {
		s.noteStrange(line, err)
	}
}

// halt stops the agent. Why has been said.
func (s *story) halt() {
	s.halted = true
	s.stop()
}

// finish says that this is the event after which nothing comes. What comes all the same does not
// take it back; only a reader whose agent begins anew after such an event clears finished.
func (s *story) finish() { s.finished = true }

// unsay drops what was said so far: it is no final message. What follows the end drops nothing.
func (s *story) unsay() {
	if !s.finished {
		s.final.reset()
	}
}

// noteStrange keeps the first line that was not understood. It is held against the agent only if
// its end is missing.
func (s *story) noteStrange(line []byte, err error) {
	if s.strange == "" {
		s.strange = fmt.Sprintf("line %d of its output is not understood: %s: %s", s.lines,
			misfit(err), proc.Clean(string(line[:min(len(line), 1000)]), 200))
	}
}

// misfit says what is wrong with a line in the line's own words rather than in those of this
// program.
func misfit(err error) string {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if wrong.Field == "" {
			return "its content is now of type " + wrong.Value
		}
		return wrong.Field + " is now of type " + wrong.Value
	}
	return err.Error()
}

func (s *story) tooLong() {
	s.lines++
	if s.strange == "" {
		s.strange = fmt.Sprintf("line %d of its output is longer than %d bytes", s.lines, maxLine)
	}
}

// say adds a part of a message; a delta continues the one before, anything else begins a new line.
func (s *story) say(text string, delta bool) {
	if text == "" {
		return
	}
	s.overcome()
	s.silent = streak{}
	if len(s.final.buf) > 0 && !delta {
		s.final.write([]byte("\n"))
	}
	s.pace.hear(text)
	s.final.write([]byte(text))
	if !delta {
		s.active(opening(text))
	}
}

// tool notes the use of a tool: text before it is no final message.
func (s *story) tool(name string, input json.RawMessage) {
	s.overcome()
	s.silent = streak{}
	s.active(strings.TrimSuffix(name+": "+telling(input), ": "))
	s.step(call(name, input))
	s.used = true
	s.unsay()
}

// active shows a sign of life, unless it is the last one again.
func (s *story) active(words string) {
	words = proc.Clean(words, proc.LineSize)
	if words == "" || words == s.out.Last {
		return
	}
	s.out.Last = words
	if s.show != nil {
		s.show(words)
	}
}

// deny notes a tool that the agent's permissions denied it.
func (s *story) deny(tool string) {
	if tool = proc.Clean(tool, 60); tool != "" && !slices.Contains(s.out.Denied, tool) &&
		len(s.out.Denied) < 20 {
		s.out.Denied = append(s.out.Denied, tool)
	}
}

// fault is the error that ended a run.
type fault struct {
	status int    // HTTP; 0: not known
	said   string // the error as the agent says it
	text   string // where its kind and the next try are looked for; empty: said
	around string // where the next try is looked for besides
	// it may be an account of work, in which words that stand together mean nothing
	prose bool
	early bool // it is from before the conversation, in which nothing is refused, long or repeated
}

// fail takes the text of an error that ended the run, and its HTTP status where the agent says it.
func (s *story) fail(status int, text string) { s.failBy(fault{status: status, said: text}) }

// failBy takes the error that ended the run.
func (s *story) failBy(f fault) {
	if s.halted { // its words about being stopped give no reason
		return
	}
	s.failed = true
	said := unwrap(f.said)
	s.out.Message = proc.Clean(said, 300)
	if s.out.Words = proc.Escape(strings.ToValidUTF8(said[:min(len(said), maxWords)],
		"")); s.out.Words == s.out.Message {
		s.out.Words = ""
	}
	s.conclude(f)
	switch {
	case s.out.Message != "":
	case f.status != 0:
		s.out.Message = fmt.Sprintf("it ended with HTTP %d and said no more", f.status)
	default:
		s.out.Message = "it ended with an error and said no more"
	}
}

// conclude sets what an error means, and when the next try may succeed.
func (s *story) conclude(f fault) {
	r := read(f, s.now())
	if s.out.Kind = cmp.Or(r.kind, Failed); r.kind == Unusable {
		s.out.About = r.about
	}
	switch {
	case r.kind == UsageLimit && s.out.Until.IsZero():
		s.out.Until = r.next
	case r.kind == Transient && !r.next.IsZero():
		s.out.Wait = r.next.Sub(s.now())
	}
}

// refuse says that the model, or a filter of its provider, refuses the job.
func (s *story) refuse(text string) {
	if s.fail(0, cmp.Or(strings.TrimSpace(text), "it ended the answer as refused")); !s.halted {
		s.out.Kind = Refusal
	}
}

// limited says that a limit of the agent's own, such as a number of turns, ended the run.
func (s *story) limited(which string) {
	if s.halted {
		return
	}
	s.failed = true
	s.out.Message = proc.Clean("stopped by its own limit: "+which, 300)
}

// unread says that the output is not in the form that it is known to have.
func (s *story) unread(why string) {
	if s.halted {
		return
	}
	s.failed = true
	s.out.Kind, s.out.Message = ParseError, proc.Clean(why, 300)
}

// retry reports that the agent waits, on its own, before it asks its model again.
func (s *story) retry(delay time.Duration, status int, text string) {
	why := strings.TrimSpace(text)
	if status != 0 {
		code := strconv.Itoa(status)
		why = strings.TrimSpace("HTTP " + code + strings.TrimPrefix(" "+why, " "+code))
	}
	delay = delay.Round(time.Second)
	s.hitch(status, text)
	s.active(strings.TrimSuffix(fmt.Sprintf("waiting %s, then asking the model again: %s", delay,
		why), ": "))
	if delay > patience && !s.failed {
		s.fail(status, strings.TrimPrefix(fmt.Sprintf("%s; it would have waited %s", why, delay),
			"; "))
		if s.out.Kind == Failed {
			s.out.Kind = Transient
		}
		if s.out.Wait = delay; delay > longPause && status == 429 && s.out.Kind == Transient {
			s.out.Kind, s.out.Until, s.out.Wait = UsageLimit, s.now().Add(delay), 0
		}
		s.halt()
	}
}

// opening is the first line of s that says something; a result block says nothing to people.
func opening(s string) string {
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			return strings.TrimLeft(line, "`~{")
		}
	}
	return ""
}

// telling is the argument of a tool call that says most about it.
func telling(input json.RawMessage) string {
	var args map[string]any
	if json.Unmarshal(input, &args) != nil {
		return ""
	}
	for _, name := range []string{
		"command", "cmd", "file_path", "filePath", "path", "file",
		"pattern", "query", "url", "description", "prompt",
	} {
		switch v := args[name].(type) {
		case string:
			if v != "" {
				return v
			}
		case []any: // a command as its words
			return strings.Trim(fmt.Sprint(v...), "[]")
		}
	}
	return ""
}

// tokens sets how many were used, if that many can be.
func (s *story) tokens(in, out int64) {
	s.out.InputTokens, s.out.OutputTokens = max(0, in), max(0, out)
}

// model notes the model in use, if the agent reports it.
func (s *story) model(name string) {
	if name = proc.Clean(name, 100); name != "" {
		s.out.Model = name
	}
}

// words is the text in a field that is a string, or an object with a message, or empty.
func words(raw json.RawMessage) string {
	var text string
	var object struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(raw, &text) != nil && json.Unmarshal(raw, &object) == nil {
		text = object.Message
	}
	return text
}

// millis is a number of milliseconds as a duration, within reason.
func millis(ms float64) time.Duration {
	return time.Duration(min(max(ms, 0), 1e12)) * time.Millisecond
}
