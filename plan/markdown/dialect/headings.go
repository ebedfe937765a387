package dialect

import (
	"slices"
	"strings"

	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/reading"
	"autobuild/plan/markdown/words"
)

// sections is the form of headings that are only numbered, "### 1. Add the parser", below one that
// announces them, such as "Implementation Steps".
type sections struct{}

func (sections) name() string { return "sections" }

func (sections) signs(d *document.Document) bool {
	lines, _ := stepSections(d)
	return len(lines) >= 2
}

func (sections) prior(d *document.Document) int {
	if _, above := stepSections(d); above.Level == 1 {
		return -5
	}
	return 22
}

func (sections) read(r *reading.Reading) {
	lines, above := stepSections(r.Doc)
	r.AddHeadings(func(h *document.Heading) bool { return lines[h.Line] })
	if above.Level == 1 && r.Doc.CountWorkBoxes() == 0 {
		r.WarnDoubt("the numbering of the headings", "the headings")
	}
}

// announcing are words of headings below which numbered headings are what is to be done.
var announcing = []string{
	"implementation", "steps", "tasks", "phases", "work plan", "execution plan", "action plan",
	"delivery",
	"sequence", "roadmap",
	"milestones", "work breakdown",
	"work items", "rollout", "migration plan", "todo", "schritte", "umsetzung", "aufgaben",
	"phasen",
	"étapes", "tâches", "mise en œuvre",
	"pasos", "tareas", "fases", "implementación",
	"passos", "tarefas", "etapas", "implementação", "шаги", "этапы", "задачи", "реализац",
	"план работ",
	"步骤", "任务", "阶段", "实施", "实现", "計画",
	"手順", "タスク", "実装", "ステップ",
	"단계", "작업", "구현",
}

// stepSections finds the numbered headings below an announcement, by line.
func stepSections(d *document.Document) (map[int]bool, document.Heading) {
	for _, above := range d.Headings {
		w := inline.Words(above.Text)
		if above.Title.Label != "" || !words.ContainsAny(w, announcing...) {
			continue
		}
		lines, prose := map[int]bool{}, 0
		for _, h := range d.HeadingsIn(above.Line+1, above.End) {
			if h.Level == above.Level+1 && h.Title.Kind == "" && words.IsNumeric(h.Title.Label) &&
				h.Title.Sep != "" {
				lines[h.Line] = true
				if chapter(h.Title.Name) {
					prose++
				}
			}
		}
		if len(lines) >= 2 && prose < 2 {
			return lines, above
		}
	}
	return nil, document.Heading{}
}

// chapter reports whether a name is that of a chapter of a document rather than of something to do.
func chapter(name string) bool {
	w := inline.Words(name)
	for _, start := range []string{
		"overview", "introduction", "summary", "executive summary", "background", "goals", "goal",
		"non-goals", "scope", "architecture",
		"requirements", "references", "appendix",
		"risks", "glossary", "motivation", "conclusion", "context", "problem", "sources",
		"recommendations",
		"research", "findings",
		"assumptions", "open questions", "success",
		"purpose", "objectives", "einleitung", "überblick", "übersicht", "ziele", "zusammenfassung",
		"fazit", "risiken", "概述", "背景", "目标", "概要",
		"はじめに", "目的", "introducción",
		"introdução", "objetivos", "resumen", "resumo", "contexte", "objectifs", "введение", "цели",
		"개요",
		"배경", "prerequisites", "technical",
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

// signs rejects waves whose tables list the work: there the rows are the phases.
func (h headed) signs(d *document.Document) bool {
	if h.kind == "wave" && holdsCoded(d) {
		return false
	}
	return d.HeadingKinds()[h.kind] > 0 && (h.kind != "wave" || len(waveTables(d)) == 0)
}

// holdsCoded reports whether all boxes below the headings of waves stand below headings of tasks
// that begin with codes: "## Wave 1", "### T1: Name".
func holdsCoded(d *document.Document) bool {
	lines := codedHeads(d)
	coded := func(h document.Heading) bool { return lines[h.Line] }
	inWaves := 0
	for i := range d.Headings {
		h := &d.Headings[i]
		if h.Title.Kind != "wave" {
			continue
		}
		below := d.HeadingsIn(h.Line+1, h.End)
		at := slices.IndexFunc(below, coded)
		if at < 0 || d.HasBoxIn(h.Line, below[at].Line) {
			return false
		}
		inWaves++
	}
	return inWaves > 0
}

// prior prefers the kind that stands for phases where kinds are nested.
func (h headed) prior(d *document.Document) int {
	if d.PhaseKind() == h.kind {
		return 28
	}
	return 16 - slices.Index(words.UnitKinds, h.kind)/4
}

func (h headed) read(r *reading.Reading) {
	r.AddHeadings(func(head *document.Heading) bool { return head.Title.Kind == h.kind })
}
