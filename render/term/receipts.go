package term

import (
	"fmt"
	"strconv"
	"strings"

	"autobuild/internal/text"
	"autobuild/plan"
	"autobuild/render"
)

// Receipts shows the source of a plan with a margin that says what each line was read as. A line
// that looks like work and was read as nothing is marked; lines that do not mention work have an
// empty margin.
func Receipts(source string, p *plan.Plan, s render.Style) string {
	const most = 28 // cells of the margin
	as := map[int]string{}
	for _, r := range p.Receipts {
		word := r.As
		if word == "" {
			word = "UNREAD"
		}
		if before := as[r.Line]; before == "" || before == "UNREAD" {
			as[r.Line] = word
		}
	}
	margin := 0
	for _, word := range as {
		margin = max(margin, text.Width(s.Show(word, most)))
	}
	var out strings.Builder
	n := 0
	for line := range strings.Lines(source) {
		n++
		word := as[n]
		i := render.Faint
		if word == "UNREAD" {
			i = render.Bad
		}
		room := 0
		if s.Wrap {
			room = max(20, s.Columns()-margin-3)
		}
		content := s.Show(strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "    "), room)
		row := paint(s, i, text.Pad(s.Show(word, most), margin)) + " | " + content
		out.WriteString(strings.TrimRight(row, " ") + "\n")
	}
	accounted, unread := p.Accounted()
	fmt.Fprintf(&out, "%s read, %s unread\n", text.Count(accounted, "line"), strconv.Itoa(unread))
	return text.DisarmLines(out.String())
}

// Checked is the last line about a plan that was read. obstacle says in words why a run would not
// start; empty: it would.
func Checked(path string, p *plan.Plan, obstacle string, s render.Style) string {
	done := 0
	for _, phase := range p.Phases() {
		if phase.Status == plan.StatusDone {
			done++
		}
	}
	marked := ""
	if done > 0 {
		marked = fmt.Sprintf(", %d marked done", done)
	}
	if obstacle == "" {
		obstacle = "nothing is in the way of a run"
	}
	return s.Rows(fmt.Sprintf("%s: %s in %s%s, read as %s: %s",
		text.Clean(path, 200), text.Count(p.Len(), "phase"), text.Count(len(p.Batches()), "batch"),
		marked, p.Reading, obstacle), 0, 2) + "\n"
}
