package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"autobuild/integrations"
	"autobuild/internal/safefile"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/config"
)

// firstPlan is a plan that runs as it is, with the script agent.
const firstPlan = "# My first plan\n\n" + `| Phase | Name | Depends On | Parallel With | Estimate | Status |
|-------|------|------------|---------------|----------|--------|
| 1 | Greeting | - | - | 1 | ⬜ |
| 2A | Answer | 1 | 2B | 1 | ⬜ |
| 2B | Question | 1 | 2A | 1 | ⬜ |
| 3 | Check | 2A, 2B | - | 1 | ⬜ |

## Phase 1: Greeting

An agent does what a section says. The sh block is for the built-in script agent, which needs nothing installed; take it
out when an agent shall do the work.

- [ ] Write hello.txt

` + "```sh\necho hello > hello.txt\n```" + `

### Definition of Done

- [ ] hello.txt exists

## Phase 2A: Answer

- [ ] Write answer.txt

` + "```sh\necho 42 > answer.txt\n```" + `

## Phase 2B: Question

- [ ] Write question.txt

` + "```sh\necho 'six times seven?' > question.txt\n```" + `

## Phase 3: Check

- [ ] Put it together

` + "```sh\ncat hello.txt question.txt answer.txt > all.txt\n```\n"

// firstConfig says what can be said.
const firstConfig = `# autobuild.yaml: every long flag of autobuild run is a key here, and so are gates, setup, agents, tiers,
# phases and env.

# agent: claude          # which agent does the work
# commit: auto           # a commit a phase; single: one at the end; message-only: history untouched
# jobs: 4                # phases at once

# Commands that every phase must pass. Without this, the stack decides (go.mod, package.json, ...).
gates:
  test: test -f hello.txt

# Commands that prepare a fresh worktree, before the agent.
# setup:
#   - npm ci

# Agents of your own: any program that reads a prompt from stdin.
# agents:
#   mine: {command: [my-agent, --headless], result: block}
`

func (a *app) initCommand() *cobra.Command {
	g := &integrating{app: a}
	c := &cobra.Command{
		Use: "init",
		Short: "Write a first plan and a configuration, or the command /autobuild for a coding " +
			"agent",
		Long: `init writes a first plan, which runs as it is, and a configuration. With --for it writes the command that starts
autobuild inside a coding agent instead, in that agent's own place in this project, or with --user for all your projects.
Nothing that is there is lost: plan and configuration stay, and of another command a copy is kept.`,
		Example: `  autobuild init                          plan.md and autobuild.yaml
  autobuild init --for claude             /autobuild in Claude Code
  autobuild init --for codex,gemini       and in others
  autobuild init --for claude --user      in all your projects`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if len(g.hosts) > 0 {
				g.now = time.Now()
				return g.run(c.Context())
			}
			if g.account || g.dryRun {
				return call.Usage("--user and --dry-run go with --for",
					"for example: autobuild init --for claude --user")
			}
			return a.begin()
		},
	}
	c.Flags().StringSliceVar(&g.hosts, "for", nil, "write the command for `AGENTS`: "+
		strings.Join(integrations.Names(), ", "))
	c.Flags().BoolVar(&g.account, "user", false, "for all your projects, below your home directory")
	c.Flags().BoolVar(&g.dryRun, "dry-run", false, "print what would be written, and write nothing")
	_ = c.RegisterFlagCompletionFunc("for", cobra.FixedCompletions(integrations.Names(),
		cobra.ShellCompDirectiveNoFileComp))
	return c
}

// begin writes a first plan and a configuration where there are none.
func (a *app) begin() error {
	for _, f := range []struct{ name, text string }{
		{"plan.md", firstPlan},
		{config.Name, firstConfig},
	} {
		err := writeNew(a.Path(f.name), f.text)
		switch {
		case errors.Is(err, fs.ErrExist):
			a.Print(f.name + " is there already, and stays as it is\n")
		case err != nil:
			return fmt.Errorf(
				"writing %s: %s; make it possible to write there, and call autobuild init again",
				f.name, safefile.Reason(err))
		default:
			a.Print("wrote " + f.name + "\n")
		}
	}
	a.Print("next: autobuild plan.md --dry-run\n")
	return nil
}

// writeNew writes a file that must not exist yet.
func writeNew(path, text string) error {
	f, err := safefile.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
