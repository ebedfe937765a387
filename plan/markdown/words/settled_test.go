package words_test

import (
	"testing"

	"autobuild/plan"
	"autobuild/plan/markdown/words"
)

// TestSettled: a phase counts as done or skipped only where nothing limits the status.
func TestSettled(t *testing.T) {
	for text, want := range map[string]plan.Status{
		"Done": plan.StatusDone, "✅": plan.StatusDone, "✅ Done (5/5)": plan.StatusDone,
		"done 2026-01-02": plan.StatusDone, "Done on 3 May 2026": plan.StatusDone,
		"completed by @mia": plan.StatusDone, "Done by Mia Berg, 3.5.": plan.StatusDone,
		"Merged in #12": plan.StatusDone, "shipped (abc1234)": plan.StatusDone,
		"done, merged": plan.StatusDone, "Complete in v2": plan.StatusDone,
		"✅ Complete — deployed": plan.StatusDone, "erledigt am 3. Mai": plan.StatusDone,
		"完了 2026年1月2日": plan.StatusDone, "已完成（2026-01-02）": plan.StatusDone,
		"done (2026-10-02; D3 proposed, awaiting decision)": plan.StatusDone,
		"✅ (device QA pending user hardware)":               plan.StatusDone,
		"Terminée le 3 mai":                                 plan.StatusDone, "done 5/5 tasks": plan.StatusDone,
		"Skipped": plan.StatusSkipped, "Deferred to v2": plan.StatusSkipped,
		"Skipped - not needed": plan.StatusSkipped, "won't do": plan.StatusSkipped, "dropped, not worth it": plan.StatusSkipped,

		"done?": plan.StatusInProgress, "✔ reviewed, not merged": plan.StatusInProgress,
		"complete after Phase 1": plan.StatusInProgress, "completed by Friday": plan.StatusInProgress,
		"done when the review is": plan.StatusInProgress, "done except docs": plan.StatusInProgress,
		"done soon": plan.StatusInProgress, "✅ pending review": plan.StatusInProgress,
		"done - verify": plan.StatusInProgress, "done (not merged)": plan.StatusInProgress,
		"✅ 3/5": plan.StatusInProgress, "done 90%": plan.StatusInProgress,
		"✅ 🚧": plan.StatusInProgress, "✅ ❓": plan.StatusInProgress, "done (untested)": plan.StatusInProgress,
		"已完成，待验证": plan.StatusInProgress, "fertig bis auf die Doku": plan.StatusInProgress,
		"terminé sauf la doc": plan.StatusInProgress, "done by end of week": plan.StatusInProgress,
		"complete the API": plan.StatusInProgress, "完了？": plan.StatusInProgress,
		"skipped?": plan.StatusTodo, "cancelled?": plan.StatusTodo,
		"skipped unless time permits": plan.StatusTodo, "deferred until Phase 1 is done": plan.StatusTodo,
	} {
		if got := words.StatusOf(text, true); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
