package document

import (
	"fmt"
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/inline"
)

// The bounds that keep hostile input from taking the parser long. Each is far beyond any plan.
const (
	maxQuotes  = 100       // quotes within quotes
	maxBullets = 100       // list markers on one line
	maxIndent  = 256       // columns before a list marker
	maxCells   = 1_000_000 // cells of one table, those that its rows leave out included
	maxDepth   = 1_500_000 // levels of all list lines together
)

// fence is a fence marker: which character, how often, and whether text follows.
type fence struct {
	char byte
	size int
	info bool
}

// masker copies the text and blanks what is no structure: front matter, comments, tags on lines of
// their own, and fence lines inside another fence. The copy has the same length, so offsets are
// valid in both.
type masker struct {
	*Source
	out      []byte
	found    plan.Problems
	front    int // lines of front matter
	inList   bool
	open     []fence // the fences around the current line, outermost first
	openedAt []int
	nested   []int // lines of fences inside fences
	code     []bool
	bullets  int         // lines that begin with a list marker, about
	levels   map[int]int // of headings in HTML, by line
}

func mask(s *Source) *masker {
	m := &masker{Source: s, out: []byte(s.Text), code: make([]bool, s.Count()+1)}
	m.front = frontLines(s)
	for n := 1; n <= m.front; n++ {
		m.blank(s.Lines[n-1], s.Lines[n-1]+len(s.Line(n)))
	}
	m.fences()
	m.comments()
	m.limits()
	return m
}

func (m *masker) blank(from, to int) {
	for i := from; i < to; i++ {
		if m.out[i] != '\n' {
			m.out[i] = ' '
		}
	}
}

func (m *masker) refuse(n int, message string) {
	m.found = append(m.found, plan.Problem{
		Code: "E-TOO-LARGE", Severity: plan.Error, Pos: plan.Pos{Line: n, Col: 1}, Message: message,
		Hint: "no plan needs this; is the file what you meant?",
	})
}

// fences finds the fences, and hides those that stand within others of the same length. CommonMark
// ends the outer fence at the first inner end; authors mean pairs. Where reading pairs leaves a
// fence open to the end of the document, the plain reading stays.
func (m *masker) fences() {
	plain := make([]bool, m.Count()+1)
	var plainOpen *fence
	plainAt := 0
	for n := m.front + 1; n <= m.Count(); n++ {
		line := m.Line(n)
		f, ok := m.fenceAt(line, len(m.open) > 0)
		m.track(line, len(m.open) > 0 || ok)
		plain[n] = plainOpen != nil || ok
		if ok {
			switch {
			case plainOpen == nil:
				plainOpen, plainAt = &f, n
			case !f.info && f.char == plainOpen.char && f.size >= plainOpen.size:
				plainOpen = nil
			}
		}
		m.code[n] = len(m.open) > 0 || ok
		if ok {
			m.pair(f, n)
		}
	}
	healed := len(m.open) == 0
	if !healed {
		copy(m.code, plain)
	}
	m.differ(plain, healed)
	if plainOpen != nil && !healed {
		m.unclosed(plainAt)
	}
	m.open = nil
}

// pair follows the fences as pairs.
func (m *masker) pair(f fence, n int) {
	if len(m.open) == 0 {
		m.open, m.openedAt = append(m.open, f), append(m.openedAt, n)
		return
	}
	top := m.open[len(m.open)-1]
	switch {
	case f.char != top.char:
	case f.info:
		m.open, m.openedAt = append(m.open, f), append(m.openedAt, n)
		m.nested = append(m.nested, n)
	case f.size >= top.size:
		m.open, m.openedAt = m.open[:len(m.open)-1], m.openedAt[:len(m.openedAt)-1]
		if len(m.open) > 0 {
			m.nested = append(m.nested, n)
		}
	}
}

// differ reports where the two readings differ, and hides the inner fences when they are read as
// pairs.
func (m *masker) differ(plain []bool, healed bool) {
	if len(m.nested) == 0 {
		return
	}
	first := 0
	for n := 1; n <= m.Count() && first == 0; n++ {
		if plain[n] != m.code[n] {
			first = n
		}
	}
	if !healed {
		return
	}
	for _, n := range m.nested {
		m.blank(m.Lines[n-1], m.Lines[n-1]+len(m.Line(n)))
	}
	if first > 0 {
		m.found = append(m.found, plan.Problem{
			Code: "W-FENCE", Severity: plan.Warning, Pos: plan.Pos{Line: m.nested[0], Col: 1},
			Line: m.Line(m.nested[0]), Width: len(m.Line(m.nested[0])),
			Message: fmt.Sprintf(
				"code fences of equal length are nested on lines %s and read as pairs",
				ranges(m.nested)),
			Hint: "give the outer fence one more character",
		})
	}
}

func ranges(lines []int) string {
	if len(lines) == 1 {
		return fmt.Sprint(lines[0])
	}
	return fmt.Sprintf("%d to %d", lines[0], lines[len(lines)-1])
}

func (m *masker) unclosed(at int) {
	p := plan.Problem{
		Code: "W-FENCE", Severity: plan.Warning, Pos: plan.Pos{Line: at, Col: 1}, Line: m.Line(at),
		Width:   len(m.Line(at)),
		Message: "the code fence is never closed: everything below is code",
		Hint:    "close it, or remove it",
	}
	for n := at + 1; n <= m.Count(); n++ {
		line := strings.TrimSpace(m.Line(n))
		if !strings.HasPrefix(line, "##") {
			continue
		}
		if t := ReadTitle(strings.TrimLeft(line, "#")); t.Kind == "phase" {
			p.Code, p.Severity = "E-FENCE-EOF", plan.Error
			p.Message = fmt.Sprintf(
				"the code fence is never closed and swallows the phase heading on line %d", n)
			break
		}
	}
	m.found = append(m.found, p)
}

// fenceAt reads a line as a fence marker. Outside a fence a deep indentation is code already,
// unless it belongs to a list.
func (m *masker) fenceAt(line string, inside bool) (fence, bool) {
	rest := strings.TrimLeft(line, " \t")
	for strings.HasPrefix(rest, ">") {
		rest = strings.TrimLeft(rest[1:], " \t")
	}
	if len(rest) < 3 || (rest[0] != '`' && rest[0] != '~') {
		if inside || len(rest) < 6 {
			return fence{}, false
		}
		if rest = AfterMarker(rest); len(rest) < 3 || (rest[0] != '`' && rest[0] != '~') {
			return fence{}, false
		}
	}
	if !inside && !m.inList && IndentOf(line) >= 4 {
		return fence{}, false
	}
	f := fence{char: rest[0]}
	for f.size < len(rest) && rest[f.size] == f.char {
		f.size++
	}
	info := strings.TrimSpace(rest[f.size:])
	f.info = info != ""
	if f.size < 3 || (f.char == '`' && strings.Contains(info, "`")) {
		return fence{}, false
	}
	return f, true
}

// track notes whether the line is in a list, roughly: from a marker to the next text at the margin.
func (m *masker) track(line string, code bool) {
	switch {
	case code || strings.TrimSpace(line) == "":
	case AfterMarker(strings.TrimLeft(line, " \t")) != "":
		m.inList = true
	case IndentOf(line) == 0:
		m.inList = false
	}
}

// AfterMarker is what follows a list marker, or "" when there is none.
func AfterMarker(s string) string {
	end := 0
	switch {
	case s == "":
		return ""
	case s[0] == '-' || s[0] == '*' || s[0] == '+':
		end = 1
	default:
		for end < len(s) && end < 9 && s[end] >= '0' && s[end] <= '9' {
			end++
		}
		if end == 0 || end >= len(s) || (s[end] != '.' && s[end] != ')') {
			return ""
		}
		end++
	}
	if end >= len(s) || (s[end] != ' ' && s[end] != '\t') {
		return ""
	}
	return strings.TrimLeft(s[end:], " \t")
}

// IndentOf is the number of columns before the text of a line.
func IndentOf(line string) int {
	columns := 0
	for i := range len(line) {
		switch line[i] {
		case ' ':
			columns++
		case '\t':
			columns += 4 - columns%4
		default:
			return columns
		}
	}
	return columns
}

// comments hides HTML comments outside code, and the tags around markdown.
func (m *masker) comments() {
	if !strings.Contains(m.Text, "<") {
		return
	}
	last := strings.LastIndex(m.Text, "-->") // an opener behind it hides nothing
	inside, from := false, 0
	for n := m.front + 1; n <= m.Count(); n++ {
		start := m.Lines[n-1]
		line := m.Line(n)
		if m.code[n] && !inside {
			continue
		}
		for i := 0; i < len(line); {
			switch {
			case inside:
				end := strings.Index(line[i:], "-->")
				if end < 0 {
					i = len(line)
					break
				}
				i += end + 3
				m.blank(from, start+i)
				inside = false
			case line[i] == '`':
				i += inline.CodeSpanSize(line[i:])
			case strings.HasPrefix(line[i:], "<!--") && start+i+4 <= last:
				inside, from = true, start+i
				i += 4
			default:
				i++
			}
		}
		if !inside {
			m.html(line, start, n)
		}
	}
}

// limits refuses documents that exceed the bounds above.
func (m *masker) limits() {
	columns, rows, header, levels := 0, 0, 0, 0
	for n := m.front + 1; n <= m.Count(); n++ {
		line := m.Line(n)
		rest := strings.TrimLeft(line, " \t")
		if rest == "" {
			columns = 0
			continue
		}
		rows++
		if (rest[0] == '|' || rest[0] == '-' || rest[0] == ':') && strings.Contains(rest, "-") &&
			strings.Trim(rest, "|:- \t") == "" {
			columns, rows, header = strings.Count(rest, "|")+1, 0, n
		}
		if columns*rows > maxCells || (columns > 1024 && rows > 0) {
			m.refuse(header, "the table has too many cells")
			return
		}
		if rest[0] != '>' && rest[0] != '-' && rest[0] != '*' && rest[0] != '+' &&
			(rest[0] < '0' || rest[0] > '9') {
			continue
		}
		quotes, bullets := depth(rest)
		if bullets > 0 {
			m.bullets++
			levels += bullets + quotes + IndentOf(line)/2
		}
		if quotes > maxQuotes || bullets > maxBullets ||
			(bullets > 0 && IndentOf(line) > maxIndent) ||
			levels > maxDepth {
			m.refuse(n, "quotes or lists are nested too deep")
			return
		}
	}
}

// depth counts the quote and list markers that a line begins with.
func depth(rest string) (quotes, bullets int) {
	for rest != "" && bullets <= maxBullets && quotes <= maxQuotes {
		if rest[0] == '>' {
			quotes++
			rest = strings.TrimLeft(rest[1:], " \t")
			continue
		}
		after := AfterMarker(rest)
		if after == "" {
			return quotes, bullets
		}
		bullets++
		rest = after
	}
	return quotes, bullets
}
