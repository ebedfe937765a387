package agent

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"autobuild/internal/proc"
	"autobuild/internal/safefile"
)

// script runs sh blocks.
type script struct {
	run *proc.Runner
}

// Script is the built-in agent that needs no model: it runs the job's sh blocks in order, each by
// sh -e, and stops at the first that fails. Its exit code is its claim.
func Script(run *proc.Runner) Agent { return script{run} }

// Name is script.
func (script) Name() string { return "script" }

// Run runs the blocks. The deadline is for all of them together.
func (s script) Run(ctx context.Context, job Job) (Outcome, error) {
	var total Outcome
	left := job.Timeout
	for i, text := range job.Script {
		if job.Timeout > 0 && left <= 0 {
			total.TimedOut = true
			return total, nil
		}
		which := fmt.Sprintf("block %d of %d", i+1, len(job.Script))
		path := filepath.Join(job.Scratch, "script-"+strconv.Itoa(i+1)+".sh")
		if err := safefile.Write(path, []byte(text+"\n"), 0o600); err != nil {
			return total, fmt.Errorf("writing %s of the script: %w", which, err)
		}
		if err := header(job.Log, which); err != nil {
			return total, err
		}
		out, err := s.block(ctx, job, path, left)
		out.Duration += total.Duration
		total = out
		if err != nil || total.Err != "" || total.ExitCode != 0 || total.Signal != "" ||
			total.TimedOut {
			if total.Message == "" {
				total.Message = unsaid(which, len(job.Script), total)
			}
			return total, err
		}
		left = job.Timeout - total.Duration
	}
	return total, nil
}

// unsaid completes the log of a failure: it names the failing one of several blocks, and the way to
// find the place where a block printed nothing.
func unsaid(which string, blocks int, out Outcome) string {
	silent := out.ExitCode != 0 && out.Tail == ""
	switch {
	case silent:
		return "in " + which + ", which printed nothing; set -x in it shows each command"
	case blocks > 1:
		return "in " + which
	}
	return ""
}

func (s script) block(
	ctx context.Context, job Job, path string, timeout time.Duration,
) (out Outcome, err error) {
	v := voice{show: job.Activity}
	exit, err := start(ctx, s.run, proc.Command{
		Argv: []string{"sh", "-e", path}, Own: true, Dir: job.Dir, Env: job.Env, Log: job.Log, Activity: v.say,
		Quiet:   v.quiet,
		Timeout: timeout, Idle: job.Idle, Files: job.Dir,
	}, &out)
	out.Last = exit.Last
	return out, err
}

// header says in the log where a block begins.
func header(log *os.File, which string) error {
	if log == nil {
		return nil
	}
	if _, err := log.WriteString(strings.Join([]string{"==", which, "==\n"}, " ")); err != nil {
		return fmt.Errorf("writing the agent's log: %w", err)
	}
	return nil
}
