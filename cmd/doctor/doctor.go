// Package doctor looks at everything that a run needs and says what is missing and how to repair
// it. Findings are values with a topic, a level and a command; each check adds its own and none
// stops another. It changes nothing and does not know how findings are shown.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"autobuild/internal/environ"
	"autobuild/internal/proc"
	"autobuild/internal/safefile"
	"autobuild/internal/text"
	"autobuild/orchestrator/agent"
	"autobuild/orchestrator/git"
	"autobuild/orchestrator/session/config"
	"autobuild/orchestrator/session/preflight"
	"autobuild/orchestrator/verify"
	"autobuild/orchestrator/worktree"
	"autobuild/render"
	"autobuild/state"
	"autobuild/state/store"
)

// Project is the repository or directory that a run would work in.
type Project struct {
	Root, StateDir, LockDir string
	Owner                   string          // of temporary files: see verify.Rooms
	Repo                    *git.Repository // nil without git
	Damaged                 error           // why a repository cannot be used
	Settings                config.Settings
}

// Doctor makes findings.
type Doctor struct {
	Runner  *proc.Runner
	Environ environ.Environ
	Dir     string                   // of the call
	Named   bool                     // --config names a file
	Shown   func(path string) string // a path as the user types it
	Note    func(format string, args ...any)
	Try     func(argv []string) error // runs a short command
	// Children is what a run passes of Environ, where env.allow holds this list; nil allows all.
	Children func(allow []string) environ.Environ
	Load     func(ctx context.Context) (*state.Run, error)
	// Open finds the project and reads its settings into o; without options it reads no settings.
	Open func(ctx context.Context, o *config.Options) (*Project, error)

	limit   time.Duration // of the task of a probe; 0: probePatience
	project *Project      // nil where the configuration is not valid
	// agents that a run would take, as configured; none: the first that is installed
	chosen   []string
	asked    string // of a sandbox, as configured; empty: the default
	findings []render.Finding
}

const onWindows = runtime.GOOS == "windows"

func (d *Doctor) say(topic string, level render.Level, fix, format string, args ...any) {
	f := render.Finding{Topic: topic, Level: level, What: fmt.Sprintf(format, args...), Fix: fix}
	d.findings = append(d.findings, f)
}

// found reports whether a program is on PATH.
func (d *Doctor) found(program string) bool { return d.Environ.LookPath(d.Dir, program) }

// children is the environment that a run passes to its agents.
func (d *Doctor) children() environ.Environ {
	if d.project == nil {
		return d.Children(nil)
	}
	return d.Children(d.project.Settings.Env)
}

// Look makes all findings, of the agents only those of one where it is named. probe lets that agent
// do a task.
func (d *Doctor) Look(ctx context.Context, only string, probe bool) ([]render.Finding, error) {
	d.configuration(ctx)
	if d.project != nil {
		d.git(ctx)
		d.disk()
		d.state(ctx)
		d.gates()
		d.sandbox()
	}
	if only != "" {
		err := d.oneAgent(ctx, only, probe)
		return d.findings, err
	}
	d.agents(ctx)
	return d.findings, ctx.Err()
}

// configuration reads the settings as a run would.
func (d *Doctor) configuration(ctx context.Context) {
	const topic = "configuration"
	var o config.Options
	project, err := d.Open(ctx, &o)
	if err != nil {
		if _, isConfig := errors.AsType[*config.Error](err); !isConfig {
			d.say("git", render.Fatal, "", "%v", err)
			return
		}
		for line := range strings.SplitSeq(err.Error(), "\n") {
			d.say(topic, render.Fatal, "", "%s", line)
		}
		if d.project, err = d.Open(ctx, nil); err != nil {
			d.project = nil
		}
		return
	}
	d.project, d.chosen, d.asked = project, o.Agents(), o.Sandbox.Value
	if _, err := os.Stat(filepath.Join(project.Root, config.Name)); err != nil && !d.Named {
		d.say(topic, render.Aside, "autobuild init",
			"no %s: every setting has its default, and the stack decides about gates", config.Name)
		return
	}
	d.say(topic, render.Fine, "", "%s is valid", config.Name)
}

// git looks at the repository.
func (d *Doctor) git(ctx context.Context) {
	const topic = "git"
	if d.project.Damaged != nil {
		d.say(topic, render.Fatal, "", "%v", d.project.Damaged)
		return
	}
	if d.project.Repo == nil {
		d.say(topic, render.Caution, "git init && git add -A && git commit -m 'first commit'",
			"no repository at %s: phases share the directory, one at a time, and nothing is "+
				"committed",
			d.Shown(d.project.Root))
		return
	}
	c, err := worktree.Inspect(ctx, d.project.Repo)
	if err != nil {
		d.say(topic, render.Fatal, "", "%v", err)
		return
	}
	d.say(topic, render.Fine, "", "git %s, repository %s", c.Version, d.Shown(d.project.Root))
	d.commits(c)
	if c.StaleLock != "" {
		d.say(topic, render.Caution, "rm "+render.Command([]string{d.Shown(c.StaleLock)}),
			"%s is there: either git is working right now, or it died; remove it only when none is",
			d.Shown(c.StaleLock))
	}
	if c.Dirty > 0 {
		d.say(topic, render.Aside, "",
			"%s not committed: phases begin on the last commit and do not see them; they are "+
				"never touched",
			text.Count(c.Dirty, "change"))
	}
	if len(c.Submodules) > 0 {
		d.say(topic, render.Aside, "", "%s: %s", text.Count(len(c.Submodules), "submodule"),
			text.JoinSome(c.Submodules, 3))
	}
	if c.LFS && !d.found("git-lfs") {
		d.say(topic, render.Caution, "git lfs install, after installing git-lfs",
			"git-lfs filters are configured, and git-lfs is not on PATH")
	}
	if len(c.Left) > 0 {
		d.say(topic, render.Aside, "git branch --list 'autobuild/*'",
			"%s of earlier runs with work that was not delivered: %s",
			text.Count(len(c.Left), "branch"), text.JoinSome(c.Left, 3))
	}
}

// commits checks that a run can commit as the user would.
func (d *Doctor) commits(c worktree.Checkup) {
	const topic = "git"
	switch {
	case c.Headless != nil:
		d.say(topic, render.Fatal, c.Headless.Next, "%s", c.Headless.What)
	case c.Branch == "":
		d.say(topic, render.Caution, "git switch -c BRANCH",
			"HEAD is detached: the work stays on a branch of its own")
	}
	if c.Author == "" {
		d.say(topic, render.Caution,
			"git config --global user.name NAME && git config --global user.email MAIL",
			"git knows no name or mail: commits are made as autobuild")
	} else {
		d.say(topic, render.Fine, "", "commits are made as %s", c.Author)
	}
	switch {
	case c.Unsigned != "":
		d.say(topic, render.Fatal, "git config commit.gpgSign false",
			"commits are to be signed, and that fails unattended: %s", c.Unsigned)
	case c.Signed:
		d.say(topic, render.Fine, "", "commits are signed")
	}
	switch {
	case len(c.Hooks) > 0 && onWindows:
		d.say(topic, render.Aside, "", "the commit hooks %s are not asked on Windows",
			strings.Join(c.Hooks, ", "))
	case len(c.Hooks) > 0:
		d.say(topic, render.Aside, "",
			"the commit hooks %s run as a gate of every phase (gates: {hooks: false} leaves them out)",
			strings.Join(c.Hooks, ", "))
	}
}

// state adds whether a run is at work here, and the totals of the last one.
func (d *Doctor) state(ctx context.Context) {
	if store.Working(d.project.StateDir, d.project.LockDir) {
		d.say("state", render.Fatal, "autobuild status",
			"a run is going on in this repository; a second one is refused")
		return
	}
	if !store.Exists(d.project.StateDir) {
		d.say("state", render.Fine, "", "no run has been here")
		return
	}
	run, err := d.Load(ctx)
	if err != nil {
		for line := range strings.SplitSeq(err.Error(), "\n") {
			d.say("state", render.Fatal, "", "%s", line)
		}
		return
	}
	t := run.Totals()
	d.say("state", render.Fine, "", "run %s of %s: %d of %d phases complete, not running",
		run.Config.RunID, run.Config.Plan, t.Complete, t.Phases)
	for i := range run.Phases {
		if last, ok := run.Phases[i].Last(); ok && last.Dir != "" && safefile.Exists(last.Dir) {
			clones := filepath.Dir(filepath.Dir(last.Dir))
			d.say("state", render.Fine, "", "its clones have %.1f MB in %s",
				float64(preflight.Size(clones))/(1<<20), d.Shown(clones))
			return
		}
	}
}

// gates adds the gates of phases, and whether each can run.
func (d *Doctor) gates() {
	const topic = "gates"
	stack := verify.Detect(d.project.Root)
	specs := verify.Probe(d.project.Root, d.Environ, verify.Merge(d.project.Settings.Gates, nil,
		stack.Gates))
	for _, g := range specs {
		switch {
		case g.Available:
			d.say(topic, render.Fine, "", "%s: %s (from %s)", g.Name, g.Command, g.Source)
		case g.Source == verify.SourceConfig:
			d.say(topic, render.Fatal, "install "+g.Tool+", or take the gate out of "+config.Name,
				"%s: %s needs %s, which is not installed", g.Name, g.Command, g.Tool)
		default:
			d.say(topic, render.Caution, "install "+g.Tool,
				"%s: %s needs %s, which is not installed: the gate is shown and does not count",
				g.Name, g.Command, g.Tool)
		}
	}
	if len(specs) == 0 {
		d.say(topic, render.Caution, "add to "+config.Name+": gates: {test: COMMAND}",
			"no gate is known: phases complete unverified, and a run ends with exit code 5")
	}
}

// agents looks at all that could do the work.
func (d *Doctor) agents(ctx context.Context) {
	usable := []string{"script"}
	var absent []string
	for _, name := range agent.Names() {
		if !d.found(agent.Program(name)) {
			absent = append(absent, name)
			continue
		}
		d.builtin(ctx, name, false)
		usable = append(usable, name)
	}
	if d.project != nil {
		usable = append(usable, d.configured()...)
	}
	if len(absent) > 0 {
		d.say("agents", render.Aside, "", "not installed: %s", strings.Join(absent, ", "))
	}
	missing := slices.DeleteFunc(slices.Clone(d.chosen),
		func(name string) bool { return slices.Contains(usable, name) })
	switch {
	case len(missing) > 0 && len(missing) == len(d.chosen):
		d.say("agents", render.Fatal, "autobuild doctor --agent "+missing[0],
			"%s is to do the work, and cannot be used", strings.Join(missing, ", "))
	case len(missing) > 0:
		d.say("agents", render.Caution, "autobuild doctor --agent "+missing[0],
			"%s cannot be used; the others of the list do the work", strings.Join(missing, ", "))
	case len(usable) == 1 && len(d.chosen) == 0:
		about, _ := agent.AboutOf(agent.Names()[0])
		d.say("agents", render.Caution, about.Install,
			"no coding agent is installed: only plans whose phases have sh blocks can run, by "+
				"agent script")
	}
}
