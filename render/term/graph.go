package term

import (
	"fmt"
	"slices"
	"strings"

	"autobuild/internal/text"
	"autobuild/plan"
	"autobuild/render"
	"autobuild/state"
)

// Graph shows a plan's graph: "text" for people, "mermaid" and "dot" for drawing tools, "json" for
// programs. With a run, the text marks where each phase stands; without one (nil), the plan's own
// marks.
func Graph(p *plan.Plan, run *state.Run, format string, s render.Style) (string, error) {
	switch format {
	case "", "text":
		return graphText(p, run, s), nil
	case "mermaid":
		return render.Mermaid(p), nil
	case "dot":
		return render.Dot(p), nil
	case "json":
		doc, err := render.GraphJSON(p.Path, p, p.Notes)
		return string(doc), err
	}
	return "", fmt.Errorf("unknown graph format %q: use text, mermaid, dot or json", format)
}

// graphText lists the batches, with what each phase needs. The longest chain is marked by stars.
func graphText(p *plan.Plan, run *state.Run, s render.Style) string {
	g := s.Marks()
	path := p.CriticalPath()
	critical := make(map[string]bool, len(path))
	for _, phase := range path {
		critical[phase.ID] = true
	}
	batches := p.Batches()
	limit := max(16, s.Columns()/2)
	labels, names := measure(s, p, limit)
	var out strings.Builder
	title := s.Show(strings.TrimSpace(p.Title), max(20, s.Columns()-8))
	if title == "" {
		title = s.Show(p.Path, 200)
	}
	fmt.Fprintf(&out, "%s\n%s in %s, read as %s\n", paint(s, render.Strong, title),
		text.Count(p.Len(), "phase"),
		text.Count(len(batches), "batch"), s.Show(p.Reading, 40))
	used := make(map[string]bool)
	for i, batch := range batches {
		head := fmt.Sprintf("batch %d of %d", i+1, len(batches))
		if len(batch) > 1 {
			head += fmt.Sprintf(", %d side by side", len(batch))
		}
		out.WriteString("\n" + paint(s, render.Faint, head) + "\n")
		for _, phase := range batch {
			word, mark, i := standing(phase, run, g)
			used[word] = true
			star := " "
			if critical[phase.ID] {
				star = "*"
			}
			row := fmt.Sprintf("  %s %s %s  %s", paint(s, i, mark), paint(s, render.Warn, star),
				paint(s, render.Strong, text.Pad(s.Show(phase.Label, 16), labels)),
				text.Pad(s.Show(phase.Name, limit), names))
			out.WriteString(strings.TrimRight(row+needsText(s, p, phase,
				s.Columns()-labels-names-9), " ") + "\n")
		}
	}
	out.WriteString("\n" + paint(s, render.Warn, "*") + " critical path: " + chain(s, path) + "\n")
	writeLegend(&out, used, g)
	return text.DisarmLines(out.String())
}

// needsText is "  ← 2A, 2B", cut to the room where there is much of it.
func needsText(s render.Style, p *plan.Plan, phase plan.Phase, room int) string {
	i, _ := p.Index(phase.ID)
	var labels []string
	for _, need := range p.Needs(i) {
		labels = append(labels, p.At(need).Label)
	}
	if len(labels) == 0 {
		return ""
	}
	arrow := "  ← "
	if s.ASCII {
		arrow = "  <- "
	}
	return paint(s, render.Faint, arrow) + s.Show(text.JoinSome(labels, 12), max(12, room-5))
}

// measure measures the labels of a plan, and its names up to a limit.
func measure(s render.Style, p *plan.Plan, limit int) (labels, names int) {
	for _, phase := range p.Phases() {
		labels = max(labels, text.Width(s.Show(phase.Label, 16)))
		names = max(names, text.Width(s.Show(phase.Name, limit)))
	}
	return labels, names
}

// chain joins the labels of a path with arrows; of a long one only the ends.
func chain(s render.Style, path []plan.Phase) string {
	const most = 16
	labels := make([]string, len(path))
	for i, phase := range path {
		labels[i] = s.Show(phase.Label, 16)
	}
	if len(labels) > most {
		labels = slices.Concat(labels[:most/2], []string{s.Marks().More},
			labels[len(labels)-most/2:])
	}
	return strings.Join(labels, " "+s.Marks().Arrow+" ")
}

func writeLegend(out *strings.Builder, used map[string]bool, g render.Marks) {
	var parts []string
	for _, k := range []struct{ word, mark string }{
		{"complete", g.Done},
		{"failed", g.Failed},
		{"running", g.Running},
		{"waiting", g.Waiting},
		{"blocked", g.Blocked},
		{"skipped", g.Skipped},
		{"to do", g.Pending},
	} {
		if used[k.word] {
			parts = append(parts, k.mark+" "+k.word)
		}
	}
	if len(parts) > 1 {
		out.WriteString(strings.Join(parts, "   ") + "\n")
	}
}

// standing is where a phase stands: as the run has it, else as the plan claims.
func standing(phase plan.Phase, run *state.Run, g render.Marks) (word, mark string, i render.Ink) {
	status := state.Pending
	if run != nil {
		if p, ok := run.Find(phase.ID); ok {
			status = p.Status
		}
	} else {
		switch phase.Status {
		case plan.StatusDone:
			status = state.Complete
		case plan.StatusInProgress:
			status = state.Running
		case plan.StatusBlocked:
			status = state.Blocked
		case plan.StatusSkipped:
			status = state.Skipped
		case plan.StatusUnknown, plan.StatusTodo:
		}
	}
	return render.StatusMark(status, g)
}
