package reading

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/words"
)

// findSchedule finds the list below a heading about order that names each phase in exactly one
// entry, and says by its numbers which comes first: "1. Phase 1", "2. Phases 2 and 3 in parallel",
// or "- Wave 2: Phase 2, Phase 3".
func (r *Reading) findSchedule() (Sequence, bool) {
	d := r.Doc
	for _, s := range r.OrderColumns() {
		if total := 0; len(s.Steps) > 1 {
			for _, step := range s.Steps {
				total += len(step)
			}
			if total == len(r.Units) {
				return s, true
			}
		}
	}
	for i := range d.Tables {
		if s, ok := r.readTimetable(&d.Tables[i]); ok {
			return s, true
		}
	}
	var s Sequence
	seen := map[int]bool{}
	for i := range d.Items {
		it := &d.Items[i]
		if it.Depth > 0 || it.Quoted || r.Covered[it.Line] || r.owned[i] ||
			!d.IsAboutOrder(it.Line) {
			continue
		}
		layer := r.entry(it)
		if len(layer) == 0 {
			continue
		}
		if s.Line == 0 || d.HeadingAbove(s.Line).Line != d.HeadingAbove(it.Line).Line {
			s, seen = Sequence{Line: it.Line}, map[int]bool{}
		}
		for _, k := range layer {
			if seen[k] {
				return Sequence{}, false
			}
			seen[k] = true
		}
		if s.Steps = append(s.Steps, layer); len(seen) == len(r.Units) {
			return s, len(s.Steps) > 1
		}
	}
	return Sequence{}, false
}

// readTimetable reads a table of what runs when, "| Batch | Phases |": one of its columns names
// each phase in exactly one row.
func (r *Reading) readTimetable(t *document.Table) (Sequence, bool) {
	if r.Covered[t.Line] || !r.Doc.IsAboutOrder(t.Line) &&
		!slices.Contains(rounds, words.HeadWords(t.Header[0].Raw)) {
		return Sequence{}, false
	}
	for column := 1; column < len(t.Header); column++ {
		s := Sequence{Line: t.Line}
		seen := map[int]bool{}
		for _, row := range t.Rows {
			layer := r.layer(turns.ReplaceAllString(inline.PlainList(row.At(column).Raw), ""))
			for _, i := range layer {
				if seen[i] {
					layer = nil
				}
				seen[i] = true
			}
			if s.Steps = append(s.Steps, layer); len(layer) == 0 {
				break
			}
		}
		if len(seen) == len(r.Units) && len(s.Steps) > 1 && len(s.Steps[len(s.Steps)-1]) > 0 {
			return s.sorted(numbersIn(t, 0)), true
		}
	}
	return Sequence{}, false
}

// numbersIn are the numbers in a column; nil where a cell holds something else.
func numbersIn(t *document.Table, column int) []int {
	var numbers []int
	for _, row := range t.Rows {
		n, err := strconv.Atoi(strings.TrimRight(inline.Plain(row.At(column).Raw), ". "))
		if err != nil {
			return nil
		}
		numbers = append(numbers, n)
	}
	return numbers
}

// sorted puts the steps in the order of their numbers, equal ones together.
func (s Sequence) sorted(numbers []int) Sequence {
	if len(numbers) != len(s.Steps) {
		return s
	}
	byNumber := map[int][]int{}
	for k, n := range numbers {
		byNumber[n] = append(byNumber[n], s.Steps[k]...)
	}
	s.Steps = nil
	for _, n := range slices.Sorted(maps.Keys(byNumber)) {
		s.Steps = append(s.Steps, byNumber[n])
	}
	return s
}

// OrderColumns are the tables that number their phases in a column of order: "| Phase | Order |".
func (r *Reading) OrderColumns() (all []Sequence) {
	for i := range r.Doc.Tables {
		t := &r.Doc.Tables[i]
		column := slices.IndexFunc(t.Header, func(c document.Cell) bool {
			name := words.HeadWords(c.Raw)
			return slices.Contains(words.OrderNames, name) || strings.HasSuffix(name, " order")
		})
		key := document.WithKey(t, document.ReadColumns(t), nil).Key
		if column < 0 || key < 0 || key == column {
			continue
		}
		numbers := numbersIn(t, column)
		s := Sequence{Line: t.Line}
		for _, row := range t.Rows {
			id := words.ReadCell(row.At(key).Raw)
			if i, ok := r.Index().Find(words.Prefixed(id.Kind+" ", id.Label)); ok {
				s.Steps = append(s.Steps, []int{i})
			}
		}
		if s = s.sorted(numbers); len(numbers) > 1 && len(s.Steps) > 1 {
			all = append(all, s)
		}
	}
	return all
}

// rounds head the column of a table that says what runs when.
var rounds = []string{
	"wave", "batch", "round", "order", "parallel group", "execution order", "week",
	"sprint", "iteration",
}

// turns are words of an entry of a schedule that name no phase.
var turns = lazyregexp.New(
	`(?i)\b(?:(?:can )?(?:run |be done )?in parallel|concurrently|simultaneously|at the same time|together|first|then|next|finally|last|start with|do)\b[,:]?`)

// entry is the phases of one entry of a schedule. A list that only names phases has to be numbered.
func (r *Reading) entry(it *document.Item) []int {
	text := inline.Plain(it.Raw)
	kind, _ := plan.SplitKind(text)
	lead, rest, found := strings.Cut(text, ":")
	if found && kind != "" && len(r.layer(lead)) == 0 {
		return r.layer(turns.ReplaceAllString(rest, ""))
	}
	if it.Number == "" {
		return nil
	}
	if layer := r.layer(turns.ReplaceAllString(text, "")); len(layer) > 0 {
		return layer
	}
	return r.layer(turns.ReplaceAllString(words.FirstClause(text), ""))
}

// thens are the words between the entries of a sequence: ", then ".
var thens = lazyregexp.New(
	`(?i)[,;，、]?\s*(?:\b(?:and then|then|followed by|und dann|dann|danach|et puis|puis|ensuite|luego|` +
		`después|depois|poi)\b|затем|потом|然后|然後|接着|再|次に|그다음|다음에)\s+`)

// ordering finds the words that announce a sequence: "in this order:", "Order of work:".
var ordering = lazyregexp.New(
	`(?i)(?:\b(?:order|sequence|reihenfolge|ordre|orden|ordem|ordine|sequencia|secuencia)\b|порядок|порядке|` +
		`顺序|順序|順番|순서)(?:[^:：,;→]{0,30}[:：]|[^:：,;→]{0,30}?\b(?:is|ist|est|es)\b|\s|是|は|는)\s*`)

// Arrowed writes a sequence in words with arrows: "Order: 3, then 1, 2" is "Order: 3 → 1 → 2". Any
// other text stays as it is.
func Arrowed(text string) string {
	if len(text) > words.MaxSentence || HasArrow(text) {
		return text
	}
	arrows := thens.ReplaceAllString(text, " → ")
	at := ordering.FindStringIndex(arrows)
	if at == nil {
		if arrows != text {
			return strings.TrimRight(arrows, ".。 ")
		}
		return text
	}
	lead, rest := arrows[:at[1]], strings.TrimRight(arrows[at[1]:], ".。 ")
	if label, _ := words.IDAt(rest); label == "" && !strings.ContainsAny(lead, ":：") {
		return text // "in order to"
	}
	parts := words.SplitOutsideBrackets(rest)
	if len(parts) < 2 && arrows == text {
		return text
	}
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return strings.TrimRight(lead, ":： ") + ": " + strings.Join(parts, " → ")
}
