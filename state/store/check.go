package store

import (
	"fmt"
	"slices"
	"strings"

	"autobuild/state"
)

// check says why the file cannot be true; "" when it can. Times are never looked at: clocks jump.
func (f *phaseFile) check(isolation state.Isolation) (key, why string) {
	if f.Attempt < 0 {
		return "attempt", fmt.Sprintf("attempt %d cannot be", f.Attempt)
	}
	if f.Attempt > f.MaxAttempts {
		return "attempt", fmt.Sprintf("attempt %d of %d: raise max_attempts or lower attempt",
			f.Attempt, f.MaxAttempts)
	}
	if !known(f.Was) && f.Was != "" {
		return "was", fmt.Sprintf("unknown status %q", f.Was)
	}
	if f.Waiting.Waits < 0 {
		return "waiting", "waiting.waits is negative"
	}
	if slices.ContainsFunc(f.Limits, func(l state.Limit) bool { return l.Waits < 1 }) {
		return "limits", "a limit in limits was waited for at least once: waits is less than 1"
	}
	if slices.ContainsFunc(f.Limits, func(l state.Limit) bool {
		return l.Type != "" && !l.Type.Awaited()
	}) {
		return "limits", "only a usage_limit, a transport_error or an agent_error is waited out"
	}
	if key, why := f.checkHistory(); why != "" {
		return key, why
	}
	if key, why := f.checkAttempts(); why != "" {
		return key, why
	}
	return f.checkStatus(isolation)
}

// maxFiles is how many changed files history keeps of an attempt.
const maxFiles = 50

// checkHistory holds the history to its bounds. Files that were written before there was one have
// none, so it is not compared with the attempts.
func (f *phaseFile) checkHistory() (key, why string) {
	switch {
	case len(f.History) > state.MaxPast:
		return "history", fmt.Sprintf("history tells of %d failed attempts; it keeps the last %d",
			len(f.History), state.MaxPast)
	case f.Revisions < 0:
		return "revisions", "revisions is negative"
	case f.Proposals < 0:
		return "proposals", "proposals is negative"
	}
	for i := range f.History {
		switch e := &f.History[i]; {
		case e.Type == "":
			return "history", fmt.Sprintf("history[%d] has no type", i)
		case e.Count < 0:
			return "history", fmt.Sprintf("history[%d] has a negative count", i)
		case len(e.Files) > maxFiles:
			return "history", fmt.Sprintf("history[%d] names %d files; it keeps %d", i,
				len(e.Files), maxFiles)
		}
	}
	return "", ""
}

// checkAttempts checks that the file describes each of the attempts 1 to Attempt once, and no
// others.
func (f *phaseFile) checkAttempts() (key, why string) {
	if f.Attempt == 0 {
		switch {
		case f.Execution != nil:
			return "execution", "execution without an attempt: attempt is 0"
		case len(f.Gates) > 0:
			return "quality_gates", "quality_gates without an attempt: attempt is 0"
		case f.Verification != nil:
			return "verification", "verification without an attempt: attempt is 0"
		case f.Commit != nil:
			return "commit", "commit without an attempt: attempt is 0"
		}
	}
	if f.Attempt > 0 && f.Execution == nil {
		return "attempt", fmt.Sprintf("attempt %d without execution", f.Attempt)
	}
	if got, want := len(f.Earlier), max(f.Attempt-1, 0); got != want {
		return "attempt", fmt.Sprintf("earlier_attempts tells of %d, but %d came before attempt %d",
			got, want, f.Attempt)
	}
	if f.PlanUpdates != nil && f.Commit == nil {
		return "plan_updates", "plan_updates without a commit"
	}
	for i := range f.Earlier {
		e := &f.Earlier[i]
		if e.N != i+1 {
			return "earlier_attempts",
				fmt.Sprintf("earlier_attempts tells of attempt %d where attempt %d belongs", e.N,
					i+1)
		}
		if _, failed := f.errorOf(e.N); !failed {
			return "earlier_attempts",
				fmt.Sprintf("attempt %d was followed by another, but error has no %s%d", e.N,
					attemptKey, e.N)
		}
		if e.PlanUpdates != nil && e.Commit == nil {
			return "earlier_attempts", "plan_updates without a commit"
		}
	}
	if f.Error != nil {
		for n := range f.Error.Attempts {
			if n > f.Attempt {
				return "error", fmt.Sprintf("error has %s%d, but attempt is %d", attemptKey, n,
					f.Attempt)
			}
		}
	}
	return "", ""
}

// checkStatus checks the preconditions that state.Status documents for each status.
func (f *phaseFile) checkStatus(isolation state.Isolation) (key, why string) {
	_, failed := f.errorOf(f.Attempt)
	blocker := f.Dependencies.BlockedBy
	switch f.Status {
	case state.Pending, state.Waiting, state.Skipped, state.Blocked:
		if f.Attempt > 0 && !failed {
			return "status", fmt.Sprintf("%s, but attempt %d has not failed", f.Status, f.Attempt)
		}
	case state.Running:
		if f.Attempt == 0 || failed {
			return "status", "running, but no attempt is going on"
		}
	case state.Failed:
		if !failed {
			return "status", fmt.Sprintf("failed, but error has no %s%d", attemptKey, f.Attempt)
		}
	case state.Complete:
		switch {
		case f.Attempt == 0:
			return "status",
				"complete without an attempt: a phase is complete only when autobuild has " +
					"verified and landed it"
		case failed:
			return "status", fmt.Sprintf("complete, but attempt %d failed", f.Attempt)
		case f.Verification == nil || !f.Verification.Verdict.Passed():
			return "status", "complete without a verdict that passed"
		case isolation == state.Worktree && (f.Commit == nil || f.Commit.SHA == ""):
			return "status", "complete without the commit that landed it"
		}
	default:
		return "status", fmt.Sprintf("unknown status %q: want %s", f.Status,
			strings.Join(statuses(), ", "))
	}
	switch {
	case f.Status != state.Complete && !f.Timestamps.Accepted.IsZero():
		return "timestamps", "accepted, but the phase is " + string(f.Status)
	case f.AcceptedWhy != "" && f.Timestamps.Accepted.IsZero():
		return "accepted_because",
			"accepted_because, but timestamps.accepted says that no person accepted it"
	case f.Status == state.Blocked && blocker == "":
		return "status", "blocked, but dependencies.blocked_by names no phase"
	case f.Status != state.Blocked && blocker != "":
		return "dependencies", fmt.Sprintf("blocked_by %s, but the phase is %s", blocker, f.Status)
	case f.LeftOut && f.Status != state.Skipped:
		return "left_out", "left_out, but the phase is " + string(f.Status)
	case len(f.Notes) > state.MaxNotes:
		return "notes", fmt.Sprintf("notes has %d entries; it keeps %d", len(f.Notes),
			state.MaxNotes)
	case f.Retry && f.Status != state.Failed:
		return "retry_pending", "retry_pending, but the phase is " + string(f.Status)
	}
	return "", ""
}

func statuses() []string {
	all := []state.Status{
		state.Pending, state.Running, state.Waiting, state.Complete, state.Failed,
		state.Blocked, state.Skipped,
	}
	names := make([]string, len(all))
	for i, s := range all {
		names[i] = string(s)
	}
	return names
}

func known(s state.Status) bool { return slices.Contains(statuses(), string(s)) }

// handReset reports whether the user has set the status of a phase with a past to pending by hand.
// An interruption leaves a pending phase too, but only with failed attempts and no Error.Final.
func (f *phaseFile) handReset() bool {
	if f.Status != state.Pending {
		return false
	}
	_, failed := f.errorOf(f.Attempt)
	return f.Dependencies.BlockedBy != "" || f.Retry || f.Execution != nil && !failed ||
		f.Error != nil && f.Error.Final != ""
}

// reset is the file of the same phase as a person's reset leaves it: it has not been tried, and how
// it failed before is known.
func (f *phaseFile) reset() phaseFile {
	return phaseFile{
		Schema: f.Schema, ID: f.ID, Label: f.Label, Name: f.Name, Status: state.Pending,
		MaxAttempts:  f.MaxAttempts,
		Timestamps:   timestamps{Created: f.Timestamps.Created, Updated: f.Timestamps.Updated},
		Dependencies: dependencies{DependsOn: f.Dependencies.DependsOn},
		Fingerprint:  f.Fingerprint, Spent: f.Spent, History: f.History, Revisions: f.Revisions,
	}
}

// PhasePath is the file of a phase by its id, relative to the state directory.
func PhasePath(id string) string { return PhasesDir + "/" + phaseName(id) }

func phaseName(id string) string { return "phase-" + id + ".json" }

// phaseID is the id in the name of a phase file.
func phaseID(name string) (id string, ok bool) {
	rest, ok := strings.CutPrefix(name, "phase-")
	if !ok {
		return "", false
	}
	id, ok = strings.CutSuffix(rest, ".json")
	return id, ok && safe(id)
}

// safe reports whether an id or a run id is good as a part of a file name on every system.
func safe(id string) bool {
	if id == "" || len(id) > 200 {
		return false
	}
	for _, c := range id {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
			strings.ContainsRune("-_.", c) {
			continue
		}
		return false
	}
	return !strings.HasPrefix(id, ".") && !strings.HasSuffix(id, ".")
}
