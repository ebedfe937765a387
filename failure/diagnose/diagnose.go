// Package diagnose turns the evidence of a failed attempt into one diagnosis: type, category,
// class, what is missing, and advice for the next attempt and the user. It is pure and total: the
// same evidence always gives the same diagnosis, and no model is asked. It does not know files,
// processes, or what a policy makes of a diagnosis.
package diagnose

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"autobuild/failure"
	"autobuild/internal/text"
)

// From determines the type and cause of a failure and the advice for it.
//
// It is total and deterministic. Its result is bounded, valid UTF-8 without control characters for
// any evidence. The first piece of evidence that explains the failure gives the type; later ones go
// into the details. Four rules do not follow from that order:
//
//   - A gate that lacks a tool or a package is dependency_missing, regardless of the claim: no
//     attempt could pass it.
//   - Where the agent claims to be done and a check disagrees, that is a verification_mismatch whose
//     Cause is the check's own type. Where it admits a failure, the check's type is the type.
//   - Without a claim, the reason why there is none (a crash, a deadline, a limit, a budget) comes
//     before parse_error, and parse_error before the gates' findings.
//   - An agent's account of its own failure counts only where no check can refute it and
//     nothing beyond its own phase follows: task_incomplete and dependency_missing.
func From(e failure.Evidence) failure.Diagnosis {
	var d failure.Diagnosis
	words := identify(e, &d)
	return finish(d, e, words)
}

// identify fills in everything that depends on the kind of evidence. It returns the words for the
// fingerprint of a failure without tests and places.
func identify(e failure.Evidence, d *failure.Diagnosis) string {
	switch {
	case len(e.Cycle) > 0:
		return cycle(e.Cycle, d)
	case len(e.Plan) > 0:
		return invalid(e.Plan, d)
	case len(e.Breach) > 0:
		return breach(e, d)
	case len(e.Nested) > 0:
		return nested(e.Nested, d)
	case e.Work != "":
		return unusable(e.Work, d)
	case len(e.Removed) > 0:
		return removed(e.Removed, d)
	case e.Setup != nil:
		return setup(*e.Setup, d)
	}
	if e.Agent != nil && agentFailed(e) {
		return agent(*e.Agent, e.Gates, d)
	}
	if i := slices.IndexFunc(e.Gates, needsInstall); i >= 0 {
		return dependencyMissing(e.Gates[i], d)
	}
	if e.Claim == nil && e.Budget != "" { // it was stopped before it could claim anything
		return budget(e.Budget, d)
	}
	cutShort := e.Agent != nil && e.Agent.Kind == failure.ParseError
	if cutShort || e.Claim == nil && (e.ParseNote != "" || e.Agent != nil) {
		return unparsed(e, d)
	}
	return afterAgent(e, d)
}

// afterAgent is identify for an agent that ended and left a claim.
func afterAgent(e failure.Evidence, d *failure.Diagnosis) string {
	switch {
	case len(e.Gates) > 0 && len(e.Together) > 0:
		return together(e, d)
	case len(e.Gates) > 0:
		words := gates(e.Gates, d)
		d.Found = append(d.Found, doNotExist(e.Missing)...)
		mismatch(e.Claim, d)
		return words
	case len(e.Referee) > 0 || e.Unproven != "":
		return refereeChanged(e, d)
	case len(e.Guard) > 0:
		return guarded(e.Guard, d)
	case len(e.Review) > 0:
		return reviewed(e.Review, d)
	case len(e.Missing) > 0:
		return claimedFilesMissing(e, d)
	case e.NoChange || e.Tasks.Done < e.Tasks.Total:
		return unfinished(e, d)
	case len(e.Conflicts) > 0:
		return conflict(e, d)
	case e.Budget != "":
		return budget(e.Budget, d)
	}
	return unfinished(e, d)
}

func unusable(why string, d *failure.Diagnosis) string {
	d.Type, d.Message = failure.AgentError, "its work cannot be taken: "+why
	return "work"
}

// nested diagnoses work that holds git repositories: git would commit a link and none of their
// files.
func nested(paths []string, d *failure.Diagnosis) string {
	d.Type, d.Count, d.Files = failure.NestedRepository, len(paths), paths
	d.Message = "the work holds " + text.Count(len(paths), "git repository") + " of its own: " +
		text.JoinSome(paths, 3)
	return d.Message
}

func invalid(mistakes []string, d *failure.Diagnosis) string {
	d.Type, d.Message = failure.PlanInvalid, "the plan cannot be run: "+mistakes[0]
	d.Count, d.Details = len(mistakes), strings.Join(failure.Lines(mistakes, failure.MaxList), "\n")
	return mistakes[0]
}

func breach(e failure.Evidence, d *failure.Diagnosis) string {
	d.Type, d.Count, d.Files = failure.IsolationBreach, len(e.Breach), e.Breach
	which := "outside its worktree"
	if e.Shared {
		which = "that no phase may touch"
	}
	d.Unattributed = e.Unattributed
	d.Message = "the agent changed things " + which + ": " + text.JoinSome(e.Breach, 3)
	return d.Message
}

func cycle(phases []string, d *failure.Diagnosis) string {
	d.Type, d.Message = failure.CircularDependency, "phases need each other: "+strings.Join(phases,
		" → ")
	d.Count = max(len(phases)-1, 1)
	var all []string
	for i := range len(phases) - 1 {
		all = append(all, fmt.Sprintf("phase %s depends on phase %s", phases[i], phases[i+1]))
	}
	d.Details = strings.Join(failure.Lines(all, failure.MaxList), "\n")
	return d.Message
}

func setup(g failure.GateRun, d *failure.Diagnosis) string {
	d.Type, d.Command, d.Gate = failure.SetupFailure, g.Command, g.Name
	d.Message = "setup `" + g.Command + "` " + ending(g)
	d.Details = evidenceOf(g)
	if dep, ok := findDependency(g); ok {
		d.Package, d.RequiredBy, d.FixCommand = dep.name, "setup", dep.install
	}
	head := failure.ErrorLine(g.Tail)
	if head != "" {
		d.Message += ": " + head
	}
	return head
}

// refereeChanged diagnoses work that passes every gate, and changed tests or gates or lacks the
// required proof.
func refereeChanged(e failure.Evidence, d *failure.Diagnosis) string {
	d.Type, d.Cause = failure.VerificationMismatch, failure.RefereeChanged
	if e.Claim != nil && e.Claim.Complete {
		d.Claimed = append([]string{"complete"}, e.Claim.Gates...)
	}
	if len(e.Referee) == 0 {
		d.Cause, d.Found = failure.ProofMissing, []string{e.Unproven}
		d.Message = "the phase requires a proof: " + e.Unproven
		return e.Unproven
	}
	d.Count, d.Places = len(e.Referee), e.Referee
	for _, p := range e.Referee {
		if changed := len(e.Past.Files) == 0 || slices.Contains(e.Past.Files, p.File); changed &&
			!slices.Contains(d.Files, p.File) {
			d.Files = append(d.Files, p.File)
		}
		d.Found = append(d.Found, p.File+": "+p.Message)
	}
	first := d.Found[0]
	d.Message = text.Count(len(e.Referee), "change") +
		" of the tests and gates that judge the phase, not asked for: " + first
	d.Details = strings.Join(failure.Lines(d.Found, failure.MaxList), "\n")
	return first
}

// ruleConstraint is the rule of an objection that the plan states for all phases.
const ruleConstraint = "constraint"

// guarded diagnoses work that passed its gates and holds something that must not land.
func guarded(found []failure.Place, d *failure.Diagnosis) string {
	d.Type, d.Count, d.Places = failure.GuardViolation, len(found), found
	var all []string
	for _, p := range found {
		if p.File != "" && !slices.Contains(d.Files, p.File) {
			d.Files = append(d.Files, p.File)
		}
		all = append(all, p.Rule+": "+p.Message)
	}
	first := found[0].Message
	if found[0].File != "" {
		first = found[0].File + ": " + first
	}
	d.Message = counted(len(found), "guard objects", "guards object") + " to the work: " + first
	if found[0].Rule == ruleConstraint {
		d.Message = "the work contradicts the plan: " + first
	}
	d.Details = strings.Join(failure.Lines(all, failure.MaxList), "\n")
	return first
}

// removed diagnoses work that deletes or reverts what other phases of the run landed.
func removed(found []failure.Removal, d *failure.Diagnosis) string {
	d.Type, d.Count = failure.SiblingWorkRemoved, len(found)
	var all []string
	for _, r := range found {
		d.Files = append(d.Files, r.File)
		d.Places = append(d.Places,
			failure.Place{
				File: r.File, Rule: string(failure.SiblingWorkRemoved),
				Message: "work of phase " + r.Phase + ": " + r.How,
			})
		all = append(all, fmt.Sprintf("%s, landed by phase %s: %s", r.File, r.Phase, r.How))
	}
	slices.Sort(d.Files)
	d.Files = slices.Compact(d.Files)
	first := found[0]
	d.Message = fmt.Sprintf("it takes away what phase %s landed: %s: %s", first.Phase, first.File,
		first.How)
	if n := len(found) - 1; n > 0 {
		d.Message += fmt.Sprintf(" (and %d more)", n)
	}
	d.Details = strings.Join(failure.Lines(all, failure.MaxList), "\n")
	return strings.Join(d.Files, " ")
}

func claimedFilesMissing(e failure.Evidence, d *failure.Diagnosis) string {
	d.Type, d.Count, d.Files = failure.TaskIncomplete, len(e.Missing), e.Missing
	d.Message = counted(len(e.Missing), "claimed file does", "claimed files do") + " not exist: " +
		text.JoinSome(e.Missing, 3)
	d.Found = doNotExist(e.Missing)
	mismatch(e.Claim, d)
	return d.Message
}

// doNotExist are findings about claimed files.
func doNotExist(files []string) []string {
	var found []string
	for _, f := range files {
		found = append(found, f+" does not exist")
	}
	return found
}

func conflict(e failure.Evidence, d *failure.Diagnosis) string {
	conflicts := e.Conflicts
	d.Type, d.Conflicts, d.Count, d.FixCommand = failure.FileConflict, conflicts, len(conflicts),
		e.Merge
	var all []string
	for _, c := range conflicts {
		d.Files = append(d.Files, c.File)
		all = append(all, fmt.Sprintf("%s: %s and %s", c.File, side(c.Phase, c.Lines),
			side(c.Other, c.OtherLines)))
	}
	slices.Sort(d.Files)
	d.Files = slices.Compact(d.Files)
	c := conflicts[0]
	d.Message = fmt.Sprintf("%s: %s and %s cannot be merged", text.JoinSome(d.Files, 3),
		side(c.Phase, c.Lines), side(c.Other, c.OtherLines))
	d.Details = strings.Join(failure.Lines(all, failure.MaxList), "\n")
	return strings.Join(d.Files, " ")
}

// together diagnoses work that passes every gate alone and fails some with what landed meanwhile: a
// conflict that git does not detect. No claim was false.
func together(e failure.Evidence, d *failure.Diagnosis) string {
	words := gates(e.Gates, d)
	d.Cause, d.Type, d.Together, d.Conflicts = d.Type, failure.FileConflict, true, e.Together
	var others, all []string
	for _, c := range e.Together {
		if other := side(c.Other, ""); !slices.Contains(others, other) {
			others = append(others, other)
		}
		all = append(all, c.File+": "+side(c.Other, c.OtherLines))
	}
	d.Message = fmt.Sprintf("passes alone and fails together with %s: %s", text.JoinSome(others, 3),
		d.Message)
	d.Details = join(d.Details, "What landed meanwhile:\n"+
		strings.Join(failure.Lines(all, failure.MaxList), "\n"))
	return words
}

func budget(words string, d *failure.Diagnosis) string {
	d.Type, d.Message = failure.BudgetExhausted, "out of budget: "+words
	return "budget"
}

// side is one half of a conflict in words.
func side(phase, where string) string {
	who := "phase " + phase
	if phase == "" {
		who = "your own commit"
	}
	switch {
	case where == "":
		return who
	case strings.ContainsAny(where, ",-"):
		return who + " (lines " + where + ")"
	}
	return who + " (line " + where + ")"
}

// unfinished diagnoses an attempt whose only fault is that it is not done.
func unfinished(e failure.Evidence, d *failure.Diagnosis) string {
	said := ""
	if e.Claim != nil && !e.Claim.Complete {
		said = failure.Line(e.Claim.Error, failure.MaxField)
	}
	tasks := fmt.Sprintf("%d of %d tasks done", max(e.Tasks.Done, 0), max(e.Tasks.Total, 0))
	short := e.Tasks.Done < e.Tasks.Total
	switch {
	case e.Claim != nil && !e.Claim.Complete && e.Claim.Type == failure.DependencyMissing:
		g := failure.GateRun{Name: "agent", Kind: "agent", Tail: e.Claim.Error}
		d.Type, d.Message, d.RequiredBy = failure.DependencyMissing, "the agent lacks something: "+
			said, "the agent"
		if dep, ok := findDependency(g); ok {
			d.Package, d.FixCommand = dep.name, dep.install
		}
	case e.NoChange:
		d.Type, d.Message = failure.TaskIncomplete, "the agent changed nothing"
		if said != "" {
			d.Message += ": " + said
		} else if short {
			d.Message += ": " + tasks
		}
	case said != "" && short:
		d.Type, d.Message = failure.TaskIncomplete, tasks+": "+said
	case said != "":
		d.Type, d.Message = failure.TaskIncomplete, "the agent gave up: "+said
	case short:
		d.Type, d.Message = failure.TaskIncomplete, tasks
	case e.Claim != nil && !e.Claim.Complete:
		d.Type, d.Message = failure.TaskIncomplete, "the agent gave up without saying why"
	case e.Agent != nil:
		return agent(*e.Agent, nil, d)
	default:
		d.Type, d.Message = failure.AgentError,
			"the attempt failed, and nothing that was seen says why"
	}
	if said != "" {
		return said
	}
	return d.Message
}

// finish adds what follows from a type and its evidence, and bounds all of it.
func finish(d failure.Diagnosis, e failure.Evidence, words string) failure.Diagnosis {
	identity := d.Type
	if d.Cause != "" { // the same tests fail, whether the agent admits it or not
		identity = d.Cause
	}
	d.Fingerprint = failure.Fingerprint(identity, d.Gate, d.Tests, d.Places, words)
	d.Flaky = d.Gate != "" && slices.Contains(e.Flaky, d.Gate)
	lack, lacks := firstMissing(d, e)
	d.Category, d.Transient = categorise(d, e, lack, lacks)
	s := signal(d, e)
	d.Class, d.Deviation = Classify(s), s.deviation()
	nameMissing(&d, e, lack)
	d.Needs, d.AtFault = needs(d, lack, e), atFault(d, s, e)
	d.Retryable = d.Type.Retryable() && d.Needs == ""

	d = d.Bounded()

	a, r := adviceFor(d, e), remedy(d, e, lack)
	if e.Past.Contradicts != "" && d.Type != failure.GuardViolation {
		r.guidance = join(r.guidance, "Whatever else failed, the work contradicts the plan: "+
			failure.Line(e.Past.Contradicts, failure.MaxMessage)+". Take that change back.")
		r.actions = append([]string{"Decide about the plan's constraint: " +
			failure.Line(e.Past.Contradicts, failure.MaxMessage)}, r.actions...)
	}
	if d.Retryable {
		a.guidance = join(r.guidance, a.guidance)
	}
	a.actions = append(r.actions, a.actions...)
	d.Guidance = failure.Head(a.guidance, failure.MaxGuidance)
	d.Actions = failure.Lines(a.actions, failure.MaxShown)
	return d
}

// counted is "1 test" or "3 tests".
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// span is a duration in whole seconds: 45s, 10m, 1h30m.
func span(d time.Duration) string {
	if d >= time.Second {
		d = d.Round(time.Second)
	}
	return text.Duration(d)
}
