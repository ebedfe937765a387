package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"autobuild/internal/proc"
	"autobuild/orchestrator/agent"
	"autobuild/orchestrator/verify"
	"autobuild/orchestrator/worktree"
	"autobuild/render"
	"autobuild/state/store"
)

func (a *app) doctorCommand() *cobra.Command {
	var only string
	var probe, asJSON bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Look at agents, git, gates, disk and locks before a night does",
		Long: `Look at everything that a run needs, and say what is missing and how to mend it. Nothing is changed and nothing is spent:
agents are only asked for their version and their help. --agent NAME --probe spends one tiny turn of that agent.`,
		Example: "  autobuild doctor\n  autobuild doctor --agent claude\n  autobuild doctor --agent claude --probe",
		Args:    noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if probe && only == "" {
				return usage("--probe spends a turn, so it needs an agent", "name it: autobuild doctor --agent NAME --probe")
			}
			d := &doctor{app: a, runner: &proc.Runner{Secrets: secrets(a.environ)}}
			defer d.runner.Close()
			if err := d.look(c.Context(), only, probe); err != nil {
				return err
			}
			return d.tell(asJSON)
		},
	}
	c.Flags().StringVar(&only, "agent", "", "look at this agent alone: `NAME`, built in or from autobuild.yaml")
	c.Flags().BoolVar(&probe, "probe", false, "let the agent do one tiny task in an empty directory, which costs a little")
	c.Flags().BoolVar(&asJSON, "json", false, "print the findings as JSON")
	return c
}

// doctor collects findings.
type doctor struct {
	*app
	runner   *proc.Runner
	project  *project // nil where the configuration is not valid
	chosen   []string // agents that a run would take, as configured; none: the first that is installed
	asked    string   // of a sandbox, as configured
	findings []render.Finding
}

func (d *doctor) say(topic string, level render.Level, fix, format string, args ...any) {
	d.findings = append(d.findings, render.Finding{Topic: topic, Level: level, What: fmt.Sprintf(format, args...), Fix: fix})
}

// tell prints what was found. What would keep a run from starting is exit code 3.
func (d *doctor) tell(asJSON bool) error {
	if asJSON {
		out, err := render.DoctorJSON(d.findings)
		if err != nil {
			return err
		}
		d.print(string(out))
	} else {
		d.print(render.Doctor(d.findings, d.style(d.stdout)))
	}
	for _, f := range d.findings {
		if f.Level == render.Fatal {
			return &shownError{errors.New(f.What)}
		}
	}
	return nil
}

// look goes from what everything stands on to what is only wanted.
func (d *doctor) look(ctx context.Context, only string, probe bool) error {
	d.configuration(ctx)
	if only != "" {
		return d.oneAgent(ctx, only, probe)
	}
	d.git(ctx)
	d.disk()
	d.state(ctx)
	d.gates()
	d.sandbox()
	d.agents(ctx)
	return ctx.Err()
}

// configuration reads the files as a run would.
func (d *doctor) configuration(ctx context.Context) {
	const topic = "configuration"
	var o options
	flags := pflag.NewFlagSet("doctor", pflag.ContinueOnError)
	o.bind(flags)
	project, err := d.openProject(ctx, d.runner, flags)
	if err != nil {
		if _, isConfig := errors.AsType[*configError](err); !isConfig {
			d.say("git", render.Fatal, "", "%v", err)
			return
		}
		for line := range strings.SplitSeq(err.Error(), "\n") {
			d.say(topic, render.Fatal, "", "%s", line)
		}
		if d.project, err = d.openProject(ctx, d.runner, nil); err != nil {
			d.project = nil
		}
		return
	}
	d.project, d.chosen, d.asked = project, agentList(o.agent), o.sandbox.value
	if _, err := os.Stat(filepath.Join(project.root, configName)); err != nil && d.configFile == "" {
		d.say(topic, render.Aside, "autobuild init", "no %s: every setting has its default, and the stack decides about gates", configName)
		return
	}
	d.say(topic, render.Fine, "", "%s is valid", configName)
}

// git looks at the repository.
func (d *doctor) git(ctx context.Context) {
	const topic = "git"
	if d.project == nil {
		return
	}
	if d.project.damaged != nil {
		d.say(topic, render.Fatal, "", "%v", d.project.damaged)
		return
	}
	if d.project.repo == nil {
		d.say(topic, render.Caution, "git init && git add -A && git commit -m 'first commit'",
			"no repository at %s: phases share the directory, one at a time, and nothing is committed", d.shown(d.project.root))
		return
	}
	c, err := d.project.repo.Checkup(ctx)
	if err != nil {
		d.say(topic, render.Fatal, "", "%v", err)
		return
	}
	d.say(topic, render.Fine, "", "git %s, repository %s", c.Version, d.shown(d.project.root))
	d.commits(c)
	if c.StaleLock != "" {
		d.say(topic, render.Caution, "rm "+render.Command([]string{d.shown(c.StaleLock)}),
			"%s is there: either git is working right now, or it died; remove it only when none is", d.shown(c.StaleLock))
	}
	if c.Dirty > 0 {
		d.say(topic, render.Aside, "", "%s not committed: phases begin on the last commit and do not see them; they are never touched", count(c.Dirty, "change"))
	}
	if len(c.Submodules) > 0 {
		d.say(topic, render.Aside, "", "%s: %s", count(len(c.Submodules), "submodule"), few(c.Submodules))
	}
	if c.LFS && !d.lookPath("git-lfs") {
		d.say(topic, render.Caution, "git lfs install, after installing git-lfs", "git-lfs filters are configured, and git-lfs is not on PATH")
	}
	if c.Folding {
		d.say(topic, render.Aside, "", "names that differ in case alone are one file here")
	}
	if len(c.Left) > 0 {
		d.say(topic, render.Aside, "git branch --list 'autobuild/*'", "%s of earlier runs with work that was not delivered: %s", count(len(c.Left), "branch"), few(c.Left))
	}
}

// commits says whether a run can commit as the user would.
func (d *doctor) commits(c worktree.Checkup) {
	const topic = "git"
	switch {
	case !c.Born:
		d.say(topic, render.Fatal, "git commit --allow-empty -m 'first commit'", "the repository has no commit yet")
	case c.Branch == "":
		d.say(topic, render.Caution, "git switch -c BRANCH", "HEAD is detached: the work stays on a branch of its own")
	}
	if c.Author == "" {
		d.say(topic, render.Caution, "git config --global user.name NAME && git config --global user.email MAIL", "git knows no name or mail: commits are made as autobuild")
	} else {
		d.say(topic, render.Fine, "", "commits are made as %s", c.Author)
	}
	switch {
	case c.Unsigned != "":
		d.say(topic, render.Fatal, "git config commit.gpgSign false", "commits are to be signed, and that fails unattended: %s", c.Unsigned)
	case c.Signed:
		d.say(topic, render.Fine, "", "commits are signed")
	}
	switch {
	case len(c.Hooks) > 0 && onWindows:
		d.say(topic, render.Aside, "", "the commit hooks %s are not asked on Windows", strings.Join(c.Hooks, ", "))
	case len(c.Hooks) > 0:
		d.say(topic, render.Aside, "", "the commit hooks %s run as a gate of every phase (--no-verify leaves them out)", strings.Join(c.Hooks, ", "))
	}
}

// What a run should find free, at least.
const (
	leastBytes = 256 << 20
	leastFiles = 10_000
	leastOpen  = 256
)

// disk looks at where state and worktrees go.
func (d *doctor) disk() {
	const topic = "machine"
	if d.project == nil {
		return
	}
	where := d.shown(d.project.root)
	if free, files, ok := freeSpace(d.project.root); ok {
		level := render.Caution
		if free < roomBytes || files < roomFiles { // a run would not start
			level = render.Fatal
		}
		switch {
		case free < leastBytes:
			d.say(topic, level, "df -h "+render.Command([]string{where}), "only %.1f MB are free at %s; worktrees and logs need more", float64(free)/(1<<20), where)
		case files < leastFiles:
			d.say(topic, level, "df -i "+render.Command([]string{where}), "only %d files can be made at %s", files, where)
		default:
			d.say(topic, render.Fine, "", "%.1f GB are free at %s", float64(free)/(1<<30), where)
		}
	}
	probe, err := os.CreateTemp(d.project.root, ".autobuild-doctor-*")
	if err != nil {
		d.say(topic, render.Fatal, "ls -ld "+render.Command([]string{where}), "%s cannot be written: %s", where, reason(err))
	} else {
		_ = probe.Close()
		_ = os.Remove(probe.Name())
	}
	if err := d.project.noTemporary(); err != nil {
		d.say(topic, render.Fatal, "export TMPDIR=DIR, with a directory that you can write", "no temporary file can be made in %s: %s", render.Clean(temporary(), 0), reason(err))
	}
	if most, ok := largestFile(); ok && most < roomBytes {
		d.say(topic, render.Fatal, "ulimit -f unlimited", "a file may have only %d KB", most>>10)
	}
	if n, ok := descriptors(); ok && n < leastOpen {
		d.say(topic, render.Caution, "ulimit -n 4096", "only %d files may be open at once; parallel phases need more", n)
	}
	switch {
	case d.lookPath("sh"):
	case onWindows:
		d.say(topic, render.Caution, "", "there is no sh on PATH: the agent script runs by it (Git for Windows has one); gates are run by cmd")
	default:
		d.say(topic, render.Fatal, "", "there is no sh on PATH: gates and scripts are run by it")
	}
}

// state says who works here, and how far the last run has come.
func (d *doctor) state(ctx context.Context) {
	if d.project == nil {
		return
	}
	if store.Working(d.project.stateDir, d.project.lockDir) {
		d.say("state", render.Fatal, "autobuild status", "a run is going on in this repository; a second one is refused")
		return
	}
	if !store.Exists(d.project.stateDir) {
		d.say("state", render.Fine, "", "no run has been here")
		return
	}
	_, run, _, err := d.loadRun(ctx)
	if err != nil {
		for line := range strings.SplitSeq(err.Error(), "\n") {
			d.say("state", render.Fatal, "", "%s", line)
		}
		return
	}
	t := run.Totals()
	d.say("state", render.Fine, "", "run %s of %s: %d of %d phases complete, nobody works on it", run.Config.RunID, run.Config.Plan, t.Complete, t.Phases)
}

// gates says what phases will be checked with.
func (d *doctor) gates() {
	const topic = "gates"
	if d.project == nil {
		return
	}
	stack := verify.Detect(d.project.root)
	specs := verify.Probe(d.project.root, d.environ, verify.Merge(d.project.config.gates, nil, stack.Gates))
	for _, g := range specs {
		switch {
		case g.Available:
			d.say(topic, render.Fine, "", "%s: %s (from %s)", g.Name, g.Command, g.Source)
		case g.Source == verify.SourceConfig:
			d.say(topic, render.Fatal, "install "+g.Tool+", or take the gate out of "+configName, "%s: %s needs %s, which is not installed", g.Name, g.Command, g.Tool)
		default:
			d.say(topic, render.Caution, "install "+g.Tool, "%s: %s needs %s, which is not installed: the gate is shown and does not count", g.Name, g.Command, g.Tool)
		}
	}
	if len(specs) == 0 {
		d.say(topic, render.Caution, "add to "+configName+": gates: {test: COMMAND}", "no gate is known: phases complete unverified, and a run ends with exit code 5")
	}
}

// agents looks at all that could do the work.
func (d *doctor) agents(ctx context.Context) {
	usable := []string{"script"}
	var absent []string
	for _, name := range agent.Names() {
		if !d.lookPath(agent.Program(name)) {
			absent = append(absent, name)
			continue
		}
		d.builtin(ctx, name)
		usable = append(usable, name)
	}
	if d.project != nil {
		usable = append(usable, d.configured()...)
	}
	if len(absent) > 0 {
		d.say("agents", render.Aside, "", "not installed: %s", strings.Join(absent, ", "))
	}
	missing := slices.DeleteFunc(slices.Clone(d.chosen), func(name string) bool { return slices.Contains(usable, name) })
	switch {
	case len(missing) > 0 && len(missing) == len(d.chosen):
		d.say("agents", render.Fatal, "autobuild doctor --agent "+missing[0], "%s is to do the work, and cannot be used", strings.Join(missing, ", "))
	case len(missing) > 0:
		d.say("agents", render.Caution, "autobuild doctor --agent "+missing[0], "%s cannot be used; the others of the list do the work", strings.Join(missing, ", "))
	case len(usable) == 1 && len(d.chosen) == 0:
		about, _ := agent.AboutOf(agent.Names()[0])
		d.say("agents", render.Caution, about.Install, "no coding agent is installed: only plans whose phases have sh blocks can run, by agent script")
	}
}

// count and few word numbers and lists.
func count(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "ch"):
		return fmt.Sprintf("%d %ses", n, noun)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func few(words []string) string {
	const shown = 3
	if len(words) <= shown {
		return strings.Join(words, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(words[:shown], ", "), len(words)-shown)
}
