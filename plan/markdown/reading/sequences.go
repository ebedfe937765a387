package reading

import (
	"maps"
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/plan"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/words"
)

// Sequence is an order that a document writes in one line or list: the phases of a step wait for
// those of the step before.
type Sequence struct {
	Line  int
	Steps [][]int
	Weak  bool // a comma in it may as well begin another chain
}

// Arrow matches the arrows between the entries of a chain, those that point back in the second
// group.
var Arrow = lazyregexp.New(`\s*(?:([-=─━—–]*[>►▶](?:[>►▶])*|[→⇒➜➔⟶⮕])|(<[-=─━—–]+|[←⇐⟵]))\s*`)

// arrowSigns are the characters without which a text has no arrow.
const arrowSigns = ">►▶→⇒➜➔⟶⮕<←⇐⟵"

// HasArrow reports whether a text has an arrow. Most lines have no sign of one, and cost no match.
func HasArrow(text string) bool {
	return strings.ContainsAny(text, arrowSigns) && Arrow.MatchString(text)
}

// readSequences reads dependencies from chains and schedules, but only where nothing else states
// any, and only from those that name every phase: a chain of some phases says nothing about the
// others.
func (r *Reading) readSequences() {
	for i := range r.Units {
		if len(r.Units[i].Needs) > 0 {
			return
		}
	}
	drawn := r.sequencesOf()
	// by phase: what it waits for, and the line that says so
	needs := make([]map[int]int, len(r.Units))
	for _, s := range drawn {
		for k, layer := range s.Steps {
			for _, i := range layer {
				if needs[i] == nil {
					needs[i] = map[int]int{}
				}
				for _, before := range s.Steps[max(0, k-1)] {
					if k > 0 && before != i {
						needs[i][before] = s.Line
					}
				}
			}
		}
	}
	if slices.ContainsFunc(needs, func(m map[int]int) bool { return m == nil }) {
		return // a phase is named nowhere
	}
	for i := range r.Units {
		r.Units[i].Needs = []plan.Ref{r.waitsFor(needs[i], drawn[0].Line)}
	}
}

// waitsFor is a reference to some phases, at the line that says so, or at another one where there
// are none.
func (r *Reading) waitsFor(lines map[int]int, line int) plan.Ref {
	var labels []string
	for _, k := range slices.Sorted(maps.Keys(lines)) {
		labels, line = append(labels, r.Units[k].Label), lines[k]
	}
	if len(labels) == 0 {
		labels = []string{"none"}
	}
	return plan.Ref{Text: strings.Join(labels, ", "), Pos: plan.Pos{Line: line, Col: 1}}
}

// sequencesOf lists the sequences of a document: the lists that name every phase once, else the
// chains.
func (r *Reading) sequencesOf() []Sequence {
	if s, ok := r.findSchedule(); ok {
		return []Sequence{s}
	}
	return r.Chains()
}

// Chains finds the lines outside all sections, also in code blocks, that are phases joined by
// arrows.
func (r *Reading) Chains() []Sequence {
	if r.chainsRead {
		return r.chainList
	}
	d := r.Doc
	r.chainsRead = true
	for i := range d.Paragraphs {
		p := &d.Paragraphs[i]
		if !r.inPhase(p.Line) && !r.IsPhaseLine(p.Line) {
			r.chainList = append(r.chainList, r.chain(p.Line, p.Raw)...)
		}
	}
	for i := range d.CodeBlocks {
		f := &d.CodeBlocks[i]
		if f.IsMermaid() || IsDrawing(f) || isDot.MatchString(f.Text) || r.inPhase(f.Line) {
			continue
		}
		for n := f.From; n < f.End; n++ {
			r.chainList = append(r.chainList, r.chain(n, d.Line(n))...)
		}
	}
	return r.chainList
}

// inPhase reports whether a line belongs to a phase alone. What stands below a heading about order
// within the section of the last phase is about all of them.
func (r *Reading) inPhase(line int) bool {
	if !r.Covered[line] || !r.Doc.IsAboutOrder(line) {
		return r.Covered[line]
	}
	h := r.Doc.HeadingAbove(line)
	return h.Title.Label != "" || !words.ContainsAny(strings.ToLower(h.Text), words.Ordered...)
}

// then matches what goes on with a chain in words: "1 → 2. Then 3 / 4 in parallel".
var then = lazyregexp.New(`\s*[.,;]\s+(?:and )?[Tt]hen\s+`)

// chain reads "1 → 2 → 4, 1 → 3 → 4". A line with an entry that is no phase is no chain.
func (r *Reading) chain(line int, text string) []Sequence {
	text = Arrowed(text)
	if len(text) > words.MaxSentence || !words.ContainsAny(text, ">", "→", "►", "▶", "⇒", "➜", "➔",
		"⟶",
		"⮕", "<-", "<=", "←", "⇐", "⟵") {
		return nil
	}
	if text = inline.Plain(text); !HasArrow(text) {
		return nil
	}
	about := r.Doc.IsAboutOrder(line)
	if lead, rest, found := strings.Cut(strings.Replace(text, "：", ":", 1), ":"); found &&
		!HasArrow(lead) && len(r.layer(lead)) == 0 {
		if about, text = words.ContainsAny(strings.ToLower(lead), words.Ordered...), rest; !about {
			return nil // "Developer A: 1 → 3"
		}
	}
	text = then.ReplaceAllString(text, " → ")
	var all []Sequence
	for part := range strings.SplitSeq(text, ";") {
		chains, ok := r.entries(line, part)
		if !ok || !about && !words.NamesByKind(part) {
			return nil
		}
		all = append(all, chains...)
	}
	return all
}

// entries cuts a chain at its arrows. A comma before a phase that the chain already has begins
// another chain.
func (r *Reading) entries(line int, text string) (all []Sequence, ok bool) {
	now := Sequence{Line: line}
	seen := map[int]bool{}
	back := 0
	at := 0
	marks := Arrow.FindAllStringSubmatchIndex(text, -1)
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
		parts := words.SplitOutsideBrackets(entry)
		if fresh := r.layer(parts[len(parts)-1]); len(parts) > 1 && k > 0 && k < len(marks) &&
			len(fresh) > 0 && seen[fresh[0]] {
			now.Steps = append(now.Steps, r.layer(strings.Join(parts[:len(parts)-1], ",")))
			all = append(all, now)
			now, seen = Sequence{Line: line}, map[int]bool{}
			entry = parts[len(parts)-1]
		} else if len(parts) > 1 && k > 0 && k < len(marks) {
			now.Weak = true
		}
		layer := r.layer(entry)
		for _, i := range layer {
			ok = !seen[i]
			seen[i] = true
		}
		if len(layer) == 0 || !ok {
			return nil, false
		}
		now.Steps = append(now.Steps, layer)
	}
	all = append(all, now)
	if back > 0 {
		for i := range all {
			slices.Reverse(all[i].Steps)
		}
	}
	return all, len(marks) > 0 &&
		(back == 0 || back == len(marks) && (back == 1 || !strings.Contains(text, ","))) &&
		!slices.ContainsFunc(all, func(s Sequence) bool {
			return len(s.Steps) < 2 ||
				slices.ContainsFunc(s.Steps, func(l []int) bool { return len(l) == 0 })
		})
}

// ofKind reports whether the kind word that a text begins with, if any, can be that of a phase:
// where phases are tasks, "Batch 2" is none of them.
func (r *Reading) ofKind(text string) bool {
	kind, _ := plan.SplitKind(text)
	if kind == "" || kind == "user story" || kind == "phase" {
		return true
	}
	kinds := 0
	for i := range r.Units {
		if now := r.Units[i].Title.Kind; now == kind {
			return true
		} else if now != "" {
			kinds++
		}
		for _, alias := range r.Units[i].Aliases {
			if of, _ := plan.SplitKind(alias); of == kind {
				return true
			}
		}
	}
	return kinds == 0
}

// between are the marks that stand for "and" in a layer of a chain.
var between = strings.NewReplacer("∥", ",", "‖", ",", "||", ",", "|", ",", "[", "(", "]", ")", "{",
	"(", "}", ")")

// layer is the phases that an entry names, when it names nothing else: "2A", "(2 ∥ 3)", "Phase 2:
// API".
func (r *Reading) layer(text string) []int {
	text = strings.Trim(strings.TrimSpace(words.Bare(strings.Trim(inline.Plain(text), "` \t"))),
		".")
	if !r.ofKind(text) {
		return nil
	}
	if t := words.ReadTitle(text); t.Label != "" && t.Name != "" && !words.RefLike(t.Name) {
		if i, ok := r.Index().Find(words.Prefixed(t.Kind+" ", t.Label)); ok &&
			(t.Kind != "" || words.ShareWord(t.Name, r.Units[i].Name)) {
			return []int{i}
		}
	}
	text = between.Replace(text)
	if inner, found := strings.CutPrefix(text, "("); found && strings.HasSuffix(inner, ")") &&
		!strings.Contains(inner, "(") {
		text = strings.TrimSuffix(inner, ")")
	}
	if text == "" {
		return nil
	}
	if known, unknown, free := r.Index().Count(text); known == 0 || unknown > 0 || free {
		return nil
	}
	return r.Index().Mentions(text)
}
