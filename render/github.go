package render

import (
	"fmt"
	"slices"
	"strings"

	"autobuild/plan"
	"autobuild/state"
)

// MaxStepSummary bounds a step's summary, in bytes: GitHub drops one of more than 1 MiB whole.
const MaxStepSummary = 900 << 10

// Rows of a step's summary. Beyond them stands how many more there are.
const (
	summaryRows     = 200
	summaryFailures = 20
	summaryLog      = 60
)

// StepSummary is the end of a session as GitHub's markdown, for the page of a workflow's run: the verdict, a row a phase, what failed and
// why, and the command that goes on. Read gives the end of a log by its name in the state directory; nil shows none. Foreign text is text
// there: it makes no markup, no link and no mention.
func StepSummary(run *state.Run, e Ending, read func(log string) string) string {
	d := digest(run, false)
	var out strings.Builder
	head, _ := banner(outcome(run))
	if outcome(run) == state.Done {
		head = "AUTOBUILD COMPLETE"
		if d.totals.Contested > 0 {
			head += ", CONTESTED"
		}
	}
	fmt.Fprintf(&out, "### %s: %s\n\n", head, markdownText(run.Config.Plan, longest))
	if e.Nothing {
		return out.String() + markdownText(fmt.Sprintf("nothing to do: %d of %s complete", d.totals.Complete, count(d.totals.Phases, "phase")), 0) + "\n\n"
	}
	if reason := markdownText(d.reason(), 400); reason != "" && outcome(run) != state.Done {
		out.WriteString("**" + reason + "**\n\n")
	}
	out.WriteString(markdownText(d.tally(), 400) + "\n\n")
	d.summaryTable(&out)
	d.summaryContested(&out)
	d.summaryFailures(&out, e, read)
	d.summaryNext(&out, e)
	return bounded(out.String())
}

// StepProblem is the summary of a call that ended before its run began.
func StepProblem(planPath, problem string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "### AUTOBUILD COULD NOT START: %s\n\n", markdownText(planPath, longest))
	pre(&out, lastRows(problem, summaryLog))
	return bounded(out.String())
}

// bounded cuts a summary off between two lines.
func bounded(s string) string {
	if len(s) <= MaxStepSummary {
		return s
	}
	s = s[:MaxStepSummary]
	return s[:strings.LastIndexByte(s, '\n')+1]
}

func (d account) summaryTable(out *strings.Builder) {
	out.WriteString("| phase | | attempts | time | cost | |\n|---|---|--:|--:|--:|---|\n")
	g := Style{}.glyphs()
	for i := range d.run.Phases {
		if i == summaryRows {
			fmt.Fprintf(out, "\nand %d more\n", len(d.run.Phases)-i)
			break
		}
		p := &d.run.Phases[i]
		word, mark, _ := d.word(p, g)
		time := ""
		if len(p.Attempts) > 0 {
			time = elapsed(p, false, p.Updated)
		}
		fmt.Fprintf(out, "| %s | %s %s | %d | %s | %s | %s |\n", markdownText(strings.TrimSpace(p.Label+" "+p.Name), 80), mark, word,
			len(p.Attempts), time, markdownText(cost(p.Spent), 0), markdownText(remark(d, p, Style{}, p.Updated), 160))
	}
	out.WriteString("\n")
}

// summaryContested names what a person has to decide about.
func (d account) summaryContested(out *strings.Builder) {
	for i, p := range d.contested() {
		if i == summaryFailures {
			return
		}
		fmt.Fprintf(out, "<details open><summary><b>%s</b>: contested, the plan does not ask for these changes of tests and gates</summary>\n\n", markdownText(heading(p), 120))
		lines := contestLines(p.Contested())
		for _, line := range lines[:min(len(lines), foldContested)] {
			out.WriteString("- " + markdownText(line, 400) + "\n")
		}
		if more := len(lines) - foldContested; more > 0 {
			fmt.Fprintf(out, "- and %d more\n", more)
		}
		out.WriteString("\n</details>\n\n")
	}
}

func (d account) summaryFailures(out *strings.Builder, e Ending, read func(string) string) {
	for i, p := range d.by[state.Failed] {
		if i == summaryFailures {
			fmt.Fprintf(out, "and %d more failed phases\n\n", len(d.by[state.Failed])-i)
			return
		}
		a, ok := p.Last()
		if !ok || a.Failure == nil {
			continue
		}
		f := a.Failure
		fmt.Fprintf(out, "<details open><summary><b>%s</b>: %s</summary>\n\n", markdownText(heading(p), 120), markdownText(string(f.Type)+": "+f.Message, 300))
		var rows []string
		if text := places(f.Tests, f.Places); text != "" {
			rows = strings.Split(text, "\n")
		}
		if log := logOf(a); read != nil && log != "" {
			for _, row := range relevant(read(log), f) {
				rows = append(rows, row.text)
			}
		}
		if len(rows) == 0 {
			rows = lastRows(f.Details, summaryLog)
		}
		pre(out, slices.Compact(rows))
		for _, next := range d.todos(p, e.Dir, program(e), Style{}) {
			text := next.text
			for _, argv := range next.commands {
				text += ": " + Command(argv)
			}
			out.WriteString("- " + markdownText(text, 400) + "\n")
		}
		if a.Log != "" {
			out.WriteString("- log: " + markdownText(under(e.Dir, logOf(a)), 400) + "\n")
		}
		out.WriteString("\n</details>\n\n")
	}
}

func (d account) summaryNext(out *strings.Builder, e Ending) {
	next := d.accepting(e, Style{})
	end := d.end()
	switch {
	case end.Merge != "":
		next = append(next, plainText(end.Merge, 0))
	case d.run.End != nil && outcome(d.run) == state.Done && e.Script != "":
		next = append(next, Command([]string{"sh", e.Script}))
	}
	if len(e.Resume) > 0 && (outcome(d.run) != state.Done || d.part()) {
		next = append(next, Command(e.Resume))
	}
	if len(next) > 0 {
		out.WriteString("Next:\n\n")
		fenced(out, "sh", next)
		out.WriteString("\n")
	}
}

// pre writes rows as preformatted text. A blank line would end the block that GitHub takes for HTML, so none is one.
func pre(out *strings.Builder, rows []string) {
	if len(rows) == 0 {
		return
	}
	out.WriteString("<pre>")
	for i, row := range rows[max(0, len(rows)-summaryLog):] {
		if i > 0 {
			out.WriteString("\n")
		}
		if row = indented(row); strings.TrimSpace(row) == "" {
			row = "&#32;"
			out.WriteString(row)
			continue
		}
		out.WriteString(entities(cut(row, 400, "…"), false))
	}
	out.WriteString("</pre>\n\n")
}

// markdownText is one line of foreign text that is nothing but text in GitHub's markdown, in HTML and in a table.
func markdownText(text string, limit int) string { return entities(Clean(text, limit), true) }

// entities writes what could be markup as character references, which never are. Inside a pre element only HTML speaks.
func entities(s string, markdown bool) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '<' || r == '>' || r == '&' || r == '"' || r == '\'',
			markdown && r < 0x80 && r > ' ' && !isWord(r) && r != ',' && r != '/':
			fmt.Fprintf(&b, "&#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isWord(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// ProblemMarks are the mistakes of a plan as marks of the runner, at most MaxAnnotations. The path is the plan's from the folder that
// the runner checked out.
func ProblemMarks(path string, ps plan.Problems, r Runner) string {
	var out strings.Builder
	n := 0
	for _, p := range ps {
		if p.Severity != plan.Error {
			continue
		}
		if n++; n > MaxAnnotations {
			break
		}
		out.WriteString(r.mark(annotation{path, p.Pos.Line, p.Pos.Col, "autobuild plan: " + p.Code, strings.TrimSuffix(p.Message+"\n"+p.Hint, "\n")}))
	}
	return out.String()
}
