package render

import (
	"fmt"
	"strconv"
	"strings"

	"autobuild/plan"
)

// Receipts shows the source of a plan with a margin that says what each line was read as. A line that looks like work and
// was read as nothing is marked; lines without a word of work have an empty margin.
func Receipts(source string, p *plan.Plan, s Style) string {
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
		margin = max(margin, Width(s.show(word, most)))
	}
	var out strings.Builder
	n := 0
	for line := range strings.Lines(source) {
		n++
		word := as[n]
		i := faint
		if word == "UNREAD" {
			i = bad
		}
		room := 0
		if s.Wrap {
			room = max(20, s.width()-margin-3)
		}
		text := s.show(strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "    "), room)
		row := s.paint(i, pad(s.show(word, most), margin)) + " | " + text
		out.WriteString(strings.TrimRight(row, " ") + "\n")
	}
	accounted, unread := p.Accounted()
	fmt.Fprintf(&out, "%s read, %s unread\n", count(accounted, "line"), strconv.Itoa(unread))
	return screen(out.String())
}

// Checked is the last line about a plan that can run.
func Checked(path string, p *plan.Plan) string {
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
	return fmt.Sprintf("%s: %s in %s%s, dialect %s: nothing is in the way of a run\n",
		Clean(path, 200), count(p.Len(), "phase"), count(len(p.Batches()), "batch"), marked, p.Dialect)
}
