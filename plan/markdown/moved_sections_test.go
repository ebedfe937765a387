package markdown_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"autobuild/plan"
	"autobuild/plan/markdown"
)

// stated lists what the phases of a plan state: by id, what each depends on. A phase that states
// nothing follows document order, which a moved section changes.
func stated(p *plan.Plan) map[string]string {
	said := map[string]string{}
	for _, phase := range p.Phases() {
		said[phase.ID] = "document order"
		if !phase.Unstated {
			after := slices.Clone(phase.DependsOn)
			slices.Sort(after)
			said[phase.ID] = fmt.Sprint(after)
		}
	}
	return said
}

// sectionsOf lists the lines [from, to) of the sections that follow each other without a heading of
// a group between them.
func sectionsOf(p *plan.Plan, lines []string) (sections [][2]int) {
	level := func(n int) int { return len(lines[n]) - len(strings.TrimLeft(lines[n], "#")) }
	for _, phase := range p.Phases() {
		from := phase.Pos.Line - 1
		if from < 0 || level(from) == 0 {
			return nil // no section under a heading
		}
		to := from + 1
		for to < len(lines) && (level(to) == 0 || level(to) > level(from) || hidden(lines, to)) {
			to++
		}
		sections = append(sections, [2]int{from, to})
	}
	return sections
}

// TestMovedSections moves every section of a phase behind the next one. The plan has the same
// phases, and all that states its dependencies still has them.
func TestMovedSections(t *testing.T) {
	texts := map[string]string{}
	for _, w := range readWritten(t) {
		texts[w.name] = w.text
	}
	moved := 0
	for name, text := range texts {
		p, err := markdown.Parse("plan.md", []byte(text), markdown.Options{})
		lower := strings.ToLower(text)
		if err != nil || slices.ContainsFunc([]string{"previous", "prior", "all ", "earlier", "above"},
			func(word string) bool { return strings.Contains(lower, word) }) {
			continue // it speaks of places
		}
		lines := strings.Split(text, "\n")
		sections := sectionsOf(p, lines)
		for i := 1; i < len(sections); i++ {
			a, b := sections[i-1], sections[i]
			if a[1] != b[0] {
				continue
			}
			order := slices.Concat(lines[:a[0]], lines[b[0]:b[1]], lines[a[0]:a[1]], lines[b[1]:])
			src := strings.Join(order, "\n")
			after, err := markdown.Parse("plan.md", []byte(src), markdown.Options{})
			if err != nil {
				continue
			}
			moved++
			before, now := stated(p), stated(after)
			for id, said := range before {
				if now[id] == "" {
					t.Errorf("%s: phase %s is lost behind line %d", name, id, a[0]+1)
				} else if now[id] != said && len(after.Notes.Warnings()) <= len(p.Notes.Warnings()) {
					t.Errorf("%s: phase %s moved from line %d: after %s, not %s\n%s", name, id, a[0]+1, now[id], said, src)
				}
			}
		}
	}
	if moved == 0 {
		t.Error("no section was moved")
	}
	t.Logf("%d sections moved", moved)
}
