package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"autobuild/internal/text"
)

// New resolves and checks a draft. Its error is Problems: every mistake of the plan at once, sorted
// by place. The draft's phases must be in document order.
func New(d Draft) (*Plan, error) {
	b := builder{resolver: resolver{draft: &d, found: slices.Clone(d.Found)}}
	if len(d.Phases) == 0 {
		if len(d.Found.Errors()) == 0 {
			b.problem("E-NO-PHASES", Error, Pos{}, 0, "the plan has no phases",
				"give each phase a heading such as \"## Phase 1: Name\"")
		}
		b.found.Sort()
		return nil, b.found
	}
	b.names = newNames(identify(&b), d.Tasks)
	b.relate()
	if b.expanded > maxEdges {
		b.problem("E-TOO-LARGE", Error, Pos{}, 0,
			fmt.Sprintf("the plan states more than %d dependencies", maxEdges),
			"name only the nearest phases; what they need is implied")
	} else if b.sort(); b.sorted != nil {
		b.compare()
		b.checkParallel()
	}
	b.gaps()
	for i := range b.found {
		if slices.Contains(d.Refuse, b.found[i].Code) {
			b.found[i].Severity = Error
		}
	}
	b.found.Sort()
	b.found = slices.CompactFunc(b.found, func(p, q Problem) bool {
		return p.Code == q.Code && p.Pos == q.Pos && p.Message == q.Message
	})
	if len(b.found.Errors()) > 0 {
		return nil, b.found
	}
	return b.plan(), nil
}

// builder is the plan under construction.
type builder struct {
	resolver

	needs      [][]int
	stated     [][]int // needs that lists state
	dependents [][]int
	soft       [][]int
	outside    [][]string
	parallel   [][]int
	sorted     []int
}

// identify gives every phase its id, and finds the ones that two phases share.
func identify(b *builder) []DraftPhase {
	phases := slices.Clone(b.draft.Phases)
	first := map[string]int{}
	for i := range phases {
		p := &phases[i]
		if p.ID == "" {
			id, err := NormalID(p.Label)
			if err != nil {
				b.problem("E-BAD-ID", Error, p.Pos, p.Width, err.Error(),
					"number the phase, as in \"## Phase 1: Name\"")
				continue
			}
			p.ID = id
		}
		at, taken := first[p.ID]
		if !taken {
			first[p.ID] = i
			continue
		}
		before, pos, width := phases[at].Pos, p.Pos, p.Width
		if earlier := phases[at].Row; earlier.Valid() && p.Row.Valid() {
			before, pos, width = earlier, p.Row, len(p.Label) // both may have one heading
		}
		b.problem("E-DUP-ID", Error, pos, width,
			fmt.Sprintf("phase %s is defined twice: on line %d and on line %d", p.Label,
				before.Line, pos.Line), "give one of them another id")
	}
	return phases
}

// dependsOn is how dependencies are put into words.
const dependsOn = "depends on"

// relate resolves what the phases say of each other.
func (b *builder) relate() {
	n := len(b.phases)
	b.needs, b.stated, b.soft, b.outside = make([][]int, n), make([][]int, n), make([][]int, n),
		make([][]string, n)
	b.parallel = make([][]int, n)
	var every []int // phases that depend on all others
	except := map[int][]int{}
	for i := range b.phases {
		p := &b.phases[i]
		p.Unstated = len(p.Needs) == 0
		rel := b.resolve(i, p.Needs, dependsOn)
		if !p.Unstated && !rel.said {
			p.Unstated = true
		}
		if p.Unstated {
			implied := b.resolve(i, p.Implied, dependsOn)
			rel.hard = unique(append(rel.hard, implied.hard...))
		}
		preferred := b.resolve(i, p.Soft, dependsOn)
		b.needs[i], b.outside[i] = rel.hard, rel.outside
		b.soft[i] = slices.DeleteFunc(unique(slices.Concat(rel.soft, preferred.soft, preferred.hard)),
			func(k int) bool { return k == i || slices.Contains(rel.hard, k) })
		if rel.all {
			every, except[i] = append(every, i), rel.except
		}
		if refs := slices.Concat(p.Needs, p.Soft); len(b.soft[i]) > 0 && len(refs) > 0 {
			b.problem("W-SOFT", Warning, refs[0].Pos, len(refs[0].Text),
				fmt.Sprintf("phase %s should rather come after %s, but need not wait for it",
					p.Label, b.labels(b.soft[i])),
				"write a plain dependency if the order matters")
		}
	}
	b.everyOther(every, except)
	copy(b.stated, b.needs)
	quiet := resolver{names: b.names, draft: b.draft}
	for i, p := range b.phases {
		b.parallel[i] = without(quiet.resolve(i, p.Beside, "is said to run beside").hard, i)
	}
	for _, problem := range quiet.found.Errors() { // builders and remarks stand there as well
		problem.Code, problem.Severity = "W-PARALLEL", Warning
		b.found = append(b.found, problem)
	}
	b.followDocument()
}

// everyOther resolves "all": every other phase, or where that would close a cycle, those before.
func (b *builder) everyOther(every []int, except map[int][]int) {
	if b.expanded += len(every) * len(b.phases); len(every) == 0 || b.expanded > maxEdges {
		return
	}
	list := func(self, end int) (hits []int) {
		for k := range end {
			if k != self && !slices.Contains(except[self], k) {
				hits = append(hits, k)
			}
		}
		return hits
	}
	trial := slices.Clone(b.needs)
	for _, i := range every {
		trial[i] = list(i, len(b.phases))
	}
	component := components(trial)
	size := make([]int, len(trial))
	for _, c := range component {
		size[c]++
	}
	for _, i := range every {
		if b.needs[i] = trial[i]; size[component[i]] > 1 {
			b.needs[i] = list(i, i)
		}
	}
}

// followDocument puts a phase that states nothing behind all earlier phases, but for those that
// wait for it, and for those that it is said to run beside with all that waits for these.
func (b *builder) followDocument() {
	beside := map[int][]int{}
	for i, list := range b.parallel {
		for _, k := range list {
			beside[max(i, k)] = append(beside[max(i, k)], min(i, k))
		}
	}
	dependents := invert(b.stated)
	count := 0
	var silent, last []int // last are the phases so far that none of them waits for
	for i := range b.phases {
		if p := &b.phases[i]; i > 0 && p.Unstated && len(p.Implied) == 0 {
			if count++; p.Status != StatusDone && p.Status != StatusSkipped {
				silent = append(silent, i)
			}
			if b.needs[i] = slices.Clone(last); len(beside[i]) > 0 ||
				len(dependents[i]) > 0 && dependents[i][0] < i {
				b.needs[i] = b.lastBefore(i, beside[i])
			}
		}
		last = slices.DeleteFunc(last, func(k int) bool { return slices.Contains(b.needs[i], k) })
		last = append(last, i)
	}
	if count > 0 {
		b.reportSilent(silent, count)
	}
}

// reportSilent reports the phases that state nothing: a remark, and where most state something a
// warning about those that are not done.
func (b *builder) reportSilent(silent []int, count int) {
	said := len(b.phases) - count
	if b.phases[0].Unstated && len(b.phases[0].Implied) == 0 {
		said--
	}
	if said > 1 && said > len(silent) && len(silent) > 0 {
		p, labels := &b.phases[silent[0]], make([]string, len(silent))
		for k, i := range silent {
			labels[k] = b.phases[i].Label
		}
		b.problem("W-UNSTATED", Warning, p.Pos, p.Width, fmt.Sprintf(
			"%s %s nothing of dependencies, while most phases do: document order is followed",
			phases(labels), verb("says", "say", labels)),
			"add \"**Depends on:** none\", or the phases it needs")
	}
	what := "1 phase states no dependencies and follows document order"
	if count > 1 {
		what = fmt.Sprintf("%d phases state no dependencies and follow document order", count)
	}
	b.problem("I-IMPLICIT", Info, Pos{}, 0, what,
		"add a \"Depends On\" column, or a line \"**Depends on:** none\"")
}

// lastBefore lists the phases before phase i that no other phase before it waits for, without those
// that wait for i, and without the phases beside it and those that wait for one of these.
func (b *builder) lastBefore(i int, beside []int) (last []int) {
	dependents := invert(b.needs)
	out := make([]bool, len(b.phases))
	for _, k := range append([]int{i}, beside...) {
		out[k] = true
		for _, later := range reach(dependents, k) {
			out[later] = true
		}
	}
	waited := make([]bool, i)
	for k := i - 1; k >= 0; k-- {
		if out[k] {
			continue
		}
		if !waited[k] {
			last = append(last, k)
		}
		for _, j := range b.needs[k] {
			if j < i {
				waited[j] = true
			}
		}
	}
	slices.Sort(last)
	return last
}

// labels joins the labels of phases for a message; "none" for an empty list.
func (b *builder) labels(list []int) string {
	if len(list) == 0 {
		return "none"
	}
	labels := make([]string, 0, len(list))
	for _, i := range list {
		labels = append(labels, b.phases[i].Label)
	}
	const most = 12
	return text.JoinSome(labels, most)
}

// sort orders the graph, or reports its cycles.
func (b *builder) sort() {
	b.dependents = invert(b.needs)
	sorted := order(b.needs, b.dependents)
	if len(sorted) == len(b.phases) {
		b.sorted = sorted
		return
	}
	for _, path := range cycles(b.needs) {
		labels := make([]string, len(path))
		for k, i := range path {
			labels[k] = b.phases[i].Label
		}
		hint := "remove one of these dependencies"
		if len(path) == 2 {
			hint = "a phase cannot depend on itself"
		}
		cause := &CycleError{Path: labels}
		p := b.phases[path[0]]
		if len(p.Needs) > 0 && p.Needs[0].Pos.Valid() {
			b.at("E-CYCLE", Error, p.Needs[0], b.phases[path[1]].Label, hint, "%s", cause.Error())
		} else {
			b.problem("E-CYCLE", Error, p.Pos, p.Width, cause.Error(), hint)
		}
		b.found[len(b.found)-1].Err = cause
	}
}

// compare compares the second statements of dependencies with the first. They add no edges.
func (b *builder) compare() {
	for i := range b.phases {
		p := &b.phases[i]
		own := resolver{names: b.names, draft: b.draft}
		again := own.resolve(i, p.Again, dependsOn)
		b.found = append(b.found, own.found...)
		if again.said && !again.all && !p.Unstated && !b.implies(again.hard, b.stated[i]) {
			b.problem("W-DEP-CONFLICT", Warning, p.Again[0].Pos, 0,
				fmt.Sprintf("phase %s depends on %s, but a second statement says %s", p.Label,
					b.labels(b.stated[i]), b.labels(again.hard)),
				"the first statement counts; make them agree")
		}
		if len(p.Unlocks) == 0 {
			continue
		}
		own.found = nil
		unlocked := own.resolve(i, p.Unlocks, "is said to unlock")
		for _, problem := range own.found.Errors() {
			problem.Code, problem.Severity = "W-INVERSE", Warning
			b.found = append(b.found, problem)
		}
		waiting := reach(b.dependents, i)
		later := slices.ContainsFunc(p.Unlocks, func(ref Ref) bool {
			_, found := CutWord("later phases", ref.Text)
			return found
		})
		for k := range b.phases {
			_, waits := slices.BinarySearch(waiting, k)
			if said := slices.Contains(unlocked.hard, k) || later && k > i; said && !waits && k != i {
				b.problem("W-INVERSE", Warning, p.Unlocks[0].Pos, 0,
					fmt.Sprintf("phase %s is said to unlock %s, which does not depend on it", p.Label,
						b.phases[k].Label), "")
			}
		}
	}
}

// implies reports whether two lists of dependencies lead to the same order: each entry of one is in
// the other, or needed by an entry of it.
func (b *builder) implies(x, y []int) bool {
	for _, pair := range [][2][]int{{x, y}, {y, x}} {
		for _, i := range pair[0] {
			if !slices.Contains(pair[1], i) &&
				!slices.ContainsFunc(pair[1],
					func(k int) bool { return slices.Contains(reach(b.needs, k), i) }) {
				return false
			}
		}
	}
	return true
}

// checkParallel reports phases that are stated both to run at the same time and to wait for each
// other.
func (b *builder) checkParallel() {
	var pairs [][2]int
	said := map[[2]int]bool{}
	for i := range b.phases {
		for _, k := range b.parallel[i] {
			pairs = append(pairs, [2]int{i, k}, [2]int{k, i})
			said[[2]int{i, k}] = true
		}
		if len(pairs) > maxEdges {
			return
		}
	}
	reported := map[[2]int]bool{}
	for k, reached := range connected(pairs, b.dependents, b.sorted) {
		early, late := pairs[k][0], pairs[k][1]
		if !reached || reported[pairs[k]] {
			continue
		}
		reported[pairs[k]], reported[[2]int{late, early}] = true, true
		b.problem("E-PARALLEL", Error, b.phases[pairs[k&^1][0]].Beside[0].Pos, 0,
			fmt.Sprintf("phases %s and %s are said to run in parallel, but %s depends on %s",
				b.phases[early].Label, b.phases[late].Label, b.phases[late].Label,
				b.phases[early].Label),
			"remove one of the two statements")
	}
	for i, p := range b.phases {
		for _, k := range b.parallel[i] {
			other := b.phases[k]
			if len(other.Beside) > 0 && !said[[2]int{k, i}] && !reported[[2]int{i, k}] {
				b.problem("W-PARALLEL", Warning, p.Beside[0].Pos, 0,
					fmt.Sprintf("phase %s says that it runs beside %s, which does not say so of %s",
						p.Label, other.Label, p.Label), "")
			}
		}
	}
}

// counted is the last number or letter of an id, and what stands before it: "2c" is the third of "2".
func counted(id string) (family string, n int, ok bool) {
	last := len(id) - 1
	if letter(id[last]) && (last == 0 || digit(id[last-1])) {
		return id[:last] + "#", int(id[last]-'a') + 1, true
	}
	number := id[len(strings.TrimRight(id, "0123456789")):]
	n, err := strconv.Atoi(number)
	return id[:len(id)-len(number)], n, err == nil && n < maxEdges
}

// mark is a phase as a member of a series of ids.
type mark struct{ at, n int }

// seriesOfIDs groups the phases by the family of their ids. 2A stands for 2 among numbers.
func (b *builder) seriesOfIDs() (families []string, series map[string][]mark) {
	series = map[string][]mark{}
	add := func(f string, m mark) {
		if series[f] == nil {
			families = append(families, f)
		}
		series[f] = append(series[f], m)
	}
	for i := range b.phases {
		if b.phases[i].ID == "" {
			continue
		}
		f, n, ok := counted(b.phases[i].ID)
		if !ok {
			continue
		}
		add(f, mark{i, n})
		if whole, lettered := strings.CutSuffix(f, "#"); lettered && whole != "" {
			stem, number, _ := counted(whole)
			if list := series[stem]; len(list) == 0 || list[len(list)-1].n != number {
				add(stem, mark{i, number})
			}
		}
	}
	return families, series
}

// gaps reports numbers and letters that are missing in a series of ids, such as 3 of 1, 2, 4: a
// heading or a row may be lost, or an id misspelt.
func (b *builder) gaps() {
	families, series := b.seriesOfIDs()
	for _, f := range families {
		m, due, found := gap(series[f], strings.HasSuffix(f, "#"))
		if !found {
			continue
		}
		label := strings.ToUpper(f) + strconv.Itoa(due)
		if whole, lettered := strings.CutSuffix(f, "#"); lettered {
			label = strings.ToUpper(whole) + string(rune('A'+due-1))
		}
		p := &b.phases[m.at]
		b.problem("W-GAP", Warning, p.Pos, p.Width,
			fmt.Sprintf("phase %s stands where phase %s would", p.Label, label),
			"give the missing phase its heading again, or number the phases anew")
	}
}

// gap is the first member of a series that stands where a missing number would. A series with more
// missing than there is counts something else, such as issues.
func gap(list []mark, lettered bool) (m mark, due int, found bool) {
	have, jumps := map[int]bool{}, 0
	for k, m := range list {
		have[m.n] = true
		if k > 0 && m.n != list[k-1].n+1 {
			jumps++
		}
	}
	if len(list) > 1 && jumps == 1 && list[0].n > list[1].n && list[1].n > 1 && !have[list[1].n-1] {
		return list[0], list[1].n - 1, true
	}
	if len(list) > 2 && list[0].n == 2 && !have[1] && !lettered {
		return list[0], 1, true
	}
	for k := 1; k < len(list); k++ {
		due, n := list[k-1].n+1, list[k].n
		odd := k+1 < len(list) && list[k+1].n == due+1 || list[0].n <= 1 && jumps == 1 && !lettered
		if n > due && !have[due] && (n-due <= len(have) || odd) {
			return list[k], due, true
		}
	}
	return mark{}, 0, false
}

// plan puts the checked parts together.
func (b *builder) plan() *Plan {
	p := &Plan{
		Path: b.draft.Path, Title: b.draft.Title, Reading: b.draft.Reading, Hash: b.draft.Hash,
		Notes: b.found, Final: b.draft.Final,
		Constraints: b.draft.Constraints, judged: b.draft.Judged,
		phases: make([]Phase, len(b.phases)), index: b.exact, needs: b.needs,
		dependents: b.dependents,
		level:      levels(b.needs, b.sorted),
	}
	for i, drafted := range b.phases {
		phase := drafted.Phase
		phase.DependsOn, phase.SoftDeps, phase.Parallel = b.ids(b.needs[i]), b.ids(b.soft[i]),
			b.ids(b.parallel[i])
		phase.External = b.outside[i]
		phase.Fingerprint = fingerprint(phase, drafted.Meaning)
		p.phases[i] = phase
		if len(phase.Files.Create) > 0 {
			p.creators = append(p.creators, i)
		}
	}
	p.batches = batches(p.level)
	p.rest = rests(func(i int) float64 { return p.phases[i].weight() }, b.dependents, b.sorted)
	return p
}

func (b *builder) ids(list []int) []string {
	var ids []string
	for _, i := range list {
		ids = append(ids, b.phases[i].ID)
	}
	return ids
}

// fingerprint hashes what a phase means. Every part is preceded by its length or distance, so that
// no two different phases read the same.
func fingerprint(p Phase, meaning string) string {
	if meaning == "" {
		meaning = p.Text
	}
	h := sha256.New()
	var buffer []byte
	blank := 0 // lines seen since the last that is not blank
	for line := range strings.Lines(meaning) {
		line = strings.TrimRight(line, " \t\r\n")
		blank++
		if line == "" {
			continue
		}
		buffer = strconv.AppendInt(buffer[:0], int64(blank), 10)
		blank = 0
		buffer = append(append(append(buffer, ':'), line...), '\n')
		_, _ = h.Write(buffer) // a hash never fails
	}
	for _, part := range append([]string{p.Name}, p.DependsOn...) {
		buffer = strconv.AppendInt(buffer[:0], int64(len(part)), 10)
		_, _ = h.Write(append(append(buffer, '='), part...))
	}
	return hex.EncodeToString(h.Sum(nil))
}
