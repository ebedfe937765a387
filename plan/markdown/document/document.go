// Package document reads a markdown text into lists of its blocks: headings, items, tables, labels,
// code blocks and paragraphs, each in source order and with its place. It is the only importer of
// goldmark, and hides comments and code from it first. It does not decide what a phase is.
package document

import (
	"sort"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"autobuild/plan"
	"autobuild/plan/markdown/inline"
)

// Document is a markdown text as lists of its blocks, each in source order. Lines count from 1,
// offsets are bytes of Source.Text. No type of goldmark leaves this package.
type Document struct {
	*Source
	Front      []Entry
	FrontEnd   int // the last line of the front matter
	Headings   []Heading
	Items      []Item
	Tables     []Table
	CodeBlocks []CodeBlock
	Paragraphs []Paragraph
	Labels     []Label
	Found      plan.Problems
	Code       []bool // by line: in a code block between fences
	Hidden     []byte // the text without comments and tags

	levels map[int]int // of headings in HTML, by line
}

// Heading is a heading of the document itself, not one inside a quotation.
type Heading struct {
	Line   int
	Level  int
	Raw    string // as written, without the marks
	Text   string // without markup
	Offset int    // of Raw
	End    int    // line of the next heading of this or a higher level
	Box    int    // the bytes of the box, "[x] ", that it begins with; Offset is behind it
	Title  Title
}

// Item is a list item.
type Item struct {
	Line   int
	End    int // line after its last
	Depth  int // 0 at the top of a list
	Parent int // position of the item around it, or -1
	Quoted bool
	Number string // "3" of "3."
	Raw    string // its first paragraph as written, behind the box
	Offset int    // of Raw
	// bytes of the emoji that is the box, which begins before BoxOffset; 0 for a box in brackets
	EmojiSize uint8
	Box       byte // the character between the brackets; 0 when there is no box
	BoxOffset int  // offset of that character
	Optional  bool // "[ ]*": optional
}

// Paragraph is one line of a paragraph.
type Paragraph struct {
	Line   int
	Offset int
	Raw    string
	Item   int // position of the item around it, or -1
	Head   bool
}

// CodeBlock is a fenced code block.
type CodeBlock struct {
	Line int // of the opening fence
	From int // first line of the code
	End  int // line after the closing fence
	Info string
	item int
	Text string
}

// Table is a table with its cells as written.
type Table struct {
	Line   int
	end    int
	Header []Cell
	Rows   []Row
}

// Row is a row of a table.
type Row struct {
	Line  int
	Cells []Cell
}

// Cell is a cell of a table as written, or another text that states something.
type Cell struct {
	Raw    string
	Offset int
	Title  bool // it is a title that says a status beside id and name
}

// blocks parses only the block structure. Nothing here needs inline nodes, and without them
// brackets and stars, however many, cost nothing.
func blocks() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithParagraphTransformers(util.Prioritized(tableFinder{}, 200)),
	)
}

// Read turns bytes into a document; the problem says why it cannot.
func Read(src []byte) (*Document, *plan.Problem) {
	s, problem := NewSource(src)
	if problem != nil {
		return nil, problem
	}
	m := mask(s)
	d := &Document{
		Source: s, FrontEnd: m.front, Front: readFront(s, m.front), Found: m.found, Code: m.code,
		Hidden: m.out, levels: m.levels,
	}
	if len(m.found.Errors()) > 0 && m.found.Errors()[0].Code == "E-TOO-LARGE" {
		return nil, &m.found.Errors()[0]
	}
	d.Items = make([]Item, 0, m.bullets)
	d.Paragraphs = make([]Paragraph, 0, m.bullets+s.Count()/4)
	root := blocks().Parse(text.NewReader(m.out))
	d.walk(root, walker{item: -1})
	d.pictures()
	d.sections()
	return d, nil
}

// walker describes the blocks around the one that is visited.
type walker struct {
	item   int
	depth  int
	quoted bool
}

func (d *Document) walk(parent ast.Node, w walker) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		d.visit(n, w)
	}
}

func (d *Document) visit(n ast.Node, w walker) {
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
	case *tableBlock:
		d.table(n, w)
	case *ast.Paragraph, *ast.TextBlock:
		d.paragraph(n, w, false)
	}
}

// headBox finds the box that a heading begins with, "[x] ", also where an editor has escaped its
// brackets: its place and that of what follows it. An end of 0: there is none.
func headBox(raw string) (at, end int) {
	if strings.HasPrefix(raw, `\`) {
		at = 1
	}
	const mark = 2 // bytes
	if len(raw) < at+mark+len(`\] `) || raw[at] != '[' {
		return 0, 0
	}
	for _, closing := range []string{"] ", `\] `} {
		if strings.HasPrefix(raw[at+mark:], closing) {
			end = at + mark + len(closing)
		}
	}
	if end == 0 || tick(raw[at:end-1]) == plan.StatusUnknown {
		return 0, 0
	}
	return at, end
}

func (d *Document) heading(n *ast.Heading, w walker) {
	lines := n.Lines()
	if lines.Len() == 0 || w.quoted {
		return
	}
	first := lines.At(0)
	raw := strings.TrimLeftFunc(d.Text[first.Start:lines.At(lines.Len()-1).Stop], unicode.IsSpace)
	off := lines.At(lines.Len()-1).Stop - len(raw)
	raw = strings.TrimSpace(raw)
	line, level := d.at(off), n.Level
	if own, html := d.levels[line]; html {
		raw, level = raw[strings.LastIndexByte(raw, '#')+1:], own
	}
	h := Heading{Line: line, Level: level, Offset: off}
	if at, end := headBox(raw); end > 0 {
		h.Box = end - at
		raw, h.Offset = raw[end:], off+end
	}
	h.Raw, h.Text = raw, inline.Plain(raw)
	d.Headings = append(d.Headings, h)
}

func (d *Document) item(list *ast.List, n ast.Node, w walker) {
	it := Item{Depth: w.depth, Parent: w.item, Quoted: w.quoted}
	position := len(d.Items)
	first := n.FirstChild()
	if first != nil && first.Lines() != nil && first.Lines().Len() > 0 &&
		(first.Kind() == ast.KindTextBlock || first.Kind() == ast.KindParagraph) {
		it.Offset = first.Lines().At(0).Start
		it.Line = d.at(it.Offset)
		it.Raw = strings.TrimRight(d.joined(first.Lines()), " \t\n")
	} else {
		it.Line = d.at(max(n.Pos(), 0))
		it.Offset = d.Lines[it.Line-1]
	}
	if list.IsOrdered() {
		it.Number = leadingNumber(d.Line(it.Line))
	}
	d.box(&it)
	it.End = it.Line + 1
	d.Items = append(d.Items, it)
	inner := walker{item: position, depth: w.depth + 1, quoted: w.quoted}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if c == first && it.Raw != "" {
			d.paragraph(c, inner, true)
			continue
		}
		d.visit(c, inner)
	}
	end := max(d.Items[position].End, d.lastLine(n)+1)
	d.Items[position].End = end
	if w.item >= 0 {
		d.Items[w.item].End = max(d.Items[w.item].End, end)
	}
}

// joined is the text of several lines with single spaces between them. One line is returned without
// a copy.
func (d *Document) joined(lines *text.Segments) string {
	if lines.Len() == 1 {
		return d.Text[lines.At(0).Start:lines.At(0).Stop]
	}
	parts := make([]string, lines.Len())
	for i := range parts {
		parts[i] = strings.TrimSpace(d.Text[lines.At(i).Start:lines.At(i).Stop])
	}
	return strings.Join(parts, " ")
}

// lastLine is the last line that a node's own text reaches.
func (d *Document) lastLine(n ast.Node) int {
	last := 0
	for c := n.LastChild(); c != nil; c = c.LastChild() {
		if c.Type() == ast.TypeBlock && c.Lines() != nil && c.Lines().Len() > 0 {
			last = max(last, d.at(c.Lines().At(c.Lines().Len()-1).Start))
		}
	}
	return last
}

func (d *Document) paragraph(n ast.Node, w walker, head bool) {
	lines := n.Lines()
	for i := range lines.Len() {
		seg := lines.At(i)
		raw := strings.TrimRight(d.Text[seg.Start:seg.Stop], " \t\n")
		p := Paragraph{
			Line: d.at(seg.Start), Offset: seg.Start, Raw: raw, Item: w.item,
			Head: head && i == 0,
		}
		if i > 0 && p.Offset == d.Lines[p.Line-1] {
			// CommonMark lets a line at the margin go on with the item above; authors do not mean
			// it
			p.Item = -1
		}
		d.Paragraphs = append(d.Paragraphs, p)
	}
}

func (d *Document) fence(n *ast.FencedCodeBlock, w walker) {
	f := CodeBlock{item: w.item}
	if n.Info != nil {
		f.Info = strings.TrimSpace(d.Text[n.Info.Segment.Start:n.Info.Segment.Stop])
		f.Line = d.at(n.Info.Segment.Start)
	}
	lines := n.Lines()
	switch {
	case f.Line > 0:
	case lines.Len() > 0:
		f.Line = d.at(lines.At(0).Start) - 1
	default:
		f.Line = d.at(max(n.Pos(), 0))
	}
	f.From, f.End = f.Line+1, f.Line+2
	var b strings.Builder
	for i := range lines.Len() {
		seg := lines.At(i)
		for range seg.Padding {
			b.WriteByte(' ')
		}
		b.WriteString(d.Text[seg.Start:seg.Stop])
	}
	f.Text = b.String()
	f.End = f.From + lines.Len() + 1
	d.CodeBlocks = append(d.CodeBlocks, f)
}

// sections gives every heading its end and reads its title, and finds the labels.
func (d *Document) sections() {
	last := d.Count() + 1
	open := make([]int, 0, 8)
	for i := range d.Headings {
		h := &d.Headings[i]
		h.End = last
		h.Title = ReadTitle(h.Raw)
		for len(open) > 0 && d.Headings[open[len(open)-1]].Level >= h.Level {
			d.Headings[open[len(open)-1]].End = h.Line
			open = open[:len(open)-1]
		}
		open = append(open, i)
	}
	d.dropLooseTitles()
	d.unknownKinds()
	sort.SliceStable(d.Paragraphs,
		func(a, b int) bool { return d.Paragraphs[a].Line < d.Paragraphs[b].Line })
	sort.SliceStable(d.CodeBlocks,
		func(a, b int) bool { return d.CodeBlocks[a].Line < d.CodeBlocks[b].Line })
	d.Labels = readLabels(d)
}

// unknownKinds reads headings of one level that begin with one word and an ordinal, "Lane A: …" and
// "Lane B: …", as those of a kind that the table of words does not have.
func (d *Document) unknownKinds() {
	type key struct {
		level int
		word  string
	}
	found := map[key][]int{}
	for i := range d.Headings {
		h := &d.Headings[i]
		word, rest, _ := strings.Cut(Bare(h.Text), " ")
		label, after := IDAt(rest, false)
		if _, ok := cutSeparator(after); h.Title.Label != "" || label == "" || !ok ||
			strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }) {
			continue
		}
		k := key{h.Level, strings.ToLower(word)}
		found[k] = append(found[k], i)
	}
	for k, list := range found {
		for _, i := range list {
			if len(list) > 1 {
				_, rest, _ := strings.Cut(Bare(d.Headings[i].Text), " ")
				t := ReadTitle(rest)
				t.Kind, t.Guessed = k.word, true
				d.Headings[i].Title = t
			}
		}
	}
}

// dropLooseTitles drops titles without a separator that name no phase: a single one among headings
// with separators ("Phase 2 Results"), or one whose id has another heading.
func (d *Document) dropLooseTitles() {
	strict, loose := map[string]bool{}, map[string]int{}
	for i := range d.Headings {
		t := &d.Headings[i].Title
		switch {
		case t.Label == "":
		case t.Loose:
			loose[t.Kind]++
		default:
			strict[t.Kind+" "+normalID(t.Label)] = true
			strict[t.Kind] = true
		}
	}
	for i := range d.Headings {
		t := &d.Headings[i].Title
		if t.Loose && (strict[t.Kind+" "+normalID(t.Label)] || loose[t.Kind] < 2 &&
			!strict[t.Kind]) {
			*t = Title{}
		}
	}
}

// InLines is the part of a sorted list whose lines are in [from, to).
func InLines[T any](list []T, line func(*T) int, from, to int) []T {
	a := sort.Search(len(list), func(i int) bool { return line(&list[i]) >= from })
	b := sort.Search(len(list), func(i int) bool { return line(&list[i]) >= to })
	if a >= b {
		return nil
	}
	return list[a:b]
}

// ItemsIn lists the items that begin in the lines [from, to).
func (d *Document) ItemsIn(from, to int) []Item {
	return InLines(d.Items, func(i *Item) int { return i.Line }, from, to)
}

// HeadingsIn lists the headings in the lines [from, to).
func (d *Document) HeadingsIn(from, to int) []Heading {
	return InLines(d.Headings, func(h *Heading) int { return h.Line }, from, to)
}

// CodeBlocksIn lists the code blocks that begin in the lines [from, to).
func (d *Document) CodeBlocksIn(from, to int) []CodeBlock {
	return InLines(d.CodeBlocks, func(b *CodeBlock) int { return b.Line }, from, to)
}

// LabelsIn lists the labels in the lines [from, to).
func (d *Document) LabelsIn(from, to int) []Label {
	return InLines(d.Labels, func(l *Label) int { return l.Line }, from, to)
}

// ParagraphsIn lists the lines of paragraphs in the lines [from, to).
func (d *Document) ParagraphsIn(from, to int) []Paragraph {
	return InLines(d.Paragraphs, func(p *Paragraph) int { return p.Line }, from, to)
}

// HeadingAbove is the last heading up to a line; its zero value means that there is none.
func (d *Document) HeadingAbove(line int) Heading {
	at := sort.Search(len(d.Headings), func(i int) bool { return d.Headings[i].Line > line })
	if at == 0 {
		return Heading{}
	}
	return d.Headings[at-1]
}

// InTask reports whether an item stands within a task, which is an item with a box, other than own.
func (d *Document) InTask(item, own int) bool {
	for i := item; i >= 0 && i != own; i = d.Items[i].Parent {
		if d.Items[i].Box != 0 {
			return true
		}
	}
	return false
}

// normalID is the id of a label, or "" for one that cannot be used.
func normalID(label string) string {
	id, err := plan.NormalID(label)
	if err != nil {
		return ""
	}
	return id
}

// leadingNumber is the number of an ordered item: "3" of "3. Name".
func leadingNumber(line string) string {
	rest := strings.TrimLeft(line, " \t>")
	end := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	return rest[:end]
}
