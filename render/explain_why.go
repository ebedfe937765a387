package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"autobuild/failure"
	"autobuild/internal/text"
	"autobuild/state"
)

// categories say what each category of trouble is.
var categories = map[failure.Category]string{
	failure.Prerequisite:     "something that was taken for granted is not there",
	failure.Execution:        "a command ran and failed",
	failure.UnexpectedResult: "it succeeded, and its result is not what was asked for",
	failure.Misalignment:     "the agent did not do, or did not tell, what it was told to",
	failure.Ambiguity:        "the plan does not say enough to go on safely",
}

// classes say how far up each class reaches.
var classes = map[failure.Class]string{
	failure.Transient:   "transient: it may pass by itself",
	failure.LocalLogic:  "local logic: the phase's own work is wrong",
	failure.LocalDesign: "local design: the phase cannot succeed as it is cut",
	failure.StoryLevel: "story level: it is at odds with its siblings, or has drifted from " +
		"the plan",
	failure.Architectural: "architectural: it contradicts what the whole plan is for",
	failure.Conflicting:   "conflict: two phases changed the same thing",
}

// ownError reports whether an attempt failed by an error of its agent's own: not by what it did,
// and not in a phase whose own commands are the agent.
func ownError(a state.Attempt) bool {
	f := a.Failure
	return f.Type == failure.AgentError && f.Category != failure.UnexpectedResult &&
		a.Agent != "script"
}

// classWords say how far up the class of an attempt's failure reaches.
func classWords(a state.Attempt) string {
	c := a.Failure.Class.Class
	if c == failure.LocalLogic && ownError(a) {
		return "local logic: an error of the agent's own, and not of the phase's work"
	}
	return classes[c]
}

// waited says how autobuild waited because of an unknown error of the agent's own; empty where it
// did not. Such an error is waited for once, before it costs an attempt.
func waited(a state.Attempt) string {
	switch {
	case !a.Failure.Unbilled || a.Decision == nil:
		return ""
	case a.Decision.Action == failure.Wait:
		return "autobuild waits, and then makes this attempt once more; none is spent"
	}
	return "autobuild waits for such an error once a phase, and had done so"
}

// why lists the evidence for the last failure's diagnosis.
func (x *explanation) why(a state.Attempt) {
	f := a.Failure
	x.section("Why we think so")
	kind := string(f.Type)
	if f.Cause != "" && f.Cause != f.Type {
		kind += ", because of " + string(f.Cause)
	}
	unasked := IsRefused(a)
	x.fact("type", kind)
	x.fact("it said", f.Said)
	if unasked {
		x.ruled(state.RulingRefused, a.Referee)
	}
	if f.Category != "" {
		text := fmt.Sprintf("%s, a %s: %s", strings.ReplaceAll(string(f.Category), "_", " "),
			f.Category.Nature(), categories[f.Category])
		if f.Transient {
			text += "; it may pass by itself"
		}
		x.fact("category", text)
	}
	if c := f.Class; c.Class != "" {
		words := " " + classWords(a)
		if unasked { // the rules of the classes do not look at tests and gates
			words = ""
		}
		x.fact("class", fmt.Sprintf("%s%s (confidence %s, recommends %s)", c.Class, words,
			decimal(c.Confidence), c.Action))
		for _, line := range c.Evidence {
			if f.Message == "" || !strings.Contains(line, f.Message) { // the first sentence has it
				x.say(AsEvidence, "", line)
			}
		}
	}
	x.fact("waited", waited(a))
	if f.Deviation > 0 {
		x.fact("deviation", decimal(f.Deviation)+" of 1 from the plan")
	}
	if f.Command != "" {
		x.fact("gate", fmt.Sprintf("%s ran `%s`", f.Gate, f.Command))
	}
	if !unasked {
		x.found(f)
	}
	x.log(a)
}

// decimal is a number between 0 and 1.
func decimal(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }

// found lists what the diagnosis holds, each kind of failure its own facts.
func (x *explanation) found(f *failure.Diagnosis) {
	var tests, places []string
	for _, t := range f.Tests {
		tests = append(tests, t.String())
	}
	for _, q := range f.Places {
		places = append(places,
			strings.TrimSpace(FileLine(q.File, q.Line)+" "+strings.TrimSpace(q.Message+" "+q.Rule)))
	}
	x.several("failing", tests, max(f.Count, len(tests)))
	if len(tests) == 0 {
		x.several("findings", places, max(f.Count, len(places)))
	}
	for _, c := range f.Conflicts {
		x.fact("conflict", conflict(c))
	}
	if len(f.Conflicts) == 0 {
		x.several("files", f.Files, len(f.Files))
	}
	x.several("or meant", f.Near, len(f.Near))
	x.fact("package", f.Package)
	x.fact("variable", f.Variable)
	if f.After > 0 {
		x.fact("after", Duration(f.After))
	}
	x.fact("last seen", f.Activity)
	x.several("claimed", f.Claimed, len(f.Claimed))
	x.several("found", f.Found, len(f.Found))
}

func conflict(c failure.Conflict) string {
	other := "a commit of yours"
	if c.Other != "" {
		other = "phase " + c.Other
	}
	text := fmt.Sprintf("%s: phase %s changed %s, %s changed %s", c.File, c.Phase,
		LineRange(c.Lines), other, LineRange(c.OtherLines))
	return text
}

// several lists the first few of many.
func (x *explanation) several(name string, items []string, total int) {
	const most = 10
	for i, item := range items {
		if i == most {
			break
		}
		x.fact(name, item)
		name = ""
	}
	if shown := min(len(items), most); shown > 0 && total > shown {
		x.fact("", fmt.Sprintf("%s and %d more", x.style.Marks().More, total-shown))
	}
}

// fact is a name and its text.
type fact struct{ name, text string }

// before lists earlier failures that look like the present failure: of this phase, of its siblings,
// and in the knowledge file.
func (x *explanation) before(f *failure.Diagnosis) {
	var facts []fact
	failures := x.p.Failures()
	alike := func(mark string) bool { return f.Fingerprint != "" && mark == f.Fingerprint }
	for i, earlier := range failures[:max(0, len(failures)-1)] {
		if alike(earlier.Fingerprint) {
			facts = append(facts,
				fact{"here", fmt.Sprintf(
					"attempt %d failed in the same way: the next one changed nothing about it",
					i+1)})
		}
	}
	facts = append(facts, x.earlier(alike)...)
	facts = append(facts, x.siblings(alike)...)
	if m := f.Match; m != nil {
		facts = append(facts, fact{"known", m.Reason})
		if m.Fix != "" {
			facts = append(facts, fact{"", "what helped then: " + m.Fix})
		}
	}
	if x.p.Revisions > 0 {
		facts = append(facts, fact{"plan", "the text of the phase changed " + times(x.p.Revisions) +
			" since it was last complete"})
	}
	x.facts("What happened before that looks like it", facts)
}

// siblings are the phases that failed in the same way; of many the first few, and how many there
// are.
func (x *explanation) siblings(alike func(mark string) bool) []fact {
	const most = 5
	var facts []fact
	n := 0
	for i := range x.Run.Phases {
		q := &x.Run.Phases[i]
		last, ok := q.Last()
		if !ok || q.ID == x.p.ID || last.Failure == nil || !alike(last.Failure.Fingerprint) {
			continue
		}
		if n++; n <= most {
			facts = append(facts,
				fact{"sibling", PhaseTitle(q) +
					" failed in the same way: look for one cause outside both"})
		}
	}
	if n > most {
		facts = append(facts, fact{"", fmt.Sprintf("and %d more", n-most)})
	}
	return facts
}

// past lists the failures of earlier sessions, of which nothing else is left.
func (x *explanation) past() {
	x.facts("What happened before", x.earlier(func(string) bool { return false }))
}

// earlier are the failures of sessions before this one.
func (x *explanation) earlier(alike func(mark string) bool) []fact {
	var facts []fact
	for _, e := range x.p.Past[:max(0, len(x.p.Past)-len(x.p.Failures()))] {
		text := strings.TrimSuffix(fmt.Sprintf("%s: %s", e.Type, e.Message), ": ")
		if alike(e.Fingerprint) {
			text = "the same: " + text
		}
		if e.Action != "" {
			text += " (" + string(e.Action) + ")"
		}
		facts = append(facts, fact{"earlier", text})
	}
	return facts
}

// facts is a section of them, or nothing where there are none.
func (x *explanation) facts(name string, facts []fact) {
	if len(facts) == 0 {
		return
	}
	x.section(name)
	for _, f := range facts {
		x.fact(f.name, f.text)
	}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return strconv.Itoa(n) + " times"
}

// WhatToDo is the section that a page leaves out where there is nothing to be done.
const WhatToDo = "What to do now"

// next lists what the user can do, in order, each command on a line of its own.
func (x *explanation) next() {
	x.section(WhatToDo)
	switch {
	case x.p.Status == state.Failed && !x.p.Retry:
		x.mend()
	case x.p.Status == state.Running && x.Alive:
		x.step("Watch it", x.program("logs", PhaseArg(x.p), "-f"))
		x.steer()
		return
	case x.p.Status == state.Blocked:
		if q, ok := x.Run.Find(x.p.BlockedBy); ok {
			x.step("See what is wrong with phase "+q.Label+", and mend it",
				x.program("explain", PhaseArg(q)))
		}
	case x.p.Status == state.Complete:
		x.afterComplete()
		return
	case x.p.Status == state.Skipped && len(x.Resume) > 0 && !x.Alive:
		x.step("Nothing. To run it all the same",
			slices.Concat(x.Resume, []string{"--only", x.p.Label}))
		return
	case x.Alive:
		x.step("Nothing: the run goes on by itself. To see where it stands", x.program("status"))
		x.steer()
		return
	}
	if x.p.Status == state.Failed && x.Alive {
		x.step("Try it again in this run, or leave it out", x.program("retry", PhaseArg(x.p)),
			x.program("skip", PhaseArg(x.p)))
	}
	if len(x.Resume) > 0 && !x.Alive {
		x.step("Go on", x.Resume)
	}
}

// afterComplete is next for a complete phase.
func (x *explanation) afterComplete() {
	if end := (Overview{Run: x.Run}).End(); end.Merge != "" && x.p.Commit != nil &&
		!x.p.Commit.Delivered {
		x.step("Bring the finished work in: " + end.Merge)
		return
	}
	if len(x.p.Contested()) > 0 {
		if c := x.p.Commit; c != nil && c.SHA != "" {
			x.step("Look at the changes", x.git("show", c.SHA[:min(len(c.SHA), 12)]))
		}
		x.step("Take them", x.program("accept", PhaseArg(x.p)))
		caption, commands := (Overview{Run: x.Run}).refusing([]*state.Phase{x.p},
			Ending{Program: x.Program, Dir: x.Dir, Resume: x.Resume})
		x.step("Or refuse them: "+caption, commands...)
		return
	}
	last, _ := x.p.Last()
	switch {
	case !x.p.Edited.IsZero():
		x.step("See whether it does what the plan says now. To do it again by that text",
			x.program("reset", PhaseArg(x.p)))
	case len(last.Review.Notes()) > 0:
		x.step("Read the reviewer's notes. If one is right, do the phase again with it",
			x.program("reset", PhaseArg(x.p)), x.program("note", PhaseArg(x.p),
				text.CleanLine(last.Review.Notes()[0].Claim, requestLimit)))
	default:
		x.step("Nothing. To do it once more all the same", x.program("reset", PhaseArg(x.p)))
	}
}

// steer lists the commands that change the course of a run that goes on. A page has a form for them
// where it may send them.
func (x *explanation) steer() {
	if x.p.Status == state.Skipped {
		x.step("Take it in again", x.program("retry", PhaseArg(x.p)))
		return
	}
	x.step("To change its course", x.program("note", PhaseArg(x.p), "what its next attempt should know"),
		x.program("skip", PhaseArg(x.p)))
}

// mend lists the steps that fix the failure itself.
func (x *explanation) mend() {
	d := Overview{Run: x.Run}
	for _, next := range d.NextSteps(x.p, x.Dir, x.program(), x.style) {
		x.step(next.Text, next.Commands...)
	}
	if place := d.WhereToMend([]*state.Phase{x.p}, x.Dir); place != "" {
		x.step(place)
	}
}

// step is one thing to do, with the commands for it where there are some.
func (x *explanation) step(what string, commands ...[]string) {
	x.steps++
	if len(commands) > 0 {
		what += ":"
	}
	x.say(AsStep, strconv.Itoa(x.steps), what)
	for _, argv := range commands {
		x.command(argv)
	}
}
