package ci

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
	"pgregory.net/rapid"

	"autobuild/plan"
	"autobuild/render"
	"autobuild/render/rendertest"
	"autobuild/state"
)

// TestStepSummaryGolden holds the summaries of a job against golden files.
func TestStepSummaryGolden(t *testing.T) {
	read := func(string) string {
		return "ok 1\nFAIL src/api/auth.test.ts:45 validateToken\n  <b>expected</b> | `user`\n"
	}
	rendertest.Golden(t, "step-halt.md", StepSummary(&rendertest.Halted(t, nil).Run, rendertest.Ending(), read))
	rendertest.Golden(t, "step-done.md", StepSummary(rendertest.HardRun(t), rendertest.Ending(), nil))
	rendertest.Golden(t, "step-nothing.md", StepSummary(rendertest.HardRun(t), render.Ending{Nothing: true}, nil))
	rendertest.Golden(t, "step-problem.md", StepProblem("plan.md", "plan.md:3:1: error: unknown phase 2D\n\n  | 3 | 2D |\n"))
}

// htmlOf is a summary as GitHub makes HTML of it.
func htmlOf(t testing.TB, markdown string) string {
	t.Helper()
	var out strings.Builder
	md := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe()))
	rendertest.Check(t, md.Convert([]byte(markdown), &out))
	return out.String()
}

var tag = regexp.MustCompile(`</?[A-Za-z!?][^>]*>`)

// pageTags are the elements of a summary. No text brings another one.
var pageTags = []string{"h3", "p", "strong", "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "b", "pre", "ul", "li", "code"}

// onlyText checks that text in a summary is text: it makes no element, no attribute, no cell and no
// row.
func onlyText(t testing.TB, text string) {
	t.Helper()
	read := func(string) string { return text + "\n" + text + "\n\n" + text }
	e := render.Ending{Program: []string{text}, Resume: []string{text, text}, Dir: text, Script: text}
	got, want := htmlOf(t, StepSummary(rendertest.Poisoned(t, text), e, read)), htmlOf(t, StepSummary(rendertest.Poisoned(t, "x"), e, read))
	for _, found := range tag.FindAllString(got, -1) {
		name := strings.FieldsFunc(found, func(r rune) bool { return strings.ContainsRune("</> \n", r) })
		if len(name) == 0 || !slices.Contains(pageTags, name[0]) {
			t.Fatalf("%q makes %s in\n%s", text, found, got)
		}
		if len(name) > 1 && !slices.Contains([]string{"details open", "code class=\"language-sh\"", `th style="text-align:right"`, `td style="text-align:right"`}, strings.Join(name, " ")) {
			t.Fatalf("%q makes %s", text, found)
		}
	}
	for _, element := range []string{"<tr", "<td", "<details", "<table", "<h3"} {
		if strings.Count(got, element) != strings.Count(want, element) {
			t.Fatalf("%q makes %d %s, want %d:\n%s", text, strings.Count(got, element), element, strings.Count(want, element), got)
		}
	}
	if said := obeyed(StepSummary(rendertest.Poisoned(t, text), e, read)); len(said) != 0 {
		t.Fatalf("printed in a CI log, %q says %v", text, said)
	}
}

func TestStepSummaryIsText(t *testing.T) {
	for _, text := range []string{
		"<script>x</script>", "</pre><img src=x>", "</details>", "a | b", "|", "\n\n# h", "[a](http://x)", "![a](http://x)", "http://example.com", "www.example.com", "a@example.com", "@user", "#12", "`x`", "``````",
		"**b**", "__b__", "~~s~~", "&lt;b&gt;", "&#60;b&#62;", "<!-- x", "<?php", "<![CDATA[", "- x", "1. x", "> q", "---", "\\", "$x$", ":smile:", "<details>", "\n</pre>\n\n<b onclick=x>", "[^1]", "- [ ] x", "```\n</code>",
		"~~~~\n", "==", "a\n===", "<b", "&", "\x1b[31mred",
	} {
		t.Run(text, func(t *testing.T) { onlyText(t, text) })
	}
}

func TestStepSummaryLaw(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		piece := rapid.SampledFrom([]string{"<", ">", "&", "|", "`", "*", "_", "[", "]", "(", ")", "!", "#", "-", "\n", "\n\n", " ", "pre", "/", "b", ":", "http://", "www.", "@", "~", "\\", "\"", "=", "'"})
		onlyText(t, strings.Join(rapid.SliceOfN(piece, 1, 10).Draw(r, "pieces"), ""))
	})
}

// TestStepSummaryIsBounded: a run of thousands of phases that all fail with a lot to say stays
// below what GitHub takes.
func TestStepSummaryIsBounded(t *testing.T) {
	run := rendertest.ManyPhases(t)
	for i := range run.Phases {
		run.Phases[i].Status = state.Failed
		run.Phases[i].Name = strings.Repeat("<&", 4000)
		run.Phases[i].Attempts = run.Phases[62].Attempts
	}
	long := strings.Repeat("fail <&> "+strings.Repeat("<", 4000)+"\n", 2000)
	text := StepSummary(run, rendertest.Ending(), func(string) string { return long })
	if len(text) > MaxStepSummary || !strings.HasSuffix(text, "\n") {
		t.Errorf("%d bytes", len(text))
	}
	if got := bounded(strings.Repeat("row\n", MaxStepSummary)); len(got) > MaxStepSummary || !strings.HasSuffix(got, "row\n") {
		t.Errorf("cut to %d bytes", len(got))
	}
}

// TestProblemMarks: mistakes of a plan are marked in it, warnings are not.
func TestProblemMarks(t *testing.T) {
	var twenty plan.Problems
	for range 20 {
		twenty = append(twenty, plan.Problem{Code: "E-X", Severity: plan.Error, Pos: plan.Pos{Line: 3, Col: 2}, Message: "bad", Hint: "do: this, that"})
	}
	got := ProblemMarks("docs/plan.md", append(rendertest.Findings(), twenty...), GitHub)
	rendertest.Has(t, got, "::error file=docs/plan.md,line=12,col=21,title=autobuild plan%3A E-CYCLE::dependency cycle: 2A → 3 → 2A%0Aremove one of these dependencies\n")
	if n := strings.Count(got, "\n"); n != MaxAnnotations {
		t.Errorf("%d marks", n)
	}
	rendertest.Lacks(t, got, "odd box")
}
