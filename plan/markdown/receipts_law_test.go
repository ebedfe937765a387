package markdown_test

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"autobuild/plan"
	"autobuild/plan/markdown"
)

// What a person takes for work or order, found by the look of a line alone.
var (
	idRow       = regexp.MustCompile(`^\| *[*~]*(?:[A-Z]{1,6}-?)?\d+(?:[.-]\d+)*[A-Za-z]?[*~]* *\|.*\w.*\|`)
	ordinalHead = regexp.MustCompile(`^#{2,6} +(?:\w+ )?\d+(?:\.\d+)*[A-Za-z]?[:.)] +\S`)
	dependency  = regexp.MustCompile(`(?i)\b(?:depends on|blocked by|hängt ab von|dépend de|depende de|зависит от)\b|依赖|依存|의존`)
)

// unaccounted lists the lines of a plan that look like work or order and have no receipt: rows with
// an id, ordinal headings, boxes, and dependencies that name a phase by its word and id.
func unaccounted(src string, p *plan.Plan) (missing []int) {
	read := map[int]bool{}
	for _, r := range p.Receipts {
		read[r.Line] = true
	}
	for _, n := range p.Notes {
		read[n.Pos.Line] = true
	}
	comment := false
	lines := strings.Split(src, "\n")
	for n, line := range lines {
		comment = comment && !strings.Contains(lines[max(n-1, 0)], "-->") ||
			strings.Contains(line, "<!--")
		if comment || read[n+1] || hidden(lines, n) || strings.HasPrefix(strings.TrimSpace(line), "```") {
			continue
		}
		if idRow.MatchString(line) || ordinalHead.MatchString(line) || boxLine.MatchString(line) ||
			dependency.MatchString(line) && namesPhase(line, p) {
			missing = append(missing, n+1)
		}
	}
	return missing
}

// namesPhase reports whether a line names a phase by the word "Phase" and its id.
func namesPhase(line string, p *plan.Plan) bool {
	for _, phase := range p.Phases() {
		if regexp.MustCompile(`(?i)\b(?:phase|step|task|stage) ` + regexp.QuoteMeta(phase.Label) + `\b`).MatchString(line) {
			return true
		}
	}
	return false
}

// TestEveryLineIsAccountedFor holds the written plans and the real ones to the promise of receipts.
func TestEveryLineIsAccountedFor(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine works, slowly under the race detector")
	}
	texts := map[string]string{}
	for _, w := range readWritten(t) {
		if !strings.Contains(w.text, "~~~") && !strings.ContainsAny(w.text, "\r\ufeff") {
			texts[w.name] = w.text
		}
	}
	files, _ := filepath.Glob(filepath.Join(cmp.Or(os.Getenv("AUTOBUILD_CORPUS"), corpus), "*", "*.md"))
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[file] = string(src)
	}
	for name, text := range texts {
		p, err := markdown.Parse("plan.md", []byte(text), markdown.Options{})
		if err != nil {
			continue
		}
		for _, n := range unaccounted(text, p) {
			t.Errorf("%s:%d: no receipt: %s", name, n, strings.Split(text, "\n")[n-1])
		}
	}
}
