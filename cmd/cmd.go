// Package cmd is the command line: it reads flags and configuration, introduces the packages to each other, turns signals
// into cancelled contexts and errors into exit codes.
// Every command is a struct of what it needs and a function that does it, so a test can run the whole program in its own
// process with its own streams and environment.
// It decides nothing about plans, phases or failures.
package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"autobuild/internal/environ"
	"autobuild/internal/proc"
	"autobuild/internal/safefile"
	"autobuild/internal/text"
	"autobuild/orchestrator/local"
)

// app is one call of the program.
type app struct {
	stdout, stderr io.Writer
	environ        environ.Environ
	args           []string // of the call
	dir            string   // absolute: where the call was made, or -C
	changed        bool     // dir is not where the call was made
	configFile     string
	noColor        bool
	verbose        bool
	signals        func(context.Context, func(string)) (context.Context, <-chan struct{}, func())
	step           func(what string) error // asked before and after every child process and state file; nil: nobody asks
	cut            error                   // why not all of the answer could be written
	said           atomic.Int64            // notes so far
}

// Main is the program.
func Main() {
	proc.Supervise()
	becomeConfined()
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintf(os.Stderr, "autobuild: the working directory cannot be used: %s; change to one that exists and that you may enter\n", safefile.Reason(err))
		os.Exit(exitEnv)
	}
	a := &app{stdout: os.Stdout, stderr: os.Stderr, environ: os.Environ(), dir: physical(dir), signals: listen}
	os.Exit(a.run(os.Args[1:]))
}

// run carries out one call and returns its exit code.
func (a *app) run(args []string) (code int) {
	defer func() {
		if p := recover(); p != nil {
			code = a.complain(&bugError{what: p, stack: debug.Stack()})
		}
	}()
	a.args = args
	root := a.root()
	root.SetArgs(args)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	err := root.ExecuteContext(context.Background())
	if err == nil {
		err = a.cut
	}
	if err == nil {
		return exitOK
	}
	return a.complain(err)
}

// complain prints an error that has not been shown yet, and returns its exit code.
func (a *app) complain(err error) int {
	if shown, ok := errors.AsType[*shownError](err); ok {
		return exitCode(shown.err)
	}
	if p, ok := errors.AsType[*local.PanicError](err); ok {
		err = &bugError{what: p.Value, stack: p.Stack}
	}
	if bug, ok := errors.AsType[*bugError](err); ok {
		_, _ = fmt.Fprintf(a.stderr, "autobuild: internal error: %v\n\n%s\n%s", bug.what, bug.stack, bugAdvice)
		return exitBug
	}
	first, rest, more := strings.Cut(err.Error(), "\n")
	a.note("%s", text.Clean(first, 2000))
	for line := range strings.SplitSeq(rest, "\n") {
		if more {
			_, _ = fmt.Fprintln(a.stderr, a.style(a.stderr).More(text.Clean(line, 2000)))
		}
	}
	return exitCode(err)
}

const bugAdvice = `This is a bug in autobuild, not in your plan. Nothing that was recorded is lost: autobuild PLAN --resume goes on.
Please report it with the lines above and the output of: autobuild version
`

// shownError is an error that the user has seen in full already; only its exit code is left to tell.
type shownError struct{ err error }

// Error is the error's own text.
func (e *shownError) Error() string { return e.err.Error() }

// Unwrap is the error.
func (e *shownError) Unwrap() error { return e.err }

// onWindows is asked where systems differ too little for files of their own.
const onWindows = runtime.GOOS == "windows"

// path makes a path that the user typed absolute.
func (a *app) path(p string) string {
	if filepath.IsAbs(p) {
		return filepath.Clean(p)
	}
	return filepath.Join(a.dir, p)
}

// physical is a directory's path without links, as git names it too: one repository has one name, whichever way leads to it.
func physical(dir string) string {
	if target, err := filepath.EvalSymlinks(dir); err == nil {
		return target
	}
	return dir
}

// root builds the command tree. `autobuild PLAN` is `autobuild run PLAN`.
func (a *app) root() *cobra.Command {
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
		Version:       version(),
		Args:          cobra.ArbitraryArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          run.RunE,

		ValidArgsFunction: a.completeFirst,
		PersistentPreRunE: func(*cobra.Command, []string) error {
			info, err := os.Stat(a.dir)
			if err != nil || !info.IsDir() {
				return usage("-C "+a.dir+" is no directory", "name one that exists")
			}
			return nil
		},
	}
	root.Flags().AddFlagSet(run.Flags())
	p := root.PersistentFlags()
	p.FuncP("directory", "C", "work as if autobuild had been started in `DIR`", func(s string) error {
		a.dir, a.changed = physical(a.path(s)), true
		return nil
	})
	p.StringVar(&a.configFile, "config", "", "read `FILE` instead of autobuild.yaml at the root of the repository")
	p.BoolVar(&a.noColor, "no-color", false, "no colours")
	p.BoolVarP(&a.verbose, "verbose", "v", false, "show where settings come from")
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(run, a.checkCommand(), a.graphCommand(), a.convertCommand(), a.importCommand(),
		a.statusCommand(), a.logsCommand(), a.waitCommand(), a.stopCommand(), a.resetCommand(), a.acceptCommand(), a.repairCommand(),
		a.explainCommand(), a.classifyCommand(), a.knowledgeCommand(), a.initCommand(), a.doctorCommand(), a.schemaCommand(), a.versionCommand(),
		a.reportCommand(), a.serveCommand())
	for _, c := range append(root.Commands(), root) {
		a.completeFlags(c)
	}
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { a.help(c, a.stdout) })
	root.SetHelpCommand(a.helpCommand(root))
	return root
}

// lookPath reports whether a child would find the program.
func (a *app) lookPath(program string) bool { return a.environ.LookPath(a.dir, program) }
