package agent

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/internal/proc"
)

// settle decides what the end means, once the process is gone. It never makes a success: at most it
// leaves Kind empty, and the final message is judged by others.
func (s *story) settle(end func(*story), exit proc.Exit) {
	s.exit = exit
	end(s)
	out := s.out
	if s.halted { // its deadline may have come while it was being stopped
		out.TimedOut, out.Idle = false, false
	}
	if out.Final == "" {
		out.Final = s.final.String()
	}
	out.Tail = readable(exit.Tail, out.Final)
	s.explain()
	switch {
	case s.stuck():
		s.unstick()
	case s.turnedDown():
		s.refuse(out.Final)
	}
	switch {
	case out.Err != "" || out.TimedOut || s.failed:
	case s.events == 0 && out.Signal != "":
		s.crashed(cmp.Or(out.Message, "it was killed by "+out.Signal+" before it said anything"))
	case out.Signal != "":
	case s.events == 0 && exit.Code != 0:
		s.crashed("")
	case s.lines == 0 && !s.finished: // and exit code 0
		s.crashed("")
	case exit.Code != 0 && !s.finished &&
		strings.Contains(out.Final, "```"): // it may have said its result
		out.Message = proc.Clean(headline(readable(exit.Tail, "")), 300)
	case exit.Code != 0 && !s.finished: // what it wrote for people is all there is
		words := readable(exit.Tail, "")
		s.failBy(fault{said: headline(words), around: words})
	case s.finished:
	case s.strange != "":
		s.unread(s.strange)
	default:
		s.unread(fmt.Sprintf("its output stopped after %d events, without the one that ends it",
			s.events))
	}
	if s.failed {
		out.Final = ""
	}
}

// notRun are the exit codes of shells and env for a program that cannot be run, and that is not
// there.
var notRun = []int{126, 127}

// crashed reads the only thing that there is when an agent ends before its first event: what it
// wrote for people. An error in the words of its language, of the machine or of a network may pass;
// any other sentence with an exit code says what every job would meet. Why is known where a signal
// ended it.
func (s *story) crashed(why string) {
	said := cmp.Or(why, headline(s.out.Tail))
	f := fault{said: said, around: s.out.Tail, early: true}
	if why == "" && read(f, s.now()).kind == "" {
		f.text = trouble(s.out.Tail)
	}
	s.failBy(f)
	switch {
	case s.out.Kind != Failed:
	case slices.Contains(notRun, s.exit.Code) || incomplete.MatchString(f.text):
		s.out.Kind, s.out.About = Unusable, AboutStart
	case why == "" && s.exit.Code != 0 && len(strings.Fields(said)) >= minSentence &&
		!machine.MatchString(said) && !accident.MatchString(said+"\n"+f.text) &&
		!frame.MatchString(s.out.Tail):
		s.out.Kind, s.out.About = Unusable, AboutFlags
	}
	if said == "" {
		s.out.Message = fmt.Sprintf("it ended with exit code %d before it said anything",
			s.exit.Code)
	}
}

// incomplete matches what interpreters and loaders say of a program that is not whole, or not made
// for this machine.
var incomplete = oneOf(
	`\b(modulenotfound|import)error\b`, `\bcannot find (module|package)\b`, `err_module_not_found`,
	`error while loading shared libraries`, `version .?glibc\w*`, `library not loaded`,
	`bad interpreter`, `exec format error`, `cannot execute\b`,
	`could not find or load main class`, `unsupportedclassversionerror`,
)

// minSentence is the number of words from which a line is a sentence.
const minSentence = 3

// accident matches what programs say of an error that they did not expect.
var accident = oneOf(`\b(type|reference|range|attribute|name|index|key|value|syntax|runtime|assertion)error\b`,
	`\bpanic(ked)?\b`, `\btraceback\b`, `\b(uncaught|unhandled)\b`, `\b(unexpected|internal) (\w+ )?(error|exception|failure|fault|token)\b`, `\b(eacces|eperm)\b`,
	`\bcore dumped\b`, `\bsegmentation fault\b`, `\bnull pointer\b`, `\bundefined\b`, `\bkilled\b`,
	`\babort(ed)?\b`, `\bcommand failed\b`, `busy\b`)

// printedHelp is the headline of a program that has printed how it is used, and no error.
const printedHelp = "it printed its help, as for a wrong flag"

// usageLine matches the line with which the help of a program begins, flagLine that of a flag.
var usageLine, flagLine = lazyregexp.New(`(?i)^usage:|\[(options|flags|command)\]`), lazyregexp.New(`^-{1,2}[\w-].*\S\s{2,}\S|^\[`)

// headline is the line of s that best says what is wrong: the first that names an error, the one
// before the help of a program, or else the last. A line that ends in a colon has the next one.
func headline(s string) string {
	var lines []string
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return ""
	}
	best := len(lines) - 1
	for i, line := range lines {
		lower := strings.ToLower(line)
		named := strings.HasPrefix(lower, "error") || strings.HasPrefix(lower, "fatal") ||
			strings.Contains(lower, "error:")
		if helps := usageLine.MatchString(line); named || helps && i > 0 {
			best = i
			if helps && !named {
				best = 0
			}
			break
		}
	}
	if best == len(lines)-1 && (flagLine.MatchString(lines[best]) || usageLine.MatchString(lines[0])) {
		return printedHelp
	}
	if strings.HasSuffix(lines[best], ":") && best+1 < len(lines) {
		return lines[best] + " " + lines[best+1]
	}
	return lines[best]
}

// readable is the end of an output for people: what were no events, and the end of the final
// message.
func readable(tail, final string) string {
	var b strings.Builder
	for line := range strings.Lines(tail) {
		cut := len(tail) >= proc.TailSize/2 && b.Len() == 0 &&
			strings.Contains(line, `":`) // the end of an event
		if !strings.HasPrefix(strings.TrimSpace(line), "{") && !cut {
			b.WriteString(line)
		}
	}
	if len(final) > 4<<10 {
		final = final[len(final)-4<<10:]
		if _, rest, ok := strings.Cut(final, "\n"); ok {
			final = rest
		}
	}
	if final != "" && b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") {
		b.WriteByte('\n')
	}
	return b.String() + proc.Escape(strings.ToValidUTF8(final, ""))
}

// apology is a whole message by which a model refuses.
var apology = lazyregexp.New(`(?i)^(i( a|['’])m |we( a|['’])re )?(so |very )?sorry\b[^.\n]{0,40}` +
	`\b(can ?not|can['’]t|unable to|won['’]t|not able to) ` +
	`(assist|help|comply|continue) with (that|this|your)[^.\n]{0,40}\.?$`)

// turnedDown reports whether an answer is a refusal in words alone, as agents pass on those of
// filters: it is short, is all there is, and says so in the words of providers. A message that is
// an apology and no more says so after a use of tools as well.
func (s *story) turnedDown() bool {
	text := strings.TrimSpace(s.out.Final)
	if !s.finished || s.failed || len(text) >= 600 || strings.Contains(text, "```") {
		return false
	}
	return apology.MatchString(text) || !s.used &&
		read(fault{said: text, prose: true}, s.now()).kind == Refusal
}
