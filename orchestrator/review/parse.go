package review

import (
	"encoding/json"
	"errors"
	"path"
	"strings"

	"autobuild/internal/text"
	"autobuild/state"
)

// Bounds of a review.
const (
	MaxFindings = 20       // that are looked at
	maxLine     = 600      // bytes of one text
	maxWitness  = 16 << 10 // bytes of a witness's file
)

// Parse reads the findings of a result block that carries the attempt's nonce. An entry of another
// shape is left out and counted, and so are those beyond MaxFindings. The error says that there is
// no list of findings.
func Parse(block string) (found []state.Finding, omitted int, err error) {
	var b struct {
		Findings *[]json.RawMessage `json:"findings"`
	}
	if err := json.Unmarshal([]byte(block), &b); err != nil || b.Findings == nil {
		return nil, 0, errors.New("the result block has no list of findings")
	}
	for _, raw := range *b.Findings {
		f, ok := finding(raw)
		if !ok || len(found) == MaxFindings {
			omitted++
			continue
		}
		found = append(found, f)
	}
	return found, omitted, nil
}

// wire is a finding as a reviewer writes it.
type wire struct {
	Severity  string `json:"severity"`
	File      string `json:"file"`
	Line      int    `json:"line"`
	Claim     string `json:"claim"`
	Criterion string `json:"criterion"`
	Quote     string `json:"quote"`
	Call      string `json:"call"`
	Expected  string `json:"expected"`
	Received  string `json:"received"`
	Witness   *struct {
		File    string `json:"file"`
		Content string `json:"content"`
		Command string `json:"command"`
	} `json:"witness"`
}

func finding(raw json.RawMessage) (state.Finding, bool) {
	var w wire
	if json.Unmarshal(raw, &w) != nil || strings.TrimSpace(w.Claim) == "" {
		return state.Finding{}, false
	}
	clip := func(s string) string { return text.Clip(strings.TrimSpace(s), maxLine) }
	f := state.Finding{
		Severity: severity(w.Severity), File: clip(w.File), Line: max(w.Line, 0),
		Claim: text.OneLine(clip(w.Claim)), Criterion: clip(w.Criterion), Quote: clip(w.Quote),
		Call: clip(w.Call), Expected: clip(w.Expected), Received: clip(w.Received),
	}
	if f.File != "" {
		f.File = path.Clean(f.File)
	}
	if v := w.Witness; v != nil && len(v.Content) <= maxWitness && len(v.Command) <= maxLine {
		f.Witness = &state.Witness{File: clip(v.File), Content: v.Content, Command: clip(v.Command)}
	}
	return f, true
}

// severity is one of the three words; an unknown one is medium. It decides nothing.
func severity(word string) string {
	switch word = strings.ToLower(strings.TrimSpace(word)); word {
	case "high", "medium", "low":
		return word
	case "critical", "blocker", "major", "error":
		return "high"
	case "minor", "info", "nit", "style":
		return "low"
	}
	return "medium"
}
