package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"autobuild/internal/proc"
	"autobuild/internal/safefile"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/config"
	"autobuild/orchestrator/verify"
	"autobuild/plan"
	"autobuild/render"
	"autobuild/render/term"
	"autobuild/state"
)

// readingHelp is about the flag of commands that only read a plan.
const readingHelp = "read the plan in this way; otherwise the first that applies"

func (a *app) checkCommand() *cobra.Command {
	var asJSON, strict, receipts bool
	reading := config.Choice{Words: config.ReadingWords()}
	c := &cobra.Command{
		Use:   "check PLAN.md",
		Short: "Find mistakes in a plan before anything runs",
		Long: "Find mistakes in a plan, and what would fail for want of a file, a program or a " +
			"variable, before anything runs.\n" +
			"autobuild explain CODE says what a finding means.",
		Example: "  autobuild check plan.md\n  autobuild check plan.md --strict\n  " +
			"autobuild check plan.md --receipts",
		Args:              onePlan,
		ValidArgsFunction: completePlans,
		RunE: func(c *cobra.Command, args []string) error {
			p, err := a.ReadPlan(args[0], reading.Value)
			var findings plan.Problems
			var missing []state.GateSpec
			if err == nil {
				if findings, missing, err = a.findings(c.Context(), p, strict); err != nil {
					return err
				}
			}
			if asJSON {
				if err = a.checkJSON(args[0], p, findings, err); err == nil && len(missing) > 0 {
					err = &call.ShownError{Err: errGateTools}
				}
				return err
			}
			if err != nil {
				return err
			}
			if receipts {
				return a.receipts(args[0], p)
			}
			a.Print(term.Problems(args[0], findings, a.Style(a.Stdout)))
			if len(findings.Errors()) > 0 {
				return &call.ShownError{Err: findings}
			}
			a.Print(term.Checked(args[0], p, call.RefusedStart(missing), a.Style(a.Stdout)))
			if len(missing) > 0 {
				return &call.ShownError{Err: errGateTools}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the graph and the findings as JSON")
	c.Flags().BoolVar(&receipts, "receipts", false,
		"show the plan with a margin that says what each line was read as")
	c.Flags().Var(&reading, "reading", readingHelp)
	c.Flags().BoolVar(&strict, "strict", false, "warnings are errors too")
	return c
}

// receipts prints the plan with what became of each of its lines.
func (a *app) receipts(path string, p *plan.Plan) error {
	source, err := safefile.ReadNamed(a.Path(path), call.MaxPlan)
	if err != nil {
		return fmt.Errorf("reading the plan again: %w", err)
	}
	a.Print(term.Receipts(string(source), p, a.Style(a.Stdout)))
	return nil
}

// checkJSON prints findings for programs, also those of a plan that was refused.
func (a *app) checkJSON(path string, p *plan.Plan, findings plan.Problems, err error) error {
	problems, refused := errors.AsType[plan.Problems](err)
	if err != nil && !refused {
		return err
	}
	if err == nil {
		problems = findings
		if len(findings.Errors()) > 0 {
			err = &call.ShownError{Err: findings}
		}
	}
	out, failed := render.GraphJSON(path, p, problems)
	if failed != nil {
		return failed
	}
	a.Print(string(out))
	return err
}

// findings are everything to be said of a valid plan in the project around the working directory,
// and the gates without whose programs no run starts.
func (a *app) findings(
	ctx context.Context, p *plan.Plan, strict bool,
) (plan.Problems, []state.GateSpec, error) {
	var o config.Options // a configuration is read whole or not at all
	o.Bind(pflag.NewFlagSet("check", pflag.ContinueOnError))
	project, err := a.OpenProject(ctx, &proc.Runner{}, &o)
	if err != nil {
		return nil, nil, err
	}
	shell := sync.OnceValue(func() verify.Shell {
		return verify.FindShell(ctx, &proc.Runner{}, a.Environ)
	})
	world := call.World{Call: a.Call, Project: project, Shell: shell}
	missing := call.MissingGates(project.Root, project.Config.Gates, p, a.Environ)
	found := slices.Concat(p.Notes, plan.Check(p, world), world.GateProblems(missing))
	for _, g := range project.Config.Gates {
		if plan.Pipeline(g.Command) && !shell().Pipefail() {
			found = append(found, plan.Problem{
				Code: "W-PIPELINE", Severity: plan.Warning,
				Message: fmt.Sprintf(
					"gate %s of autobuild.yaml is a pipeline, and no shell here has pipefail: "+
						"only its last command's status counts",
					g.Name),
				Hint: "install bash, or write what comes before the last | to a file first",
			})
		}
	}
	for i := range found {
		if strict && found[i].Severity == plan.Warning {
			found[i].Severity = plan.Error
		}
	}
	found.Sort()
	return found, missing, nil
}

// errGateTools says that a run would not start.
var errGateTools = errors.New("gates need programs that are not installed")
