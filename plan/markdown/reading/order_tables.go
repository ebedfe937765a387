package reading

import (
	"slices"
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/words"
)

// orderTables reads the tables outside all sections that list edges between phases, "| From | To |",
// or mark them in a matrix of phases.
func (r *Reading) orderTables() map[int][]plan.Ref {
	said := map[int][]plan.Ref{}
	for i := range r.Doc.Tables {
		t := &r.Doc.Tables[i]
		if r.Covered[t.Line] {
			continue
		}
		edges, named := r.TableOrder(t)
		if len(edges) == 0 {
			continue
		}
		for _, e := range edges {
			ref := plan.Ref{Text: r.Units[e[0]].Label, Pos: plan.Pos{Line: t.Line, Col: 1}}
			said[e[1]] = append(said[e[1]], ref)
		}
		for k := range r.Units {
			if len(named) == len(r.Units) && len(said[k]) == 0 {
				said[k] = []plan.Ref{{Text: "none", Pos: plan.Pos{Line: t.Line, Col: 1}}}
			}
		}
	}
	return said
}

// TableOrder lists the pairs of phases of which a table says that the second waits for the first,
// and the phases that it names. It has none where a cell of an edge is not understood.
func (r *Reading) TableOrder(t *document.Table) (edges [][2]int, named map[int]bool) {
	if edges, named = r.pairs(t); len(edges) > 0 {
		return edges, named
	}
	return r.matrix(t)
}

// pairs reads a table of two columns of phases, of which one comes before the other.
func (r *Reading) pairs(t *document.Table) (edges [][2]int, named map[int]bool) {
	from, to := -1, -1
	for i, head := range t.Header {
		switch name := words.HeadWords(head.Raw); {
		case from < 0 && slices.Contains(words.FromNames, name):
			from = i
		case to < 0 && slices.Contains(words.ToNames, name):
			to = i
		}
	}
	if from < 0 || to < 0 {
		return nil, nil
	}
	named = map[int]bool{}
	for _, row := range t.Rows {
		before, after := r.layer(inline.PlainList(row.At(from).Raw)),
			r.layer(inline.PlainList(row.At(to).Raw))
		if len(before) == 0 || len(after) == 0 {
			return nil, nil
		}
		for _, a := range before {
			for _, b := range after {
				edges = append(edges, [2]int{a, b})
				named[a], named[b] = true, true
			}
		}
	}
	return edges, named
}

// matrix reads a table whose rows and columns are phases. A mark says that the phase of its row
// waits for that of its column, or the other way round: whichever agrees with the order of its
// columns. Where neither does it has no edges, and named lists the phases of its rows.
func (r *Reading) matrix(t *document.Table) (edges [][2]int, named map[int]bool) {
	const least = 3 // columns
	named = map[int]bool{}
	phase := func(c document.Cell) int {
		if layer := r.layer(c.Raw); len(layer) == 1 {
			named[layer[0]] = true
			return layer[0]
		}
		return -1
	}
	above := strings.ToLower(r.Doc.HeadingAbove(t.Line).Text)
	if len(t.Header) < least || words.ContainsAny(above, "parallel", "conflict") {
		return nil, nil
	}
	columns := make([]int, len(t.Header))
	columns[0] = -1
	rows := map[int]bool{}
	for i := 1; i < len(columns); i++ {
		if !words.RefLike(inline.Plain(t.Header[i].Raw)) {
			return nil, nil
		}
		if columns[i] = phase(t.Header[i]); columns[i] < 0 {
			return nil, nil
		}
	}
	ticked := slices.ContainsFunc(t.Rows, func(row document.Row) bool {
		return slices.ContainsFunc(row.Cells, func(c document.Cell) bool {
			return strings.ContainsAny(c.Raw, "✓✔✅○●")
		})
	})
	earlier, later := 0, 0
	for _, row := range t.Rows {
		at := phase(row.At(0))
		if at < 0 {
			return nil, nil
		}
		rows[at] = true
		for i := 1; i < len(columns); i++ {
			switch {
			case columns[i] == at || unmarked(row.At(i).Raw, ticked):
			case stands(columns, i, at):
				earlier++
				edges = append(edges, [2]int{columns[i], at})
			default:
				later++
				edges = append(edges, [2]int{at, columns[i]})
			}
		}
	}
	switch {
	case earlier > 0 && later > 0:
		return nil, rows // nothing says which way round it is
	case earlier+later == 0:
		return nil, nil
	}
	return edges, rows
}

// stands reports whether a column of a matrix stands before the one of phase at, in the document
// where it has none.
func stands(columns []int, i, at int) bool {
	if place := slices.Index(columns, at); place > 0 {
		return i < place
	}
	return columns[i] < at
}

// unmarked reports whether a cell of a matrix is empty or says no. Where others are ticked, a cross
// says no as well.
func unmarked(raw string, ticked bool) bool {
	raw = strings.ToLower(strings.TrimSpace(inline.Plain(raw)))
	return plan.SaysNone(raw) || slices.Contains([]string{"0", "no", "✗", "❌"}, raw) ||
		ticked && slices.Contains([]string{"×", "x"}, raw)
}
