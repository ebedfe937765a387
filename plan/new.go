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
	b := builder{resolver: resolver{names: &names{}, draft: &d, found: slices.Clone(d.Found)}}
	if len(d.Phases) == 0 {
		if len(d.Found.Errors()) == 0 {
			b.problem("E-NO-PHASES", Error, Pos{}, 0, "the plan has no phases",
				"give each phase a heading such as \"## Phase 1: Name\"")
		}
		b.found.Sort()
		return nil, b.found
	}
	b.identify()
	b.names = newNames(b.phases)
	b.within = d.Within
	b.relate()
	b.compareSecondStatements()
	sorted := b.sort()
	if b.expanded > maxEdges {
		b.problem("E-TOO-LARGE", Error, Pos{}, 0,
			fmt.Sprintf("the plan states more than %d dependencies", maxEdges),
			"name only the nearest phases; what they need is implied")
	}
	if sorted != nil {
		b.checkParallel(sorted)
		b.checkClaims(sorted)
	}
	if len(b.found.Errors()) == 0 { // they come first; a hole may follow from them
		b.gaps()
	}
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
	return b.plan(sorted), nil
}

// builder is the plan under construction.
type builder struct {
	resolver

	needs      [][]int
	stated     [][]int // needs without those that follow from document order
	dependents [][]int
	soft       [][]int
	others     [][]string // in other documents
	parallel   [][]int
	everything []int         // phases that depend on "all"
	except     map[int][]int // what their "all" leaves out
	silent     []int         // as in Plan
}

// identify gives every phase its id, and finds the ones that two phases share.
func (b *builder) identify() {
	b.phases = slices.Clone(b.draft.Phases)
	first := map[string]int{}
	for i := range b.phases {
		p := &b.phases[i]
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
		before, pos, width := b.phases[at].Pos, p.Pos, p.Width
		if earlier := b.phases[at].Row; earlier.Valid() && p.Row.Valid() {
			// both may have found the same heading
			before, pos, width = earlier, p.Row, len(p.Label)
		}
		b.problem("E-DUP-ID", Error, pos, width,
			fmt.Sprintf("phase %s is defined twice: on line %d and on line %d", p.Label,
				before.Line, pos.Line),
			b.otherIDs(p.Label, before.Line, pos.Line))
	}
}

// relate resolves what the phases say of each other.
func (b *builder) relate() {
	n := len(b.phases)
	b.except = map[int][]int{}
	b.needs, b.soft, b.others = make([][]int, n), make([][]int, n), make([][]string, n)
	for i := range b.phases {
		p := &b.phases[i]
		p.Unstated = len(p.Needs) == 0
		refs := p.Needs
		if p.Unstated {
			refs = p.Implied
		}
		rel := b.all(i, refs)
		if rel.onlyOwnTasks() {
			p.Unstated, refs = true, p.Implied
			rel = b.all(i, refs)
		}
		b.needs[i], b.others[i] = rel.hard, rel.elsewhere
		if rel.all {
			b.everything = append(b.everything, i)
			b.except[i] = rel.except
		}
		b.soft[i] = slices.DeleteFunc(unique(slices.Concat(rel.soft,
			b.resolvePreferences(i, p.Soft))),
			func(k int) bool { return slices.Contains(rel.hard, k) })
		if stated := slices.Concat(refs, p.Soft); len(b.soft[i]) > 0 {
			b.problem("W-SOFT", Warning, stated[0].Pos, len(stated[0].Text),
				fmt.Sprintf("phase %s should rather come after %s, but need not wait for it",
					p.Label,
					b.joinLabels(b.soft[i])),
				"write a plain dependency if the order matters")
		}
	}
	b.stated = slices.Clone(b.needs)
	b.expandAll()
	b.resolveBeside()
	b.followDocumentOrder()
}

// resolvePreferences resolves lists whose every entry is only a preference.
func (b *builder) resolvePreferences(i int, refs []Ref) []int {
	var rel relation
	for _, ref := range refs {
		b.addPreferences(i, ref.Text, &rel)
	}
	return rel.soft
}

// expandAll resolves "all": every other phase, or where that would close a cycle, every phase
// before.
func (b *builder) expandAll() {
	if len(b.everything) == 0 {
		return
	}
	trial := slices.Clone(b.needs)
	for _, i := range b.everything {
		if b.expanded+len(b.phases) > maxEdges {
			b.expanded = maxEdges + 1
			return
		}
		b.expanded += len(b.phases)
		others := make([]int, 0, len(b.phases)-1)
		for k := range b.phases {
			if k != i && !slices.Contains(b.except[i], k) {
				others = append(others, k)
			}
		}
		trial[i] = others
	}
	component := components(trial)
	size := make([]int, len(trial))
	for _, c := range component {
		size[c]++
	}
	for _, i := range b.everything {
		if size[component[i]] == 1 {
			b.needs[i] = trial[i]
		} else {
			b.needs[i] = unique(append(b.needs[i], slices.DeleteFunc(b.before(i),
				func(k int) bool { return slices.Contains(b.except[i], k) })...))
		}
		b.stated[i] = b.needs[i]
	}
}

// joinLabels joins the labels of phases for a message; "none" for an empty list.
func (b *builder) joinLabels(list []int) string {
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

// sort orders the graph, or reports its cycles and returns nil.
func (b *builder) sort() []int {
	b.dependents = invert(b.needs)
	sorted := order(b.needs, b.dependents)
	if len(sorted) == len(b.phases) {
		return sorted
	}
	for _, path := range cycles(b.needs) {
		labels := make([]string, len(path))
		for k, i := range path {
			labels[k] = b.phases[i].Label
		}
		cause := &CycleError{Path: labels}
		p := b.phases[path[0]]
		pos, width := p.Pos, p.Width
		if len(p.Needs) > 0 && p.Needs[0].Pos.Valid() {
			pos, width = b.place(p.Needs[0], b.phases[path[1]].Label)
		}
		hint := "remove one of these dependencies"
		if len(path) == 2 {
			hint = "a phase cannot depend on itself"
		}
		b.problem("E-CYCLE", Error, pos, width, cause.Error(), hint)
		b.found[len(b.found)-1].Err = cause
	}
	return nil
}

// resolveBeside resolves which phases each one is said to run beside.
func (b *builder) resolveBeside() {
	b.parallel = make([][]int, len(b.phases))
	silent := *b.names
	quiet := resolver{names: &silent, draft: b.draft, says: "is said to run beside"}
	for i, p := range b.phases {
		silent.expanded = 0
		quiet.found = nil
		b.parallel[i] = without(quiet.all(i, p.Beside).hard, i)
		for _, problem := range quiet.found {
			if problem.Code == "E-UNKNOWN" &&
				(problem.Hint != nameOne ||
					strings.ContainsAny(problem.Message[strings.LastIndexByte(problem.Message,
						' '):], "0123456789")) {
				// builders and remarks stand there as well
				problem.Code, problem.Severity = "W-PARALLEL", Warning
				b.found = append(b.found, problem)
			}
		}
	}
}

// checkParallel reports phases that are stated both to run at the same time and to wait for each
// other.
func (b *builder) checkParallel(sorted []int) {
	var pairs [][2]int
	said := map[[2]int]bool{}
	for i := range b.phases {
		for _, k := range b.parallel[i] {
			pairs = append(pairs, [2]int{i, k}, [2]int{k, i})
			said[[2]int{i, k}] = true
		}
		if len(pairs) > maxEdges {
			b.expanded = maxEdges + 1
			return
		}
	}
	reached := connected(pairs, b.dependents, sorted)
	reported := map[[2]int]bool{}
	for k, pair := range pairs {
		early, late := pair[0], pair[1]
		if !reached[k] || reported[pair] {
			continue
		}
		reported[pair] = true
		by := b.phases[pairs[k&^1][0]]
		b.problem("E-PARALLEL", Error, by.Beside[0].Pos, 0,
			fmt.Sprintf("phases %s and %s are said to run in parallel, but %s depends on %s",
				b.phases[early].Label, b.phases[late].Label, b.phases[late].Label,
				b.phases[early].Label),
			"remove one of the two statements")
	}
	for i, p := range b.phases {
		for _, k := range b.parallel[i] {
			other := b.phases[k]
			if len(other.Beside) > 0 && !said[[2]int{k, i}] && !reported[[2]int{i, k}] &&
				!reported[[2]int{k, i}] {
				b.problem("W-PARALLEL", Warning, p.Beside[0].Pos, 0,
					fmt.Sprintf("phase %s says that it runs beside %s, which does not say so of %s",
						p.Label, other.Label, p.Label), "")
			}
		}
	}
}

// plan puts the checked parts together.
func (b *builder) plan(sorted []int) *Plan {
	p := &Plan{
		Path: b.draft.Path, Title: b.draft.Title, Dialect: b.draft.Dialect, Hash: b.draft.Hash,
		Notes: b.found, Final: b.draft.Final,
		Constraints: b.draft.Constraints, judged: b.draft.Judged,
		phases: make([]Phase, len(b.phases)), index: b.exact, needs: b.needs,
		silent:     b.silent,
		dependents: b.dependents,
		level:      levels(b.needs, sorted),
	}
	for i, drafted := range b.phases {
		phase := drafted.Phase
		phase.DependsOn, phase.SoftDeps, phase.Parallel = b.ids(b.needs[i]), b.ids(b.soft[i]),
			b.ids(b.parallel[i])
		phase.External = b.others[i]
		phase.Fingerprint = fingerprint(phase, drafted.Meaning)
		p.phases[i] = phase
		if len(phase.Files.Create) > 0 {
			p.creators = append(p.creators, i)
		}
	}
	p.batches = batches(p.level)
	p.rest = rests(func(i int) float64 { return p.phases[i].weight() }, b.dependents, sorted)
	return p
}

func (b *builder) ids(list []int) []string {
	if len(list) == 0 {
		return nil
	}
	ids := make([]string, len(list))
	for k, i := range list {
		ids[k] = b.phases[i].ID
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
