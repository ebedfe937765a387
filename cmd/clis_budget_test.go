package cmd

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"autobuild/internal/fakemodel"
	"autobuild/orchestrator/session/call"
)

// TestCLIBudgets lets real agents run into budgets. An answer of the model is 1200 tokens in and 80
// out, which cost half a cent.
func TestCLIBudgets(t *testing.T) {
	bin := agentsBin(t)
	ran := 0
	for name, c := range map[string]struct {
		cli, scenario, says string
		args                []string
		exit, answers       int // of the first phase
	}{
		"its own cap":  {"claude", "success", "the cost budget is spent", []string{"--max-cost", "0.006"}, call.ExitStopped, 2},
		"tokens, live": {"claude", "success", "the token budget is spent", []string{"AUTOBUILD_MAX_TOKENS=1500"}, call.ExitStopped, 2},
		"cost, live":   {"pi", "success", "the cost budget is spent: $0.01 of $0.01", []string{"--max-cost", "0.006"}, call.ExitStopped, 2},
		// phase 1 is done
		"enough, and no more": {"pi", "success", "the token budget is spent", []string{"AUTOBUILD_MAX_TOKENS=3800"}, call.ExitStopped, 3},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := os.Stat(filepath.Join(bin, c.cli)); err != nil {
				t.Skipf("%s is not installed: %v", c.cli, err)
			}
			ran++
			output, server := overspend(t, bin, concluded{cli: c.cli, scenario: c.scenario}, c.exit, c.args, "")
			answers := 0
			for _, r := range server.Requests() {
				if r.Phase == "1" {
					answers++
				}
			}
			// An agent may have asked again before it is stopped.
			if !strings.Contains(output, c.says) || answers < c.answers || answers > c.answers+1 {
				t.Errorf("%d answers, want %d; want %q in\n%s", answers, c.answers, c.says, output)
			}
		})
	}
	if ran == 0 {
		t.Errorf("no agent is installed in %s", bin)
	}
}

// isVariable reports whether an argument is a variable of autobuild's instead.
func isVariable(arg string) bool { return strings.HasPrefix(arg, "AUTOBUILD_") }

// overspend runs a plan that is to end with this exit code. delay is that of each answer.
func overspend(t *testing.T, bin string, what concluded, exit int, args []string, delay string) (string, *fakemodel.Server) {
	t.Helper()
	scenario, err := fakemodel.Load(filepath.Join(clisDir, "scenarios", what.scenario+".json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, turns := range scenario.Attempts {
		for i := range turns {
			turns[i].Delay = delay
		}
	}
	server := startModel(t, scenario)
	c := newClient(t, what, bin, server.URL)
	run := exec.CommandContext(t.Context(), "autobuild", append([]string{
		"plan.md", "--agent", what.cli, "--model", c.model, "--commit", "auto", "--progress", "plain", "--max-wall", clisLongest.String(),
	}, slices.DeleteFunc(slices.Clone(args), isVariable)...)...)
	run.Dir, run.Env = c.repo, slices.Concat(c.env, slices.DeleteFunc(slices.Clone(args), func(a string) bool { return !isVariable(a) }))
	var output bytes.Buffer
	run.Stdout, run.Stderr = &output, &output
	err = run.Run()
	if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended {
		t.Fatal(err)
	}
	if code := run.ProcessState.ExitCode(); code != exit {
		t.Errorf("exit code %d, want %d\n%s\nasked for:\n%s", code, exit, output.String(), asked(server.Requests()))
	}
	c.checkLeftovers(t)
	return output.String(), server
}
