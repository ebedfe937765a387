package ci

import (
	"fmt"
	"slices"
	"strings"

	"autobuild/internal/text"
	"autobuild/plan"
	"autobuild/render"
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

// StepSummary is the end of a session as GitHub's markdown, for the page of a workflow's run: the
// verdict, a row a phase, the failures with their reasons, and the command that goes on. Read gives
// the end of a log by its name in the state directory; nil shows none. Foreign text is text there:
// it makes no markup, no link and no mention.
func StepSummary(run *state.Run, e render.Ending, read func(log string) string) string {
	d := render.NewOverview(run, false)
	var out strings.Builder
	head, _ := render.Banner(render.OutcomeOf(run))
	if render.OutcomeOf(run) == state.Done {
		head = "AUTOBUILD COMPLETE"
		if d.Totals.Contested > 0 {
			head += ", CONTESTED"
		}
	}
	fmt.Fprintf(&out, "### %s: %s\n\n", head, markdownText(run.Config.Plan, render.MaxLine))
	if e.Nothing {
		return out.String() + markdownText(fmt.Sprintf("nothing to do: %d of %s complete",
			d.Totals.Complete, text.Count(d.Totals.Phases, "phase")), 0) + "\n\n"
	}
	if reason := markdownText(d.Reason(), 400); reason != "" &&
		render.OutcomeOf(run) != state.Done {
		out.WriteString("**" + reason + "**\n\n")
	}
	out.WriteString(markdownText(d.Tally(), 400) + "\n\n")
	writePhases(d, &out)
	writeContested(d, &out)
	writeFailures(d, &out, e, read)
	writeNext(d, &out, e)
	return bounded(out.String())
}

// StepProblem is the summary of a call that ended before its run began.
func StepProblem(planPath, problem string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "### AUTOBUILD COULD NOT START: %s\n\n",
		markdownText(planPath, render.MaxLine))
	pre(&out, text.LastLines(problem, summaryLog))
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

func writePhases(d render.Overview, out *strings.Builder) {
	out.WriteString("| phase | | attempts | time | cost | |\n|---|---|--:|--:|--:|---|\n")
	g := render.Style{}.Marks()
	for i := range d.Run.Phases {
		if i == summaryRows {
			fmt.Fprintf(out, "\nand %d more\n", len(d.Run.Phases)-i)
			break
		}
		p := &d.Run.Phases[i]
		word, mark, _ := d.Word(p, g)
		time := ""
		if len(p.Attempts) > 0 {
			time = render.Elapsed(p, false, p.Updated)
		}
		fmt.Fprintf(out, "| %s | %s %s | %d | %s | %s | %s |\n",
			markdownText(strings.TrimSpace(p.Label+" "+p.Name), 80), mark, word,
			len(p.Attempts), time, markdownText(render.Cost(p.Spent), 0),
			markdownText(render.Remark(d, p, render.Style{}, p.Updated), 160))
	}
	out.WriteString("\n")
}

// writeContested lists the changes that the user has to decide about.
func writeContested(d render.Overview, out *strings.Builder) {
	for i, p := range d.Contested() {
		if i == summaryFailures {
			return
		}
		fmt.Fprintf(out,
			"<details open><summary><b>%s</b>: contested, the plan does not ask for these "+
				"changes of tests and gates</summary>\n\n",
			markdownText(render.PhaseTitle(p), 120))
		lines := render.ContestLines(p.Contested())
		for _, line := range lines[:min(len(lines), render.FoldContested)] {
			out.WriteString("- " + markdownText(line, 400) + "\n")
		}
		if more := len(lines) - render.FoldContested; more > 0 {
			fmt.Fprintf(out, "- and %d more\n", more)
		}
		out.WriteString("\n</details>\n\n")
	}
}

func writeFailures(
	d render.Overview, out *strings.Builder, e render.Ending, read func(string) string,
) {
	for i, p := range d.ByStatus[state.Failed] {
		if i == summaryFailures {
			fmt.Fprintf(out, "and %d more failed phases\n\n", len(d.ByStatus[state.Failed])-i)
			return
		}
		a, ok := p.Last()
		if !ok || a.Failure == nil {
			continue
		}
		f := a.Failure
		fmt.Fprintf(out, "<details open><summary><b>%s</b>: %s</summary>\n\n",
			markdownText(render.PhaseTitle(p), 120), markdownText(string(f.Type)+": "+f.Message,
				300))
		var rows []string
		if text := places(f.Tests, f.Places); text != "" {
			rows = strings.Split(text, "\n")
		}
		if log := render.LogOf(a); read != nil && log != "" {
			for _, row := range render.RelevantLines(read(log), f) {
				rows = append(rows, row.Text)
			}
		}
		if len(rows) == 0 {
			rows = text.LastLines(f.Details, summaryLog)
		}
		pre(out, slices.Compact(rows))
		for _, next := range d.NextSteps(p, e.Dir, render.ProgramOf(e), render.Style{}) {
			text := next.Text
			for _, argv := range next.Commands {
				text += ": " + render.Command(argv)
			}
			out.WriteString("- " + markdownText(text, 400) + "\n")
		}
		if a.Log != "" {
			out.WriteString("- log: " + markdownText(render.InStateDir(e.Dir, render.LogOf(a)),
				400) + "\n")
		}
		out.WriteString("\n</details>\n\n")
	}
}

func writeNext(d render.Overview, out *strings.Builder, e render.Ending) {
	next := d.AcceptCommands(e, render.Style{})
	end := d.End()
	switch {
	case end.Merge != "":
		next = append(next, text.CleanLine(end.Merge, 0))
	case d.Run.End != nil && render.OutcomeOf(d.Run) == state.Done && e.Script != "":
		next = append(next, render.Command([]string{"sh", e.Script}))
	}
	if len(e.Resume) > 0 && (render.OutcomeOf(d.Run) != state.Done || d.Part()) {
		next = append(next, render.Command(e.Resume))
	}
	if len(next) > 0 {
		out.WriteString("Next:\n\n")
		render.Fence(out, "sh", next)
		out.WriteString("\n")
	}
}

// pre writes rows as preformatted text. A blank line would end the block that GitHub takes for
// HTML, so none is one.
func pre(out *strings.Builder, rows []string) {
	if len(rows) == 0 {
		return
	}
	out.WriteString("<pre>")
	for i, row := range rows[max(0, len(rows)-summaryLog):] {
		if i > 0 {
			out.WriteString("\n")
		}
		if row = text.Indented(row); strings.TrimSpace(row) == "" {
			row = "&#32;"
			out.WriteString(row)
			continue
		}
		out.WriteString(entities(text.Cut(row, 400, "…"), false))
	}
	out.WriteString("</pre>\n\n")
}

// markdownText is one line of foreign text that is nothing but text in GitHub's markdown, in HTML
// and in a table.
func markdownText(content string, limit int) string {
	return entities(text.Clean(content, limit), true)
}

// entities writes what could be markup as character references, which never are. Inside a pre
// element only HTML is interpreted.
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

// ProblemMarks are the mistakes of a plan as marks of the runner, at most MaxAnnotations. The path
// is the plan's from the folder that the runner checked out.
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
		out.WriteString(r.mark(annotation{
			path, p.Pos.Line, p.Pos.Col, "autobuild plan: " + p.Code,
			strings.TrimSuffix(p.Message+"\n"+p.Hint, "\n"),
		}))
	}
	return out.String()
}
