// Package place opens the place where the phases of a run work: a line with a worktree each, or one
// directory, and the lookout that compares what lies around it. Everything that the lookout
// compares with is taken before the first agent starts. It does not know which phases run.
package place

import (
	"cmp"
	"context"
	"os"
	"path/filepath"

	"autobuild/internal/call"
	"autobuild/internal/preflight"
	"autobuild/internal/text"
	"autobuild/orchestrator/agent"
	"autobuild/orchestrator/session/baseline"
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
	Env     []string     // of agents and gates
	Begun   bool         // phases of the run are complete already
	Hooks   bool         // the user's commit hooks run
	Aside   string       // path of the knowledge file, which is no part of the work
	Room    func() error // refuses a full disk
	// commands that appeared in the knowledge file since the session began
	Planted func() []string
	// names the phases that the plan file describes differently by now; empty: none
	Changed func() string
	Doubt   func() // called when the environment of gates was found changed

	env   *tamper.Environment // set by Space
	watch tamper.Config
}

// KeepState is the session's one sink that saves.
func KeepState(dir *store.Dir, stateDir string) *tamper.StateFiles {
	return tamper.KeepState(dir, stateDir, baseline.Name, "commits.sh")
}

// Space starts the space of a new run, or takes up that of a resumed one. No phase may run in it
// before Guard.
func (p *Place) Space(ctx context.Context) (workspace.Space, error) {
	c := workspace.Config{
		Marks: p.Marks, Shown: p.Call.Shown, Room: p.Room,
		Jobs: p.Spec.Limits.GateJobs,
	}
	if p.shared() {
		files, err := p.openShared(ctx)
		if err != nil {
			return nil, err
		}
		c.Lookout = p.lookout(files.Line())
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
		Aside: p.Aside, Mark: p.Marks.Phase,
		Output: p.Call.Outputs(), Checkouts: p.checkouts(),
	}
}

// checkouts is the parent of the referee's checkouts of a project. Its name does not hold
// autobuild, because the judged code could look for it.
func (p *Place) checkouts() string {
	name := "build-" + p.Project.Word()
	cache, err := os.UserCacheDir()
	if home := p.Call.Environ.Get("XDG_CACHE_HOME"); home != "" {
		cache, err = home, nil
	}
	dir := cmp.Or(cache, preflight.Temporary())
	if err != nil || os.MkdirAll(dir, 0o700) != nil || writable(dir) != nil {
		dir = preflight.Temporary()
	}
	return filepath.Join(dir, name)
}

// writable reports why no file can be made in a directory.
func writable(dir string) error {
	probe, err := os.MkdirTemp(dir, "build-")
	if err != nil {
		return err
	}
	return os.Remove(probe)
}

// Guard notes what the lookout of the Space compares with.
func (p *Place) Guard() (err error) {
	p.env.Watch, err = tamper.Take(p.watch)
	return err
}

// lookout compares what lies around a line, or around a directory that phases share.
func (p *Place) lookout(line *worktree.Line) *tamper.Lookout {
	p.watch = p.watched()
	// nothing in a shared directory is watched, so no file of it is looked up
	if line != nil && !p.shared() {
		p.watch.Tracked = func(path string) bool {
			tracked, err := line.Tracks(context.Background(), path)
			return err == nil && tracked
		}
	}
	p.env = &tamper.Environment{
		StateDir: p.Project.StateDir, Put: p.Dir.Put, Begun: p.Begun,
		Note: p.Call.Note, Doubt: p.Doubt,
		Clean: func(note string) string { return text.Clean(note, 600) },
	}
	return &tamper.Lookout{
		Git: tamper.NewOutside(line), State: p.State, Env: p.env, Plan: p.Changed,
		Planted: p.Planted, Shared: p.shared(),
	}
}

// watched is the configuration of the watch on the environment.
func (p *Place) watched() tamper.Config {
	var exempt []string
	for _, name := range agent.Names() {
		exempt = append(exempt, agent.Program(name))
	}
	dir := p.Project.StateDir
	return tamper.Config{
		Environ: p.Env, Root: p.Project.Root, StateDir: dir,
		Above:  []string{filepath.Join(dir, "worktrees"), p.checkouts()},
		Shared: p.shared(), Exempt: exempt, Now: p.Call.Now,
	}
}

// Recover restores what agents of a killed run changed in the environment of its gates.
func (p *Place) Recover() (notices []string, err error) {
	notes, err := tamper.Recover(p.watched())
	for _, n := range notes {
		notices = append(notices, "since the run was cut off: "+text.Clean(n, 400))
	}
	return notices, err
}
