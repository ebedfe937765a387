package reading

import (
	"fmt"
	"slices"
)

// drawing reads the order that a drawing of boxes, lines and arrows shows. whole is false where a
// line of it leads nowhere, or from nowhere.
func (r *Reading) drawing(s string) (f *Flow, whole bool) {
	c := newGrid(s)
	if c == nil {
		return nil, false
	}
	c.label()
	f = newFlow()
	f.phases = map[string]int{}
	names := make([][]string, len(c.texts))
	whole = true
	seen := map[[2]int]bool{}
	for y := range c.rows {
		for x := range c.rows[y] {
			if c.joins[y][x] == 0 || c.owner[y][x] > 0 || seen[[2]int{x, y}] {
				continue
			}
			touches, complete := c.network(x, y, seen)
			whole = whole && complete
			from, to := ends(touches)
			if len(touches) > 1 && (len(from) == 0 || len(to) == 0) {
				whole = false
			}
			for _, a := range append(slices.Clone(from), to...) {
				if names[a] == nil {
					names[a] = r.node(f, a, c.texts[a])
				}
			}
			for _, a := range from {
				for _, b := range to {
					f.join(names[a], names[b])
				}
			}
		}
	}
	return f, whole
}

// ends tells the texts that a network of lines comes from and those that it leads to: by its
// arrows, else downward and to the right.
func ends(touches []touch) (from, to []int) {
	for _, t := range touches {
		if !t.head && (t.side == south || t.side == east) {
			from = append(from, t.text)
		}
	}
	sided := len(from) > 0
	for _, t := range touches {
		switch {
		case t.head || sided && t.side != south && t.side != east:
			to = append(to, t.text)
		case !sided:
			from = append(from, t.text)
		}
	}
	return from, to
}

// node notes a text of a drawing as a node, or as several where it names several phases.
func (r *Reading) node(f *Flow, number int, label string) []string {
	layer := r.layer(label)
	names := []string{fmt.Sprintf("text %d", number)}
	if len(layer) > 0 {
		names = nil
	}
	for _, i := range layer {
		name := "phase " + r.Units[i].Label
		f.phases[name] = i
		names = append(names, name)
	}
	for _, name := range names {
		if _, known := f.Label[name]; !known {
			f.Names = append(f.Names, name)
			f.Label[name] = label
		}
	}
	return names
}
