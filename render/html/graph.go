package html

import (
	"cmp"
	"fmt"
	"slices"

	"autobuild/internal/text"
	"autobuild/render"
	"autobuild/state"
)

// graphView is the drawing of the dependencies: a row a batch, or several where a batch is wide,
// from top to bottom.
type graphView struct {
	Width, Height int
	Small         bool // labels only
	Folded        bool
	Nodes         []nodeView
	Edges         []edgeView
	Left          string // names the omitted part
}

type nodeView struct {
	Anchor, Label, Name string
	Word, Mark, Class   string
	X, Y, W, H          int
}

type edgeView struct {
	Path  string
	Class string
}

// grid is how large things are drawn, in pixels.
type grid struct {
	w, h, gapX, gapY, perRow int
	label, name              int // cells
}

// graph lays the phases out by batch. Within a batch they stand near what they need, so that fewer
// lines cross.
func (g *pager) graph() *graphView {
	n := len(g.Page.Run.Phases)
	if n < 2 || n > mostDrawn {
		return nil
	}
	size := grid{w: 158, h: 42, gapX: 14, gapY: 34, perRow: 5, label: 9, name: 20}
	v := &graphView{}
	if n > fewDrawn {
		size = grid{w: 56, h: 20, gapX: 6, gapY: 22, perRow: 14, label: 6}
		v.Small, v.Folded = true, true
	}
	at := g.place(size, v)
	edges := 0
	for i := range g.Page.Run.Phases {
		p := &g.Page.Run.Phases[i]
		node := v.Nodes[at[p.ID]]
		for _, id := range p.DependsOn {
			from, ok := at[id]
			if !ok {
				continue
			}
			if edges++; edges > mostDrawn {
				continue
			}
			v.Edges = append(v.Edges, edgeView{curve(v.Nodes[from], node), node.Class})
		}
	}
	if edges > mostDrawn {
		v.Left = fmt.Sprintf("%d of %d lines are left out.", edges-mostDrawn, edges)
	}
	return v
}

// curve leads from the foot of one phase to the head of another.
func curve(a, b nodeView) string {
	x1, y1, x2, y2 := a.X+a.W/2, a.Y+a.H, b.X+b.W/2, b.Y
	bend := max(12, (y2-y1)/2)
	return fmt.Sprintf("M%d %dC%d %d %d %d %d %d", x1, y1, x1, y1+bend, x2, y2-bend, x2, y2)
}

// place gives every phase its place. It returns the index of the node of each phase.
func (g *pager) place(size grid, v *graphView) map[string]int {
	levels := render.BatchOf(g.Page.Run.Phases)
	var batches [][]*state.Phase
	for i := range g.Page.Run.Phases {
		p := &g.Page.Run.Phases[i]
		for len(batches) <= levels[p.ID] {
			batches = append(batches, nil)
		}
		batches[levels[p.ID]] = append(batches[levels[p.ID]], p)
	}
	widest := 0
	for _, batch := range batches {
		widest = max(widest, min(len(batch), size.perRow))
	}
	const margin = 8
	v.Width = 2*margin + widest*(size.w+size.gapX) - size.gapX
	at := make(map[string]int, len(g.Page.Run.Phases))
	y := margin
	for _, batch := range batches {
		g.near(batch, at, v.Nodes)
		for row := range slices.Chunk(batch, size.perRow) {
			x := (v.Width - len(row)*(size.w+size.gapX) + size.gapX) / 2
			for _, p := range row {
				at[p.ID] = len(v.Nodes)
				v.Nodes = append(v.Nodes, g.node(p, size, x, y))
				x += size.w + size.gapX
			}
			y += size.h + min(size.gapY, 10)
		}
		y += max(0, size.gapY-10)
	}
	v.Height = y - size.gapY + margin
	return at
}

// near orders a batch by where what its phases need stands; the plan's order breaks ties.
func (*pager) near(batch []*state.Phase, at map[string]int, nodes []nodeView) {
	middle := make(map[string]int, len(batch))
	for _, p := range batch {
		sum, n := 0, 0
		for _, id := range p.DependsOn {
			if i, ok := at[id]; ok {
				sum, n = sum+nodes[i].X, n+1
			}
		}
		if n > 0 {
			middle[p.ID] = sum / n
		}
	}
	slices.SortStableFunc(batch,
		func(a, b *state.Phase) int { return cmp.Compare(middle[a.ID], middle[b.ID]) })
}

func (g *pager) node(p *state.Phase, size grid, x, y int) nodeView {
	word, mark, i := g.Word(p, g.glyph)
	n := nodeView{
		Anchor: anchor(p), Label: g.text(p.Label, size.label),
		Name: g.text(p.Name, max(size.name, 60)), Word: word, Mark: mark, Class: className(i),
		X: x, Y: y, W: size.w, H: size.h,
	}
	return n
}

// Short is the name as it fits into the node.
func (n nodeView) Short() string { return text.Cut(n.Name, 20, "…") }

// Head is the line above it. The word is whole: a label that leaves no room for it is cut.
func (n nodeView) Head() string {
	return n.Mark + " " + text.Cut(n.Label, max(4, 14-text.Width(n.Word)), "…") + " · " + n.Word
}

// TextX and the others place the writing within the node.
func (n nodeView) TextX() int { return n.X + 10 }

// FirstY is the line of the label, SecondY that of the name.
func (n nodeView) FirstY() int { return n.Y + 17 }

// SecondY is below it.
func (n nodeView) SecondY() int { return n.Y + 33 }

// MiddleX is where a label alone stands.
func (n nodeView) MiddleX() int { return n.X + n.W/2 }

// MiddleY is its line.
func (n nodeView) MiddleY() int { return n.Y + n.H/2 + 4 }
