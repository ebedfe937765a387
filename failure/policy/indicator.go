package policy

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"

	"autobuild/failure"
	"autobuild/failure/sign"
	"autobuild/internal/text"
)

// Pauses before retries of transient failures. They grow by a factor of 4, because a blocked
// network recovers in a moment or not for minutes.
const (
	backoffBase   = 5 * time.Second // before the first retry
	backoffFactor = 4
	backoffCap    = 2 * time.Minute
)

// indicator is a row of the table of retries.
type indicator struct {
	name    string // the last word of a rule: "adaptive.flaky"
	retries int    // that a phase gets on account of it, from a start, resume or reset on
	// it may be gone at the next attempt without a change, so the same failure twice proves nothing
	passes  bool
	because string // the reason, in words that follow "because"
	fits    func(failure.Diagnosis) bool
}

// indicators are the table of retries of error-matching-rules and F1 of failure-classifier, the
// surest first. The first row that fits decides; the last one fits all failures.
var indicators = []indicator{
	{"flaky", 2, true, "the gate has passed and failed on the same content", func(d failure.Diagnosis) bool { return d.Flaky }},
	{"transient", 3, true, "F1 may pass by itself", func(d failure.Diagnosis) bool { return d.Class.Class == failure.Transient }},
	{"timeout", 2, true, "a deadline that was missed once may be met", late},
	{"connection", 2, true, "a connection failed that may come back", signed("connection")},
	{"tagged", 2, true, "what it looks like is known to be flaky", tagged},
	{"race", 2, true, "it depends on the order of events", signed("race")},
	{"passing", 2, true, "its category may pass by itself", func(d failure.Diagnosis) bool { return d.Transient }},
	{"import", 1, false, "an import that is missing does not come by itself", signed("import")},
	{"syntax", 1, false, "a syntax error does not go by itself", signed("syntax")},
	{"assertion", 1, false, "an assertion compares the same values each time", signed("assertion")},
	{"other", 1, false, "nothing says that it may pass by itself", func(failure.Diagnosis) bool { return true }},
}

// signed reports whether a failure has a sign of the table with this indicator.
func signed(name string) func(failure.Diagnosis) bool {
	return func(d failure.Diagnosis) bool { return signedAs(d, name) }
}

func signedAs(d failure.Diagnosis, name string) bool {
	_, ok := sign.Find(sign.Output, messages(d), func(s sign.Sign) bool { return s.Indicator == name })
	return ok
}

func late(d failure.Diagnosis) bool {
	return d.Type == failure.Timeout || d.Cause == failure.Timeout || signedAs(d, "timeout")
}

func tagged(d failure.Diagnosis) bool {
	return d.Match != nil && slices.Contains(d.Match.Tags, "flaky")
}

// messages is the text in which indicators look for signs: the messages of failing tests, else of
// findings, else the message and details. Names are excluded: a test called "timed out" did not
// time out.
func messages(d failure.Diagnosis) string {
	var said []string
	for _, t := range d.Tests {
		said = append(said, t.Message)
	}
	for _, p := range d.Places {
		said = append(said, p.Message)
	}
	if all := strings.TrimSpace(strings.Join(said, "\n")); all != "" {
		return all
	}
	return d.Message + "\n" + d.Details
}

// indicate is the indicator of the failure. An assertion with the same values as before overrides a
// race or a known flaky failure, but no measured flakiness.
func (h situation) indicate() indicator {
	in := indicatorOf(h.Diagnosis)
	if in.name != "tagged" && in.name != "race" || !signedAs(h.Diagnosis, "assertion") {
		return in
	}
	for _, f := range h.past.Failures {
		if messages(f) == messages(h.Diagnosis) {
			return indicators[slices.IndexFunc(indicators, func(i indicator) bool { return i.name == "assertion" })]
		}
	}
	return in
}

func indicatorOf(d failure.Diagnosis) indicator {
	return indicators[slices.IndexFunc(indicators, func(i indicator) bool { return i.fits(d) })]
}

// spent counts the earlier failures of an indicator.
func (h situation) spent(in indicator) int {
	n := 0
	for _, f := range h.past.Failures {
		if indicatorOf(f).name == in.name {
			n++
		}
	}
	return n
}

// allowing is the number of retries and the reason, in words.
func (in indicator) allowing() string {
	return fmt.Sprintf("allowing %s because %s", text.Count(in.retries, "retry"), in.because)
}

// backoff is the pause before retry n, counted from 0: base·factorⁿ, at most the cap. The seed
// shortens it by up to half, so that phases that failed together do not retry together. The same
// seed gives the same pause.
func backoff(n int, seed string) time.Duration {
	pause := backoffBase
	for range min(max(n, 0), 10) { // by then the cap is long reached
		pause = min(pause*backoffFactor, backoffCap)
	}
	sum := sha256.Sum256([]byte(fmt.Sprintf("%d %s", n, strings.ToValidUTF8(seed, ""))))
	jitter := binary.BigEndian.Uint64(sum[:8]) % uint64(pause/2+1)
	return pause - time.Duration(jitter)
}
