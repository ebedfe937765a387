package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"autobuild/internal/proc"
)

// attempts is how often a loop starts an agent for one phase.
const attempts = 2

// column is one way to get from a plan to "done".
type column struct {
	name  string
	about string
	play  func(context.Context, *place) (outcome, error)
}

// ownColumns are those that need nothing but this repository.
func ownColumns() []column {
	return []column{
		{"autobuild", "autobuild", playAutobuild},
		{"loop", "a loop around the agent, until it says that it is done", playLoop},
		{"loop+tests", "the same loop, with the tests run after the agent", playTested},
	}
}

// playAutobuild runs the plan with the program itself. Its exit code is what it said.
func playAutobuild(ctx context.Context, p *place) (outcome, error) {
	s := p.scenario
	argv := []string{
		p.program, "plan.md", "--agent-cmd", "bash '" + p.agent() + "'", "--commit=auto",
		"--no-color",
		"--timeout", s.Timeout.String(),
	}
	if s.Mode != "" {
		argv = append(argv, "--referee", s.Mode)
	}
	argv = append(argv, s.Args...)
	env := append(p.env(p.home(), p.toolPath(), nil), "AUTOBUILD_KNOWLEDGE=off")
	exit, err := p.run(ctx, proc.Command{Argv: argv, Dir: p.repo(), Env: env})
	o := outcome{took: exit.Duration, detail: fmt.Sprintf("exit %d%s", exit.Code, p.reasons())}
	switch exit.Code {
	case 0:
		o.said = saidDone
	case 1, 4:
		o.said = saidFailed
	case 5:
		o.said = saidContested
	case 3:
		o.said = saidError
		if s.Kind == Loud {
			o.said = saidFailed // agent_unusable halts the run so
		}
	default:
		o.said = saidError
	}
	return o, err
}

// reasons are the failures that autobuild recorded, in one line.
func (p *place) reasons() string {
	names, _ := filepath.Glob(filepath.Join(p.repo(), ".autobuild", "phases", "*.json"))
	var text strings.Builder
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		var phase struct {
			Label  string `json:"phase_label"`
			Status string
			Error  map[string]json.RawMessage
		}
		if json.Unmarshal(raw, &phase) != nil {
			continue
		}
		fmt.Fprintf(&text, "; %s %s", phase.Label, phase.Status)
		for _, key := range slices.Sorted(maps.Keys(phase.Error)) {
			var failure struct{ Type, Cause, Message string }
			if json.Unmarshal(phase.Error[key], &failure) == nil && failure.Type != "" {
				why := proc.Clean(failure.Message, 160)
				fmt.Fprintf(&text, " [%s %s: %s]", failure.Type, failure.Cause, why)
			}
		}
	}
	return text.String()
}

// playLoop believes the agent.
func playLoop(ctx context.Context, p *place) (outcome, error) { return p.loop(ctx, "") }

// playTested runs the tests where the agent worked.
func playTested(ctx context.Context, p *place) (outcome, error) {
	return p.loop(ctx, p.scenario.Gate)
}

// loop starts the agent for each phase in the user's checkout, until it claims to be complete and
// the gate, if there is one, passes. Its remaining changes are committed.
func (p *place) loop(ctx context.Context, gate string) (outcome, error) {
	for _, phase := range p.scenario.phases() {
		done := false
		for attempt := 1; attempt <= attempts && !done; attempt++ {
			claimed, err := p.claim(ctx, phase, attempt)
			if err != nil {
				return outcome{}, err
			}
			done = claimed
			if claimed && gate != "" {
				exit, err := p.run(ctx, proc.Command{
					Argv: []string{"sh", "-c", gate}, Dir: p.repo(),
					Env:     p.env(p.home(), p.toolPath(), nil),
					Timeout: oracleLimit,
				})
				if err != nil {
					return outcome{}, err
				}
				done = exit.OK()
			}
		}
		if !done {
			return outcome{said: saidFailed, detail: "phase " + phase}, nil
		}
	}
	return p.commitAll(ctx)
}

// commitAll commits the content of the user's checkout, for any state of its branch.
func (p *place) commitAll(ctx context.Context) (outcome, error) {
	commit := "git add -A; " +
		"git -c core.hooksPath=/dev/null commit -q --allow-empty -m 'feat: all phases'; " +
		"git update-ref refs/heads/main HEAD"
	_, err := p.run(ctx, proc.Command{
		Argv: []string{"sh", "-c", commit}, Dir: p.repo(), Env: p.env(p.home(), p.toolPath(), nil),
	})
	return outcome{said: saidDone}, err
}

// claim runs the agent once and reports whether it says that it is done.
func (p *place) claim(ctx context.Context, phase string, attempt int) (bool, error) {
	var printed strings.Builder
	nonce := fmt.Sprintf("n%08x", len(p.root)*7919+attempt)
	_, err := p.run(ctx, proc.Command{
		Argv: []string{"bash", p.agent()},
		Dir:  p.repo(),
		Env: p.env(p.home(), p.toolPath(), map[string]string{
			"AUTOBUILD_RUN_ID": "loop", "AUTOBUILD_PHASE_ID": phase, "AUTOBUILD_NONCE": nonce,
			"AUTOBUILD_ATTEMPT":     strconv.Itoa(attempt),
			"AUTOBUILD_RESULT_FILE": filepath.Join(p.root, "tmp", "result.json"),
		}),
		Stdin:   strings.NewReader(p.scenario.Files[sectionPlan]),
		Stdout:  func(b []byte) { printed.Write(b[:min(len(b), 1<<20-min(printed.Len(), 1<<20))]) },
		Timeout: p.scenario.Timeout,
	})
	return strings.Contains(printed.String(), `"status": "complete"`), err
}
