package markdown

import (
	"fmt"
	"strconv"
	"strings"

	"autobuild/plan"
)

// rival refuses a document in which another table claims as much as the one that was picked, and
// says something else.
func (r *reading) rival(picked *phaseTable) {
	if picked.cover == 0 {
		return
	}
	for _, t := range r.doc.phaseTables() {
		if t.head == picked.head || t.cover != picked.cover || len(t.ids) != len(picked.ids) || t.says() == picked.says() {
			continue
		}
		line := r.doc.line(t.parts[0].line)
		r.found = append(r.found, plan.Problem{
			Code: "E-RIVAL", Severity: plan.Error, Pos: plan.Pos{Line: t.parts[0].line, Col: 1}, Width: len(line), Line: line,
			Message: fmt.Sprintf("this table and the one on line %d list equally many phases, but do not agree", picked.parts[0].line),
			Hint:    "remove one of them, or take its column of dependencies out",
		})
	}
}

// counts compares what headings and labels say of the number of tasks with the boxes: "(12 tasks)",
// "Tasks: 12".
func (r *reading) counts() {
	total, all := 0, true
	for i := range r.units {
		u := &r.units[i]
		total += len(u.Tasks)
		all = all && !u.unboxed
		if u.unboxed || len(u.Tasks) == 0 || u.from == 0 || u.own > 0 {
			continue
		}
		if n, ok := saidTasks(u.raw); ok {
			r.count(n, len(u.Tasks), u.Pos, "phase "+u.Label)
		}
		for _, l := range r.doc.labelsIn(u.from, u.introEnd(r.doc)) {
			if l.item < 0 && (l.name == "tasks" || l.name == "task count" || l.name == "total tasks") {
				if n, ok := wholeNumber(l.value); ok {
					r.count(n, len(u.Tasks), r.doc.pos(l.offset), "phase "+u.Label)
				}
			}
		}
	}
	for _, l := range r.doc.labels {
		n, ok := wholeNumber(l.value)
		switch {
		case !ok || l.name != "total tasks":
		case r.boxed() && n != total:
			r.count(n, len(r.units), r.doc.pos(l.offset), "the plan") // its boxes are its phases
		case !r.covered[l.line] && all && total > 0:
			r.count(n, total, r.doc.pos(l.offset), "the plan")
		}
	}
}

// boxed reports whether every phase is a box of a list.
func (r *reading) boxed() bool {
	for i := range r.units {
		if own := r.units[i].own; own == 0 || r.doc.items[own-1].box == 0 {
			return false
		}
	}
	return len(r.units) > 0
}

func (r *reading) count(said, boxes int, pos plan.Pos, what string) {
	if said != boxes {
		r.warn("W-COUNT", pos, fmt.Sprintf("%s is said to have %d tasks, but has %d", what, said, boxes), "correct the number, or look for what is missing")
	}
}

// saidTasks reads "(12 tasks)" in a heading.
func saidTasks(raw string) (int, bool) {
	for _, aside := range bracketed(raw) {
		if number, word, _ := strings.Cut(strings.TrimSpace(aside), " "); word == "tasks" || word == "task" {
			return wholeNumber(number)
		}
	}
	return 0, false
}

func wholeNumber(s string) (int, bool) {
	n, err := strconv.Atoi(strings.TrimSpace(plain(s)))
	return n, err == nil && n >= 0
}

// frontMatter reports the first line of the front matter that YAML would refuse.
func (r *reading) frontMatter() {
	block := -1 // the indentation of the key whose text goes on
	for _, e := range r.doc.front {
		if block >= 0 && e.indent > block {
			continue
		}
		block = -1
		raw := strings.TrimSpace(e.raw)
		if raw == "|" || raw == ">" || strings.HasPrefix(raw, "|-") || strings.HasPrefix(raw, ">-") || strings.HasPrefix(raw, "|+") || strings.HasPrefix(raw, ">+") {
			block = e.indent
			continue
		}
		if raw == "" || e.key == "" || strings.ContainsAny(raw[:1], "\"'[{&*!#") {
			continue
		}
		value, _, _ := strings.Cut(raw, " #")
		if strings.Contains(value, ": ") || strings.HasSuffix(value, ":") || strings.ContainsAny(value[:1], "@`%") {
			line := r.doc.line(e.line)
			r.found = append(r.found, plan.Problem{
				Code: "W-FRONTMATTER", Severity: plan.Warning, Pos: plan.Pos{Line: e.line, Col: max(1, strings.Index(line, raw)+1)}, Width: len(raw), Line: line,
				Message: fmt.Sprintf("the value of %q is not YAML; it was read to the end of the line", e.key), Hint: "put it in quotes",
			})
			return
		}
	}
}
