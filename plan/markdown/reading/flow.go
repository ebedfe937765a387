package reading

import (
	"slices"
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/words"
)

// Flow is a chart of nodes and arrows.
type Flow struct {
	Names []string          // of the nodes, in the order in which they appear
	Label map[string]string // of a node or a group that has one

	next   map[string][]string
	inside map[string]string // the group that a node, or another group, stands in
	groups map[string]bool

	joined map[[2]string]bool
	sure   bool            // a label on an arrow says which end waits
	nodes  map[string]node // what they stand for, once that was asked
	drawn  *Drawn
}

// node is the phase that a node stands for, where it stands for one.
type node struct {
	phase    int
	byID, ok bool
}

// MaxArrows bounds the arrows of a chart, so that groups of nodes do not multiply without end.
const MaxArrows = 1 << 16

// TooLarge reports whether a chart has more arrows than are read.
func (f *Flow) TooLarge() bool { return len(f.joined) >= MaxArrows }

func newFlow() *Flow {
	return &Flow{
		Label: map[string]string{}, next: map[string][]string{}, inside: map[string]string{},
		groups: map[string]bool{}, joined: map[[2]string]bool{},
		nodes: map[string]node{},
	}
}

// note adds a node at its first mention. A label counts wherever it stands.
func (f *Flow) note(name, label string, open []string) {
	if old, seen := f.Label[name]; !seen {
		f.Names = append(f.Names, name)
		f.Label[name] = label
	} else if label != "" && label != old {
		f.Label[name] = label
	}
	if len(open) > 0 && f.inside[name] == "" && open[len(open)-1] != name {
		f.inside[name] = open[len(open)-1]
	}
}

// group adds a group of nodes, and returns its name.
func (f *Flow) group(name, title string, open []string) string {
	if name == "" {
		name = "group " + title
	}
	f.groups[name] = true
	f.note(name, title, open)
	return name
}

func (f *Flow) join(from, to []string) {
	for _, a := range from {
		for _, b := range to {
			if pair := [2]string{a, b}; a != b && !f.joined[pair] && !f.TooLarge() {
				f.joined[pair] = true
				f.next[a] = append(f.next[a], b)
			}
		}
	}
}

// Drawn is what a chart says of the phases of a plan.
type Drawn struct {
	Edges  [][2]int     // the second phase comes after the first
	Others []string     // nodes that stand for no phase, as the chart shows them
	Named  map[int]bool // the phases that it has
	ByID   bool         // at least one of them by its id
	Nodes  int
	Sure   bool // labels on the arrows say which end waits
}

// Drawn resolves the nodes of a chart. Another node passes the order on: "1 --> check --> 2" has
// the edge 1 to 2. A node in a group that is a phase is part of that phase, and an arrow at a group
// is one at each of its nodes.
func (r *Reading) Drawn(f *Flow) Drawn {
	if f.drawn == nil {
		d := r.draw(f)
		f.drawn = &d
	}
	return *f.drawn
}

func (r *Reading) draw(f *Flow) Drawn {
	nodes := slices.DeleteFunc(slices.Clone(f.Names), func(n string) bool { return f.groups[n] })
	d := Drawn{Named: map[int]bool{}, Nodes: len(nodes), Sure: f.sure}
	phase, next := map[string]int{}, f.next
	for _, name := range nodes {
		i, byID, ok := r.Node(f, name)
		for at, up := f.inside[name], 0; !ok && at != "" && up < maxNested; up++ {
			i, byID, ok = r.Node(f, at)
			at = f.inside[at]
		}
		if !ok {
			d.Others = append(d.Others, f.Shown(name))
			continue
		}
		phase[name], d.Named[i], d.ByID = i, true, d.ByID || byID
	}
	if len(f.groups) > 0 {
		next = r.withoutGroups(f, phase)
		for name := range f.groups {
			if i, ok := phase[name]; ok {
				d.Named[i] = true
			}
		}
	}
	d.Edges = follow(f.Names, phase, next)
	return d
}

// maxNested bounds groups in groups.
const maxNested = 16

// follow lists the edges between phases, through the nodes between them.
func follow(names []string, phase map[string]int, next map[string][]string) (edges [][2]int) {
	budget := 1 << 20 // steps through nodes that are no phases
	for _, name := range names {
		from, ok := phase[name]
		if !ok {
			continue
		}
		seen := map[string]bool{name: true}
		for open := slices.Clone(next[name]); len(open) > 0; open = open[1:] {
			to := open[0]
			i, ok := phase[to]
			switch {
			case seen[to]:
			case ok && i != from:
				edges = append(edges, [2]int{from, i})
			case budget > 0:
				budget -= len(next[to])
				open = append(open, next[to]...)
			}
			seen[to] = true
		}
	}
	return edges
}

// withoutGroups is the arrows of a chart with the nodes of a group in its place. A group that is a
// phase stays, and phase gets it.
func (r *Reading) withoutGroups(f *Flow, phase map[string]int) map[string][]string {
	members := map[string][]string{}
	for _, name := range f.Names {
		if f.groups[name] {
			if i, _, ok := r.Node(f, name); ok {
				phase[name] = i
			}
			continue
		}
		for at, up := f.inside[name], 0; at != "" && up < maxNested; up++ {
			members[at] = append(members[at], name)
			at = f.inside[at]
		}
	}
	nodes := func(name string) []string {
		if _, known := phase[name]; f.groups[name] && !known {
			return members[name]
		}
		return []string{name}
	}
	next := map[string][]string{}
	budget := 1 << 20
	for _, from := range f.Names {
		for _, to := range f.next[from] {
			for _, a := range nodes(from) {
				if budget -= len(nodes(to)); budget > 0 {
					next[a] = append(next[a], nodes(to)...)
				}
			}
		}
	}
	return next
}

// HasArrows reports whether a chart has an arrow.
func (f *Flow) HasArrows() bool { return len(f.next) > 0 }

// Shown is a node as a chart shows it.
func (f *Flow) Shown(name string) string {
	if label := f.Label[name]; label != "" {
		return label
	}
	return name
}

// Node is the phase that the label of a node names, by its id or by its name. The name of the node
// counts where its label has another wording, unless that is the name of another phase.
func (r *Reading) Node(f *Flow, name string) (i int, byID, ok bool) {
	n, known := f.nodes[name]
	if !known {
		n.phase, n.byID, n.ok = r.findNode(f, name)
		f.nodes[name] = n
	}
	return n.phase, n.byID, n.ok
}

func (r *Reading) findNode(f *Flow, name string) (i int, byID, ok bool) {
	label := f.Label[name]
	short, _, _ := strings.Cut(label, "<br")
	for _, text := range []string{label, short} {
		if i, byID, ok = r.nodeText(strings.TrimSpace(text), f.groups[name]); ok {
			return i, byID, true
		}
	}
	if i, byID, ok = r.nodeText(name, f.groups[name]); !ok || label == "" {
		return i, byID, ok
	}
	return i, byID, r.suits(label, name, i)
}

// nodeText is the phase that a text in a chart names. A group has to name it by the kind word of
// phases, because "Phase 1" around tasks is not task 1.
func (r *Reading) nodeText(text string, group bool) (i int, byID, ok bool) {
	if text == "" {
		return 0, false, false
	}
	if t := words.ReadTitle(text); t.Label != "" && r.ofKind(text) &&
		(!group || t.Kind == "" || r.hasKind(t.Kind)) {
		for _, id := range []string{words.Prefixed(t.Kind+" ", t.Label), t.Label} {
			if i, ok = r.Index().Find(id); ok {
				return i, true, true
			}
		}
	}
	if !r.ofKind(text) || group && plan.IsKind(text) {
		return 0, false, false
	}
	i, ok = r.Index().Find(text)
	return i, ok && words.NormalID(text) == words.NormalID(r.Units[i].Label), ok
}

func (r *Reading) hasKind(kind string) bool {
	for i := range r.Units {
		if r.Units[i].Title.Kind == kind {
			return true
		}
	}
	return false
}

// suits reports whether a node whose name is the id of phase i may stand for it under its label.
// The letters A, B and C are the names of nodes in most charts.
func (r *Reading) suits(label, name string, i int) bool {
	if r.Units[i].Name == "" || words.Alike(label, r.Units[i].Name) {
		return true
	}
	for k := range r.Units {
		if r.compared++; r.compared > mostCompared {
			break
		}
		if k != i && words.Alike(label, r.Units[k].Name) {
			return false
		}
	}
	return strings.ContainsAny(name, "0123456789")
}

// mostCompared bounds how often names are compared with names in a document.
const mostCompared = 1 << 17

// Resembling counts the phases that nodes of a chart resemble: each shares a word with the name of
// one of them.
func (r *Reading) Resembling(f *Flow) int {
	seen := map[int]bool{}
	for _, name := range f.Names {
		for i := range r.Units {
			if r.compared++; r.compared > mostCompared {
				return 0
			}
			if !seen[i] && r.Units[i].Name != "" && words.Alike(f.Shown(name), r.Units[i].Name) {
				seen[i] = true
				break
			}
		}
	}
	return len(seen)
}
