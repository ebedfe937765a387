package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"autobuild/failure"
	"autobuild/failure/sign"
	"autobuild/internal/text"
)

// missingIn is the first sign in a text that something is missing.
func missingIn(text string) (sign.Found, bool) {
	return sign.Find(sign.Output, text, func(s sign.Sign) bool {
		return s.Category == failure.Prerequisite && s.Type == ""
	})
}

// NotFound lists the paths that a command or the agent did not find, and claimed files that do not
// exist: each once, at most ten. Evidence.Near maps such paths to similar ones.
func NotFound(e failure.Evidence) []string {
	var all []string
	add := func(paths ...string) {
		for _, p := range paths {
			if len(all) < failure.MaxShown && !slices.Contains(all, p) {
				all = append(all, p)
			}
		}
	}
	add(failure.Lines(e.Missing, failure.MaxShown)...)
	for _, text := range complaints(e) {
		add(sign.Row(sign.MissingFile).All(text, failure.MaxShown)...)
	}
	return all
}

// complaints are the texts in which something that is not there is named, each by itself: of
// failing tests their messages, for what a program prints while its tests run need not be why they
// fail.
func complaints(e failure.Evidence) []string {
	all := append(commandComplaints(e), agentErrorText(e.Agent))
	if e.Claim != nil && !e.Claim.Complete {
		all = append(all, failure.Head(e.Claim.Error, failure.MaxDetails))
	}
	return all
}

func commandComplaints(e failure.Evidence) []string {
	var all []string
	command := func(g failure.GateRun) {
		explained := slices.ContainsFunc(g.Tests,
			func(t failure.Test) bool { return t.Message != "" })
		switch {
		case timedOut(g):
		case explained:
			for _, t := range g.Tests[:min(len(g.Tests), failure.MaxShown)] {
				all = append(all, sign.ErrorLines(failure.Line(t.Message, failure.MaxField)))
			}
		case len(g.Places) > 0:
			for _, p := range g.Places[:min(len(g.Places), failure.MaxShown)] {
				all = append(all, failure.Line(p.Message, failure.MaxField))
			}
		default:
			all = append(all, sign.ErrorLines(g.Tail))
		}
	}
	if e.Setup != nil {
		command(*e.Setup)
	}
	for _, g := range e.Gates[:min(len(e.Gates), failure.MaxShown)] {
		command(g)
	}
	return all
}

// firstMissing is the first sign of something missing in what commands and the agent reported.
func firstMissing(d failure.Diagnosis, e failure.Evidence) (sign.Found, bool) {
	switch d.Type {
	case failure.TaskIncomplete, failure.VerificationMismatch, failure.AgentError,
		failure.AgentUnusable, failure.SetupFailure, failure.TestFailure, failure.LintError,
		failure.TypecheckError, failure.FormatError, failure.GateFailure, failure.ParseError:
	default:
		// the type is the reason, or no command looked for anything
		return sign.Found{}, false
	}
	if e.Work != "" || len(e.Gates) > 0 && timedOut(e.Gates[0]) {
		return sign.Found{}, false
	}
	if killed(e.Agent) && len(e.Gates) == 0 && e.Setup == nil {
		return sign.Found{}, false // what it said on its way did not end it
	}
	if a, ok := denied(e); ok {
		return a, true
	}
	for _, text := range complaints(e) {
		a, ok := missingIn(text)
		// an agent's words are about its own program and its login: a phase lacks none of these
		own := d.Type == failure.AgentUnusable && a.Name != sign.MissingVariable
		if ok && !own {
			return a, true
		}
	}
	return sign.Found{}, false
}

// nameMissing adds a missing variable or file to a diagnosis, with the similar files that may be
// meant.
func nameMissing(d *failure.Diagnosis, e failure.Evidence, lack sign.Found) {
	missing := ""
	switch lack.Name {
	case sign.MissingVariable:
		d.Variable = lack.Words
	case sign.MissingFile:
		missing = lack.Words
	case sign.DeniedWrite:
		nameDenied(d, lack.Words)
		return
	}
	if missing == "" && len(e.Missing) > 0 &&
		(d.Type == failure.TaskIncomplete || d.Cause == failure.TaskIncomplete) {
		missing = failure.Line(e.Missing[0], failure.MaxField)
	}
	if missing == "" {
		return
	}
	d.Near = failure.Lines(e.Near[missing], 3)
	ask := missing + " does not exist"
	if len(d.Near) > 0 {
		ask += "; did you mean " + d.Near[0] + "?"
	}
	before, rest, _ := strings.Cut(d.Message, ": ")
	switch {
	case lack.Name != sign.MissingFile: // the message has it
		d.Message += strings.TrimPrefix(ask, missing+" does not exist")
		return
	case len(d.Near) > 0 && strings.Contains(rest, missing):
		d.Message = before + ": " + ask
	case len(d.Near) > 0 || !strings.Contains(d.Message, missing):
		d.Message += "; " + ask
	}
	if !slices.Contains(d.Files, missing) {
		d.Files = append(slices.Clone(d.Files), missing)
	}
}

// remedy is the advice for something missing. It comes before the advice for the type, which is
// about the consequence.
func remedy(d failure.Diagnosis, e failure.Evidence, lack sign.Found) advice {
	missing := ""
	switch {
	case lack.Name == sign.DeniedWrite:
		return allowWrite(e.Denied[0])
	case lack.Name == sign.MissingFile:
		missing = lack.Words
	case len(d.Near) > 0 && len(d.Files) > 0:
		missing = d.Files[0]
	}
	if missing != "" && slices.Contains(e.InCheckout, missing) {
		return advice{
			missing + " exists only in the user's checkout. Do not create it: end with status " +
				"failed and say that it is missing.",
			[]string{missing + " is in your checkout, and not in git: name it in " +
				".worktreeinclude, or commit it"},
		}
	}
	if len(d.Near) > 0 {
		return didYouMean(missing, d.Near)
	}
	a := lack.Advice.About(lack.Words)
	if lack.Name == sign.RefusedAccess && e.Confined {
		return advice{a.Guidance, failure.Lines([]string{perhapsDenied, a.Action}, 2)}
	}
	return advice{a.Guidance, failure.Lines([]string{a.Action}, 1)}
}

// didYouMean asks which file is meant before the agent creates one.
func didYouMean(missing string, near []string) advice {
	return advice{
		fmt.Sprintf(
			"%s does not exist; %s does, under a name that git or its spelling connects with it. "+
				"Find out which one the step means before you create anything.", missing,
			text.JoinSome(near, 3)),
		[]string{fmt.Sprintf(
			"%s does not exist; did you mean %s? Correct the path where it is named, or create "+
				"the file",
			missing, near[0])},
	}
}
