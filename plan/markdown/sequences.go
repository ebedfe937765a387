package markdown

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"autobuild/plan"
)

// sequence is an order that a document writes in one line or list: layers of phases, each of which
// waits for the one before it.
type sequence struct {
	line     int
	layers   [][]int
	doubtful bool // a comma in it may as well begin another chain
}

// arrow matches the arrows between the entries of a chain, those that point back in the second
// group.
var arrow = regexp.MustCompile(`\s*(?:([-=─━—–]*[>►▶](?:[>►▶])*|[→⇒➜➔⟶⮕])|(<[-=─━—–]+|[←⇐⟵]))\s*`)

// arrowSigns are the characters without which a text has no arrow.
const arrowSigns = ">►▶→⇒➜➔⟶⮕<←⇐⟵"

// hasArrow reports whether a text has an arrow. Most lines have no sign of one, and cost no match.
func hasArrow(text string) bool {
	return strings.ContainsAny(text, arrowSigns) && arrow.MatchString(text)
}

// sequences reads dependencies from chains and from lists of what runs when, but only where nothing
// else states any, and only those that name every phase: a chain of some phases is a path, and says
// nothing of the others.
func (r *reading) sequences() {
	for i := range r.units {
		if len(r.units[i].Needs) > 0 {
			return
		}
	}
	drawn := r.drawn()
	// by phase: what it waits for, and the line that says so
	needs := make([]map[int]int, len(r.units))
	for _, s := range drawn {
		for k, layer := range s.layers {
			for _, i := range layer {
				if needs[i] == nil {
					needs[i] = map[int]int{}
				}
				for _, before := range s.layers[max(0, k-1)] {
					if k > 0 && before != i {
						needs[i][before] = s.line
					}
				}
			}
		}
	}
	if slices.ContainsFunc(needs, func(m map[int]int) bool { return m == nil }) {
		return // a phase is named nowhere
	}
	for i := range r.units {
		r.units[i].Needs = []plan.Ref{r.waits(needs[i], drawn[0].line)}
	}
}

// waits is a reference to some phases, at the line that says so, or at another one where there are
// none.
func (r *reading) waits(lines map[int]int, line int) plan.Ref {
	var labels []string
	for _, k := range slices.Sorted(maps.Keys(lines)) {
		labels, line = append(labels, r.units[k].Label), lines[k]
	}
	if len(labels) == 0 {
		labels = []string{"none"}
	}
	return plan.Ref{Text: strings.Join(labels, ", "), Pos: plan.Pos{Line: line, Col: 1}}
}

// drawn lists the sequences of a document: the lists that name every phase once, else the chains.
func (r *reading) drawn() []sequence {
	if s, ok := r.schedule(); ok {
		return []sequence{s}
	}
	return r.chains()
}

// chains finds the lines outside all sections, also in code blocks, that are phases joined by
// arrows.
func (r *reading) chains() []sequence {
	if r.chainsRead {
		return r.chainList
	}
	d := r.doc
	r.chainsRead = true
	for i := range d.paras {
		p := &d.paras[i]
		if !r.covered[p.line] && !r.ownLine(p.line) {
			r.chainList = append(r.chainList, r.chain(p.line, p.raw)...)
		}
	}
	for i := range d.fences {
		f := &d.fences[i]
		if f.info == "mermaid" || r.covered[f.line] || isDrawing(f.text) {
			continue
		}
		for n := f.from; n < f.end; n++ {
			r.chainList = append(r.chainList, r.chain(n, d.line(n))...)
		}
	}
	return r.chainList
}

// chain reads "1 → 2 → 4, 1 → 3 → 4". Nothing is read of a line of which an entry is no phase.
func (r *reading) chain(line int, text string) []sequence {
	if len(text) > mostSaid || !hasAny(text, ">", "→", "►", "▶", "⇒", "➜", "➔", "⟶", "⮕", "<-", "<=", "←", "⇐", "⟵") {
		return nil
	}
	if text = plain(text); !hasArrow(text) {
		return nil
	}
	about := r.doc.orderly(line)
	if lead, rest, found := strings.Cut(text, ":"); found && !hasArrow(lead) && len(r.layer(lead)) == 0 {
		if about, text = hasAny(strings.ToLower(lead), ordered...), rest; !about {
			return nil // "Developer A: 1 → 3"
		}
	}
	var all []sequence
	for part := range strings.SplitSeq(text, ";") {
		chains, ok := r.entries(line, part)
		if !ok || !about && !byKind(part) {
			return nil
		}
		all = append(all, chains...)
	}
	return all
}

// entries cuts a chain at its arrows. A comma before a phase that the chain already has begins
// another chain.
func (r *reading) entries(line int, text string) (all []sequence, ok bool) {
	now := sequence{line: line}
	seen := map[int]bool{}
	back := 0
	at := 0
	marks := arrow.FindAllStringSubmatchIndex(text, -1)
	for k := 0; k <= len(marks); k++ {
		end, next := len(text), len(text)
		if k < len(marks) {
			end, next = marks[k][0], marks[k][1]
			if marks[k][4] >= 0 {
				back++
			}
		}
		entry := text[at:end]
		at = next
		parts := splitOutside(entry)
		if fresh := r.layer(parts[len(parts)-1]); len(parts) > 1 && k > 0 && k < len(marks) && len(fresh) > 0 && seen[fresh[0]] {
			now.layers = append(now.layers, r.layer(strings.Join(parts[:len(parts)-1], ",")))
			all = append(all, now)
			now, seen = sequence{line: line}, map[int]bool{}
			entry = parts[len(parts)-1]
		} else if len(parts) > 1 && k > 0 && k < len(marks) {
			now.doubtful = true
		}
		layer := r.layer(entry)
		for _, i := range layer {
			ok = !seen[i]
			seen[i] = true
		}
		if len(layer) == 0 || !ok {
			return nil, false
		}
		now.layers = append(now.layers, layer)
	}
	all = append(all, now)
	if back > 0 {
		for i := range all {
			slices.Reverse(all[i].layers)
		}
	}
	return all, len(marks) > 0 && (back == 0 || back == len(marks) && !strings.Contains(text, ",")) && !slices.ContainsFunc(all, func(s sequence) bool {
		return len(s.layers) < 2 || slices.ContainsFunc(s.layers, func(l []int) bool { return len(l) == 0 })
	})
}

// ofKind reports whether the kind word that a text begins with, if any, can be that of a phase:
// where phases are tasks, "Batch 2" is none of them.
func (r *reading) ofKind(text string) bool {
	kind, _ := plan.SplitKind(text)
	if kind == "" || kind == "user story" || kind == "phase" {
		return true
	}
	kinds := 0
	for i := range r.units {
		if now := r.units[i].title.kind; now == kind {
			return true
		} else if now != "" {
			kinds++
		}
		for _, alias := range r.units[i].Aliases {
			if of, _ := plan.SplitKind(alias); of == kind {
				return true
			}
		}
	}
	return kinds == 0
}

// between are the marks that stand for "and" in a layer of a chain.
var between = strings.NewReplacer("∥", ",", "‖", ",", "||", ",", "|", ",", "[", "(", "]", ")", "{", "(", "}", ")")

// layer is the phases that an entry names, when it names nothing else: "2A", "(2 ∥ 3)", "Phase 2:
// API".
func (r *reading) layer(text string) []int {
	text = strings.Trim(strings.TrimSpace(bare(strings.Trim(plain(text), "` \t"))), ".")
	if !r.ofKind(text) {
		return nil
	}
	if t := readTitle(text); t.label != "" && t.name != "" {
		if i, ok := r.index().Find(prefixed(t.kind+" ", t.label)); ok && (t.kind != "" || overlap(t.name, r.units[i].Name)) {
			return []int{i}
		}
	}
	text = between.Replace(text)
	if inner, found := strings.CutPrefix(text, "("); found && strings.HasSuffix(inner, ")") && !strings.Contains(inner, "(") {
		text = strings.TrimSuffix(inner, ")")
	}
	if text == "" {
		return nil
	}
	if known, unknown, free := r.index().Count(text); known == 0 || unknown > 0 || free {
		return nil
	}
	return r.index().Mentions(text)
}

// schedule finds the list below a heading about order that names each phase in exactly one entry,
// and says by its numbers which comes first: "1. Phase 1", "2. Phases 2 and 3 in parallel", or "-
// Wave 2: Phase 2, Phase 3".
func (r *reading) schedule() (sequence, bool) {
	d := r.doc
	for i := range d.tables {
		if s, ok := r.timetable(&d.tables[i]); ok {
			return s, true
		}
	}
	var s sequence
	seen := map[int]bool{}
	for i := range d.items {
		it := &d.items[i]
		if it.depth > 0 || it.quoted || r.covered[it.line] || r.owned[i] || !d.orderly(it.line) {
			continue
		}
		layer := r.entry(it)
		if len(layer) == 0 {
			continue
		}
		if s.line == 0 || d.above(s.line).line != d.above(it.line).line {
			s, seen = sequence{line: it.line}, map[int]bool{}
		}
		for _, k := range layer {
			if seen[k] {
				return sequence{}, false
			}
			seen[k] = true
		}
		if s.layers = append(s.layers, layer); len(seen) == len(r.units) {
			return s, len(s.layers) > 1
		}
	}
	return sequence{}, false
}

// timetable reads a table of what runs when, "| Batch | Phases |": one of its columns names each
// phase in exactly one row.
func (r *reading) timetable(t *table) (sequence, bool) {
	if r.covered[t.line] || !r.doc.orderly(t.line) && !among(rounds, headWords(t.header[0].raw)) {
		return sequence{}, false
	}
	for column := 1; column < len(t.header); column++ {
		s := sequence{line: t.line}
		seen := map[int]bool{}
		for _, row := range t.rows {
			layer := r.layer(turns.ReplaceAllString(cellList(row.at(column).raw), ""))
			for _, i := range layer {
				if seen[i] {
					layer = nil
				}
				seen[i] = true
			}
			if s.layers = append(s.layers, layer); len(layer) == 0 {
				break
			}
		}
		if len(seen) == len(r.units) && len(s.layers) > 1 && len(s.layers[len(s.layers)-1]) > 0 {
			return s, true
		}
	}
	return sequence{}, false
}

// rounds head the column of a table that says what runs when.
var rounds = []string{"wave", "batch", "round", "order", "parallel group", "execution order", "week", "sprint", "iteration"}

// turns are words of an entry of a schedule that name no phase.
var turns = regexp.MustCompile(`(?i)\b(?:(?:can )?(?:run |be done )?in parallel|concurrently|simultaneously|at the same time|together|first|then|next|finally|last|start with|do)\b[,:]?`)

// entry is the phases of one entry of a schedule. A list that only names phases has to be numbered.
func (r *reading) entry(it *item) []int {
	text := plain(it.raw)
	kind, _ := plan.SplitKind(text)
	lead, rest, found := strings.Cut(text, ":")
	if found && kind != "" && len(r.layer(lead)) == 0 {
		return r.layer(turns.ReplaceAllString(rest, ""))
	}
	if it.number == "" {
		return nil
	}
	if layer := r.layer(turns.ReplaceAllString(text, "")); len(layer) > 0 {
		return layer
	}
	return r.layer(turns.ReplaceAllString(firstClause(text), ""))
}
