package render

import (
	"fmt"
	"slices"
	"strings"

	"autobuild/failure"
	"autobuild/internal/text"
	"autobuild/state"
)

// Explanation is the input of Explain: a phase in its run, and the way to reach its files.
type Explanation struct {
	Run   *state.Run
	Phase *state.Phase // of that run
	Alive bool         // a session works on the run
	// the state directory as a person types it, so that paths can be pasted; empty is ".autobuild"
	Dir     string
	Program []string // the words that call autobuild from here; nil is "autobuild"
	// the whole command that goes on; nil where nothing can be resumed
	Resume []string
	// the text of a log by its name in the state directory, "" where there is none; nil reads none
	Read func(name string) string
}

// ExplainLines is everything that there is to say of a phase, whether a screen or a page shows
// it.
func ExplainLines(e Explanation, s Style) []ExplainLine {
	x := explanation{Explanation: e, style: s, p: e.Phase}
	x.say(AsTitle, "", PhaseTitle(x.p))
	x.stands()
	switch last, failed := x.p.Last(); {
	case x.p.Status == state.Failed && failed && last.Failure != nil:
		x.why(last)
		x.decided()
		x.before(last.Failure)
		if replan := Replan(x.Run, x.p); replan != "" {
			x.section("Replan")
			x.say(AsRemark, "", replan)
		}
	case x.p.Status == state.Complete:
		x.landed(last)
		x.decided()
	default:
		x.decided()
		x.past()
	}
	x.reviews()
	x.notes()
	x.next()
	return x.said
}

// explanation collects what is said.
type explanation struct {
	Explanation
	style Style
	p     *state.Phase
	said  []ExplainLine
	steps int
}

func (x *explanation) say(as ExplainLineKind, name, text string) {
	x.said = append(x.said, ExplainLine{Kind: as, Name: name, Text: text})
}

// section begins a part.
func (x *explanation) section(name string) { x.say(AsSection, "", name) }

// fact is a name and its text. Empty names go on with the one before.
func (x *explanation) fact(name, text string) {
	if text != "" {
		x.say(AsFact, name, text)
	}
}

// path is a fact that can be pasted.
func (x *explanation) path(name, path string) { x.say(AsPath, name, path) }

// command adds a whole command that can be pasted, below the step that it belongs to.
func (x *explanation) command(argv []string) { x.say(AsCommand, "", x.style.Command(argv)) }

func (x *explanation) program(words ...string) []string {
	return append(ProgramOf(Ending{Program: x.Program}), words...)
}

// git is a call of git for the project.
func (x *explanation) git(words ...string) []string {
	return append(gitFor(x.Program), words...)
}

// stands is the first sentence.
func (x *explanation) stands() {
	p, allowed := x.p, max(x.p.MaxAttempts, len(x.p.Attempts))
	last, _ := p.Last()
	var content string
	switch {
	case interrupted(p, x.Alive):
		content = "It was stopped from outside while it ran. It has not failed, and starts " +
			"again on resume."
	case p.Status == state.Failed:
		content = x.failed(last, allowed)
	case p.Status == state.Running:
		content = fmt.Sprintf("It is running: attempt %d of %d, since %s.", len(p.Attempts),
			allowed, last.Started.UTC().Format("15:04:05 UTC"))
	case p.Status == state.Complete:
		word, _ := CompleteWord(p)
		content = fmt.Sprintf("It is %s, after %s.", word, text.Count(len(p.Attempts), "attempt"))
	case p.Status == state.Blocked:
		content = "It is blocked: it needs " + x.named(p.BlockedBy) +
			", which failed. Nothing is wrong with this phase itself."
	case p.Status == state.Waiting:
		content = "It waits for " + p.WaitsFor() + ", until " + x.style.Stamp(p.Until,
			"2006-01-02 15:04") + ". No attempt is spent."
	case p.Status == state.Skipped:
		content = "It was left out: " + p.Reason + "."
	default:
		content = x.pending()
	}
	x.say(AsSentence, "", content)
}

// failed describes the state of a failed phase, and the failure in one line.
func (x *explanation) failed(last state.Attempt, allowed int) string {
	text := fmt.Sprintf("It failed after %d of %s", len(x.p.Attempts),
		text.Count(allowed, "attempt"))
	if d := last.Decision; d != nil {
		switch {
		case x.p.Retry:
			text = fmt.Sprintf("Attempt %d of %d failed, and another follows", last.N, allowed)
		case d.Action == failure.Freeze:
			text += ", and is frozen: it stays as it is until a person thaws it or changes its text"
		case d.Action == failure.Block:
			text = strings.Replace(text, "It failed", "It is BLOCKED", 1) +
				", and waits for a person: nothing known fits"
		case d.Action == failure.Replan:
			text += ", and the plan itself is in question"
		case d.To == failure.ToUser:
			text += ", and waits for a person to decide"
		}
	}
	switch {
	case IsRefused(last):
		text += ": " + Overview{Run: x.Run}.Unasked(last)
	case last.Failure != nil:
		text += ": " + last.Failure.Message
	}
	return text
}

func (x *explanation) pending() string {
	d := Overview{Run: x.Run}
	content := "It has not started."
	if open := d.OpenNeeds(x.p); len(open) > 0 {
		content = "It has not started: it needs " + text.JoinAnd(open) + ", which" + Have(open) +
			" not completed."
	}
	if x.p.Reason != "" {
		content += " Last: " + x.p.Reason + "."
	}
	return content
}

// named is a phase by its label and name, for a person.
func (x *explanation) named(id string) string {
	if q, ok := x.Run.Find(id); ok {
		return PhaseTitle(q)
	}
	return "phase " + id
}

// decided lists every attempt that failed with the decision that followed, and its rule.
func (x *explanation) decided() {
	policy := x.Run.Config.RetryPolicy
	if own := x.Run.Config.Choices[x.p.ID]["retry-policy"]; own != "" {
		policy = own
	}
	begun, told := false, ""
	if last, ok := x.p.Last(); ok && x.p.Status == state.Failed && last.Failure != nil {
		told = last.Failure.Message // in the first lines
	}
	for _, a := range x.p.Attempts {
		if a.Failure == nil || a.Decision == nil {
			continue
		}
		if !begun {
			x.section("What was decided")
			begun = true
		}
		rule := "policy " + policy
		if a.Decision.Rule != "" {
			rule = "rule " + a.Decision.Rule + " of " + rule
		}
		what := fmt.Sprintf("%s, by %s", a.Failure.Type, WorkerOf(a))
		if a.Failure.Message != told {
			what += ": " + a.Failure.Message
		}
		x.fact(fmt.Sprintf("attempt %d", a.N), what)
		x.fact("", fmt.Sprintf("%s, by %s: %s", DecisionWords(a.Decision), rule,
			a.Decision.Rationale))
	}
}

// WorkerOf names the agent, model and tier of an attempt.
func WorkerOf(a state.Attempt) string {
	who := a.Agent
	if a.Model != "" {
		who = strings.TrimPrefix(who+", model "+a.Model, ", ")
	}
	if a.Tier != "" {
		who = "tier " + a.Tier + " (" + who + ")"
	}
	if who == "" {
		return "its agent"
	}
	return who
}

// DecisionWords names the decision after a failure, in two words.
func DecisionWords(d *failure.Decision) string {
	text := string(d.Action)
	if d.To != "" {
		text += " to " + d.To
	}
	if d.Delay > 0 {
		text += " in " + Duration(d.Delay)
	}
	return text
}

// landed lists what a complete phase rests on.
func (x *explanation) landed(a state.Attempt) {
	x.section("What it rests on")
	for _, g := range a.Gates {
		word := strings.ReplaceAll(string(g.Status), "_", " ")
		if g.Before != "" {
			word = "fails as before"
		}
		content := g.Name + " " + word
		if g.Count > 0 {
			content += ", " + text.Count(g.Count, "test")
		}
		if g.Reused != "" {
			content += ", " + Reused(g)
		}
		x.fact("gate", content)
	}
	if a.Verdict == state.Unverified {
		if inconclusive(a) {
			x.fact("gates", WhyUnproven(a))
		} else {
			x.fact("gates", "no gate was run: nothing proves it")
		}
	}
	x.fact("proof", ProofWord(a.Proof))
	x.fact("by", WorkerOf(a))
	if a.Duration > 0 {
		x.fact("took", strings.TrimSuffix(Duration(a.Duration)+", "+Cost(x.p.Spent), ", "))
	}
	if c := x.p.Commit; c != nil {
		if CommitsPerPhase(x.Run) {
			x.fact("commit",
				strings.TrimSpace(c.SHA[:min(len(c.SHA), 12)]+" "+CommitSubject(c.Message)))
		} else {
			x.fact("message", CommitSubject(c.Message))
		}
		if c.SHA != "" && !c.Delivered && !(Overview{Run: x.Run}).Delivered() {
			x.fact("", "it is not yet in your checkout: "+c.Undelivered)
		}
	}
	if a.Log != "" {
		x.path("log", InStateDir(x.Dir, a.Log))
	}
	x.referee(a)
}

// notes are the remarks that attempts left.
func (x *explanation) notes() {
	var all []string
	for _, a := range x.p.Attempts {
		for _, w := range a.Warnings {
			if !slices.Contains(all, w) {
				all = append(all, w)
			}
		}
	}
	if len(all) == 0 {
		return
	}
	x.section("Worth knowing")
	for _, w := range all {
		x.say(AsRemark, "", w)
	}
}
