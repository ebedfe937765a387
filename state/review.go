package state

// Review is what a second opinion said of an attempt, and what of it autobuild could confirm. It
// may refuse work and never approves it.
type Review struct {
	Agent  string `json:"agent,omitzero"` // empty: only witnesses of an earlier attempt ran again
	Model  string `json:"model,omitzero"`
	Reason string `json:"reason,omitzero"` // why the phase was reviewed, with on: risky
	// why there is no opinion: the reviewer failed, or wrote no list of findings; empty: there is
	Missing  string    `json:"not_reviewed,omitzero"`
	Findings []Finding `json:"findings,omitzero"` // those that count first
	Omitted  int       `json:"omitted,omitzero"`  // further findings, and those of another shape
	Log      string    `json:"log,omitzero"`      // of the reviewer, relative to the state directory
	Usage    Usage     `json:"usage,omitzero"`    // of the reviewer; not part of the attempt's own
}

// Finding is one claim of a reviewer.
type Finding struct {
	Ruling    FindingRuling `json:"ruling"`
	Ground    Ground        `json:"ground,omitzero"` // on which it counts
	Why       string        `json:"why,omitzero"`    // why it does not count, or what the author answers
	Severity  string        `json:"severity"`        // high, medium or low; decides nothing
	File      string        `json:"file,omitzero"`
	Line      int           `json:"line,omitzero"`
	Claim     string        `json:"claim"`
	Criterion string        `json:"criterion,omitzero"` // of the plan, word for word
	Quote     string        `json:"quote,omitzero"`     // a line that the phase adds
	Call      string        `json:"call,omitzero"`      // of the criterion's example
	Expected  string        `json:"expected,omitzero"`
	Received  string        `json:"received,omitzero"`
	Witness   *Witness      `json:"witness,omitzero"` // its content is kept where the finding counts
	Log       string        `json:"log,omitzero"`     // of the last run of its experiment
}

// Witness is a test that a reviewer wrote.
type Witness struct {
	File    string `json:"file,omitzero"` // from the root, with slashes
	Content string `json:"content,omitzero"`
	Command string `json:"command,omitzero"`
}

// FindingRuling says what a finding is worth.
type FindingRuling string

// The rulings of findings.
const (
	FindingCounts   FindingRuling = "counts"   // autobuild has seen it: the attempt fails
	FindingNote     FindingRuling = "note"     // nothing shows that it holds
	FindingAnswered FindingRuling = "answered" // it counted, and the author says why it is wrong
)

// Ground is what judges a finding that counts.
type Ground string

// The grounds.
const (
	GroundExample    Ground = "example"    // the plan says what a call gives, and it gives another
	GroundBan        Ground = "ban"        // the plan rules out what an added line holds
	GroundRegression Ground = "regression" // a test passes on the base and fails on the work
)

// Counting are the findings that refuse the work.
func (r *Review) Counting() []Finding {
	var out []Finding
	if r == nil {
		return nil
	}
	for _, f := range r.Findings {
		if f.Ruling == FindingCounts {
			out = append(out, f)
		}
	}
	return out
}

// Notes are the findings that decide nothing.
func (r *Review) Notes() []Finding {
	var out []Finding
	if r == nil {
		return nil
	}
	for _, f := range r.Findings {
		if f.Ruling == FindingNote {
			out = append(out, f)
		}
	}
	return out
}

// maxFindings bounds the findings that are stored.
const maxFindings = 20

// bounded is the review as it is stored.
func (r Review) bounded() *Review {
	if more := len(r.Findings) - maxFindings; more > 0 {
		r.Findings, r.Omitted = r.Findings[:maxFindings], r.Omitted+more
	}
	return &r
}

// CauseReview is the cause of a contested change that answers a reviewer's finding.
const CauseReview RefereeCause = "review_answered"
