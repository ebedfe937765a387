// Package place opens the place where the phases of a run work: a line with a clone each, or one
// directory. It does not know which phases run.
package place

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"autobuild/internal/environ"
	"autobuild/internal/safefile"
	"autobuild/internal/text"
	"autobuild/orchestrator/prepare"
	"autobuild/orchestrator/session/baseline"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/config"
	"autobuild/orchestrator/session/preflight"
	"autobuild/orchestrator/session/spec"
	"autobuild/orchestrator/session/workspace"
	"autobuild/orchestrator/shared"
	"autobuild/orchestrator/tamper"
	"autobuild/orchestrator/worktree"
	"autobuild/state"
	"autobuild/state/store"
)

// Place is where a run works, before it is opened. Every field is required but Planted.
type Place struct {
	Call    *call.Call
	Project *call.Project
	Marks   workspace.Marks
	Spec    spec.RunSpec
	Dir     *store.Dir
	State   *tamper.StateFiles
	Hooks   bool         // the user's commit hooks run
	Aside   string       // path of the knowledge file, which is no part of the work
	Room    func() error // refuses a full disk
	// commands that appeared in the knowledge file since the session began
	Planted func() []string
	// names the phases that the plan file describes differently by now; empty: none
	Changed func() string

	work string // set by Clones
}

// KeepState is the session's one sink that saves.
func KeepState(dir *store.Dir, stateDir string) *tamper.StateFiles {
	return tamper.KeepState(dir, stateDir, baseline.Name, "commits.sh")
}

// Space starts the space of a new run, or takes up that of a resumed one.
func (p *Place) Space(ctx context.Context) (workspace.Space, error) {
	if _, err := p.Clones(); err != nil {
		return nil, err
	}
	c := workspace.Config{
		Marks: p.Marks, Shown: p.Call.Shown, Room: p.Room,
		Now: p.Call.Now, Cold: p.Project.Config.BuildFolders == "cold",
	}
	if p.shared() {
		files, err := p.openShared(ctx)
		if err != nil {
			return nil, err
		}
		c.Lookout = p.lookout(nil)
		return workspace.NewShared(c, files, p.Project.Root, p.Spec.Config.RunID), nil
	}
	line, err := worktree.Begin(ctx, p.Project.Repo, p.options())
	if err != nil {
		return nil, err
	}
	c.Lookout = p.lookout(line)
	return workspace.NewWorktrees(c, line), nil
}

func (p *Place) shared() bool { return p.Spec.Config.Isolation == state.NoIsolation }

func (p *Place) openShared(ctx context.Context) (*shared.Dir, error) {
	if p.Project.Repo == nil {
		return shared.Open(p.Project.Root, p.options()), nil
	}
	return shared.Begin(ctx, p.Project.Repo, p.options())
}

func (p *Place) options() worktree.Options {
	return worktree.Options{
		RunID: p.Spec.Config.RunID, StateDir: p.Project.StateDir,
		Mode: string(p.Spec.Config.CommitMode), Remote: p.Spec.Config.Deliver != "",
		PlanPath: p.Spec.Plan.Path, NoVerify: !p.Hooks,
		Aside: p.Aside, Mark: p.Marks.Phase, MaxFile: p.Spec.Limits.File << 20,
		Output: p.Call.Outputs(), Checkouts: filepath.Join(p.work, "places"),
		Worktrees: filepath.Join(p.work, "worktrees"),
	}
}

// Clones creates the parent directory of all clones of a project. It is outside the checkout, has
// no manifest in a parent directory, and survives a reboot. Its name does not contain autobuild,
// because the code under test could detect it. The error says why there is no such directory.
func (p *Place) Clones() (string, error) {
	if p.work != "" {
		return p.work, nil
	}
	name := "build-" + p.Project.Word()
	if dir := p.Project.Config.WorkDir; dir != "" {
		if rest, ok := strings.CutPrefix(dir, "~"); ok {
			dir = filepath.Join(p.Call.Environ.Home(), rest)
		}
		if why := p.unfit(filepath.Join(dir, name)); why != "" {
			return "", call.Usage("work-dir "+text.Clean(dir, 300)+" cannot be used: "+why,
				"name another folder under work-dir in "+config.Name)
		}
		p.work = filepath.Join(dir, name)
		return p.work, nil
	}
	var why string
	for _, dir := range []string{cacheDir(p.Call.Environ), "/var/tmp", preflight.Temporary()} {
		if !filepath.IsAbs(dir) {
			continue
		}
		dir = filepath.Join(safefile.Resolved(dir), name)
		if why = p.unfit(dir); why == "" {
			p.work = dir
			return dir, nil
		}
	}
	return "", call.Usage("there is no place for the clones in which phases work: "+why,
		"name a folder under work-dir in "+config.Name)
}

// cacheDir is os.UserCacheDir for another environment than that of the process.
func cacheDir(env environ.Environ) string {
	switch {
	case runtime.GOOS == "windows":
		return env.Get("LocalAppData")
	case env.Get("XDG_CACHE_HOME") != "":
		return env.Get("XDG_CACHE_HOME")
	case runtime.GOOS == "darwin":
		return filepath.Join(env.Home(), "Library", "Caches")
	}
	return filepath.Join(env.Home(), ".cache")
}

// Tidy removes empty folders of clones. Clones of failed phases stay.
func (p *Place) Tidy() {
	for _, dir := range []string{"places", "worktrees", ""} {
		_ = os.Remove(filepath.Join(p.work, dir)) // fails where something is in it
	}
}

// unfit creates a directory for clones and returns why it cannot be used; empty: it can.
func (p *Place) unfit(dir string) string {
	if rel, err := filepath.Rel(safefile.Resolved(p.Project.Root), safefile.Resolved(filepath.Dir(dir))); err == nil &&
		filepath.IsLocal(rel) {
		return "it is inside the project, and the project's tools would find the clones"
	}
	if found := prepare.Above(filepath.Dir(dir)); found != "" {
		return "tools in a clone would use " + found
	}
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = os.Chmod(dir, 0o700)
	}
	if err == nil {
		err = writable(dir)
	}
	if err != nil {
		return text.Clean(err.Error(), 300)
	}
	return ""
}

// writable reports why no file can be made in a directory.
func writable(dir string) error {
	probe := filepath.Join(dir, "writable") // one that a killed start has left is removed by the next
	if err := os.Mkdir(probe, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return safefile.IgnoreMissing(os.Remove(probe))
}

// lookout compares autobuild's own files; line is nil where phases share a directory.
func (p *Place) lookout(line *worktree.Line) *tamper.Lookout {
	l := &tamper.Lookout{State: p.State, Plan: p.Changed, Planted: p.Planted}
	if line != nil {
		l.Git = line.Breaches
	}
	return l
}
