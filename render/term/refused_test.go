package term

import (
	"strings"
	"testing"

	"autobuild/render"
	"autobuild/render/rendertest"
)

// TestRefusedSteps: each refused phase says what to type, for the files that it touched and for
// no others.
func TestRefusedSteps(t *testing.T) {
	run := rendertest.Cheated(t)
	d := render.Overview{Run: run}
	steps := func(i int) string {
		p := &run.Phases[i]
		var out strings.Builder
		for _, next := range d.NextSteps(p, "", []string{"autobuild"}, render.Style{}) {
			out.WriteString(next.Text + "\n")
			for _, argv := range next.Commands {
				out.WriteString(render.Command(argv) + "\n")
			}
		}
		return out.String()
	}
	rendertest.Has(t, steps(2), "git -C .autobuild/worktrees/2a diff 89abcdef0123 -- package.json 'src/my rate.test.ts'\n",
		"git -C .autobuild/worktrees/2a checkout 89abcdef0123 -- package.json 'src/my rate.test.ts'\n", "`referee_changes`", "docs/feature-plan.md")
	rendertest.Lacks(t, steps(2), "--referee", "rm ")
	rendertest.Has(t, steps(3), "rm -- .autobuild/worktrees/2b/GNUmakefile\n")
	rendertest.Lacks(t, steps(3), "checkout")
	rendertest.Has(t, steps(4), "pass the tests that were there before, without the phase's new test files")
	rendertest.Lacks(t, steps(4), "checkout", "rm ", "old.test.ts")
	run.Config.Referee = "strict"
	rendertest.Has(t, steps(2), "--referee contest")
	rendertest.Has(t, Explain(rendertest.Explained(run, 2), render.Style{}), "the plan does not ask for that")
}

// TestRefusedExplained: the explanation names the changed test, with its old and new lines, and
// claims nothing of the phase's own logic.
func TestRefusedExplained(t *testing.T) {
	text := Explain(rendertest.Explained(rendertest.Cheated(t), 2), render.Style{})
	rendertest.Has(t, text, "keeps 界 rates (src/my rate.test.ts:4): expects another value", "was: expect(rate).toBe(19)", "now: expect(rate).toBe(21)",
		"referee.test.log")
	rendertest.Lacks(t, text, "the phase's own work is wrong", "- verification_mismatch:")
}
