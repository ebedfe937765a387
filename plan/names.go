package plan

import (
	"slices"
	"strings"

	"autobuild/internal/text"
)

// names finds phases by the labels that a document uses for them.
type names struct {
	phases []DraftPhase
	exact  map[string]int
	loose  map[string][]int // without leading zeros
	alias  map[string][]int
	tight  map[string][]int  // without the hyphen between letters and a number
	suffix map[string][]int  // what follows a hyphen of an id, with and without leading zeros
	stems  map[string][]int  // the leading number: "2" of 2A
	called map[string][]int  // whole names in lower case
	groups map[string][]int  // the phases below a heading with an id, such as "Epic 2"
	group  string            // the kind of the group that a list named last: "Epics 1 and 2"
	words  map[string]string // the kind words of phases, as they are written, in letters of ASCII
	hinted int
	within func(label string) (phase string, ok bool) // as in Draft
	// dependencies so far, to bound what ranges and "all" unfold to
	expanded int
}

func newNames(phases []DraftPhase) *names {
	n := &names{
		phases: phases, exact: map[string]int{}, loose: map[string][]int{},
		alias:  map[string][]int{},
		suffix: map[string][]int{}, tight: map[string][]int{}, stems: map[string][]int{},
		called: map[string][]int{}, words: map[string]string{}, groups: map[string][]int{},
	}
	for i, p := range phases {
		if p.ID == "" {
			continue
		}
		if _, known := n.words[p.Word]; !known && p.Word != "" {
			n.words[p.Word] = spelt(p.Word)
		}
		if _, taken := n.exact[p.ID]; taken {
			continue
		}
		n.exact[p.ID] = i
		if name := calling(p.Name); name != "" {
			add(n.called, name, i)
		}
		n.loose[unpad(p.ID)] = append(n.loose[unpad(p.ID)], i)
		if key := tight(p.ID); key != "" {
			n.tight[key] = append(n.tight[key], i)
		}
		if stem := stem(p.ID); stem != "" && !strings.Contains(p.ID, "-") {
			n.stems[stem] = append(n.stems[stem], i)
		}
		for rest := p.ID; ; {
			_, after, found := strings.Cut(rest, "-")
			if !found {
				break
			}
			rest = after
			add(n.suffix, rest, i)
			add(n.suffix, unpad(rest), i)
		}
		n.addAliases(i)
	}
	for key, hits := range n.groups {
		if len(hits) == len(phases) {
			delete(n.groups, key) // the title of the document
		}
	}
	return n
}

// addAliases adds the other names of phase i, and its groups.
func (n *names) addAliases(i int) {
	for _, alias := range n.phases[i].Aliases {
		if key, _ := aliasKey(alias); key != "" {
			add(n.alias, key, i)
		}
	}
	for _, label := range n.phases[i].Around {
		if key, kinded := aliasKey(label); kinded || codeLabel(label) {
			n.groups[key] = append(n.groups[key], i)
		}
	}
}

func add(index map[string][]int, key string, i int) {
	if !slices.Contains(index[key], i) {
		index[key] = append(index[key], i)
	}
}

// find lists the phases that a label can mean: one is an answer, several an ambiguity, none
// unknown. An id that no phase has may be that of a task.
func (n *names) find(label string) []int {
	if hits := n.ownLabel(label); len(hits) > 0 {
		return hits
	}
	return n.ofTask(label)
}

// ofTask finds the phase whose section has a task with that id.
func (n *names) ofTask(label string) []int {
	if n == nil || n.within == nil {
		return nil
	}
	phase, ok := n.within(label)
	if !ok {
		return nil
	}
	return n.ownLabel(phase)
}

// isTask reports whether a label means a phase only by the id of a task.
func (n *names) isTask(label string) bool {
	return n.within != nil && len(n.ownLabel(label)) == 0 && len(n.ofTask(label)) > 0
}

// ownLabel lists the phases that have a label themselves. The first way of reading the label that
// finds anything decides.
func (n *names) ownLabel(label string) []int {
	id, err := NormalID(label)
	if err != nil {
		return n.called[calling(label)]
	}
	key, kinded := aliasKey(label)
	if hits := n.alias[key]; kinded && len(hits) > 0 {
		return hits
	}
	if i, ok := n.exact[id]; ok {
		return []int{i}
	}
	for _, hits := range [][]int{
		n.alias[key], n.loose[unpad(id)], n.suffix[id], n.suffix[unpad(id)],
		n.called[calling(label)], n.tight[tight(id)],
	} {
		if len(hits) > 0 {
			return hits
		}
	}
	return n.short(label)
}

// calling is a name as sentences use it: "Backend" for "the Backend phase".
func calling(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(name, "the "), " phase"))
}

// calledBy finds the one phase whose name a text is, behind words without meaning and before words
// for "done". A name of one word has to be written as the phase writes it, or with the word
// "phase".
func (n *names) calledBy(text string) (hit int, ok bool) {
	words := strings.Fields(strings.Trim(text, " .,:;\"'`*“”"))
	for len(words) > 1 && known(strings.ToLower(words[len(words)-1])) &&
		len(n.called[calling(strings.Join(words, " "))]) == 0 {
		words = words[:len(words)-1]
	}
	for from := range words {
		name := strings.Trim(strings.Join(words[from:], " "), "\"'`*“”")
		if hits := n.called[calling(name)]; len(hits) == 1 {
			written := strings.Contains(n.phases[hits[0]].Name, name)
			return hits[0], written || len(words)-from > 1
		}
		if !known(strings.ToLower(words[from])) {
			return 0, false
		}
	}
	return 0, false
}

// aliasKey keeps the kind word of a label, because "User Story 1" may be another phase than "Phase
// 1".
func aliasKey(label string) (key string, kinded bool) {
	kind, core := SplitKind(label)
	id, err := NormalID(core)
	if err != nil {
		return "", false
	}
	return kind + "/" + id, kind != ""
}

// grouped lists the phases below the heading that a label names: those of "Epic 2", or of "Epics
// 1-3". A kind word that phases have names a phase.
func (n *names) grouped(label string) (hits []int) {
	kind, core := SplitKind(label)
	if kind == "" || len(n.groups) == 0 || n.ofKind(kind) {
		return nil
	}
	if key, _ := aliasKey(label); len(n.groups[key]) > 0 {
		n.group = kind
		return n.groups[key]
	}
	for _, dash := range rangeMarks {
		from, to, found := strings.Cut(core, dash)
		if !found {
			continue
		}
		first, _ := aliasKey(kind + " " + from)
		last, _ := aliasKey(kind + " " + withoutKind(to))
		if first, last := n.groups[first], n.groups[last]; len(first) > 0 && len(last) > 0 {
			for i := first[0]; i <= last[len(last)-1]; i++ {
				hits = append(hits, i)
			}
			return hits
		}
	}
	return nil
}

// groupedByCode lists the phases below the heading whose code a label is: those of "## M0 Watch".
func (n *names) groupedByCode(label string) []int {
	if key, kinded := aliasKey(label); !kinded && codeLabel(label) {
		return n.groups[key]
	}
	return nil
}

// codeLabel reports whether a label is letters and a number, "M0".
func codeLabel(label string) bool {
	number := strings.TrimLeft(strings.ToLower(strings.TrimSpace(label)), "abcdefghijklmnopqrstuvwxyz")
	return len(number) < len(strings.TrimSpace(label)) && bareNumber(number)
}

// withoutKind is a label without its kind word.
func withoutKind(label string) string {
	_, core := SplitKind(strings.TrimSpace(label))
	return core
}

// ofKind reports whether the document writes a kind word before the ids of its phases.
func (n *names) ofKind(kind string) bool {
	for word := range n.words {
		if of, _ := SplitKind(word + " 1"); of == kind {
			return true
		}
	}
	return false
}

// one is find for callers that need exactly one phase.
func (n *names) one(label string) (int, bool) {
	hits := n.find(label)
	if len(hits) != 1 {
		return 0, false
	}
	return hits[0], true
}

// span finds the phases of a range, end points included, in document order. An end point that is no
// phase stands for the phases that begin with its number: 0–1 covers 1A. left counts phases that
// the upper end might have been meant to cover, such as 4.1 in 1–4.
func (n *names) span(from, to string) (hits []int, left []int, ok bool) {
	if n.isTask(from) && n.isTask(to) {
		first, last := n.ofTask(from)[0], n.ofTask(to)[0]
		for i := first; i <= last; i++ {
			hits = append(hits, i)
		}
		return hits, nil, len(hits) > 0
	}
	first, _, ok := n.endpoint(from, false)
	if !ok {
		return nil, nil, false
	}
	if kind, _ := SplitKind(from); kind != "" {
		first, _, _ := strings.Cut(strings.TrimSpace(to), " ")
		if other, _ := SplitKind(to); other == "" && len(n.alias[kind+"/"+unpad(first)]) == 1 {
			to = kind + " " + first // "User Stories 1-4"
		}
	}
	last, exact, ok := n.endpoint(to, true)
	family := n.byStem(to)
	if !ok || last < first || (!exact && slices.Contains(family, first)) {
		return nil, nil, false
	}
	for i := first; i <= last; i++ {
		hits = append(hits, i)
	}
	if !exact {
		return hits, nil, true
	}
	upper := n.phases[last].ID
	for _, i := range family {
		rest, child := strings.CutPrefix(n.phases[i].ID, upper)
		switch {
		case i <= last || !child || rest == "":
		case letter(rest[0]):
			hits = append(hits, i)
		default:
			left = append(left, i)
		}
	}
	return hits, left, true
}

// endpoint finds one end of a range: the phase of that id, else the first or last of those that
// begin with its number, else the one that it abbreviates.
func (n *names) endpoint(label string, upper bool) (at int, exact, ok bool) {
	id, err := NormalID(label)
	if err != nil {
		return 0, false, false
	}
	if key, kinded := aliasKey(label); kinded && len(n.alias[key]) == 1 {
		return n.alias[key][0], true, true
	}
	if i, known := n.exact[id]; known {
		return i, true, true
	}
	if hits := n.loose[unpad(id)]; len(hits) == 1 {
		return hits[0], true, true
	}
	if family := n.byStem(label); len(family) > 0 {
		if upper {
			return family[len(family)-1], false, true
		}
		return family[0], false, true
	}
	at, ok = n.one(label)
	return at, true, ok
}

func (n *names) byStem(label string) []int {
	id, err := NormalID(label)
	_, core := SplitKind(label)
	if err != nil || stem(id) == "" || strings.Contains(strings.TrimSpace(core), " ") {
		return nil // "3 days"
	}
	return n.stems[stem(id)]
}

// near lists labels that a mistyped one may have meant, best first.
func (n *names) near(label string) []string {
	const most, hints = 3, 20
	id, err := NormalID(label)
	if err != nil || n.hinted >= hints {
		return nil
	}
	n.hinted++
	type candidate struct{ distance, at int }
	var found []candidate
	for i, p := range n.phases {
		d := text.Distance(id, p.ID, 2)
		if s := stem(id); s != "" && s == stem(p.ID) {
			d = min(d, 1)
		}
		if d < min(3, len(id)/2) || (d == 1 && stem(id) == stem(p.ID)) {
			found = append(found, candidate{d, i})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return a.distance - b.distance })
	var labels []string
	for _, c := range found[:min(most, len(found))] {
		labels = append(labels, n.phases[c.at].Label)
	}
	return labels
}

// tight is an id of letters and a number without the hyphen between them, because "US-1" and "US1"
// mean the same phase; "" for any other id.
func tight(id string) string {
	letters := 0
	for letters < len(id) && letter(id[letters]) {
		letters++
	}
	number := strings.TrimPrefix(id[letters:], "-")
	if letters < 2 || number == "" || strings.Trim(number, "0123456789") != "" {
		return ""
	}
	return id[:letters] + unpad(number)
}

// unpad drops the leading zeros of every number in an id.
func unpad(id string) string {
	var b strings.Builder
	for i := 0; i < len(id); {
		end := i
		for end < len(id) && digit(id[end]) {
			end++
		}
		if end == i {
			b.WriteByte(id[i])
			i++
			continue
		}
		for i < end-1 && id[i] == '0' {
			i++
		}
		b.WriteString(id[i:end])
		i = end
	}
	return b.String()
}

// stem is the number that an id begins with, without leading zeros.
func stem(id string) string {
	end := 0
	for end < len(id) && digit(id[end]) {
		end++
	}
	if end == 0 {
		return ""
	}
	if trimmed := strings.TrimLeft(id[:end], "0"); trimmed != "" {
		return trimmed
	}
	return "0"
}
