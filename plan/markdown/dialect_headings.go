package markdown

import (
	"fmt"
	"slices"
	"strings"

	"autobuild/plan"
)

// sections is the form of headings that are only numbered, "### 1. Add the parser", below one that
// announces them, such as "Implementation Steps".
type sections struct{}

func (sections) name() string { return "sections" }

func (sections) signs(d *document) bool { lines, _ := stepSections(d); return len(lines) >= 2 }

func (sections) prior(d *document) int {
	if _, above := stepSections(d); above.level == 1 {
		return -5
	}
	return 22
}

func (sections) read(r *reading) {
	lines, above := stepSections(r.doc)
	r.headings(func(h *heading) bool { return lines[h.line] })
	if above.level == 1 && r.doc.openBoxes() == 0 {
		r.guessed("the numbering of the headings", "the headings")
	}
}

// announcing are words of headings below which numbered headings are what is to be done.
var announcing = []string{
	"implementation", "steps", "tasks", "phases", "work plan", "execution plan", "action plan", "delivery", "sequence", "roadmap",
	"milestones", "work breakdown",
	"work items", "rollout", "migration plan", "todo", "schritte", "umsetzung", "aufgaben", "phasen", "étapes", "tâches", "mise en œuvre",
	"pasos", "tareas", "fases", "implementación",
	"passos", "tarefas", "etapas", "implementação", "шаги", "этапы", "задачи", "реализац", "план работ", "步骤", "任务", "阶段", "实施", "实现", "計画",
	"手順", "タスク", "実装", "ステップ",
	"단계", "작업", "구현",
}

// stepSections finds the numbered headings below an announcement, by line.
func stepSections(d *document) (map[int]bool, heading) {
	for _, above := range d.heads {
		w := words(above.text)
		if above.title.label != "" || !hasAny(w, announcing...) {
			continue
		}
		lines, prose := map[int]bool{}, 0
		for _, h := range d.headsIn(above.line+1, above.end) {
			if h.level == above.level+1 && h.title.kind == "" && numeric(h.title.label) && h.title.sep != "" {
				lines[h.line] = true
				if chapter(h.title.name) {
					prose++
				}
			}
		}
		if len(lines) >= 2 && prose < 2 {
			return lines, above
		}
	}
	return nil, heading{}
}

// chapter reports whether a name is that of a chapter of a document rather than of something to do.
func chapter(name string) bool {
	w := words(name)
	for _, start := range []string{
		"overview", "introduction", "summary", "executive summary", "background", "goals", "goal", "non-goals", "scope", "architecture",
		"requirements", "references", "appendix",
		"risks", "glossary", "motivation", "conclusion", "context", "problem", "sources", "recommendations", "research", "findings",
		"assumptions", "open questions", "success",
		"purpose", "objectives", "einleitung", "überblick", "übersicht", "ziele", "zusammenfassung", "fazit", "risiken", "概述", "背景", "目标", "概要",
		"はじめに", "目的", "introducción",
		"introdução", "objetivos", "resumen", "resumo", "contexte", "objectifs", "введение", "цели", "개요", "배경", "prerequisites", "technical",
		"metrics", "team", "timeline", "budget",
	} {
		if strings.HasPrefix(w, start) {
			return true
		}
	}
	return false
}

// headed is the plain form: one heading a phase, under one of the words for it. Each kind of
// heading is a reading of its own.
type headed struct{ kind string }

func (headed) name() string { return "headings" }

// signs leaves waves alone whose tables list what is to be done: the rows are the phases.
func (h headed) signs(d *document) bool {
	return d.kinds()[h.kind] > 0 && (h.kind != "wave" || len(waveTables(d)) == 0)
}

// prior prefers the kind that stands for phases where kinds are nested.
func (h headed) prior(d *document) int {
	if d.headKind() == h.kind {
		return 28
	}
	return 16 - slices.Index(unitKinds, h.kind)/4
}

func (h headed) read(r *reading) {
	r.headings(func(head *heading) bool { return head.title.kind == h.kind })
}

// partKinds also name the parts of a product or of a document. Where no box and no dependency
// stands in such sections, phases are a guess.
var partKinds = []string{"deliverable", "feature", "module", "block", "part", "section", "teil"}

// groupKinds only group what is to be done: what stands below them is no part of a phase.
var groupKinds = []string{"chunk", "batch", "block", "module", "track", "goal", "teil", "week", "day"}

// kinds counts the headings of each kind.
func (d *document) kinds() map[string]int {
	if d.kindCount == nil {
		d.kindCount = map[string]int{}
		for i := range d.heads {
			if t := &d.heads[i].title; t.kind != "" && t.label != "" {
				d.kindCount[t.kind]++
			}
		}
	}
	return d.kindCount
}

// unitKinds are the words that head a phase, the larger units first: in a plan of phases that hold
// tasks, the phases are the units.
var unitKinds = []string{
	"phase", "task group", "milestone", "stage", "sprint", "wave", "story", "user story", "epic", "iteration", "implementation unit", "unit",
	"work package", "deliverable",
	"workstream", "step", "session", "group", "task", "work item", "ticket", "issue", "pr", "feature", "increment", "chunk", "batch", "block",
	"module", "track", "goal", "part",
	"section", "teil", "week", "day",
}

// headKind is headKind of the document, found once.
func (d *document) headKind() string {
	if d.headedKind == nil {
		kind := headKind(d)
		d.headedKind = &kind
	}
	return *d.headedKind
}

// headKind is the kind of heading that stands for phases: the first of unitKinds that the document
// has, at least twice if it can be. Headings that mostly stand below those of another kind are
// parts of these: the steps of a task are no phases. Phases and stories are, also below milestones
// and epics.
func headKind(d *document) string {
	count, inside := map[string]int{}, map[string]int{}
	var open []heading
	for _, h := range d.heads {
		for len(open) > 0 && open[len(open)-1].level >= h.level {
			open = open[:len(open)-1]
		}
		if kind := h.title.kind; kind != "" && h.level > 1 {
			count[kind]++
			for _, outer := range open {
				if outer.title.kind != kind && !among(groupKinds, outer.title.kind) {
					inside[kind]++
					break
				}
			}
			open = append(open, h)
		} else if kind != "" {
			count[kind] += 0
		}
	}
	for _, least := range []int{2, 1, 0} {
		for _, kind := range unitKinds {
			part := kind != "phase" && kind != "story" && inside[kind]*2 > count[kind]
			if n, have := count[kind]; have && n >= least && !part {
				if kind == "wave" && inside["task"] >= 2 {
					return "task" // a wave is only when; what is to be done are its tasks
				}
				return kind
			}
		}
	}
	return ""
}

// headings makes a unit of every heading that is one, except those within another, those of the
// first level beside deeper ones, and those that only repeat.
func (r *reading) headings(is func(*heading) bool) {
	deeper := false
	for i := range r.doc.heads {
		if h := &r.doc.heads[i]; h.level > 1 && is(h) {
			deeper = true
		}
	}
	level := r.commonLevel(is)
	seen := map[string]int{}
	within := 0 // the line up to which the current phase reaches
	for i := range r.doc.heads {
		h := &r.doc.heads[i]
		if !is(h) || (h.level == 1 && deeper) || (h.line < within && h.level > level) {
			continue
		}
		id := normal(h.title.label)
		if at, twice := seen[id]; twice && r.repeats(&r.units[at], h, level) {
			continue
		}
		u := unit{}
		u.Label = h.title.label
		r.head(&u, h)
		if _, twice := seen[id]; !twice {
			seen[id] = len(r.units)
		}
		r.units = append(r.units, u)
		within = h.end
	}
}

// commonLevel is the level that most of the headings have, and of equals the higher one.
func (r *reading) commonLevel(is func(*heading) bool) int {
	var count [7]int
	for i := range r.doc.heads {
		if h := &r.doc.heads[i]; is(h) && h.level < len(count) {
			count[h.level]++
		}
	}
	best := 2
	for level := 1; level < len(count); level++ {
		if count[level] > count[best] {
			best = level
		}
	}
	return best
}

// repeats reports whether a heading only mentions a phase again: it stands on another level than
// phases do, or has the same name. Of two such headings the one with the longer section is the
// phase.
func (r *reading) repeats(first *unit, h *heading, level int) bool {
	same := words(first.Name) == words(h.title.name)
	if !same && h.level == level && first.level == level {
		return false
	}
	pos := r.doc.headPos(h)
	r.warn("W-DUP", pos, fmt.Sprintf("phase %s has two headings, on lines %d and %d, which are read as one", first.Label, first.from, h.line), "")
	now, before := r.doc.work(h.line, h.end), r.doc.work(first.from, r.doc.endOf(first.from))
	if (same && now > before) || (first.level != level && h.level == level && now >= before) {
		label := first.Label
		*first = unit{}
		first.Label = label
		r.head(first, h)
	}
	return true
}

// work is how much there is to do in a section: its boxes, its statements of dependencies, and of
// equals its lines.
func (d *document) work(from, to int) int {
	work := min(to-from, 999)
	for _, it := range d.itemsIn(from, to) {
		if it.box != 0 {
			work += 1000
		}
	}
	for _, l := range d.labelsIn(from, to) {
		if among(needLabels, l.name) || among(weakNeeds, l.name) {
			work += 1000
		}
	}
	return work
}

// endOf is the end of the section whose heading is on a line.
func (d *document) endOf(line int) int {
	for _, h := range d.headsIn(line, line+1) {
		return h.end
	}
	return line
}

// normal is the id of a label, or "" when it has none.
func normal(label string) string {
	id, err := plan.NormalID(label)
	if err != nil {
		return ""
	}
	return id
}
