package cmd

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"autobuild/cmd/doctor"
	"autobuild/internal/proc"
	"autobuild/internal/text"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/config"
	"autobuild/render"
	"autobuild/render/term"
	"autobuild/state"
)

func (a *app) doctorCommand() *cobra.Command {
	var only string
	var probe, asJSON bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Check agents, git, gates, disk and locks before a run",
		Long: `Look at everything that a run needs, and say what is missing and how to fix it. Nothing is changed and nothing is spent:
agents are only asked for their version and their help. --agent NAME --probe spends one tiny turn of that agent.`,
		Example: "  autobuild doctor\n  autobuild doctor --agent claude\n  autobuild doctor " +
			"--agent claude --probe",
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if probe && only == "" {
				return call.Usage("--probe spends a turn, so it needs an agent",
					"name it: autobuild doctor --agent NAME --probe")
			}
			runner := &proc.Runner{Secrets: call.Secrets(a.Environ)}
			defer runner.Close()
			findings, err := a.doctor(runner).Look(c.Context(), only, probe)
			if unknown, ok := errors.AsType[*doctor.UnknownAgentError](err); ok {
				return call.Usage(unknown.Error(), text.Suggest(unknown.Name, unknown.Known,
					config.SeeHelp))
			}
			if err != nil {
				return err
			}
			return a.showFindings(findings, asJSON)
		},
	}
	c.Flags().StringVar(&only, "agent", "",
		"look at this agent alone: `NAME`, built in or from autobuild.yaml")
	c.Flags().BoolVar(&probe, "probe", false,
		"let the agent do one tiny task in an empty directory, which costs a little")
	c.Flags().BoolVar(&asJSON, "json", false, "print the findings as JSON")
	return c
}

// doctor is a Doctor for the directory of the call.
func (a *app) doctor(runner *proc.Runner) *doctor.Doctor {
	return &doctor.Doctor{
		Runner: runner, Environ: a.Environ, Dir: a.Dir, Named: a.ConfigFile != "", Shown: a.Shown,
		Note: a.Note,
		Try:  a.Try(runner), Children: a.ChildEnviron,
		Open: func(ctx context.Context, o *config.Options) (*doctor.Project, error) {
			if o != nil {
				o.Bind(pflag.NewFlagSet("doctor", pflag.ContinueOnError))
			}
			p, err := a.OpenProject(ctx, runner, o)
			if err != nil {
				return nil, err
			}
			return &doctor.Project{
				Root: p.Root, StateDir: p.StateDir, LockDir: p.LockDir, Owner: p.Word(),
				Repo: p.Repo, Damaged: p.Damaged, Settings: p.Config,
			}, nil
		},
		Load: func(ctx context.Context) (*state.Run, error) {
			_, run, _, err := a.LoadRun(ctx)
			return run, err
		},
	}
}

// showFindings prints the findings. One that keeps a run from starting is an error.
func (a *app) showFindings(findings []render.Finding, asJSON bool) error {
	if asJSON {
		out, err := render.DoctorJSON(findings)
		if err != nil {
			return err
		}
		a.Print(string(out))
	} else {
		a.Print(term.Doctor(findings, a.Style(a.Stdout)))
	}
	for _, f := range findings {
		if f.Level == render.Fatal {
			return &call.ShownError{Err: errors.New(f.What)}
		}
	}
	return nil
}
