package markdown_test

import (
	"testing"

	"autobuild/plan"
	"autobuild/plan/markdown"
)

// TestStatusWords reads the status of a phase in nine languages, and words that only begin as one.
func TestStatusWords(t *testing.T) {
	for status, words := range map[plan.Status][]string{
		plan.StatusTodo: {
			"not started", "pending", "未开始", "未着手", "未完了", "시작 전", "offen", "Nicht begonnen", "À faire", "en attente", "Pendiente", "não iniciado", "не начата",
		},
		plan.StatusInProgress: {
			"in progress", "partially", "进行中", "進行中", "作業中", "진행 중", "In Arbeit", "en cours", "En curso", "em andamento", "В работе",
		},
		plan.StatusDone: {
			"done", "Completed", "已完成", "完了", "完了済み", "완료", "Erledigt", "abgeschlossen", "Terminée", "Terminado", "completadas", "Concluída", "Готово", "завершено",
		},
		plan.StatusBlocked: {
			"blocked", "on hold", "阻塞", "保留", "보류", "Blockiert", "bloqué", "bloqueada", "En espera", "pausado", "заблокирована",
		},
		plan.StatusSkipped: {
			"skipped", "已跳过", "スキップ", "건너뜀", "Übersprungen", "annulée", "Omitido", "cancelada", "adiado", "Пропущен",
		},
		plan.StatusUnknown: {"取消機能", "完成度", "Fertigung", "Opensearch", "готовность", "Finistère"},
	} {
		for _, word := range words {
			src := "## Phase 1: Read\n\nText.\n\n## Phase 2: Print\n\nText.\n\n## Progress\n\n| Phase | Status |\n|---|---|\n| 1 | " + word + " |\n| 2 | " + word + " |\n"
			if got := parse(t, "plan.md", []byte(src)).At(1).Status; got != status {
				t.Errorf("%q is %q, want %q", word, got, status)
			}
		}
	}
}

// TestStatusAside: a word of status that begins a name is no status.
func TestStatusAside(t *testing.T) {
	for title, want := range map[string]plan.Status{
		"Phase 2 — Complete the API":         plan.StatusUnknown,
		"Phase 2: Tests - Complete the rest": plan.StatusUnknown,
		"Phase 2: Tests (done right)":        plan.StatusUnknown,
		"Phase 2: Tests - Done":              plan.StatusDone,
		"Phase 2: Tests (Completed)":         plan.StatusDone,
		"Phase 2: Tests (done, merged)":      plan.StatusDone,
		"Phase 2: Tests (done 2026-01-02)":   plan.StatusDone,
		"Phase 2: Tests (complete in v2)":    plan.StatusDone,
		"Phase 2: Tests (in progress)":       plan.StatusInProgress,
		"Phase 2: Tests (erledigt am 3.5.)":  plan.StatusDone,
	} {
		p, err := markdown.Parse("plan.md", []byte("# P\n\n## Phase 1: Base\n\n- [ ] a\n\n## "+title+"\n\nText.\n"), markdown.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.At(1).Status; got != want && (want != plan.StatusUnknown || got != plan.StatusTodo) {
			t.Errorf("%s: status %q, want %q", title, got, want)
		}
	}
}
