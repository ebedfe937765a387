package diagnose

import (
	"strings"

	"autobuild/failure"
	"autobuild/failure/sign"
)

// categorise walks error-classification's decision tree, in its order, and reads its table of
// failures that may pass. It keeps the category of a strong agent, which saw more evidence than is
// left here, where no evidence contradicts it.
func categorise(
	d failure.Diagnosis, e failure.Evidence, lack sign.Found, lacks bool,
) (c failure.Category, passes bool) {
	c, fixed := categoryOf(d, e, lacks)
	passes = mayPass(c, d, e, lack)
	own, ok := claimedCategory(e)
	if !ok || contradicted(own, c, fixed, e) {
		return c, passes
	}
	if own != c {
		passes = mayPass(own, d, e, sign.Found{})
	}
	if e.Claim.Transient != nil && !stays(lack) {
		passes = *e.Claim.Transient
	}
	return own, passes && own != failure.Ambiguity
}

// categoryOf is the category by what was seen alone. It is fixed where that is a fact, and no
// account can change it.
func categoryOf(
	d failure.Diagnosis, e failure.Evidence, lacks bool,
) (c failure.Category, fixed bool) {
	// no question of the tree fits: there was no operation, or the taxonomy names it itself
	switch d.Type {
	case failure.PlanInvalid, failure.CircularDependency:
		return failure.Ambiguity, true // a plan that cannot be followed as it is written
	case failure.ContextOverflow, failure.Refusal, failure.IsolationBreach, failure.GuardViolation,
		failure.SiblingWorkRemoved, failure.NestedRepository:
		return failure.Misalignment, true
	}
	if d.Type == failure.TaskIncomplete && leavesDecision(e) &&
		!sign.In(sign.Misalignment, failure.Head(e.Claim.Error, failure.MaxDetails)) {
		return failure.Ambiguity, true
	}
	if d.Type == failure.ReviewRejected {
		return failure.UnexpectedResult, true
	}
	switch { // 1: is something missing?
	case d.Type == failure.DependencyMissing, d.Type == failure.AgentUnusable, d.Type.Waits(),
		d.Package != "":
		return failure.Prerequisite, true
	case lacks:
		return failure.Prerequisite, d.Type != failure.TaskIncomplete
	case e.Agent != nil && d.Type == failure.AgentError && e.Agent.Err != "":
		return failure.Prerequisite, true
	}
	switch { // 2: did a command run and fail?
	case e.Work != "":
		return failure.UnexpectedResult, true // it ended well, and its output has the wrong form
	case d.Type == failure.FileConflict, d.Type == failure.SetupFailure, d.Type == failure.Timeout,
		d.Type == failure.AgentError, d.Type == failure.AgentLoop,
		d.Type == failure.BudgetExhausted:
		return failure.Execution, true
	case len(e.Gates) > 0 && d.Type != failure.ParseError:
		return failure.Execution, true
	}
	return categoryOfWork(d, e), false
}

// categoryOfWork goes on with the tree where no command failed: it is the agent's work, or its
// account of it, that does not hold.
func categoryOfWork(d failure.Diagnosis, e failure.Evidence) failure.Category {
	account := ""
	if e.Claim != nil && !e.Claim.Complete {
		account = failure.Head(e.Claim.Error, failure.MaxDetails)
	}
	claimed := e.Claim != nil && e.Claim.Complete
	switch {
	case sign.In(sign.ReportsFailure, account): // 2, by the agent's account
		return failure.Execution
	case sign.In(sign.UnexpectedResult, account), claimed && e.NoChange,
		d.Type == failure.ParseError: // 3: did it succeed with another result?
		return failure.UnexpectedResult
	case claimed && len(e.Missing) > 0, claimed &&
		e.Tasks.Done < e.Tasks.Total: // 4: does it contradict what was asked, or itself?
		return failure.Misalignment
	case sign.In(sign.Misalignment, account):
		return failure.Misalignment
	case sign.In(sign.Unclear, account): // 5: is too little said?
		return failure.Ambiguity
	case e.Claim != nil && e.Claim.Blocked: // a tier that reports a need follows its instructions
		return failure.Ambiguity
	case e.NoChange:
		return failure.UnexpectedResult
	}
	return failure.Misalignment // it ended before its scope was done
}

// claimedCategory is the category that a strong agent gives its own failure.
func claimedCategory(e failure.Evidence) (failure.Category, bool) {
	if e.Claim == nil || e.Claim.Complete || !e.Claim.Strong {
		return "", false
	}
	return failure.ParseCategory(string(e.Claim.Category))
}

// contradicted reports whether what was seen rules out an agent's own category. A fact does, with
// one exception: a command that failed is an execution error at least, and the agent may report
// that something was missing.
func contradicted(own, seen failure.Category, fixed bool, e failure.Evidence) bool {
	if !fixed || own == seen {
		return false
	}
	return seen != failure.Execution || own != failure.Prerequisite || len(e.Gates) == 0
}

// stays reports whether what is missing does not appear by itself.
func stays(lack sign.Found) bool { return lack.Name != "" && !lack.Passes }

// mayPass is error-classification's table of failures that may be retried.
func mayPass(c failure.Category, d failure.Diagnosis, e failure.Evidence, lack sign.Found) bool {
	switch c {
	case failure.Prerequisite:
		return d.Type.Waits() || lack.Passes
	case failure.Execution:
		_, trouble := outputOf(e)
		return d.Type == failure.Timeout || d.Cause == failure.Timeout ||
			d.Type == failure.FileConflict || d.Flaky || transient(trouble).Name != "" ||
			allMayPass(e)
	case failure.UnexpectedResult:
		return e.Claim != nil && sign.In(sign.Stale, failure.Line(e.Claim.Error, failure.MaxField))
	case failure.Misalignment:
		return d.Type == failure.ContextOverflow
	}
	return false
}

// allMayPass reports whether all that failed reads like something that comes and goes: of several
// failing tests each one, for another attempt would meet the others.
func allMayPass(e failure.Evidence) bool {
	texts := commandComplaints(e)
	if len(texts) == 0 {
		texts = complaints(e)
	}
	for _, text := range texts {
		if text != "" && !hasPassingSign(text) {
			return false
		}
	}
	return hasPassingSign(strings.Join(texts, "\n"))
}

// hasPassingSign reports whether a text has a sign of trouble that passes in something that is
// there.
func hasPassingSign(text string) bool {
	_, ok := sign.Find(sign.Output, text, func(s sign.Sign) bool {
		return s.Passes && s.Category == "" && s.Class == ""
	})
	return ok
}
