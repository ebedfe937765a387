package plan

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// names finds phases by what documents call them.
type names struct {
	phases   []DraftPhase
	exact    map[string]int   // by id
	loose    map[string][]int // ids and aliases without the zeros that fill up numbers
	suffix   map[string][]int // ends of ids that begin at a hyphen or a number
	groups   map[string][]int // headings around phases, and aliases with a kind: "epic 2"
	members  map[string][]int // phases with such a heading or alias, by its kind
	called   map[string][]int // by name, in lower case
	begun    map[string][]int // by the first word of the name
	kinds    map[string]bool  // of the phases
	families map[string]bool  // ids without their last number
	tasks    map[string]int   // as in Draft
	short    bool             // "P1" may be phase 1
	strict   bool             // "step 1" is not phase 1
}

func newNames(phases []DraftPhase, tasks map[string]int) *names {
	n := &names{
		phases: phases, exact: map[string]int{}, loose: map[string][]int{},
		suffix: map[string][]int{},
		groups: map[string][]int{}, members: map[string][]int{}, called: map[string][]int{},
		begun: map[string][]int{},
		kinds: map[string]bool{}, families: map[string]bool{}, tasks: tasks,
	}
	add := func(m map[string][]int, key string, i int) {
		if key != "" && !slices.Contains(m[key], i) {
			m[key] = append(m[key], i)
		}
	}
	for i := range phases {
		p := &phases[i]
		if p.ID == "" {
			continue
		}
		if _, taken := n.exact[p.ID]; !taken {
			n.exact[p.ID] = i
		}
		add(n.loose, unpad(p.ID), i)
		for _, end := range suffixes(p.ID) {
			add(n.suffix, unpad(end), i)
		}
		for _, alias := range slices.Concat(p.Aliases, p.Around) {
			kind, core := SplitKind(alias)
			id, err := NormalID(core)
			switch {
			case err != nil:
			case kind != "":
				add(n.groups, kind+" "+unpad(id), i)
				add(n.members, kind, i)
			default:
				add(n.loose, unpad(id), i)
			}
		}
		add(n.called, calling(p.Name), i)
		first, _, _ := strings.Cut(calling(p.Name), " ")
		add(n.begun, first, i)
		if before, _, found := strings.Cut(p.Name, "("); found {
			add(n.called, calling(before), i)
		}
		n.kinds[p.Kind] = true
		n.families[family(p.ID)] = true
	}
	return n
}

// calling is a name as it is compared.
func calling(name string) string {
	return strings.ToLower(strings.Join(strings.FieldsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '&' && r != '/' && r != '-'
	}), " "))
}

// unpad takes the zeros off the front of every number: "e-02.10" is "e-2.10".
func unpad(id string) string {
	if !strings.Contains(id, "0") {
		return id
	}
	var b strings.Builder
	for i := range len(id) {
		if id[i] == '0' && (i == 0 || !digit(id[i-1])) && i+1 < len(id) && digit(id[i+1]) {
			continue
		}
		if id[i] == '0' && i > 0 && id[i-1] == '0' && zeros(id[:i]) && i+1 < len(id) &&
			digit(id[i+1]) {
			continue
		}
		b.WriteByte(id[i])
	}
	return b.String()
}

// zeros reports whether the number that a text ends with is nothing but zeros.
func zeros(s string) bool {
	rest := strings.TrimRight(s, "0")
	return rest == "" || !digit(rest[len(rest)-1])
}

// suffixes are the short forms of an id. One of nothing but numbers has none, unless it is that of
// a code: "001" is task-fb-001, "1" is not 9-3-1.
func suffixes(id string) (all []string) {
	coded := letter(id[0])
	for i := 1; i < len(id); i++ {
		end := id[i:]
		if !coded && !strings.ContainsFunc(end, unicode.IsLetter) {
			break
		}
		if id[i-1] == '-' || coded && digit(id[i]) && letter(id[i-1]) {
			all = append(all, end)
		}
	}
	return all
}

// family is an id without its last number, and what stands behind that: "t-" for "t-72", "" for
// "7" and "2a".
func family(id string) string {
	end := strings.LastIndexAny(id, "0123456789") + 1
	return strings.TrimRight(id[:end], "0123456789")
}

// find lists the phases that a label names: one, those of a group, or none. Two of which one alone
// can be meant are ambiguous.
func (n *names) find(label string) (hits []int, ambiguous bool) {
	const longest = 80 // bytes
	label = strings.Trim(label, " `\"'*_.:,;!")
	if label == "" || len(label) > longest {
		return nil, false
	}
	kind, core := SplitKind(label)
	if word, rest, ok := strings.Cut(label, " "); ok && kind == "" && n.kinds[strings.ToLower(word)] {
		kind, core = strings.ToLower(word), rest // a word that is not known
	}
	core = strings.TrimPrefix(core, "#")
	id, err := NormalID(core)
	if err != nil {
		return nil, false
	}
	short := unpad(id)
	if kind != "" && !n.kinds[kind] {
		if hits = n.groups[kind+" "+short]; hits != nil {
			return hits, false
		}
	}
	if i, ok := n.exact[id]; ok {
		return []int{i}, false
	}
	if hits = n.loose[short]; hits != nil {
		return hits, len(hits) > 1
	}
	if hits = n.abbreviated(short); n.short && hits != nil {
		return hits, len(hits) > 1
	}
	if hits = n.suffix[short]; hits != nil {
		return hits, len(hits) > 1
	}
	if i, ok := n.tasks[id]; ok && i >= 0 {
		return []int{i}, false
	}
	if hits = n.groups[kind+" "+short]; hits != nil {
		return hits, false
	}
	if hits = n.called[calling(label)]; len(hits) == 1 {
		return hits, false
	}
	return nil, false
}

// abbreviated finds phases by the first letters of their kind: "p1" for phase 1, "tg2" for task
// group 2.
func (n *names) abbreviated(id string) (hits []int) {
	number := strings.TrimLeft(id, "abcdefghijklmnopqrstuvwxyz")
	letters := id[:len(id)-len(number)]
	if number = strings.TrimLeft(number, "-."); letters == "" || number == "" {
		return nil
	}
	for _, i := range n.loose[number] {
		kind := n.phases[i].Kind
		if kind != "" && (letters == initials(kind) || len(letters) > 1 &&
			strings.HasPrefix(kind, letters)) {
			hits = append(hits, i)
		}
	}
	return hits
}

// initials are the first letters of the words of a kind.
func initials(kind string) string {
	letters := ""
	for word := range strings.FieldsSeq(kind) {
		letters += word[:1]
	}
	return letters
}

// rangeMarks stand between the ends of a range, beside the words.
var rangeMarks = []string{"..", "…", "–", "—", "~", "〜", "～", "-"}

// span lists the phases of a range: "1-4", "US1 to US5", "TASK-037-046", "3+". left are parts of
// its upper end, which are not in it.
func (n *names) span(text string) (hits, left []int, ok bool) {
	const longest = 80 // bytes
	if len(text) > longest {
		return nil, nil, false
	}
	if open, found := strings.CutSuffix(text, "+"); found {
		return n.between(open, "")
	}
	if at, size := FindWord("later", strings.ToLower(text)); at > 0 && at+size == len(text) {
		return n.between(strings.TrimSpace(text[:at]), "")
	}
	lower := strings.ToLower(text)
	if at, size := FindWord("to", lower); at > 0 && len(lower) == len(text) {
		if hits, left, ok = n.between(text[:at], text[at+size:]); ok {
			return hits, left, true
		}
	}
	for _, dash := range rangeMarks {
		for at := 0; ; {
			k := strings.Index(text[at:], dash)
			if k < 0 {
				break
			}
			at += k
			if hits, left, ok = n.between(text[:at], strings.TrimLeft(text[at+len(dash):], ".")); ok {
				return hits, left, true
			}
			at += len(dash)
		}
	}
	return nil, nil, false
}

// between lists the phases from one to another; an empty end is that of the plan.
func (n *names) between(from, to string) (hits, left []int, ok bool) {
	first, last := endpoint(from), endpoint(to)
	if first.id == "" || to != "" && last.id == "" {
		return nil, nil, false
	}
	switch {
	case to == "":
		last = first
		last.n = maxEdges
	case last.prefix == "":
		last.prefix = first.prefix // "TASK-037-046"
	}
	if first.plain && last.plain && first.prefix == last.prefix {
		kind, _ := SplitKind(strings.TrimSpace(from))
		if !n.kinds[kind] && n.members[kind] != nil { // "user stories 1-3"
			for k := first.n; k <= min(last.n, first.n+len(n.phases)); k++ {
				hits = append(hits, n.groups[kind+" "+first.prefix+strconv.Itoa(k)]...)
			}
			return hits, nil, len(hits) > 0
		}
		if hits, left, ok = n.counted(first, last); ok {
			return hits, left, true
		}
	}
	a, _ := n.find(from)
	b, _ := n.find(to)
	if to == "" {
		b = []int{len(n.phases) - 1}
	}
	if len(a) != 1 || len(b) != 1 || a[0] >= b[0] {
		return nil, nil, false
	}
	for i := a[0]; i <= b[0]; i++ {
		hits = append(hits, i)
	}
	return hits, nil, true
}

// counted lists the phases whose numbers lie between two: those with letters behind them, too. Parts
// of the last are left out.
func (n *names) counted(first, last end) (hits, left []int, ok bool) {
	low, high := false, last.n == maxEdges
	for i := range n.phases {
		rest, ok := strings.CutPrefix(n.phases[i].ID, first.prefix)
		number, err := strconv.Atoi(leadingID(rest))
		if !ok || err != nil || number < first.n || number > last.n {
			continue
		}
		tail := rest[len(leadingID(rest)):]
		if tail != "" && tail[0] != '.' && (!letter(tail[0]) || len(tail) > 1) {
			continue
		}
		low, high = low || number == first.n, high || number == last.n
		if number == last.n && strings.HasPrefix(tail, ".") {
			left = append(left, i)
		} else {
			hits = append(hits, i)
		}
	}
	return hits, left, low && high && len(hits) > 0
}

// end is an end of a range.
type end struct {
	id, prefix string
	n          int
	plain      bool // nothing stands behind its number
}

func endpoint(label string) end {
	_, core := SplitKind(strings.Trim(label, " `*"))
	id, err := NormalID(core)
	if err != nil || strings.ContainsAny(strings.TrimSpace(core), " ") {
		return end{}
	}
	number := id[len(strings.TrimRight(id, "0123456789")):]
	n, err := strconv.Atoi(number)
	return end{id: id, prefix: id[:len(id)-len(number)], n: n, plain: err == nil}
}

// leadingID is the number that an id begins with.
func leadingID(id string) string { return id[:len(id)-len(strings.TrimLeft(id, "0123456789"))] }

// Names finds the phases of a draft by what a document calls them, while it is still being read.
// Readers need it to distinguish "Prerequisites: Phase 1" from "Prerequisites: Node 20".
type Names struct{ r resolver }

// NewNames makes the Names of phases, and gives those an ID that have none. tasks is as in Draft.
func NewNames(phases []DraftPhase, tasks map[string]int) *Names {
	for i := range phases {
		if phases[i].ID == "" {
			phases[i].ID, _ = NormalID(phases[i].Label) // New reports a bad one
		}
	}
	return &Names{resolver{names: newNames(phases, tasks), draft: &Draft{}}}
}

// Find is the position of the phase that a label names, when it names exactly one.
func (n *Names) Find(label string) (int, bool) {
	hits, _ := n.r.find(label)
	if len(hits) == 0 {
		hits = n.r.calledBy(label)
	}
	if len(hits) != 1 {
		return 0, false
	}
	return hits[0], true
}

// Mentions lists the positions of the phases that a text names, as a list or within a sentence,
// ascending.
func (n *Names) Mentions(s string) []int { return n.r.mentions(s) }

// Certain lists the positions of the phases that a sentence names beyond doubt: by a kind word and an
// ordinal, or by a code.
func (n *Names) Certain(s string) []int {
	n.r.strict = true
	defer func() { n.r.strict = false }()
	var hits []int
	joined := false // a reference stands before the entry
	for _, e := range splitList(narrow(s)) {
		found := n.r.scan("… "+e.text, false).hits
		first, _, _ := strings.Cut(e.text, " ")
		if len(found) == 0 && joined && (bareNumber(first) || len(first) == 1) {
			found, _ = n.r.find(first) // "phases 1 and 2"
		}
		joined = len(found) > 0
		hits = append(hits, found...)
		if e.notes != "" {
			hits = append(hits, n.r.scan("… "+e.notes, false).hits...)
		}
	}
	return unique(hits)
}

// Named reports whether an entry of a list is the name of another phase than self.
func (n *Names) Named(list string, self int) bool {
	for _, e := range splitList(narrow(list)) {
		if i, found := n.Find(e.text); found && i != self {
			return true
		}
	}
	return false
}

// Drawn lists the phases whose names or ids stand in the line of a drawing, in its order.
func (n *Names) Drawn(line string) []int {
	var hits []int
	n.r.short = true
	defer func() { n.r.short = false }()
	for part := range strings.FieldsFuncSeq(narrow(line), func(c rune) bool {
		return strings.ContainsRune("→⟶⇒←─│├└┌┐┘┬┴┼▶▼▲↓↑∥⟵[](){}|<>=:;,&+*\"", c)
	}) {
		part = strings.Trim(part, "- .~`'/")
		found, _ := n.r.find(part)
		if len(found) != 1 {
			found = n.r.scan(part, true).hits
		}
		if len(found) == 1 {
			hits = append(hits, found[0])
		}
	}
	return hits
}

// Says reports whether a list of dependencies of phase self has a meaning: none, all, or a phase.
func (n *Names) Says(self int, list string) bool {
	n.r.found, n.r.expanded = nil, 0
	return n.r.resolve(self, []Ref{{Text: list, Weak: true}}, dependsOn).said
}
