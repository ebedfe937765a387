package render

import (
	"fmt"
	"slices"
	"strings"

	"autobuild/plan"
	"autobuild/state"
)

// Graph shows a plan's graph: "text" for people, "mermaid" and "dot" for drawing tools, "json" for programs. With a
// run, the text marks where each phase stands; without one (nil), what the plan says of it.
func Graph(p *plan.Plan, run *state.Run, format string, s Style) (string, error) {
	switch format {
	case "", "text":
		return graphText(p, run, s), nil
	case "mermaid":
		return mermaid(p), nil
	case "dot":
		return dot(p), nil
	case "json":
		doc, err := GraphJSON(p.Path, p, p.Notes)
		return string(doc), err
	}
	return "", fmt.Errorf("unknown graph format %q: use text, mermaid, dot or json", format)
}

// graphText lists the batches, with what each phase needs. The longest chain is marked by stars.
func graphText(p *plan.Plan, run *state.Run, s Style) string {
	g := s.glyphs()
	path := p.CriticalPath()
	critical := make(map[string]bool, len(path))
	for _, phase := range path {
		critical[phase.ID] = true
	}
	batches := p.Batches()
	limit := max(16, s.width()/2)
	labels, names := s.columns(p, limit)
	var out strings.Builder
	title := s.show(strings.TrimSpace(p.Title), max(20, s.width()-8))
	if title == "" {
		title = s.show(p.Path, 200)
	}
	fmt.Fprintf(&out, "%s\n%s in %s, read as %s\n", s.paint(strong, title), count(p.Len(), "phase"),
		count(len(batches), "batch"), s.show(p.Dialect, 40))
	used := make(map[string]bool)
	for i, batch := range batches {
		head := fmt.Sprintf("batch %d of %d", i+1, len(batches))
		if len(batch) > 1 {
			head += fmt.Sprintf(", %d side by side", len(batch))
		}
		out.WriteString("\n" + s.paint(faint, head) + "\n")
		for _, phase := range batch {
			word, mark, i := standing(phase, run, g)
			used[word] = true
			star := " "
			if critical[phase.ID] {
				star = "*"
			}
			row := fmt.Sprintf("  %s %s %s  %s", s.paint(i, mark), s.paint(warn, star),
				s.paint(strong, pad(s.show(phase.Label, 16), labels)), pad(s.show(phase.Name, limit), names))
			out.WriteString(strings.TrimRight(row+s.needs(p, phase, s.width()-labels-names-9), " ") + "\n")
		}
	}
	out.WriteString("\n" + s.paint(warn, "*") + " critical path: " + s.chain(path) + "\n")
	s.legend(&out, used, g)
	return screen(out.String())
}

// needs is "  ← 2A, 2B", cut to the room where there is much of it.
func (s Style) needs(p *plan.Plan, phase plan.Phase, room int) string {
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
	return s.paint(faint, arrow) + s.show(some(labels, 12), max(12, room-5))
}

// columns measures the labels of a plan, and its names up to a limit.
func (s Style) columns(p *plan.Plan, limit int) (labels, names int) {
	for _, phase := range p.Phases() {
		labels = max(labels, Width(s.show(phase.Label, 16)))
		names = max(names, Width(s.show(phase.Name, limit)))
	}
	return labels, names
}

// chain joins the labels of a path with arrows; of a long one only the ends.
func (s Style) chain(path []plan.Phase) string {
	const most = 16
	labels := make([]string, len(path))
	for i, phase := range path {
		labels[i] = s.show(phase.Label, 16)
	}
	if len(labels) > most {
		labels = slices.Concat(labels[:most/2], []string{s.glyphs().more}, labels[len(labels)-most/2:])
	}
	return strings.Join(labels, " "+s.glyphs().arrow+" ")
}

func (s Style) legend(out *strings.Builder, used map[string]bool, g glyphs) {
	var parts []string
	for _, k := range []struct{ word, mark string }{
		{"complete", g.done},
		{"failed", g.failed},
		{"running", g.running},
		{"waiting", g.waiting},
		{"blocked", g.blocked},
		{"skipped", g.skipped},
		{"to do", g.pending},
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
func standing(phase plan.Phase, run *state.Run, g glyphs) (word, mark string, i ink) {
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
	return markOf(status, g)
}

func markOf(status state.Status, g glyphs) (word, mark string, i ink) {
	switch status {
	case state.Complete:
		return "complete", g.done, good
	case state.Failed:
		return "failed", g.failed, bad
	case state.Running:
		return "running", g.running, live
	case state.Waiting:
		return "waiting", g.waiting, warn
	case state.Blocked:
		return "blocked", g.blocked, warn
	case state.Skipped:
		return "skipped", g.skipped, faint
	case state.Pending:
	}
	return "to do", g.pending, plainInk
}
