package verify

import (
	"context"
	"runtime"
	"slices"

	"autobuild/internal/proc"
	"autobuild/plan"
)

// Shell is how gates with pipelines are run. The zero Shell runs them as all others.
type Shell struct {
	pipefail []string // the words before the command; empty: no shell here has pipefail
}

// sigpipe is how a shell reports a command whose reader had enough: "yes | head -1".
const sigpipe = 128 + 13

// FindShell looks for a shell that has pipefail: sh, else bash as a POSIX shell with sh's echo.
func FindShell(ctx context.Context, run *proc.Runner, env []string) Shell {
	if runtime.GOOS == "windows" {
		return Shell{} // cmd.exe has none
	}
	for _, words := range [][]string{
		{"sh", "-o", "pipefail", "-c"},
		{"bash", "--posix", "-O", "xpg_echo", "-o", "pipefail", "-c"},
	} {
		if !installed("/", env, words[0]) {
			continue
		}
		argv := slices.Concat(words, []string{"! false | true"})
		if _, exit, err := run.Output(ctx, proc.Command{Argv: argv, Dir: "/", Env: env},
			0); err == nil && exit.OK() {
			return Shell{words}
		}
	}
	return Shell{}
}

// Pipefail reports whether a failure anywhere in a pipeline is seen.
func (s Shell) Pipefail() bool { return len(s.pipefail) > 0 }

// argv is the call of a gate's command; piped says that it is one in which pipefail may find a
// failure.
func (s Shell) argv(command string) (words []string, piped bool) {
	if !s.Pipefail() || !plan.Pipeline(command) {
		return shell(command), false
	}
	return append(s.pipefail[:len(s.pipefail):len(s.pipefail)], command), true
}

// run runs a gate's command. A pipeline that ends by SIGPIPE has met a reader that had enough,
// which is no failure: it is run again with the last command's status alone.
func (v *Verifier) run(ctx context.Context, command string, c proc.Command) (proc.Exit, error) {
	words, piped := v.Shell.argv(command)
	c.Argv = words
	exit, err := v.Run.Run(ctx, c)
	if err == nil && piped && exit.Ended == proc.Exited && exit.Code == sigpipe {
		c.Argv = shell(command)
		exit, err = v.Run.Run(ctx, c)
	}
	return exit, err //nolint:wrapcheck // the caller names the gate
}
