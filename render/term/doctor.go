package term

import (
	"strings"

	"autobuild/internal/text"
	"autobuild/render"
)

// Doctor shows findings topic by topic, and the verdict below them.
func Doctor(findings []render.Finding, s render.Style) string {
	var out strings.Builder
	topic := ""
	counts := make(map[render.Level]int)
	for _, f := range findings {
		counts[f.Level]++
		if f.Topic != topic {
			topic = f.Topic
			out.WriteString(paint(s, render.Strong, s.Show(topic, 60)) + "\n")
		}
		writeFinding(s, &out, f)
	}
	verdict, i := "a run can start", render.Good
	switch {
	case counts[render.Fatal] > 0:
		verdict, i = text.Count(counts[render.Fatal], "thing")+
			" must be mended before a run can start", render.Bad
	case counts[render.Caution] > 0:
		verdict, i = "a run can start; "+text.Count(counts[render.Caution], "thing")+" to know of",
			render.Warn
	}
	out.WriteString("\n" + paint(s, i, verdict) + "\n")
	return text.DisarmLines(out.String())
}

func writeFinding(s render.Style, out *strings.Builder, f render.Finding) {
	g := s.Marks()
	mark, i := g.Done, render.Good
	switch f.Level {
	case render.Caution:
		mark, i = g.Warned, render.Warn
	case render.Fatal:
		mark, i = g.Failed, render.Bad
	case render.Aside:
		mark, i = g.Dot, render.Faint
	case render.Fine:
	}
	const indent = 4
	for n, line := range text.Wrap(s.Show(f.What, 600), s.Columns()-indent) {
		lead := strings.Repeat(" ", indent)
		if n == 0 {
			lead = "  " + paint(s, i, text.Pad(mark, 1)) + " "
		}
		out.WriteString(lead + line + "\n")
	}
	if f.Fix != "" { // a command is never broken into lines: it is there to be copied
		out.WriteString(strings.Repeat(" ", indent) + paint(s, render.Faint, g.Arrow) + " " +
			s.Show(f.Fix, 600) + "\n")
	}
}
