package diagnose

import (
	"cmp"
	"fmt"
	"strings"

	"autobuild/failure"
)

// agentFailed reports whether the agent's own end explains the failure. Once it has reported a
// result, an exit code, a signal or a deadline does not: it may have lingered, and its work is
// judged instead.
func agentFailed(e failure.Evidence) bool {
	a := e.Agent
	// its result file may hold an earlier claim
	if a.Kind == failure.AgentError || a.Kind == failure.AgentLoop {
		return withoutClaim(e)
	}
	if agentKind(a.Kind) || a.Err != "" {
		return true
	}
	if a.Kind == failure.ParseError && a.Signal == "" && !a.TimedOut && !a.Idle {
		// its adapter has explained the end; the exit code repeats it
		return false
	}
	return withoutClaim(e) && (a.ExitCode != 0 || a.Signal != "" || a.TimedOut || a.Idle)
}

// killed reports whether a signal ended the agent: its own, or that of the process in a wrapper,
// whose exit code is then 128 and the signal's number.
func killed(a *failure.AgentRun) bool {
	return a != nil && (a.Signal != "" || a.ExitCode > 128 && a.ExitCode <= 128+64)
}

// withoutClaim reports whether the agent said nothing of use: no claim, or that of an exit code.
func withoutClaim(e failure.Evidence) bool {
	c := e.Claim
	return c == nil || !c.Complete && c.Error == "" && c.Type == "" &&
		len(e.Gates)+len(e.Missing) == 0
}

// agentKind reports whether an adapter may decide on a type by itself. Types of gates are not among
// them.
func agentKind(t failure.Type) bool {
	switch t {
	case failure.UsageLimit, failure.TransportError, failure.AgentUnusable, failure.Refusal,
		failure.ContextOverflow, failure.BudgetExhausted, failure.Timeout, failure.AgentError,
		failure.AgentLoop:
		return true
	}
	return false
}

// agent diagnoses how the agent's process ended. It keeps the gates' findings as a detail.
func agent(a failure.AgentRun, runs []failure.GateRun, d *failure.Diagnosis) string {
	who, said := name(a), cmp.Or(failure.Line(a.Message, failure.MaxField),
		cmp.Or(failure.Line(a.Err, failure.MaxField), failure.ErrorLine(a.Tail)))
	d.Activity = a.Activity
	dep, ok := findDependency(failure.GateRun{Exit: a.ExitCode, Tail: a.Tail, Name: who})
	if ok = ok && a.ExitCode == 127; ok && (a.Kind == "" || a.Kind == failure.AgentUnusable) {
		d.Package, d.RequiredBy, d.FixCommand = dep.name, who, dep.install
	}
	if ok && a.Kind == "" {
		d.Type = failure.DependencyMissing
		d.Message = fmt.Sprintf("%s is not installed, and %s needs it", dep.name, who)
		d.Details = failure.Tail(a.Tail, failure.MaxDetails)
		return dep.name
	}
	d.Type = failure.AgentError
	switch {
	case a.TimedOut || a.Idle:
		d.Type = failure.Timeout
	case agentKind(a.Kind):
		d.Type = a.Kind
	}
	switch d.Type {
	case failure.Timeout:
		d.After = a.After
		d.Message = who + " did not finish within " + span(a.After)
		if a.Idle {
			d.Message = fmt.Sprintf("%s gave no sign of life and was stopped after %s", who,
				span(a.After))
		}
		if a.Activity != "" {
			d.Message += "; last seen: " + a.Activity
		}
		said = "" // the duration and the last activity differ each time
	default:
		d.Unbilled = a.Unbilled && d.Type == failure.AgentError && a.Kind == failure.AgentError
		d.Message = with(cmp.Or(kindEnding(d.Type, who), who+" "+processEnding(a)), said)
		if d.Type.Waits() {
			d.Until = a.Until
		}
	}
	d.Said = fullText(a, d.Message)
	d.Details = join(failure.Tail(a.Tail, failure.MaxDetails/2), summaries(runs))
	return said
}

// kindEnding describes the ending of an agent that reported its kind itself; empty for other types.
func kindEnding(t failure.Type, who string) string {
	switch t {
	case failure.UsageLimit:
		return who + " has reached its usage limit"
	case failure.TransportError:
		return who + " cannot get through to its model"
	case failure.AgentUnusable:
		return who + " cannot be used"
	case failure.Refusal:
		return "the model of " + who + " refuses the work"
	case failure.AgentLoop:
		return who + " repeated itself and was stopped"
	case failure.ContextOverflow:
		return "the phase does not fit into the context of " + who
	case failure.BudgetExhausted:
		return who + " has spent its budget"
	}
	return ""
}

// fullText returns the agent's whole error text where the message has no room for it; otherwise
// empty.
func fullText(a failure.AgentRun, message string) string {
	if len(message) <= failure.MaxMessage {
		return ""
	}
	return failure.Head(cmp.Or(a.Words, a.Message), failure.MaxDetails/2)
}

// processEnding says how a process ended: "exited with code 1".
func processEnding(a failure.AgentRun) string {
	switch {
	case a.Err != "":
		return "could not be started"
	case a.Signal != "":
		return "was killed by " + a.Signal
	case a.ExitCode < 0:
		return "failed"
	case a.ExitCode == 0:
		return "ended with an error"
	}
	return fmt.Sprintf("exited with code %d", a.ExitCode)
}

// unparsed diagnoses a run that ended well and left no valid result block.
func unparsed(e failure.Evidence, d *failure.Diagnosis) string {
	note := failure.Line(e.ParseNote, failure.MaxField)
	if e.Agent != nil && (note == "" || e.Agent.Kind == failure.ParseError &&
		e.Agent.Message != "") {
		note = failure.Line(e.Agent.Message, failure.MaxField)
	}
	if note == "" {
		note = "the final message holds none"
	}
	d.Type, d.Message = failure.ParseError, "no valid result block: "+note
	tail := ""
	if e.Agent != nil {
		d.Activity = e.Agent.Activity
		tail = failure.Tail(e.Agent.Tail, failure.MaxDetails/2)
	}
	if len(e.Gates) == 0 {
		d.Details = tail
		return note
	}
	// findings of the gates help the next attempt, though this one failed for another reason
	var g failure.Diagnosis
	gates(e.Gates, &g)
	d.Tests, d.Places, d.Files, d.Count = g.Tests, g.Places, g.Files, g.Count
	d.Gate, d.Command, d.FixCommand = g.Gate, g.Command, g.FixCommand
	d.Details = join(g.Message, g.Details, tail)
	return note
}

// mismatchPrefix begins the message of a mismatch.
const mismatchPrefix = "claimed complete, but "

// mismatch turns a finding into a mismatch where the agent claims to be done, both side by side.
func mismatch(c *failure.Claim, d *failure.Diagnosis) {
	if c == nil || !c.Complete {
		if c != nil && c.Error != "" {
			d.Claimed = []string{"failed: " + c.Error}
		}
		return
	}
	d.Claimed = append([]string{"complete"}, c.Gates...)
	if len(d.Found) == 0 {
		d.Found = []string{d.Message}
	}
	d.Cause, d.Type = d.Type, failure.VerificationMismatch
	d.Message = mismatchPrefix + d.Message
}

func name(a failure.AgentRun) string {
	if a.Name == "" {
		return "the agent"
	}
	return failure.Line(a.Name, failure.MaxField)
}

func with(what, said string) string {
	if said == "" {
		return what
	}
	return what + ": " + said
}

func join(parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, "\n")
}
