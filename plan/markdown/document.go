package markdown

import (
	"sort"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"autobuild/plan"
)

// document is a markdown text as lists of its blocks, each in source order. Dialects read it;
// goldmark ends here.
type document struct {
	*source
	front    []entry
	frontEnd int // the last line of the front matter
	heads    []heading
	items    []item
	tables   []table
	fences   []block
	paras    []para
	labels   []label
	found    plan.Problems
	lists    []*phaseTable // once listed: the tables that list phases
	listed   bool

	code         []bool      // by line: in a code block between fences
	hidden       []byte      // the text without comments and tags
	levels       map[int]int // of headings in HTML, by line
	kindCount    map[string]int
	headedKind   *string
	sentenceList []sentence // once sentenced
	sentenced    bool
	orders       []bool // by line, once asked for
	generals     []bool
	boxIDs       []string // by item
}

// heading is a heading of the document itself, not one inside a quotation.
type heading struct {
	line   int
	level  int
	raw    string // as written, without the marks
	text   string // without markup
	offset int    // of raw
	end    int    // line of the next heading of this or a higher level
	boxed  bool   // it begins with a box, "[x] ", which off is behind
	title  title
}

// item is a list item.
type item struct {
	line   int
	end    int // line after its last
	depth  int // 0 at the top of a list
	parent int // position of the item around it, or -1
	quoted bool
	number string // "3" of "3."
	raw    string // its first paragraph as written, behind the box
	offset int    // of raw
	// bytes of the picture that is the box, which begins before boxOff; 0 for a box in brackets
	picture   uint8
	box       byte // the character between the brackets; 0 when there is no box
	boxOffset int  // offset of that character
	star      bool // "[ ]*": optional
}

// para is one line of a paragraph.
type para struct {
	line   int
	offset int
	raw    string
	item   int // position of the item around it, or -1
	head   bool
}

// block is a fenced code block.
type block struct {
	line int // of the opening fence
	from int // first line of the code
	end  int // line after the closing fence
	info string
	item int
	text string
}

// table is a table with its cells as written.
type table struct {
	line   int
	end    int
	header []cell
	rows   []row
}

type row struct {
	line  int
	cells []cell
}

type cell struct {
	raw    string
	offset int
	title  bool // it is a title that says a status beside id and name
}

// blocks parses only the block structure. Nothing here needs inline nodes, and without them
// brackets and stars, however many, cost nothing.
func blocks() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithParagraphTransformers(util.Prioritized(extension.NewTableParagraphTransformer(), 200)),
	)
}

// read turns bytes into a document; the problem says why it cannot.
func read(src []byte) (*document, *plan.Problem) {
	s, problem := newSource(src)
	if problem != nil {
		return nil, problem
	}
	m := mask(s)
	d := &document{source: s, frontEnd: m.front, front: readFront(s, m.front), found: m.found, code: m.code, hidden: m.out, levels: m.levels}
	if len(m.found.Errors()) > 0 && m.found.Errors()[0].Code == "E-TOO-LARGE" {
		return nil, &m.found.Errors()[0]
	}
	d.items = make([]item, 0, m.bullets)
	d.paras = make([]para, 0, m.bullets+s.count()/4)
	root := blocks().Parse(text.NewReader(m.out))
	d.walk(root, walker{item: -1})
	d.pictures()
	d.sections()
	return d, nil
}

// walker is what a block knows of the blocks around it.
type walker struct {
	item   int
	depth  int
	quoted bool
}

func (d *document) walk(parent ast.Node, w walker) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		d.visit(n, w)
	}
}

func (d *document) visit(n ast.Node, w walker) {
	switch n := n.(type) {
	case *ast.Heading:
		d.heading(n, w)
	case *ast.Blockquote:
		inner := w
		inner.quoted = true
		d.walk(n, inner)
	case *ast.List:
		for li := n.FirstChild(); li != nil; li = li.NextSibling() {
			d.item(n, li, w)
		}
	case *ast.FencedCodeBlock:
		d.fence(n, w)
	case *tables.Table:
		d.table(n, w)
	case *ast.Paragraph, *ast.TextBlock:
		d.paragraph(n, w, false)
	}
}

// headBox is the length of the box of a heading: "[x] ".
const headBox = 4

func (d *document) heading(n *ast.Heading, w walker) {
	lines := n.Lines()
	if lines.Len() == 0 || w.quoted {
		return
	}
	first := lines.At(0)
	raw := strings.TrimLeftFunc(d.text[first.Start:lines.At(lines.Len()-1).Stop], unicode.IsSpace)
	off := lines.At(lines.Len()-1).Stop - len(raw)
	raw = strings.TrimSpace(raw)
	line, level := d.at(off), n.Level
	if own, html := d.levels[line]; html {
		raw, level = raw[strings.LastIndexByte(raw, '#')+1:], own
	}
	h := heading{line: line, level: level, offset: off}
	if len(raw) > headBox && raw[0] == '[' && raw[2] == ']' && raw[3] == ' ' && tickStatus(raw[:3]) != plan.StatusUnknown {
		h.boxed = true
		raw, h.offset = raw[headBox:], off+headBox
	}
	h.raw, h.text = raw, plain(raw)
	d.heads = append(d.heads, h)
}

func (d *document) item(list *ast.List, n ast.Node, w walker) {
	it := item{depth: w.depth, parent: w.item, quoted: w.quoted}
	position := len(d.items)
	first := n.FirstChild()
	if first != nil && first.Lines() != nil && first.Lines().Len() > 0 &&
		(first.Kind() == ast.KindTextBlock || first.Kind() == ast.KindParagraph) {
		it.offset = first.Lines().At(0).Start
		it.line = d.at(it.offset)
		it.raw = strings.TrimRight(d.joined(first.Lines()), " \t\n")
	} else {
		it.line = d.at(max(n.Pos(), 0))
		it.offset = d.lines[it.line-1]
	}
	if list.IsOrdered() {
		it.number = leadingNumber(d.line(it.line))
	}
	d.box(&it)
	it.end = it.line + 1
	d.items = append(d.items, it)
	inner := walker{item: position, depth: w.depth + 1, quoted: w.quoted}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if c == first && it.raw != "" {
			d.paragraph(c, inner, true)
			continue
		}
		d.visit(c, inner)
	}
	end := max(d.items[position].end, d.lastLine(n)+1)
	d.items[position].end = end
	if w.item >= 0 {
		d.items[w.item].end = max(d.items[w.item].end, end)
	}
}

// joined is the text of several lines with single spaces between them. One line is returned without
// a copy.
func (d *document) joined(lines *text.Segments) string {
	if lines.Len() == 1 {
		return d.text[lines.At(0).Start:lines.At(0).Stop]
	}
	parts := make([]string, lines.Len())
	for i := range parts {
		parts[i] = strings.TrimSpace(d.text[lines.At(i).Start:lines.At(i).Stop])
	}
	return strings.Join(parts, " ")
}

// lastLine is the last line that a node's own text reaches.
func (d *document) lastLine(n ast.Node) int {
	last := 0
	for c := n.LastChild(); c != nil; c = c.LastChild() {
		if c.Type() == ast.TypeBlock && c.Lines() != nil && c.Lines().Len() > 0 {
			last = max(last, d.at(c.Lines().At(c.Lines().Len()-1).Start))
		}
	}
	return last
}

func leadingNumber(line string) string {
	line = strings.TrimLeft(line, " \t>")
	end := 0
	for end < len(line) && line[end] >= '0' && line[end] <= '9' {
		end++
	}
	return line[:end]
}

func (d *document) paragraph(n ast.Node, w walker, head bool) {
	lines := n.Lines()
	for i := range lines.Len() {
		seg := lines.At(i)
		raw := strings.TrimRight(d.text[seg.Start:seg.Stop], " \t\n")
		p := para{line: d.at(seg.Start), offset: seg.Start, raw: raw, item: w.item, head: head && i == 0}
		if i > 0 && p.offset == d.lines[p.line-1] {
			// CommonMark lets a line at the margin go on with the item above; authors do not mean
			// it
			p.item = -1
		}
		d.paras = append(d.paras, p)
	}
}

func (d *document) fence(n *ast.FencedCodeBlock, w walker) {
	f := block{item: w.item}
	if n.Info != nil {
		f.info = strings.TrimSpace(d.text[n.Info.Segment.Start:n.Info.Segment.Stop])
		f.line = d.at(n.Info.Segment.Start)
	}
	lines := n.Lines()
	switch {
	case f.line > 0:
	case lines.Len() > 0:
		f.line = d.at(lines.At(0).Start) - 1
	default:
		f.line = d.at(max(n.Pos(), 0))
	}
	f.from, f.end = f.line+1, f.line+2
	var b strings.Builder
	for i := range lines.Len() {
		seg := lines.At(i)
		for range seg.Padding {
			b.WriteByte(' ')
		}
		b.WriteString(d.text[seg.Start:seg.Stop])
	}
	f.text = b.String()
	f.end = f.from + lines.Len() + 1
	d.fences = append(d.fences, f)
}

// sections gives every heading its end and reads its title, and finds the labels.
func (d *document) sections() {
	last := d.count() + 1
	open := make([]int, 0, 8)
	for i := range d.heads {
		h := &d.heads[i]
		h.end = last
		h.title = readTitle(h.raw)
		for len(open) > 0 && d.heads[open[len(open)-1]].level >= h.level {
			d.heads[open[len(open)-1]].end = h.line
			open = open[:len(open)-1]
		}
		open = append(open, i)
	}
	d.strictTitles()
	d.codeSeries()
	d.wordSeries()
	sort.SliceStable(d.paras, func(a, b int) bool { return d.paras[a].line < d.paras[b].line })
	sort.SliceStable(d.fences, func(a, b int) bool { return d.fences[a].line < d.fences[b].line })
	d.labels = readLabels(d)
}

// strictTitles takes the titles without a separator back where they name no phase: one alone among
// headings that are written otherwise ("Phase 2 Results"), or one whose id has a heading already.
func (d *document) strictTitles() {
	strict, loose := map[string]bool{}, map[string]int{}
	for i := range d.heads {
		t := &d.heads[i].title
		switch {
		case t.label == "":
		case t.loose:
			loose[t.kind]++
		default:
			strict[t.kind+" "+normal(t.label)] = true
			strict[t.kind] = true
		}
	}
	for i := range d.heads {
		t := &d.heads[i].title
		if t.loose && (strict[t.kind+" "+normal(t.label)] || loose[t.kind] < 2 && !strict[t.kind]) {
			*t = title{}
		}
	}
}

// within is the part of a sorted list whose lines are in [from, to).
func within[T any](list []T, line func(*T) int, from, to int) []T {
	a := sort.Search(len(list), func(i int) bool { return line(&list[i]) >= from })
	b := sort.Search(len(list), func(i int) bool { return line(&list[i]) >= to })
	if a >= b {
		return nil
	}
	return list[a:b]
}

func (d *document) itemsIn(from, to int) []item {
	return within(d.items, func(i *item) int { return i.line }, from, to)
}

func (d *document) headsIn(from, to int) []heading {
	return within(d.heads, func(h *heading) int { return h.line }, from, to)
}

func (d *document) fencesIn(from, to int) []block {
	return within(d.fences, func(b *block) int { return b.line }, from, to)
}

func (d *document) labelsIn(from, to int) []label {
	return within(d.labels, func(l *label) int { return l.line }, from, to)
}

func (d *document) parasIn(from, to int) []para {
	return within(d.paras, func(p *para) int { return p.line }, from, to)
}
