package receipts

import (
	"cmp"
	"fmt"

	"autobuild/internal/text"
	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/reading"
	"autobuild/plan/markdown/words"
)

// charts accounts for the charts of phases: the graph has their edges, and each of their nodes is a
// phase, or no phase is missing.
func (l *ledger) charts() {
	for k := range l.Doc.CodeBlocks {
		b := &l.Doc.CodeBlocks[k]
		chart := l.Chart(b)
		if chart == nil {
			continue
		}
		if chart.TooLarge() {
			l.unread(b.Line, plan.EvidenceChart,
				fmt.Sprintf("the chart is not followed: it has more than %d arrows",
					reading.MaxArrows-1), "state what each phase needs in its section")
			continue
		}
		d := l.Drawn(chart)
		if !l.aboutPhasesOf(b, chart, &d) {
			continue
		}
		missing := cmp.Or(l.absentInChart(chart), l.lostInChart(&d), l.unreadNodes(&d))
		if missing == "" {
			l.note(b.Line, plan.EvidenceChart, "agrees with the graph")
			continue
		}
		l.unread(b.Line, plan.EvidenceChart, missing,
			"give its nodes the ids of phases, or say what each needs in the column "+
				"\"Depends On\"")
	}
}

// aboutPhasesOf reports whether a chart is about phases, and not about the program: it has two of
// them, and not by names alone between many other nodes, or a heading about order stands above it.
func (l *ledger) aboutPhasesOf(b *document.CodeBlock, f *reading.Flow, d *reading.Drawn) bool {
	ordered := l.owner[b.Line] == 0 && l.Doc.IsAboutOrder(b.Line)
	switch {
	case !f.HasArrows():
		return false
	case len(d.Named) < 2:
		return d.Nodes > 1 && (ordered || l.owner[b.Line] == 0 && 2*l.Resembling(f) > d.Nodes)
	}
	return ordered || len(d.Others) < d.Nodes-len(d.Others) || d.ByID && l.owner[b.Line] == 0
}

// lostInChart describes an edge that the graph does not have.
func (l *ledger) lostInChart(d *reading.Drawn) string {
	for _, e := range l.Turned(d.Edges) {
		if !l.plan.Reaches(e[0], e[1]) {
			return fmt.Sprintf(
				"the chart is not followed: it draws %s before %s, which does not wait for it",
				l.Units[e[0]].Label, l.Units[e[1]].Label)
		}
	}
	return ""
}

// unreadNodes describes the nodes of a chart that stand for no phase, where phases that state
// nothing may be meant by them.
func (l *ledger) unreadNodes(d *reading.Drawn) string {
	missing := false // a phase that the chart may mean
	for i := 1; i < l.plan.Len() && len(d.Others) > 0 && !missing; i++ {
		missing = !d.Named[i] && l.plan.At(i).Unstated
	}
	if !missing {
		return ""
	}
	shown := make([]string, 0, len(d.Others))
	for _, name := range d.Others {
		shown = append(shown, fmt.Sprintf("%q", text.Clip(name, maxNode)))
	}
	verb := "names no phase"
	if len(shown) > 1 {
		verb = "name no phase"
	}
	return fmt.Sprintf("the chart is not followed: %s %s", text.JoinSome(shown, 4), verb)
}

// maxNode bounds a node in a message, in bytes.
const maxNode = 40

// absentInChart describes a node that names a phase which is not in the plan: by the kind word of
// phases, or by a short form of it.
func (l *ledger) absentInChart(flow *reading.Flow) string {
	for _, name := range flow.Names {
		t := words.ReadTitle(flow.Shown(name))
		kinded := t.Label != "" && t.Kind != "" && l.kinds[t.Kind]
		if !kinded && (flow.Label[name] != "" || !l.Index().ShortForm(name)) {
			continue
		}
		if _, _, ok := l.Node(flow, name); !ok {
			return fmt.Sprintf("the chart names phase %s, which is not in the plan",
				cmp.Or(t.Label, name))
		}
	}
	return ""
}
