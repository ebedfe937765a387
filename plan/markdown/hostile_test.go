package markdown_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"autobuild/plan"
	"autobuild/plan/markdown"
)

// bombs are documents that take parsers long. Each follows a valid plan.
func bombs() map[string]string {
	staircase := func(n int, marker string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%s%s x\n", strings.Repeat("  ", i), marker)
		}
		return b.String()
	}
	times := func(s string, n int) string { return strings.Repeat(s, (n+3)/4) }
	return map[string]string{
		"nested quotes":        times(">", 20_000) + " x",
		"nested list":          staircase(1_500, "-"),
		"many nested lists":    times(staircase(40, "-"), 1_500),
		"nested markers":       times("- ", 50_000) + "x",
		"open brackets":        times("[", 200_000),
		"links":                times("[a](b", 100_000),
		"emphasis":             times("*a ", 200_000),
		"back-ticks":           times("` ", 200_000) + times("``` ", 1000),
		"references":           times("[r]: /u\n", 50_000),
		"wide table":           times("|a", 400) + "|\n" + times("|-", 400) + "|\n" + times("|\n", 8_000),
		"open comments":        times("<!-- ", 200_000),
		"comments":             times("--> <!--", 100_000),
		"fences":               times("```a\n", 100_000),
		"headings":             times("### x\n", 100_000),
		"phase headings":       times("## Phase 9: x\n", 20_000),
		"labels":               times("**a:** ", 200_000),
		"labels and boxes":     times("**Files:**\n- **Files:** x\n- [ ] y\n\n", 20_000),
		"many dependencies":    "\n**Depends on:** " + times("1, ", 200_000),
		"nested parentheses":   "\n**Depends on:** " + times("(", 200_000),
		"dashes":               "\n**Depends on:** " + times("1-", 20_000),
		"words":                "\n**Depends on:** " + times("after phase ", 20_000),
		"asides":               "## Phase 3: " + times("— done ", 100_000),
		"long line":            times("x", 4_000_000),
		"long id":              "## Phase " + times("9.", 500_000) + ": x",
		"html":                 times("<div>\n", 100_000),
		"setext":               times("a\n", 200_000) + "---\n",
		"indentation":          times("\t", 100_000) + "- x",
		"control characters":   "## Phase 3: \x1b]52;c;AAAA\x07\x1b[2J\u202e\u009b",
		"files":                "**Files:**\n" + times("- `"+times("../", 40)+"etc/passwd`, `C:\\x`, `~/.ssh/id`, `-rf`\n", 5_000),
		"ranges in each phase": rangesEach(1_000),
		"drawings":             times("```\n┌─┐\n│1│──► 2\n└─┘\n```\n\n", 10_000),
		"wide drawing":         "```\n" + times("│─", 500_000) + "\n```",
		"high drawing":         "```\n" + times("│\n", 200_000) + "```",
		"graph of Graphviz":    "```\ndigraph {\n" + times("a -> b -> c;\n", 50_000) + "}\n```",
		"clusters":             "```\ndigraph {\n" + times("subgraph c { a; ", 5_000) + times("}", 5_001) + "\n```",
		"groups of nodes":      "```mermaid\ngraph TD\n" + times("a & ", 3_000) + "a --> " + times("b & ", 3_000) + "b\n```",
		"subgraphs":            "```mermaid\ngraph TD\n" + times("subgraph s\n", 20_000) + times("end\n", 20_000) + "s --> s\n```",
		"comments of order":    times("<!-- depends on Phase 1 -> Phase 2 -->\n", 20_000),
		"elements":             "```yaml\n" + times("- id: 1\n  depends_on: [2]\n", 50_000) + "```",
		"table in HTML":        "<table>\n" + times("<tr><td>1</td><td>2</td></tr>\n", 50_000) + "</table>",
		"other ids":            times("- R1: late\n", 20_000) + "\n**Depends on:** " + times("R1, ", 50_000),
		"coded boxes":          times("- [ ] be-1 x\n", 50_000),
	}
}

func rangesEach(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "## Phase %d: x\n\n**Depends on:** 10-%d\n\n", i+10, i+9)
	}
	return b.String()
}

// TestBombs holds every bomb to a bound in memory: it is read or refused, and nothing escapes.
func TestBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("the bounds are those of the program, which has no race detector")
	}
	for name, bomb := range bombs() {
		src := []byte("# P\n\n## Phase 1: A\n\n- [ ] x\n\n## Phase 2: B\n\n**Depends on:** 1\n\n" + bomb + "\n")
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		p, err := markdown.Parse("bomb.md", src, markdown.Options{})
		runtime.ReadMemStats(&after)
		if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 128 {
			t.Errorf("%s: allocated %d MB", name, used)
		}
		if err != nil {
			if problems, ok := errors.AsType[plan.Problems](err); !ok || len(err.Error()) > 10_000_000 || len(problems.Errors()) == 0 {
				t.Errorf("%s: %.300v", name, err)
			}
			continue
		}
		for _, file := range p.At(p.Len() - 1).Files.All() {
			t.Errorf("%s: names the file %q", name, file)
		}
	}
}

func TestTooLarge(t *testing.T) {
	_, err := markdown.Parse("big.md", make([]byte, 33<<20), markdown.Options{})
	if problems, _ := errors.AsType[plan.Problems](err); len(problems) != 1 || problems[0].Code != "E-TOO-LARGE" {
		t.Errorf("%.200v", err)
	}
}

// TestEncodings reads the same plan in every spelling of line ends and blanks, and gets the same
// phases.
func TestEncodings(t *testing.T) {
	const text = "# P\n\n| Phase | Depends On |\n|---|---|\n| 1 | none |\n| 2A | 1 |\n\n## Phase 1: One\n\n- [ ] a\n\n```sh\necho a\n```\n\n## Phase 2A: Two\n\n- [x] b\n"
	want := dump(parse(t, "plan.md", []byte(text)))
	for name, src := range map[string]string{
		"byte order mark":  "\ufeff" + text,
		"CRLF":             strings.ReplaceAll(text, "\n", "\r\n"),
		"CR":               strings.ReplaceAll(text, "\n", "\r"),
		"trailing blanks":  strings.ReplaceAll(text, "\n\n", " \t\n  \n"),
		"no final newline": strings.TrimRight(text, "\n"),
	} {
		if got := dump(parse(t, "plan.md", []byte(src))); got != want {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}

func TestOptions(t *testing.T) {
	src := []byte("## Phase 1: A\n\n- [ ] 1. b\n- [ ] 2. c\n\n## Phase 2: B\n\n- [ ] 3. d\n")
	if _, err := markdown.Parse("p.md", src, markdown.Options{Reading: "nonsense"}); err == nil || !strings.Contains(err.Error(), "boxes") {
		t.Errorf("an unknown reading: %v", err)
	}
	p, err := markdown.Parse("p.md", src, markdown.Options{Reading: "boxes"})
	if err != nil || p.Len() != 3 || p.Reading != "boxes" {
		t.Errorf("a named reading: %v %v", p, err)
	}
	if _, err := markdown.Parse("p.md", src, markdown.Options{Reading: "frontmatter"}); err == nil || !strings.Contains(err.Error(), "read as frontmatter") {
		t.Errorf("a named reading that does not fit: %v", err)
	}
	nested := content(t, "testdata/plans/nested-fences.md")
	if _, err := markdown.Parse("p.md", nested, markdown.Options{Strict: true}); err == nil {
		t.Error("strict reading accepts a doubtful fence")
	}
}

// TestDoctoredFencesKeepTheirText checks that what is hidden from the parser is still in the text
// for the agent.
func TestDoctoredFencesKeepTheirText(t *testing.T) {
	p := parse(t, "nested.md", content(t, "testdata/plans/nested-fences.md"))
	if !strings.Contains(p.At(0).Text, "```bash\necho\n```\n\n### Task N") {
		t.Errorf("%s", p.At(0).Text)
	}
}

// TestWorkGrowsWithSize reads each family of hostile documents at two sizes: twice the text takes
// at most about twice the allocations.
func TestWorkGrowsWithSize(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine works, slowly under the race detector")
	}
	times := func(s string, n int) string { return strings.Repeat(s, (n+3)/4) }
	families := map[string]func(n int) string{
		"nested lists":  func(n int) string { return times("- a\n  - b\n    - [ ] c\n", n) },
		"long line":     func(n int) string { return "Depends on phase 1 " + times("and more words ", n) },
		"tables":        func(n int) string { return times("| a | b |\n|---|---|\n| 1 | 2 |\n\n", n) },
		"phase tables":  func(n int) string { return times("| From | To |\n|---|---|\n| Phase 1 | Phase 2 |\n\n", n) },
		"HTML tables":   func(n int) string { return times("<table><tr><td>1</td><td>2</td></tr></table>\n\n", n) },
		"links":         func(n int) string { return times("[a](b) [c](d)\n", n) },
		"drawings":      func(n int) string { return times("```\nPhase 1 ──► Phase 2\n   │\n```\n\n", n) },
		"code":          func(n int) string { return times("```\nPhase 1 -> Phase 2\n```\n\n", n) },
		"elements":      func(n int) string { return "```yaml\n" + times("- id: 1\n  depends_on: [2]\n", n) + "```\n" },
		"comments":      func(n int) string { return times("<!-- depends_on: 1 -->\n\n", n) },
		"sentences":     func(n int) string { return times("It must not start before phase 1 is done.\n\n", n) },
		"coded boxes":   func(n int) string { return times("- [ ] be-1 x\n", n) },
		"code headings": func(n int) string { return times("### S1 Name\n\n", n) },
	}
	for name, family := range families {
		work := func(n int) float64 {
			src := []byte("# P\n\n## Phase 1: A\n\n- [ ] x\n\n## Phase 2: B\n\n- [ ] y\n\n# Appendix\n\n" + family(n) + "\n")
			return testing.AllocsPerRun(1, func() { _, _ = markdown.Parse("w.md", src, markdown.Options{}) })
		}
		const size = 400
		if small, large := work(size), work(2*size); large > 2.3*small {
			t.Errorf("%s: %.0f allocations for %d, %.0f for %d", name, small, size, large, 2*size)
		}
	}
}
