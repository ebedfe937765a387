package term

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"autobuild/internal/text"
	"autobuild/plan"
	"autobuild/render"
)

// Problems shows every finding about a plan as compilers do: the mistake, its place as
// path:line:col, the line with a caret under the place, and the remedy; then how many there are. It
// is empty when there are none.
func Problems(path string, ps plan.Problems, s render.Style) string {
	if len(ps) == 0 {
		return ""
	}
	var out strings.Builder
	for _, p := range ps {
		writeProblem(s, &out, path, p)
		out.WriteByte('\n')
	}
	var parts []string
	for _, severity := range []plan.Severity{plan.Error, plan.Warning, plan.Info} {
		n := 0
		for _, p := range ps {
			if p.Severity == severity {
				n++
			}
		}
		noun := string(severity)
		if severity == plan.Info {
			noun = "remark"
		}
		if n > 0 {
			parts = append(parts, text.Count(n, noun))
		}
	}
	out.WriteString(strings.Join(parts, ", ") + "\n")
	return text.DisarmLines(out.String())
}

func writeProblem(s render.Style, out *strings.Builder, path string, p plan.Problem) {
	i := render.Warn
	switch p.Severity {
	case plan.Error:
		i = render.Bad
	case plan.Info:
		i = render.Live
	case plan.Warning:
	}
	head := s.Show(string(p.Severity), 20)
	if p.Code != "" {
		head += "[" + s.Show(p.Code, 40) + "]"
	}
	rows := s.Rows(s.Show(p.Message, 2000), text.Width(head)+2, 2)
	out.WriteString(paint(s, i, head) + paint(s, render.Strong, ": "+rows) + "\n")
	where := s.Show(path, 400)
	if !p.Pos.Valid() {
		fmt.Fprintf(out, " %s %s\n", paint(s, render.Faint, "-->"), where)
		writeHint(s, out, " ", p.Hint)
		return
	}
	number := strconv.Itoa(p.Pos.Line)
	margin := strings.Repeat(" ", len(number))
	fmt.Fprintf(out, "%s%s %s:%d:%d\n", margin, paint(s, render.Faint, "-->"), where, p.Pos.Line,
		max(1, p.Pos.Col))
	if p.Line != "" {
		e := excerpt(s, p.Line, p.Pos.Col, p.Width, max(20, s.Columns()-len(number)-3))
		bar := paint(s, render.Faint, "|")
		fmt.Fprintf(out, "%s %s\n%s %s %s\n", margin, bar, paint(s, render.Faint, number), bar,
			strings.TrimRight(e.text, " "))
		fmt.Fprintf(out, "%s %s %s%s\n", margin, bar, strings.Repeat(" ", e.from),
			paint(s, i, strings.Repeat("^", e.cells)))
	}
	writeHint(s, out, margin, p.Hint)
}

func writeHint(s render.Style, out *strings.Builder, margin, hint string) {
	if hint != "" {
		fmt.Fprintf(out, "%s %s help: %s\n", margin, paint(s, render.Faint, "="),
			s.Rows(s.Show(hint, 2000), len(margin)+9, len(margin)+9))
	}
}

// marked is a source line as it is shown, and the cells of its marked part.
type marked struct {
	text        string
	from, cells int
}

// excerpt shows a source line of any length: tabs widened, unprintable characters as one
// replacement each, and of a line that is wider than the room only what stands around the place.
// Column and width are bytes, the column from 1.
func excerpt(s render.Style, source string, col, width, room int) marked {
	start := min(max(0, col-1), len(source))
	first := windowStart(source, start, room)
	var content strings.Builder
	more := s.Marks().More
	if first > 0 {
		content.WriteString(more)
	}
	cells := text.Width(content.String())
	m := marked{from: -1}
	end := start + max(1, width)
	for at := first; at < len(source); {
		shown, size := visible(source[at:], cells)
		if s.ASCII {
			shown = text.ASCII(shown)
		}
		w := text.Width(shown)
		if cells+w > room-1 {
			content.WriteString(more)
			break
		}
		if at >= start && m.from < 0 {
			m.from = cells
		}
		content.WriteString(shown)
		cells += w
		at += size
		if at <= end || m.from >= 0 && m.cells == 0 {
			if m.from >= 0 {
				m.cells = cells - m.from
			}
		}
	}
	if m.from < 0 {
		m.from = cells
	}
	m.text, m.cells = text.DisarmInPlace(content.String()), max(1, m.cells)
	return m
}

// windowStart is where an excerpt begins, so that the place is within the first half of the room.
func windowStart(source string, start, room int) int {
	at, cells := start, 0
	for at > 0 {
		r, size := utf8.DecodeLastRuneInString(source[:at])
		w := max(1, ansi.StringWidthWc(string(r)))
		if r == '\t' {
			w = tab
		}
		if cells += w; cells >= room/2 {
			return at
		}
		at -= size
	}
	return 0
}

// tab is how far apart tab stops are shown.
const tab = 4

// visible is the first character of a source line as it can be shown at a column, and its length in
// the source.
func visible(source string, column int) (shown string, size int) {
	r, size := utf8.DecodeRuneInString(source)
	switch {
	case r == '\t':
		return strings.Repeat(" ", tab-column%tab), size
	case text.Selector(r):
		return "", size
	case text.Hidden(r), !unicode.IsGraphic(r), r == utf8.RuneError:
		return "\uFFFD", size
	case unicode.IsSpace(r):
		return strings.Repeat(" ", max(1, ansi.StringWidthWc(string(r)))), size
	case unicode.In(r, unicode.Mn, unicode.Me): // a mark with nothing to stand on
		return "\uFFFD", size
	}
	for marks := 0; size < len(source); marks++ {
		mark, n := utf8.DecodeRuneInString(source[size:])
		if !unicode.In(mark, unicode.Mn, unicode.Me) && !text.Selector(mark) {
			break
		}
		if marks < text.MaxMarks && !text.Hidden(mark) {
			shown += string(mark)
		}
		size += n
	}
	return string(r) + shown, size
}
