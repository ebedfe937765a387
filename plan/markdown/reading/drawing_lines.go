package reading

import (
	"strings"
	"unicode"

	"autobuild/internal/text"
)

// The sides of a cell of a drawing that a line leaves it by.
const (
	north = 1 << iota
	east
	south
	west
)

// strokes are the characters that lines of a drawing are made of, and the sides that each joins.
var strokes = map[rune]int{
	'│': north | south, '┃': north | south, '║': north | south, '┆': north | south,
	'┊': north | south,
	'─': east | west, '━': east | west, '═': east | west, '┄': east | west, '┈': east | west,
	'╌': east | west,
	'┌': east | south, '┏': east | south, '╔': east | south, '╭': east | south,
	'┐': west | south, '┓': west | south, '╗': west | south, '╮': west | south,
	'└': north | east, '┗': north | east, '╚': north | east, '╰': north | east,
	'┘': north | west, '┛': north | west, '╝': north | west, '╯': north | west,
	'├': north | south | east, '┣': north | south | east, '╠': north | south | east,
	'┤': north | south | west, '┫': north | south | west, '╣': north | south | west,
	'┬': east | west | south, '┳': east | west | south, '╦': east | west | south,
	'┴': east | west | north, '┻': east | west | north, '╩': east | west | north,
	'┼': north | east | south | west, '╋': north | east | south | west,
	'╬': north | east | south | west,
}

// points are the heads of arrows, and the side that each points to.
var points = map[rune]int{
	'→': east, '▶': east, '►': east, '➜': east, '⇒': east, '←': west, '◀': west, '◄': west,
	'⇐': west,
	'↓': south, '▼': south, '▽': south, '⇓': south, '↑': north, '▲': north, '△': north, '⇑': north,
}

// asciiPoints are those of them that are letters and marks of ASCII.
var asciiPoints = map[rune]int{'>': east, '<': west, 'v': south, 'V': south, '^': north}

const (
	widestDrawing = 400 // columns and lines of a drawing that is read
	drawnGap      = 3   // blank columns between a line and a text that it touches
)

// grid is a drawing of boxes and lines, cell by cell.
type grid struct {
	rows  [][]rune
	joins [][]int // the sides that the line in a cell joins; 0 is no line
	heads [][]int // the side that the arrow head in a cell points to
	owner [][]int // the text that a cell belongs to, plus one
	texts []string
}

// newGrid lays a text out in cells. Nil when it is too large for a drawing.
func newGrid(s string) *grid {
	if len(s) > widestDrawing*widestDrawing {
		return nil
	}
	c := &grid{}
	width := 0
	for line := range strings.SplitSeq(strings.TrimRight(s, "\n"), "\n") {
		var row []rune
		for _, r := range strings.ReplaceAll(line, "\t", "    ") {
			row = append(row, r)
			for n := text.Width(string(r)); n > 1; n-- {
				row = append(row, 0) // the rest of a wide character
			}
		}
		c.rows = append(c.rows, row)
		width = max(width, len(row))
	}
	if width > widestDrawing || len(c.rows) > widestDrawing {
		return nil
	}
	for y := range c.rows {
		for len(c.rows[y]) < width {
			c.rows[y] = append(c.rows[y], ' ')
		}
		c.joins = append(c.joins, make([]int, width))
		c.heads = append(c.heads, make([]int, width))
		c.owner = append(c.owner, make([]int, width))
	}
	for y := range c.rows {
		for x := range c.rows[y] {
			c.stroke(x, y)
		}
	}
	for y := range c.rows {
		c.corners(y)
	}
	return c
}

func (c *grid) at(x, y int) rune {
	if y < 0 || y >= len(c.rows) || x < 0 || x >= len(c.rows[y]) {
		return ' '
	}
	return c.rows[y][x]
}

// stroke notes the line in a cell. A mark of ASCII is one only where letters do not touch it.
func (c *grid) stroke(x, y int) {
	r := c.at(x, y)
	before, after := c.at(x-1, y), c.at(x+1, y)
	alone := !wordRune(before) && !wordRune(after)
	switch {
	case strokes[r] != 0:
		c.joins[y][x] = strokes[r]
	case points[r] != 0:
		c.heads[y][x] = points[r]
		c.joins[y][x] = points[r] | opposite(points[r])
	case r == '|':
		c.joins[y][x] = north | south
		if after == '-' {
			c.joins[y][x] |= east // "|--"
		}
	case r == '`' && after == '-':
		c.joins[y][x] = north | east
	case (r == '/' || r == '\\') && alone && before != r && after != r:
		c.joins[y][x] = north | south
	case (r == '-' || r == '=') && (before == r || after == r || after == '>' || before == '<' ||
		before == '+' || after == '+' || strokes[before]&east != 0):
		c.joins[y][x] = east | west
	case r == '>' && (before == '-' || before == '=' || before == '>' || strokes[before]&east != 0),
		r == '<' && (after == '-' || after == '=' || after == '<' || strokes[after]&west != 0):
		c.heads[y][x] = asciiPoints[r]
		c.joins[y][x] = east | west
	case strings.ContainsRune("vV^", r) && alone && before != '.' && after != '.':
		c.heads[y][x] = asciiPoints[r]
		c.joins[y][x] = north | south
	}
}

// corners notes the plus signs of a row that lines meet in.
func (c *grid) corners(y int) {
	for x := range c.rows[y] {
		if c.rows[y][x] != '+' {
			continue
		}
		for _, side := range sides {
			nx, ny := x+side.dx, y+side.dy
			if near := c.at(nx, ny); near == '+' || strings.ContainsRune("-|=", near) &&
				c.joins[ny][nx]&opposite(side.to) != 0 {
				c.joins[y][x] |= side.to
			}
		}
	}
}

var sides = []struct{ to, dx, dy int }{{north, 0, -1}, {east, 1, 0}, {south, 0, 1}, {west, -1, 0}}

func opposite(side int) int {
	switch side {
	case north:
		return south
	case south:
		return north
	case east:
		return west
	}
	return east
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// label finds the texts of the drawing, and gives each its cells: those of its letters, and of the
// box around it.
func (c *grid) label() {
	for y := range c.rows {
		for x := 0; x < len(c.rows[y]); {
			if !c.written(x, y) {
				x++
				continue
			}
			end := x + 1
			for end < len(c.rows[y]) && (c.written(end, y) || c.at(end, y) == ' ' &&
				c.written(end+1, y)) {
				end++
			}
			if c.owner[y][x] == 0 {
				c.add(x, end, y)
			}
			x = end
		}
	}
}

// written reports whether a cell holds a letter of a text.
func (c *grid) written(x, y int) bool {
	r := c.at(x, y)
	return r != ' ' && c.joins[max(0, min(y, len(c.rows)-1))][max(0, min(x, len(c.rows[0])-1))] == 0
}

// add makes a node of the text from column x to end of a row.
func (c *grid) add(x, end, y int) {
	number := len(c.texts) + 1
	left, right, top, bottom, boxed := c.box(x, end, y)
	if !boxed {
		c.texts = append(c.texts, c.read(x, end, y))
		for k := x; k < end; k++ {
			c.owner[y][k] = number
		}
		return
	}
	var lines []string
	for row := top; row <= bottom; row++ {
		if row > top && row < bottom {
			lines = append(lines, strings.TrimSpace(c.read(left+1, right, row)))
		}
		for k := left; k <= right; k++ {
			c.owner[row][k] = number
		}
	}
	c.texts = append(c.texts, strings.TrimSpace(strings.Join(lines, " ")))
}

func (c *grid) read(x, end, y int) string {
	return strings.Map(func(r rune) rune {
		if r == 0 {
			return -1
		}
		return r
	}, string(c.rows[y][x:end]))
}

// box is the rectangle of lines around a text.
func (c *grid) box(x, end, y int) (left, right, top, bottom int, ok bool) {
	left, right = x-1, end
	for left >= 0 && c.joins[y][left] == 0 {
		left--
	}
	for right < len(c.rows[y]) && c.joins[y][right] == 0 {
		right++
	}
	if left < 0 || right >= len(c.rows[y]) {
		return 0, 0, 0, 0, false
	}
	edge := func(from, step int) (int, bool) {
		for row := from; row >= 0 && row < len(c.rows); row += step {
			if c.joins[row][left]&east != 0 && c.joins[row][right]&west != 0 {
				for k := left; k <= right; k++ {
					if c.joins[row][k] == 0 {
						return 0, false
					}
				}
				return row, true
			}
			if c.joins[row][left]&(north|south) == 0 || c.joins[row][right]&(north|south) == 0 {
				return 0, false
			}
		}
		return 0, false
	}
	if top, ok = edge(y, -1); !ok {
		return 0, 0, 0, 0, false
	}
	bottom, ok = edge(y, 1)
	return left, right, top, bottom, ok && top < y && y < bottom
}

// touch is where a line ends at a text.
type touch struct {
	text int
	side int // of the text
	head bool
}

// network walks the lines that are joined to one cell, and lists the texts that they touch. It is
// not whole when a line ends nowhere.
func (c *grid) network(x, y int, seen map[[2]int]bool) (touches []touch, whole bool) {
	whole = true
	seen[[2]int{x, y}] = true
	for open := [][2]int{{x, y}}; len(open) > 0; open = open[1:] {
		x, y := open[0][0], open[0][1]
		ends, missing := 0, 0
		head := c.heads[y][x]
		for _, side := range sides {
			if c.joins[y][x]&side.to == 0 {
				continue
			}
			if owner, into := c.reaches(x, y, side.to); owner > 0 {
				touches = append(touches, touch{owner - 1, opposite(side.to), head == side.to ||
					into})
				ends++
				continue
			}
			nx, ny, found := c.goesOn(x, y, side.to)
			switch {
			case found && !seen[[2]int{nx, ny}]:
				seen[[2]int{nx, ny}] = true
				open = append(open, [2]int{nx, ny})
				ends++
			case found:
				ends++
			case head == side.to || head == 0:
				missing++
			}
		}
		if ends < 2 || head != 0 && missing > 0 {
			whole = false // a line that leads nowhere; a crossing may have a side too many
		}
	}
	return touches, whole
}

// reaches is the text that a line leaving a cell by one side ends at, with few blanks between; into
// is whether the head of its arrow stands in the frame of a box.
func (c *grid) reaches(x, y, side int) (owner int, into bool) {
	for _, s := range sides {
		if s.to != side {
			continue
		}
		far := drawnGap
		if s.dy != 0 {
			far = 1
		}
		for n := 1; n <= far; n++ {
			for _, aside := range []int{0, -1, 1} {
				nx, ny := x+n*s.dx, y+n*s.dy
				if s.dy != 0 {
					nx += aside
				} else if aside != 0 {
					break
				}
				if ny < 0 || ny >= len(c.rows) || nx < 0 || nx >= len(c.rows[ny]) {
					continue
				}
				if owner := c.owner[ny][nx]; owner > 0 {
					return owner, c.heads[ny][nx] == side
				}
				if c.joins[ny][nx] != 0 {
					return 0, false
				}
			}
		}
	}
	return 0, false
}

// goesOn is the cell in which a line goes on beyond one side of a cell. A drawing may be a column
// out.
func (c *grid) goesOn(x, y, side int) (nx, ny int, ok bool) {
	for _, s := range sides {
		if s.to != side {
			continue
		}
		for _, aside := range []int{0, -1, 1} {
			nx, ny = x+s.dx, y+s.dy
			if s.dy != 0 {
				nx += aside
			} else {
				nx += max(0, aside) * s.dx // a blank between
			}
			if ny >= 0 && ny < len(c.rows) && nx >= 0 && nx < len(c.rows[ny]) &&
				c.owner[ny][nx] == 0 && c.joins[ny][nx]&opposite(side) != 0 {
				return nx, ny, true
			}
		}
	}
	return 0, 0, false
}
