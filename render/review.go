package render

import (
	"fmt"
	"strings"

	"autobuild/internal/text"
	"autobuild/state"
)

// maxReviewNotes is how many findings of one review are shown.
const maxReviewNotes = 10

// ReviewWords says what became of a review, in a few words; empty without one.
func ReviewWords(r *state.Review) string {
	if r == nil {
		return ""
	}
	if r.Missing != "" && len(r.Findings) == 0 {
		return "not reviewed: " + r.Missing
	}
	n := map[state.FindingRuling]int{}
	for _, f := range r.Findings {
		n[f.Ruling]++
	}
	var parts []string
	if n[state.FindingCounts] > 0 {
		parts = append(parts, text.Count(n[state.FindingCounts], "finding")+" confirmed")
	}
	if n[state.FindingAnswered] > 0 {
		parts = append(parts, fmt.Sprintf("%d answered by the author", n[state.FindingAnswered]))
	}
	if more := n[state.FindingNote] + r.Omitted; more > 0 {
		parts = append(parts, text.Count(more, "note")+", which nothing confirms")
	}
	if len(parts) == 0 {
		parts = append(parts, "no findings")
	}
	words := strings.Join(parts, "; ")
	if r.Agent != "" {
		words = strings.TrimSpace("by "+r.Agent+" "+r.Model) + ": " + words
	}
	if r.Missing != "" {
		words += "; not reviewed again: " + r.Missing
	}
	if cost := Cost(r.Usage); cost != "" {
		words += "; " + cost
	}
	return words
}

// findingLine is one finding in one line.
func findingLine(f state.Finding) string {
	line := f.Severity + ", " + FileLine(f.File, f.Line) + ": " + f.Claim
	if f.Ruling == state.FindingCounts {
		return line + " (" + string(f.Ground) + ")"
	}
	if f.Why != "" {
		line += " (" + text.OneLine(f.Why) + ")"
	}
	return line
}

// reviews shows what reviewers said of each attempt.
func (x *explanation) reviews() {
	first := true
	for _, a := range x.p.Attempts {
		if a.Review == nil {
			continue
		}
		if first {
			x.section("What the review found")
			first = false
		}
		x.fact(fmt.Sprintf("attempt %d", a.N), ReviewWords(a.Review))
		if a.Review.Reason != "" {
			x.fact("because", a.Review.Reason)
		}
		name := state.FindingRuling("")
		for i, f := range a.Review.Findings {
			if i == maxReviewNotes {
				x.fact("", fmt.Sprintf("and %d more", len(a.Review.Findings)-i))
				break
			}
			shown := string(f.Ruling)
			if f.Ruling == name {
				shown = ""
			}
			name = f.Ruling
			x.fact(shown, findingLine(f))
		}
		if a.Review.Log != "" {
			x.path("its log", InStateDir(x.Dir, a.Review.Log))
		}
	}
}

// Reviews says of all phases how many were reviewed, what their notes are, and what it cost; empty
// where none was.
func (d Overview) Reviews() string {
	reviewed, missing, notes := 0, 0, 0
	var spent state.Usage
	for i := range d.Run.Phases {
		p := &d.Run.Phases[i]
		for n := range p.Attempts {
			if r := p.Attempts[n].Review; r != nil {
				spent = spent.Add(r.Usage)
			}
		}
		last, _ := p.Last()
		switch r := last.Review; {
		case r == nil:
		case r.Missing != "":
			missing++
		default:
			reviewed++
			notes += len(r.Notes())
		}
	}
	var parts []string
	if reviewed > 0 {
		parts = append(parts, text.Count(reviewed, "phase")+" reviewed")
	}
	if missing > 0 {
		parts = append(parts, fmt.Sprintf("%d not reviewed", missing))
	}
	if notes > 0 {
		parts = append(parts, text.Count(notes, "note"))
	}
	if cost := Cost(spent); cost != "" {
		parts = append(parts, cost)
	}
	return strings.Join(parts, "; ")
}
