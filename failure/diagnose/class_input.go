package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"autobuild/failure"
	"autobuild/failure/sign"
	"autobuild/internal/lazyregexp"
)

// signal is a diagnosis and its evidence as the classifier wants them.
func signal(d failure.Diagnosis, e failure.Evidence) Signal {
	p := e.Past
	text, trouble := outputOf(e)
	s := Signal{
		Node: p.Node, Parent: p.Parent, Exit: exitOf(e), Otherwise: string(d.Type), Text: text,
		Trouble:  trouble,
		Conflict: p.Conflict, Failed: max(p.Failed, 0) + 1, Hash: d.Fingerprint,
		Outside: !countsForPhase(d.Type, d.Category, ""), Files: p.Files, Siblings: p.Siblings,
		Revisions: p.Revisions, Deviation: p.Deviation,
		Contradicts: p.Contradicts, Constraint: p.Constraint,
	}
	s.Beyond = s.Failed - uncounted(p.Earlier) - max(p.Allowed, 0)
	if s.Outside {
		s.Beyond--
	}
	if d.Type == failure.FileConflict && s.Conflict == "" {
		s.Conflict = d.Message
	}
	if d.Type.Waits() {
		s.Limit = string(d.Type)
	}
	if d.Flaky {
		s.Flaky = d.Gate
	}
	if recognised(d) || e.Agent != nil && e.Agent.Signal != "" {
		s.Seen = string(d.Type) + ": " + d.Message
	}
	if p.TokenBudget > 0 {
		s.Overrun = float64(p.Tokens-p.TokenBudget) / float64(p.TokenBudget)
	}
	for _, earlier := range p.Earlier {
		s.Earlier = append(s.Earlier, earlier.Fingerprint)
	}
	s.Edits = edits(d, p)
	return s
}

// uncounted is how many earlier failures say nothing about the phase.
func uncounted(earlier []failure.Earlier) int {
	n := 0
	for _, e := range earlier {
		if e.Type != "" && !countsForPhase(e.Type, e.Category, e.Class) {
			n++
		}
	}
	return n
}

// recognised reports whether something in the failure says what it is, beyond that there was one.
func recognised(d failure.Diagnosis) bool {
	switch cmp.Or(d.Cause, d.Type) {
	case failure.TestFailure, failure.LintError, failure.TypecheckError, failure.FormatError,
		failure.GateFailure, failure.AgentError, failure.SetupFailure:
		return d.Count > 0 || strings.Contains(strings.TrimPrefix(d.Message, mismatchPrefix), ": ")
	}
	return true
}

// exitOf is the exit code of the first failure; 0 where that is no process.
func exitOf(e failure.Evidence) int {
	switch {
	case e.Setup != nil:
		return e.Setup.Exit
	case len(e.Gates) > 0:
		return e.Gates[0].Exit
	case e.Agent != nil:
		return e.Agent.ExitCode
	}
	return 0
}

// outputOf is the text that the rules look at: of a failed command the messages of its failing
// tests and the end of its output, of an agent the structured error, else the end of the output of
// one that ended badly. Nothing that an agent merely wrote on its way is in it. Trouble is the part
// of it that may hold a sign of something that passes by itself.
func outputOf(e failure.Evidence) (text, trouble string) {
	var all, some []string
	command := func(g failure.GateRun) {
		var words []string
		for _, t := range g.Tests[:min(len(g.Tests), failure.MaxShown)] {
			words = append(words, failure.Line(t.Message, failure.MaxField))
		}
		words = append(words, failure.Tail(g.Tail, failure.MaxDetails))
		all = append(all, words...)
		if !aboutOwnCode(g, e.Past.Files) {
			some = append(some, sign.ErrorLines(join(words...)))
		}
	}
	if e.Setup != nil {
		command(*e.Setup)
	}
	for _, g := range e.Gates[:min(len(e.Gates), failure.MaxShown)] {
		command(g)
	}
	words := agentErrorText(e.Agent)
	if e.Agent != nil && e.Agent.Kind == failure.AgentUnusable { // which does not pass
		return join(append(all, words)...), join(some...)
	}
	if e.Claim != nil && !e.Claim.Complete {
		words = join(words, failure.Head(e.Claim.Error, failure.MaxDetails))
	}
	return join(append(all, words)...), join(append(some, words)...)
}

// agentErrorText is the error that ended an agent.
func agentErrorText(a *failure.AgentRun) string {
	switch {
	case a == nil:
		return ""
	case a.Message != "":
		return failure.Head(a.Message, failure.MaxDetails)
	case a.Err != "":
		return failure.Head(a.Err, failure.MaxDetails)
	case (a.ExitCode != 0 || a.Signal != "") && !a.TimedOut && !a.Idle:
		return lastLines(a.Tail, failure.MaxShown)
	}
	return ""
}

// lastLines are the last n lines of an output.
func lastLines(s string, n int) string {
	all := strings.Split(strings.TrimRight(failure.Tail(s, failure.MaxDetails), "\n"), "\n")
	return strings.Join(all[max(0, len(all)-n):], "\n")
}

// edits says how often the files of the failing tests were changed by the attempts that did not
// fix them.
func edits(d failure.Diagnosis, p failure.Past) []string {
	var out, seen []string
	for _, t := range d.Tests {
		if t.File == "" || slices.Contains(seen, t.File) {
			continue
		}
		seen = append(seen, t.File)
		n := 0
		for _, earlier := range p.Earlier {
			if slices.Contains(earlier.Files, t.File) {
				n++
			}
		}
		if slices.Contains(p.Files, t.File) {
			n++
		}
		if n > 1 {
			out = append(out, fmt.Sprintf("%s was edited in %d failed attempts", t.File, n))
		}
	}
	return failure.Lines(out, 3)
}

// countsForPhase reports whether a failure counts against the phase and its plan. A failure that
// the environment, the network, an agent's own end, a missing decision or a conflict caused does
// not.
func countsForPhase(t failure.Type, c failure.Category, class failure.Class) bool {
	switch t {
	case failure.AgentError, failure.AgentLoop, failure.AgentUnusable, failure.Refusal,
		failure.ParseError, failure.SetupFailure, failure.DependencyMissing, failure.UsageLimit,
		failure.TransportError, failure.BudgetExhausted, failure.IsolationBreach,
		failure.FileConflict, failure.PlanInvalid, failure.CircularDependency:
		return false
	}
	return c != failure.Prerequisite && c != failure.Ambiguity && class != failure.Transient &&
		class != failure.Conflicting
}

// limiting are names of code that deals with limits and broken connections. Where such code is
// under work and its tests fail, their words are its own.
var limiting = lazyregexp.New(
	`(?i)rate.?limit|limiter|throttl|quota|retry|retries|backoff|circuit|reconnect`)

// aboutOwnCode reports whether the words of transient trouble in a gate's output are those of the
// code under work.
func aboutOwnCode(g failure.GateRun, touched []string) bool {
	switch {
	case g.Kind != "test" && len(g.Places) > 0:
		return true // findings of a tool that reads code, and code may say anything
	case len(g.Tests) == 0:
		return false
	}
	for _, f := range touched[:min(len(touched), failure.MaxList)] {
		if limiting.MatchString(failure.Line(f, failure.MaxField)) {
			return true
		}
	}
	for _, t := range g.Tests[:min(len(g.Tests), failure.MaxList)] {
		if limiting.MatchString(failure.Line(t.File, failure.MaxField) + " " + failure.Line(t.Name,
			failure.MaxField)) {
			return true
		}
	}
	return false
}
