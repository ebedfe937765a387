package attempt

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"autobuild/failure"
	"autobuild/internal/safefile"
	"autobuild/orchestrator/attempt/prompt"
	"autobuild/orchestrator/attempt/result"
	"autobuild/state"
)

// listen records how the agent ended and what it claims.
func (t *try) listen(out Outcome, resultFile string) {
	t.record.ExitCode, t.record.Session = out.ExitCode, out.Session
	if out.Model != "" {
		t.record.Model = out.Model
	}
	t.seen.Agent = t.agentRun(out)

	if len(out.Denied) > 0 {
		t.record.Warnings = append(t.record.Warnings,
			"the agent was denied: "+strings.Join(out.Denied, ", "))
	}
	if out.Lingered {
		t.record.Warnings = append(t.record.Warnings,
			"the agent did not end after its result and was stopped")
	}
	report, err := t.claim(out, resultFile)
	if t.task.Tier != "" {
		report, err = t.conclude(out, report, err)
		t.hear(out.Final, report)
	}
	if err != nil {
		t.seen.ParseNote = err.Error()
		return
	}
	t.record.Report, t.record.Tasks = report, report.Tasks
	t.seen.Tasks = report.Tasks
	t.seen.Claim = &failure.Claim{
		Complete: report.Complete, Error: report.Error, Type: failure.Type(report.ErrType),
		Gates:    claimedGates(report),
		Category: report.Category, Transient: report.Retry, Blocked: t.blocked, Strong: !t.who.Weak,
	}
}

// claim finds the result: in the file that the agent may write, else in its final message. An agent
// that knows no result block claims by its exit code.
func (t *try) claim(out Outcome, resultFile string) (*state.Report, error) {
	if !out.Claims {
		n := len(t.task.Phase.Tasks)
		done := n
		// Only a program that ended by itself says something by its exit code.
		ended := out.Err == "" && out.Signal == "" && !out.TimedOut
		if !ended || out.ExitCode != 0 {
			done = 0
		}
		return &state.Report{
			Complete: ended && out.ExitCode == 0, Implied: true,
			Tasks: failure.TaskCount{Total: n, Done: done},
		}, nil
	}
	raw, err := readSmall(resultFile)
	if err != nil {
		return result.Parse(out.Final, t.id, t.nonce)
	}
	written, why := t.written(raw)
	said, unsaid := result.Parse(out.Final, t.id, t.nonce)
	switch {
	case why == nil && unsaid == nil && written.Complete != said.Complete:
		// Whoever knows the nonce can write the file; only the agent speaks on its own output.
		return nil, fmt.Errorf(
			"the result file says %s, the final message says %s: one of the two is not the agent's",
			word(written), word(said))
	case why == nil:
		return written, nil
	case unsaid == nil:
		return said, nil
	}
	return nil, fmt.Errorf("in the result file: %w", why)
}

func word(r *state.Report) string {
	if r.Complete {
		return "complete"
	}
	return "failed"
}

// over reports whether an agent that goes on has said its result: in its file, or as the last thing
// of a text. A block with more behind it may be a draft, or the prompt that is read aloud.
func (t *try) over(text, resultFile string) bool {
	if raw, err := readSmall(resultFile); err == nil {
		if _, err := t.written(raw); err == nil {
			return true
		}
	}
	if t.task.Tier != "" {
		word, reason := lastWord(text)
		return word != "" && reason != prompt.WordsNeeded
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if fence, info := result.SplitFence(strings.TrimSpace(lines[len(lines)-1])); fence == "" ||
		info != "" {
		return false
	}
	_, err := result.Parse(text, t.id, t.nonce)
	return err == nil
}

// written reads a result file: the object alone, or a text with a fenced block as a final message
// has it.
func (t *try) written(raw string) (*state.Report, error) {
	report, alone := result.Decode(raw, t.id, t.nonce)
	if alone == nil {
		return report, nil
	}
	report, err := result.Parse(raw, t.id, t.nonce)
	if errors.Is(err, result.ErrNone) {
		return nil, alone
	}
	return report, err
}

// readSmall reads a file that an agent wrote: a regular one of bounded size, not behind a link.
func readSmall(path string) (string, error) {
	raw, err := safefile.ReadPlain(path, result.MaxBytes)
	if err == nil && len(raw) == 0 {
		err = errors.New("it is empty")
	}
	return string(raw), err
}

// hopeless reports whether there is nothing worth verifying: the agent broke, or left no result.
func (t *try) hopeless(out Outcome) bool {
	claimed := t.seen.Claim != nil && t.seen.Claim.Complete
	switch {
	case claimed && (out.Kind == "agent_error" ||
		out.Kind == "agent_loop"): // its result was written before that
		return false
	case out.Err != "" || out.Kind != "":
		return true
	case t.seen.Claim == nil || t.blocked:
		return true
	case t.record.Report.Implied:
		return !claimed // a script that failed says all there is
	case !claimed:
		// A failed claim may still be an upgrade, when every task is done.
		return t.seen.Tasks.Total > 0 && t.seen.Tasks.Done < t.seen.Tasks.Total &&
			t.seen.Claim.Type != "" && !gateType(t.seen.Claim.Type)
	}
	return false
}

// gateType reports whether a gate can produce failures of this type, so that running it says more
// than the claim.
func gateType(t failure.Type) bool {
	switch t {
	case failure.TestFailure, failure.LintError, failure.FormatError, failure.TypecheckError,
		failure.GateFailure:
		return true
	}
	return false
}

// glance notes what a broken attempt changed, for the next attempt. What cannot be read now is
// met again when the workspace is opened; an agent that was not let to work changed nothing.
func (t *try) glance(ctx context.Context, out Outcome) {
	switch out.Kind {
	case "usage_limit", "transient", "agent_unusable":
		return
	}
	if changes, notes, err := t.Workspace.Changes(ctx, t.tree, t.id); err == nil {
		t.changed(changes, notes)
	}
}

// changed records what differs from the line.
func (t *try) changed(changes state.Changes, notes []string) {
	t.record.Changes = changes
	t.record.Warnings = append(t.record.Warnings, notes...)
	t.seen.Past.Files = changes.Paths()
	t.constrain()
}
