package call

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"autobuild/internal/environ"
	"autobuild/internal/proc"
	"autobuild/internal/text"
)

// commandFiles are the files through which a step of GitHub Actions sends commands to its runner,
// such as variables for later steps. Agents and gates must not write in this step's name, so their
// environment lacks these variables.
var commandFiles = []string{
	"GITHUB_ENV", "GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STATE",
	"GITHUB_STEP_SUMMARY",
}

// ChildEnviron removes the variables that agents and gates must not see, among them the settings of
// autobuild: product code must not detect it. A nil list allows all others.
func (c *Call) ChildEnviron(allow []string) environ.Environ {
	kept := slices.DeleteFunc(slices.Clone(c.Environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(commandFiles, name) || strings.HasPrefix(name, "AUTOBUILD_")
	})
	if allow != nil {
		kept = kept.Allow(allow)
	}
	return kept
}

// tryTimeout is the limit of the command of Try.
const tryTimeout = 30 * time.Second

// Try runs a short command, to find out whether it can run.
func (c *Call) Try(runner *proc.Runner) func(argv []string) error {
	return func(argv []string) error {
		_, exit, err := runner.Output(context.Background(), proc.Command{
			Argv: argv, Dir: c.Dir, Env: proc.Environ(c.Environ, nil), Timeout: tryTimeout,
		}, 1<<16)
		if start, ok := errors.AsType[*proc.StartError](err); ok {
			return start.Err
		}
		if err == nil && !exit.OK() {
			return errors.New(cmp.Or(text.Clean(text.FirstLine(exit.Tail), 200),
				"it printed nothing"))
		}
		return err
	}
}
