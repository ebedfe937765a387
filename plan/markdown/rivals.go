package markdown

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"autobuild/internal/text"
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

// says is all that a table states of dependencies, for comparison with another.
func (t *phaseTable) says() string {
	var b strings.Builder
	for _, part := range t.parts {
		for _, row := range part.rows {
			b.WriteString(normal(cellTitle(row.at(part.key).raw).label) + "=" + words(row.at(part.needs).raw) + "\n")
		}
	}
	return b.String()
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
		for _, l := range r.doc.labelsIn(u.from, r.doc.introEnd(u)) {
			if l.item < 0 && (l.name == "tasks" || l.name == "task count" || l.name == "total tasks") {
				if n, ok := wholeNumber(l.value); ok {
					r.count(n, len(u.Tasks), r.doc.pos(l.off), "phase "+u.Label)
				}
			}
		}
	}
	for _, l := range r.doc.labels {
		n, ok := wholeNumber(l.value)
		switch {
		case !ok || l.name != "total tasks":
		case r.boxed() && n != total:
			r.count(n, len(r.units), r.doc.pos(l.off), "the plan") // its boxes are its phases
		case !r.covered[l.line] && all && total > 0:
			r.count(n, total, r.doc.pos(l.off), "the plan")
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

// rivals names what the readings that lost hold, and the one that won does not.
func (r *reading) rivals(lost []candidate) {
	for _, c := range lost {
		listed := c.prior >= 40 && c.units[0].row > 0
		if c.named+c.boxes == 0 && !listed || c.bad > c.named || c.prior < 10 {
			continue
		}
		if !slices.ContainsFunc(c.units, func(u unit) bool { return u.own == 0 || !r.doc.orderly(u.from) }) {
			continue // a list of what waits for what
		}
		missing := r.lacks(c.reading)
		if r.speaks == 0 && c.named > 0 {
			missing = r.others(c.reading) // their order is lost, though their text is not
		}
		if len(missing) == 0 || len(missing)*2 < len(c.units) && r.speaks > 0 {
			continue
		}
		u := missing[0]
		labels := make([]string, 0, len(missing))
		for _, m := range missing {
			labels = append(labels, m.Label)
		}
		r.warn("W-RIVAL", u.Pos, fmt.Sprintf("read as %s, the document has %d phases that this reading lacks: %s", c.dialect, len(missing), text.JoinSome(labels, 6)),
			"--dialect "+c.dialect+" reads it so; else put them into the phases, or leave them")
		return
	}
}

// others lists the units of another reading whose ids this one does not have.
func (r *reading) others(c *reading) []*unit {
	ids, _ := r.ids()
	var list []*unit
	for i := range c.units {
		if !ids[normal(c.units[i].Label)] {
			list = append(list, &c.units[i])
		}
	}
	return list
}
