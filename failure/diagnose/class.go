package diagnose

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"autobuild/failure"
	"autobuild/failure/sign"
	"autobuild/internal/text"
)

// Constants of failure-classifier. Other tools read the answers, so they are no settings.
const (
	unsure      = 0.6 // below it a class is only a guess
	nothingSeen = 0.5 // confidence of the default where nothing was recognised at all
	deviationF4 = 0.7 // deviation from which the trouble is the story's
	deviationF2 = 0.5 // deviation from which an F2 is doubtful …
	doubt       = 0.1 // … by this much
	sameAgain   = 3   // failed attempts that make a pattern …
	lastSame    = 2   // … when as many before the present one bear its hash
	perFailure  = 0.4 // weights of the deviation
	perRevision = 0.3
	perOverrun  = 0.3
)

// Signal is the input of the classifier. Zero fields carry no information.
type Signal struct {
	Node, Parent string

	Exit int // of the command that failed; negative where it failed and has none
	// the failure of a command that exited with 0: a deadline, a false claim
	Otherwise string
	Seen      string // the failure in a line; empty where nothing in it was recognised
	Text      string // the end of the output at the failure
	Trouble   string // its lines without those about code: see sign.ErrorLines
	Limit     string // an adapter's own word that it may pass by itself: "usage_limit"
	Flaky     string // the gate that passed when it was run again on the same content
	Conflict  string // the conflict that caused it

	Failed int // failed attempts, the present one included
	// failed attempts more than the policy allows, of those that say something about the phase
	Beyond      int
	Outside     bool     // the present failure is none of the phase's doing
	Hash        string   // fingerprint of the present failure
	Earlier     []string // … of the failed attempts before it, oldest first
	Edits       []string // "FILE was edited in N attempts", of the files of failing tests
	Files       []string // touched by the present attempt
	Siblings    []failure.Sibling
	Revisions   int      // replan proposals without progress
	Overrun     float64  // of the tokens: 0.5 is half as many again
	Deviation   *float64 // where it is known by other means; nil: it is computed
	Contradicts string   // how the evidence contradicts a constraint of the whole plan
	Constraint  string   // the text of that constraint, where it is known
}

// A rule gives a class its evidence; without any it does not hold.
type rule struct {
	class      failure.Class
	confidence float64
	holds      func(Signal) []string
}

// ladder is failure-classifier's, its second to its last but one rule. The first that holds
// decides.
var ladder = []rule{
	{failure.Conflicting, 0.95, isConflict},
	{failure.Transient, 0.95, isTransient},
	{failure.LocalDesign, 0.75, isRecurring},
	{failure.StoryLevel, 0.80, sharedFiles},
	{failure.LocalLogic, 0.85, isFirstMistake},
	{failure.StoryLevel, 0.80, isDeviated},
	{failure.Architectural, 0.65, isContradiction},
}

// Classify says how far up a failure reaches, by the nine rules of failure-classifier, top-down. It
// is total, deterministic and bounded. Class is empty where nothing failed.
func Classify(s Signal) failure.Classification {
	c := failure.Classification{
		Node:   failure.Line(s.Node, failure.MaxField),
		Parent: failure.Line(s.Parent, failure.MaxField), Evidence: []string{},
	}
	if s.Exit == 0 && s.Otherwise == "" && s.Conflict == "" && s.Limit == "" {
		return c
	}
	for _, r := range ladder {
		if c.Evidence = r.holds(s); len(c.Evidence) > 0 {
			c.Class, c.Confidence = r.class, r.confidence
			break
		}
	}
	if c.Class == "" {
		c.Class, c.Confidence, c.Evidence = failure.LocalLogic, 0.85, byDefault(s)
		if s.Seen == "" && strings.TrimSpace(s.Text) == "" { // not even a line to look at
			c.Confidence = nothingSeen
			c.Evidence = append(c.Evidence, "nothing that was seen says why")
		}
	}
	if v := s.deviation(); c.Class == failure.LocalLogic && v >= deviationF2 && v < deviationF4 {
		c.Confidence -= doubt
		c.Evidence = append(c.Evidence, s.deviated())
	}
	c.Confidence = rounded(c.Confidence)
	c.Action = recommended(c.Class)
	if c.Class.NeedsReplan() && s.Revisions >= failure.MaxProposals {
		c.Action = recommended(failure.Architectural)
		c.Evidence = append(c.Evidence, "replan_budget_remaining=0")
	}
	if c.Confidence < unsure {
		c.Class, c.Action = failure.LocalLogic, "single_retry_then_escalate"
	}
	switch c.Class {
	case failure.Conflicting:
		c.Routes = "conflict-arbiter"
	case failure.Architectural:
		c.Constraint = failure.Line(s.Constraint, failure.MaxMessage)
	}
	c.Evidence = failure.Lines(c.Evidence, failure.MaxShown)
	return c
}

// recommended returns failure-classifier's recommendation for a class. autobuild does not heal by
// itself, so F2 gets the other half of its recommendation.
func recommended(c failure.Class) string {
	switch c {
	case failure.Transient:
		return "retry_with_backoff"
	case failure.LocalDesign:
		return "replan_story"
	case failure.StoryLevel:
		return "replan_feature"
	case failure.Architectural:
		return "freeze_and_escalate"
	case failure.Conflicting:
		return "arbitrate"
	}
	return "single_retry"
}

// deviation is how far the phase has drifted from its plan, 0 to 1.
func (s Signal) deviation() float64 {
	if s.Deviation != nil {
		return bounded(*s.Deviation)
	}
	return bounded(perFailure*float64(max(s.Beyond, 0)) + perRevision*float64(max(s.Revisions, 0)) +
		perOverrun*bounded(s.Overrun))
}

func (s Signal) deviated() string {
	if s.Deviation != nil {
		return fmt.Sprintf("deviation_score=%.2f", s.deviation())
	}
	return fmt.Sprintf(
		"deviation_score=%.2f (failed_attempts_beyond=%d, revisions=%d, token_overrun=%.2f)",
		s.deviation(), max(s.Beyond, 0), max(s.Revisions, 0), bounded(s.Overrun))
}

func bounded(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return rounded(min(max(v, 0), 1))
}

// rounded keeps sums of weights from missing a threshold by the last bit.
func rounded(v float64) float64 { return math.Round(v*1e6) / 1e6 }

func isConflict(s Signal) []string {
	if s.Conflict == "" {
		return nil
	}
	return []string{"cause=conflict: " + s.Conflict}
}

func isTransient(s Signal) []string {
	if s.Limit != "" {
		return []string{"the agent's own error is " + s.Limit}
	}
	if found := transient(s.Trouble); found.Name != "" {
		return []string{fmt.Sprintf("stderr says %q: %s", found.Words, found.Line), s.attempts()}
	}
	if s.Flaky != "" {
		return []string{"gate " + s.Flaky + " passed when it was run again on the same content"}
	}
	return nil
}

func isRecurring(s Signal) []string {
	if s.Outside || s.Failed < sameAgain || s.Hash == "" || len(s.Earlier) < lastSame {
		return nil
	}
	for _, hash := range s.Earlier[len(s.Earlier)-lastSame:] {
		if hash != s.Hash {
			return nil
		}
	}
	return append([]string{s.attempts(), fmt.Sprintf("stderr_hash matches last %d attempts",
		lastSame)}, s.Edits...)
}

func sharedFiles(s Signal) []string {
	own := make(map[string]bool, len(s.Files))
	for _, f := range s.Files {
		own[f] = true
	}
	var found []string
	for _, other := range s.Siblings {
		var shared []string
		for _, f := range other.Files {
			if own[f] {
				shared = append(shared, f)
			}
		}
		if shared = slices.Compact(slices.Sorted(slices.Values(shared))); len(shared) > 0 {
			found = append(found, fmt.Sprintf("files_touched shares %s with sibling %s",
				text.JoinSome(shared, 3), other.Phase))
		}
	}
	return found
}

func isFirstMistake(s Signal) []string {
	if s.Failed != 1 {
		return nil
	}
	if found := inLine(s.Text, failure.LocalLogic); found.Name != "" {
		return []string{s.attempts(), fmt.Sprintf("stderr matches %q: %s", found.Words, found.Line)}
	}
	return nil
}

// found is a sign, and the line in which it stands.
type found struct {
	sign.Found
	Line string
}

// inLine is the first line of a text with a sign of a class.
func inLine(text string, class failure.Class) found {
	for l := range strings.Lines(text) {
		l = failure.Line(l, failure.MaxField)
		if s, ok := sign.Find(sign.Output, l,
			func(s sign.Sign) bool { return s.Class == class }); ok {
			return found{s, failure.Line(l, failure.MaxMessage)}
		}
	}
	return found{}
}

// transient is the first line of a text with a sign of trouble that passes by itself.
func transient(text string) found { return inLine(text, failure.Transient) }

func isDeviated(s Signal) []string {
	if s.deviation() < deviationF4 {
		return nil
	}
	return []string{s.deviated()}
}

func isContradiction(s Signal) []string {
	if s.Contradicts == "" {
		return nil
	}
	return []string{"contradicts the plan's intent: " + s.Contradicts}
}

func byDefault(s Signal) []string {
	found := []string{s.attempts()}
	if s.Exit > 0 { // below, it has none
		found = append(found, fmt.Sprintf("exit_code=%d", s.Exit))
	}
	switch {
	case s.Seen != "":
		found = append(found, s.Seen)
	case s.Otherwise != "" && s.Exit <= 0:
		found = append(found, s.Otherwise)
	}
	return append(found, "no other rule applies")
}

func (s Signal) attempts() string { return fmt.Sprintf("failed_attempts=%d", max(s.Failed, 0)) }
