package diagnose

import (
	"regexp"
	"strings"

	"autobuild/failure"
)

// The words by which an agent's own account of its failure is put into a category. They are looked
// for in what it reports and nowhere else: commands are judged by how they end.
var (
	ranBadly = regexp.MustCompile(`(?i)exit(?:s|ed)?(?: with)?(?: code| status)? [1-9]|non-?zero|tests? (?:are |is )?(?:still )?fail|failing tests?|assertion|(?:build|compil\w+|lint\w*|type ?check\w*|format\w*|script|command|git \w+) (?:error|fail|stopped)` +
		`|does(?:n't| not) (?:compile|build)|(?:no longer|fails? to) (?:compile|build|start|run)|could(?:n't| not) (?:be )?(?:compiled?|buil[dt])|merge conflict|push (?:was )?rejected|\b(?:Syntax|Type|Reference|Value|Runtime)Error\b|\bpanic:|traceback`)
	looksWrong = regexp.MustCompile(`(?i)(?:wrong|unexpected|invalid|different) (?:format|structure|encoding|output|result|size|shape|schema|content)|(?:missing|lacks?|omits?|without) (?:(?:the|a|an|its|required|expected|[A-Z][\w-]*) )*(?:sections?|fields?|columns?|headings?|headers?|entries|chapters?)\b` +
		`|\b(?:written|saved|created|encoded|formatted|generated|produced|returned|exported|rendered)\b.{0,40}\b(?:instead of|rather than)\b|\b\d+ \w+ .{0,30}\b(?:expects?|expected|requires?|required|asks? for)\b.{0,20}\b\d|counts? (?:do(?:es)?(?:n't| not)) match|expected \d+ .{0,40}\b(?:got|found|received|but)\b|(?:are|is) absent from|(?:above|below|beyond|exceeds?|over|under) the .{0,40}\b(?:allow|expect|permit|specif)|out of (?:the )?(?:expected )?range|validation (?:criteria|checks?)|(?:criteria|acceptance)\b.{0,40}\bnot (?:been )?met|does(?:n't| not) match (?:the )?(?:spec|expect|schema)|differs? from (?:what|the)|stale|race condition`)
	strays  = regexp.MustCompile(`(?i)contradict\w* (?:the |an? |its )?(?:explicit |prompt'?s? )?instruction|against (?:the )?(?:explicit )?instructions?|skipp\w+ (?:a |the |some |required |specified )*(?:steps?|tasks?|verification)|drift\w* from|fabricat|confabulat|hallucinat|invented|(?:terminat|stopp|end)\w* (?:early|prematurely|before)|not (?:present )?in the source|over-?escalat|incomplete verification|did (?:not|n't) verify|out of (?:the )?context window`)
	unclear = regexp.MustCompile(`(?i)ambigu|unclear|not clear|underspecified|under-specified|(?:multiple|several|two|more than one)(?: valid| possible| different)? (?:interpretations?|approaches|meanings|readings|ways)|conflicting (?:requirements?|instructions?|information)|contradictory (?:requirements?|instructions?)|(?:requirements?|instructions?|criteria|plan|spec\w*|steps?|phase|task) .{0,40}\b(?:conflict|contradict|insufficient|incomplete|silent|vague)` +
		`|(?:plan|spec\w*|phase|task|step|requirements?) (?:do(?:es)?(?:n't| not)) (?:say|specify|state|define|mention|tell)|not (?:specified|defined|stated)|insufficient (?:context|information|requirements?|spec\w*)|needs? (?:a )?(?:clarification|decision)|which (?:one|of|approach|option)\b.{0,80}\?|unknown recovery|plan is silent|(?:cannot|can't|could not|couldn't|(?:un|not )able to) (?:determine|decide|tell) (?:which|what|whether|how|if)|\b(?:cannot|can't) (?:determine|decide)|\bdisagree\b`)
	// again are signs of what the table lets an execution error pass by: timeouts, conflicts of
	// writes, what is flaky.
	again = regexp.MustCompile(`(?i)\btim(?:ed|e)[ -]?out\b|exceeded timeout|deadline exceeded|\bTimeoutError\b|[1-9]\d* flaky\b|flaky test|\b(?:is|are|was|were|known|marked)(?: as| to be)? flaky\b|DATA RACE|race detected|concurrent map (?:writes|read)|race condition` +
		`|merge conflict|automatic merge failed|could not apply [0-9a-f]{7}|failed to push some refs|non-fast-forward|optimistic lock|write conflict|serialization failure|deadlock detected`)
	timing = regexp.MustCompile(`(?i)stale|out-?of-?date cache|\bcache\b.{0,40}\b(?:old|outdated|not (?:been )?(?:cleared|updated|invalidated))|race condition|\braces?\b|timing`)
)

// categorise walks error-classification's decision tree, in its order, and reads its table of what
// may pass. The category of a strong agent, which saw more than is left of it here, is kept where
// nothing that was seen contradicts it.
func categorise(d failure.Diagnosis, e failure.Evidence, lack absence, lacks bool) (c failure.Category, passes bool) {
	c, fixed := categoryOf(d, e, lacks)
	passes = mayPass(c, d, e, lack)
	own, ok := claimedCategory(e)
	if !ok || contradicted(own, c, fixed, e) {
		return c, passes
	}
	if own != c {
		passes = mayPass(own, d, e, absence{})
	}
	if e.Claim.Transient != nil && !lack.stays() {
		passes = *e.Claim.Transient
	}
	return own, passes && own != failure.Ambiguity
}

// categoryOf is the category by what was seen alone. It is fixed where that is a fact, and no
// account can change it.
func categoryOf(d failure.Diagnosis, e failure.Evidence, lacks bool) (c failure.Category, fixed bool) {
	// what the tree's questions do not fit: there was no operation, or it is named by the taxonomy
	// itself
	switch d.Type {
	case failure.PlanInvalid, failure.CircularDependency:
		return failure.Ambiguity, true // a plan that cannot be followed as it is written
	case failure.ContextOverflow, failure.Refusal, failure.IsolationBreach, failure.GuardViolation, failure.SiblingWorkRemoved, failure.NestedRepository:
		return failure.Misalignment, true
	}
	if d.Type == failure.TaskIncomplete && leavesOpen(e) && !strays.MatchString(failure.Head(e.Claim.Error, failure.MaxDetails)) {
		return failure.Ambiguity, true
	}
	switch { // 1: is something missing?
	case d.Type == failure.DependencyMissing, d.Type == failure.AgentUnusable, d.Type.Waits(), d.Package != "":
		return failure.Prerequisite, true
	case lacks:
		return failure.Prerequisite, d.Type != failure.TaskIncomplete
	case e.Agent != nil && d.Type == failure.AgentError && e.Agent.Err != "":
		return failure.Prerequisite, true
	}
	switch { // 2: did a command run and fail?
	case e.Work != "":
		return failure.UnexpectedResult, true // it ended well, and what it left has the wrong form
	case d.Type == failure.FileConflict, d.Type == failure.SetupFailure, d.Type == failure.Timeout, d.Type == failure.AgentError, d.Type == failure.AgentLoop, d.Type == failure.BudgetExhausted:
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
	case ranBadly.MatchString(account): // 2, as the agent tells it
		return failure.Execution
	case looksWrong.MatchString(account), claimed && e.NoChange, d.Type == failure.ParseError: // 3: did it succeed with another result?
		return failure.UnexpectedResult
	case claimed && len(e.Missing) > 0, claimed && e.Tasks.Done < e.Tasks.Total: // 4: does it contradict what was asked, or itself?
		return failure.Misalignment
	case strays.MatchString(account):
		return failure.Misalignment
	case unclear.MatchString(account): // 5: is too little said?
		return failure.Ambiguity
	case e.Claim != nil && e.Claim.Blocked: // who was to say what is needed, and says it, strays from nothing
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
// one exception: a command that failed is an execution error at the least, and the agent may know
// that it failed for want of something.
func contradicted(own, seen failure.Category, fixed bool, e failure.Evidence) bool {
	if !fixed || own == seen {
		return false
	}
	return seen != failure.Execution || own != failure.Prerequisite || len(e.Gates) == 0
}

// stays reports whether what is missing is a thing that does not appear by itself.
func (a absence) stays() bool { return a.file != "" || a.variable != "" || a.what != "" && !a.passes }

// mayPass is error-classification's table of what may be retried.
func mayPass(c failure.Category, d failure.Diagnosis, e failure.Evidence, lack absence) bool {
	switch c {
	case failure.Prerequisite:
		return d.Type.Waits() || lack.passes
	case failure.Execution:
		_, trouble := said(e)
		word, _ := transient(trouble)
		return d.Type == failure.Timeout || d.Cause == failure.Timeout || d.Type == failure.FileConflict || d.Flaky || word != "" || comesAndGoes(e)
	case failure.UnexpectedResult:
		return e.Claim != nil && timing.MatchString(failure.Line(e.Claim.Error, failure.MaxField))
	case failure.Misalignment:
		return d.Type == failure.ContextOverflow
	}
	return false
}

// comesAndGoes reports whether all that failed reads like something that comes and goes: of several
// failing tests each one, for another attempt would meet the others.
func comesAndGoes(e failure.Evidence) bool {
	texts := commandComplaints(e)
	if len(texts) == 0 {
		texts = complaints(e)
	}
	for _, text := range texts {
		if text != "" && !again.MatchString(text) {
			return false
		}
	}
	return again.MatchString(strings.Join(texts, "\n"))
}
