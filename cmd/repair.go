package cmd

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"autobuild/failure/policy"
	"autobuild/internal/call"
	"autobuild/internal/proc"
	"autobuild/orchestrator"
	"autobuild/orchestrator/worktree"
	"autobuild/render"
	"autobuild/render/term"
	"autobuild/state"
	"autobuild/state/repair"
	"autobuild/state/store"
)

func (a *app) repairCommand() *cobra.Command {
	var dry bool
	c := &cobra.Command{
		Use:   "repair",
		Short: "Repair inconsistent state",
		Long: `repair compares the files in .autobuild/ with each other, with the diary and with git's commits, says what cannot be
true and why, and repairs it. What it touches is kept in .autobuild/history/repair-TIME/ first. A phase becomes
complete only if its commit is there. A contradiction that only the user can resolve is left unchanged.`,
		Example: "  autobuild repair --dry-run     show what would be done, and change " +
			"nothing\n  autobuild repair",
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			return a.repair(c.Context(), dry)
		},
	}
	c.Flags().BoolVar(&dry, "dry-run", false, "show what would be done, and change nothing")
	return c
}

// errUnrepaired says that a person has to decide.
var errUnrepaired = errors.New("something is left that keeps the run from being resumed")

func (a *app) repair(ctx context.Context, dry bool) error {
	p, err := a.OpenProject(ctx, &proc.Runner{}, nil)
	if err != nil {
		return err
	}
	if !store.Exists(p.StateDir) {
		return call.ErrNoState
	}
	if dry {
		if store.Working(p.StateDir, p.LockDir) {
			return errors.New(
				"a run is going on here, and what it has not finished would look wrong · wait " +
					"until it has ended: autobuild status")
		}
		files, err := store.Inspect(p.StateDir)
		if err != nil {
			return err
		}
		report, err := a.examine(ctx, p, files)
		if err != nil {
			return err
		}
		return a.showRepair(p, files, report, "", false)
	}
	return a.locked(p, "repair", "", func(dir *store.Dir) error {
		files, err := dir.Inspect()
		if err != nil {
			return err
		}
		report, err := a.examine(ctx, p, files)
		if err != nil {
			return err
		}
		backup, err := repair.Do(dir, report, time.Now)
		if err != nil {
			return err
		}
		return a.showRepair(p, files, report, backup, true)
	})
}

// examine compares the witnesses: the files, the diary, the plan and git.
func (a *app) examine(
	ctx context.Context, p *call.Project, files *store.Files,
) (*repair.Report, error) {
	diary := repair.ReadDiary(store.DiaryLines(p.StateDir))
	evidence := repair.Evidence{CutOffs: call.CutOffs(p.StateDir, files)}
	config, known := repair.Config(files, diary)
	if !known {
		return repair.Examine(files, diary, evidence), nil
	}
	if parsed := p.StoredPlan(config); parsed != nil {
		evidence.Seeds = orchestrator.Seeds(parsed, policy.Single{}.Attempts())
	}
	if p.Repo != nil {
		commits, recorded, err := worktree.Recorded(ctx, p.Repo, config.RunID,
			config.Isolation == state.NoIsolation)
		if err != nil {
			return nil, err
		}
		evidence.Git = recorded
		for _, c := range commits {
			evidence.Commits = append(evidence.Commits, repair.Landed{
				Phase: c.Phase, Key: c.Key, Verdict: state.Verdict(c.Verdict),
				Contested: state.ContestedAt(c.Contested),
				Commit:    state.Commit{SHA: c.ID, Message: c.Message},
			})
		}
	}
	return repair.Examine(files, diary, evidence), nil
}

// showRepair says what was found and, where it was done, what was done.
func (a *app) showRepair(
	p *call.Project, files *store.Files, report *repair.Report, backup string, done bool,
) error {
	out := term.Repair{Done: done, Files: len(files.Phases) + len(files.Bad) + 1}
	for _, f := range report.Findings {
		out.Mends = append(out.Mends, term.Mend{
			Path: a.Shown(f.Path), Line: f.Line, Col: f.Col, Label: f.Label, Cause: f.Cause,
			Do: string(f.Do), Why: f.Why, Next: f.Next,
		})
	}
	if backup != "" {
		out.Backup = a.Shown(filepath.Join(p.StateDir, filepath.FromSlash(backup)))
	}
	if name := report.Plan(); name != "" && !report.Open() && report.Mendable() > 0 {
		out.Next = append(out.Next,
			render.Command(append(a.Program(), a.Shown(p.PlanPath(name)), "--resume")))
	}
	if !done && report.Mendable() > 0 {
		out.Next = []string{render.Command(append(a.Program(), "repair"))}
	}
	a.Print(term.Mended(out, a.Style(a.Stdout)))
	if report.Open() {
		return errUnrepaired
	}
	return nil
}
