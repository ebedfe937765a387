// Package cmd is the command line: it reads flags and configuration, introduces the packages to
// each other, turns signals into cancelled contexts and errors into exit codes. Every command is a
// struct of what it needs and a function that does it, so a test can run the whole program in its
// own process with its own streams and environment. It decides nothing about plans, phases or
// failures.
package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"autobuild/internal/proc"
	"autobuild/internal/safefile"
	"autobuild/internal/text"
	"autobuild/orchestrator/local"
	"autobuild/orchestrator/session"
	"autobuild/orchestrator/session/call"
)

// app is the program with its commands.
type app struct {
	*call.Call
	more Extension
}

// Extension is what another program adds to this one. The zero Extension adds nothing.
type Extension struct {
	// Engine is where phases run unless --engine says local; nil: here.
	Engine session.Engine
	// Commands are commands of its own; nil: none.
	Commands func(c *call.Call) []*cobra.Command
}

// newApp makes the program for a call; clock, exit and signals are those of the process.
func newApp(c *call.Call) *app {
	c.Now, c.Exit, c.Signals = time.Now, os.Exit, systemSignals()
	return &app{Call: c}
}

// Main is the program.
func Main() { Extended(Extension{}) }

// Extended is the program with what another one adds.
func Extended(more Extension) {
	proc.Supervise()
	becomeConfined()
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintf(os.Stderr,
			"autobuild: the working directory cannot be used: %s; change to one that exists and "+
				"that you may enter\n",
			safefile.Reason(err))
		os.Exit(call.ExitEnv)
	}
	a := newApp(&call.Call{
		Stdout: os.Stdout, Stderr: os.Stderr, Environ: os.Environ(),
		Dir: call.Physical(dir),
	})
	a.more = more
	os.Exit(a.run(os.Args[1:]))
}

// run carries out one call and returns its exit code.
func (a *app) run(args []string) (code int) {
	defer func() {
		if p := recover(); p != nil {
			code = a.complain(&call.BugError{What: p, Stack: debug.Stack()})
		}
	}()
	a.Args = args
	root := a.root()
	root.SetArgs(args)
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	err := root.ExecuteContext(context.Background())
	if err == nil {
		err = a.Cut
	}
	if err == nil {
		return call.ExitOK
	}
	return a.complain(err)
}

// complain prints an error that has not been shown yet, and returns its exit code.
func (a *app) complain(err error) int {
	if shown, ok := errors.AsType[*call.ShownError](err); ok {
		return call.ExitCode(shown.Err)
	}
	if p, ok := errors.AsType[*local.PanicError](err); ok {
		err = &call.BugError{What: p.Value, Stack: p.Stack}
	}
	if bug, ok := errors.AsType[*call.BugError](err); ok {
		_, _ = fmt.Fprintf(a.Stderr, "autobuild: internal error: %v\n\n%s\n%s", bug.What, bug.Stack,
			bugAdvice)
		return call.ExitBug
	}
	first, rest, more := strings.Cut(err.Error(), "\n")
	a.Note("%s", text.Clean(first, 2000))
	for line := range strings.SplitSeq(rest, "\n") {
		if more {
			_, _ = fmt.Fprintln(a.Stderr, a.Style(a.Stderr).More(text.Clean(line, 2000)))
		}
	}
	return call.ExitCode(err)
}

const bugAdvice = `This is a bug in autobuild, not in your plan. Nothing that was recorded is lost: autobuild PLAN --resume goes on.
Please report it with the lines above and the output of: autobuild version
`

// root builds the command tree. `autobuild PLAN` is `autobuild run PLAN`.
func (a *app) root() *cobra.Command {
	for _, topic := range commandTopics {
		a.Commands = append(a.Commands, topic.names...)
	}
	run := a.runCommand()
	root := &cobra.Command{
		Use:   "autobuild PLAN.md",
		Short: "Run a markdown plan with coding agents, and believe only what can be checked",
		Long: `autobuild reads a markdown plan, runs its phases with coding agents in parallel, checks every phase itself,
tries each failed one once more with the error as context, keeps everything in .autobuild/, and when it must
stop it says why and what to type next.`,
		Example: `  autobuild plan.md --dry-run            show what would happen
  autobuild plan.md --agent claude       run it; the work arrives uncommitted
  autobuild plan.md --commit=auto        run it with a commit a phase
  autobuild plan.md --resume             go on after a halt, an interruption or a crash
  autobuild check plan.md                find mistakes in a plan`,
		Version:       call.Version(),
		Args:          cobra.ArbitraryArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          run.RunE,

		ValidArgsFunction: a.completeFirst,
		PersistentPreRunE: func(*cobra.Command, []string) error {
			info, err := os.Stat(a.Dir)
			if err != nil || !info.IsDir() {
				return call.Usage("-C "+a.Dir+" is no directory", "name one that exists")
			}
			return nil
		},
	}
	root.Flags().AddFlagSet(run.Flags())
	p := root.PersistentFlags()
	p.FuncP("directory", "C", "work as if autobuild had been started in `DIR`",
		func(s string) error {
			a.Dir, a.Changed = call.Physical(a.Path(s)), true
			return nil
		})
	p.StringVar(&a.ConfigFile, "config", "",
		"read `FILE` instead of autobuild.yaml at the root of the repository")
	p.BoolVar(&a.NoColor, "no-color", false, "no colours")
	p.BoolVarP(&a.Verbose, "verbose", "v", false, "show where settings come from")
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(run, a.checkCommand(), a.graphCommand(), a.importCommand(),
		a.statusCommand(), a.logsCommand(), a.waitCommand(), a.stopCommand(),
		a.pauseCommand(), a.resumeCommand(), a.noteCommand(),
		a.skipCommand(), a.retryCommand(),
		a.resetCommand(),
		a.acceptCommand(),
		a.explainCommand(), a.classifyCommand(), a.knowledgeCommand(), a.initCommand(),
		a.doctorCommand(), a.versionCommand(),
		a.reportCommand(), a.serveCommand())
	if a.more.Commands != nil {
		root.AddCommand(a.more.Commands(a.Call)...)
	}
	for _, c := range append(root.Commands(), root) {
		a.completeFlags(c)
	}
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { a.help(c, a.Stdout) })
	root.SetHelpCommand(a.helpCommand(root))
	return root
}
