package policy

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"autobuild/failure"

	"autobuild/internal/text"
)

// The pauses before retries of what is transient. They quadruple because what blocks a network is
// over in a moment or not for minutes.
const (
	backoffBase   = 5 * time.Second // before the first retry
	backoffFactor = 4
	backoffCap    = 2 * time.Minute
)

// indicator is what in a failure says how often it is worth another attempt.
type indicator struct {
	name    string // the last word of a rule: "adaptive.flaky"
	retries int    // that a phase gets on account of it, from a start, resume or reset on
	// it may be gone the next time though nothing was changed: the same failure twice proves
	// nothing
	passes  bool
	because string // the reason, in words that follow "because"
	fits    func(failure.Diagnosis) bool
}

// indicators are error-matching-rules' table of retries and failure-classifier's F1, the surer
// signs first. The first that fits is the failure's; the last fits all.
var indicators = []indicator{
	{"flaky", 2, true, "the gate has passed and failed on the same content", func(d failure.Diagnosis) bool { return d.Flaky }},
	{"transient", 3, true, "F1 may pass by itself", func(d failure.Diagnosis) bool { return d.Class.Class == failure.Transient }},
	{"timeout", 2, true, "a deadline that was missed once may be met", late},
	{"connection", 2, true, "a connection failed that may come back", says(connection)},
	{"tagged", 2, true, "what it looks like is known to be flaky", tagged},
	{"race", 2, true, "it depends on who comes first", says(race)},
	{"passing", 2, true, "its category may pass by itself", func(d failure.Diagnosis) bool { return d.Transient }},
	{"import", 1, false, "an import that is missing does not come by itself", says(imports)},
	{"syntax", 1, false, "a syntax error does not go by itself", says(syntax)},
	{"assertion", 1, false, "an assertion compares the same values each time", says(assertion)},
	{"other", 1, false, "nothing says that it may pass by itself", func(failure.Diagnosis) bool { return true }},
}

// What the indicators are recognised by. Each is as narrow as the tools' own words allow: tests are
// often about the very things that can go wrong with a machine.
var (
	deadline   = regexp.MustCompile(`(?i)\b(?:timed out|deadline exceeded|exceeded timeout|timeout (?:of \S+ )?exceeded)\b`)
	connection = regexp.MustCompile(`(?i)\bECONN(?:REFUSED|RESET|ABORTED)\b|\bEPIPE\b|\bENOTFOUND\b|\bconnection (?:was )?(?:refused|reset|aborted|closed|timed out)\b` +
		`|\b(?:failed|unable) to connect\b|\b(?:cannot|could not) connect to\b|\btemporary failure in name resolution\b|\bsocket hang up\b|\bbroken pipe\b|\b(?:network|host) is unreachable\b|\bno such host\b|\bcould not resolve host\b|\bTLS handshake timeout\b`)
	race = regexp.MustCompile(`(?i)\bDATA RACE\b|\brace (?:condition|detected)\b|\bconcurrent map (?:read|write|iteration)|\bdatabase is locked\b|\bSQLITE_BUSY\b` +
		`|\bdeadlock (?:detected|found)\b|\bcould not serialize access\b|\bindex\.lock\b|\bEADDRINUSE\b|\baddress already in use\b|\bstale cache\b`)
	imports = regexp.MustCompile(`\bImportError\b|\bModuleNotFoundError\b|\bNo module named\b|\b[Cc]annot find (?:module|package)\b|\bcannot import name\b` +
		`|\bunresolved import\b|\bdoes not provide an export named\b|\b(?:Could not|Can't|Failed to) resolve\b|\bis not in std\b|\berror\[E0432\]`)
	syntax    = regexp.MustCompile(`\bSyntaxError\b|\bIndentationError\b|\bParseError\b|(?i)\bsyntax error\b|\bunexpected (?:token|end of (?:file|input))\b|\bparse error\b|\bparsing error\b`)
	assertion = regexp.MustCompile(`(?is)\bassert(?:ion)?(?:s|error|equals?)?\b|\bexpected\b.{0,200}\b(?:got|but|received|actual|was|to (?:be|equal|have))\b|\bgot\b.{0,200}\bwant\b|, want\b`)
)

// says makes a sign of a pattern in what a failure says of itself.
func says(re *regexp.Regexp) func(failure.Diagnosis) bool {
	return func(d failure.Diagnosis) bool { return re.MatchString(testimony(d)) }
}

func late(d failure.Diagnosis) bool {
	return d.Type == failure.Timeout || d.Cause == failure.Timeout || deadline.MatchString(testimony(d))
}

func tagged(d failure.Diagnosis) bool {
	return d.Match != nil && slices.Contains(d.Match.Tags, "flaky")
}

// testimony is the text that the indicators are looked for in: what failing tests say of
// themselves, else what the findings say, else the message and the output. Names are left out: a
// test that is called "timed out" did not time out.
func testimony(d failure.Diagnosis) string {
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

// indicate is the failure's indicator. Where it says that the failure may pass, an assertion that
// has met the very same values before knows better; only what has been measured stands against
// that.
func (h hearing) indicate() indicator {
	in := indicatorOf(h.Diagnosis)
	if in.name != "tagged" && in.name != "race" || !assertion.MatchString(testimony(h.Diagnosis)) {
		return in
	}
	for _, f := range h.past.Failures {
		if testimony(f) == testimony(h.Diagnosis) {
			return indicators[slices.IndexFunc(indicators, func(i indicator) bool { return i.name == "assertion" })]
		}
	}
	return in
}

func indicatorOf(d failure.Diagnosis) indicator {
	return indicators[slices.IndexFunc(indicators, func(i indicator) bool { return i.fits(d) })]
}

// spent counts the attempts that have been made again on account of an indicator.
func (h hearing) spent(in indicator) int {
	n := 0
	for _, f := range h.past.Failures {
		if indicatorOf(f).name == in.name {
			n++
		}
	}
	return n
}

// allowing says how many retries there are and why.
func (in indicator) allowing() string {
	return fmt.Sprintf("allowing %s because %s", text.Count(in.retries, "retry"), in.because)
}

// backoff is the pause before retry n, from 0: base·factorⁿ, at most the cap, less up to half of it
// as the seed says, so that phases which failed together do not come back together. The same seed
// gives the same pause.
func backoff(n int, seed string) time.Duration {
	pause := backoffBase
	for range min(max(n, 0), 10) { // by then the cap is long reached
		pause = min(pause*backoffFactor, backoffCap)
	}
	sum := sha256.Sum256([]byte(fmt.Sprintf("%d %s", n, strings.ToValidUTF8(seed, ""))))
	jitter := binary.BigEndian.Uint64(sum[:8]) % uint64(pause/2+1)
	return pause - time.Duration(jitter)
}
