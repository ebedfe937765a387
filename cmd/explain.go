package cmd

import (
	"strings"

	"github.com/spf13/cobra"

	"autobuild/internal/text"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/calls"
	"autobuild/plan/markdown"
	"autobuild/render"
	"autobuild/render/term"
	"autobuild/state"
	"autobuild/state/store"
)

func (a *app) explainCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "explain [PHASE|CODE]",
		Short: "Say why a phase failed and what to do, or what a finding about a plan means",
		Long: `explain tells of a phase what happened, on what evidence, what was decided by which rule, what happened before that looks
like it, and what to do now. Of a phase that has not failed it says how it stands; without a
name it tells of the one phase that has failed. A code such as E-CYCLE is explained too.`,
		Example: "  autobuild explain\n  autobuild explain 2A --json\n  autobuild " +
			"explain E-CYCLE",
		Args:              onePhaseAtMost,
		ValidArgsFunction: a.completePhases,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				_, run, err := a.LoadRecorded(c.Context())
				if err != nil {
					return err
				}
				if args, err = oneFailed(run); err != nil {
					return err
				}
			}
			if text, ok := markdown.Explain(strings.ToUpper(args[0])); ok {
				a.Print(a.Style(a.Stdout).Spelled(strings.TrimRight(text, "\n") + "\n"))
				return nil
			}
			if code := strings.ToUpper(args[0]); (strings.HasPrefix(code, "E-") ||
				strings.HasPrefix(code, "W-")) && !strings.ContainsAny(code, "0123456789") {
				return call.Usage("there is no finding "+code,
					text.Suggest(code, markdown.Codes(),
						"autobuild check PLAN.md shows those of a plan"))
			}
			p, run, _, err := a.LoadRun(c.Context())
			if err != nil {
				return err
			}
			phase, err := call.FindPhase(run, args[0])
			if err != nil {
				return err
			}
			e := a.explanation(p, run, phase)
			if !asJSON {
				a.Print(term.Explain(e, a.Style(a.Stdout)))
				return nil
			}
			out, err := render.ExplainJSON(e)
			if err != nil {
				return err
			}
			a.Print(string(out))
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print diagnosis, decision and past as JSON")
	return c
}

// oneFailed is the label of the one phase that has failed.
func oneFailed(run *state.Run) ([]string, error) {
	var failed []string
	for i := range run.Phases {
		if p := &run.Phases[i]; p.Status == state.Failed {
			failed = append(failed, p.Label)
		}
	}
	if len(failed) == 1 {
		return failed, nil
	}
	return nil, call.Usage(text.Count(len(failed), "failed phase"), "name one: autobuild explain 2A")
}

// explanation collects the facts about a phase, with the commands as they are typed from here.
func (a *app) explanation(p *call.Project, run *state.Run, phase *state.Phase) render.Explanation {
	e := render.Explanation{
		Run: run, Phase: phase, Alive: store.Working(p.StateDir, p.LockDir),
		Dir: a.Shown(p.StateDir), Program: a.Program(),
		Resume: calls.Stored(a.Call, p, run, store.Holder{}).Next(),
		Read:   func(name string) string { return store.ReadText(p.StateDir, name) },
	}
	return e
}

// stands returns the commands that continue a stored run; empty while the run goes on.
func (a *app) stands(p *call.Project, run *state.Run, alive bool) render.Ending {
	if alive {
		return render.Ending{}
	}
	return render.Ending{
		Program: a.Program(),
		Resume:  calls.Stored(a.Call, p, run, store.Holder{}).Next(),
	}
}
