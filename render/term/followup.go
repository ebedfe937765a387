package term

import (
	"cmp"
	"fmt"

	"autobuild/failure"
	"autobuild/internal/text"
	"autobuild/render"
	"autobuild/state"
)

// line is one remark in the progress output.
type line struct{ who, text string }

// sequel says what follows a finished attempt where a person would otherwise wonder: why a failed
// phase is not retried yet, that retries begin now, or that the run is about to halt.
func (b *batches) sequel(e state.Event, run *state.Run) []line {
	p, ok := run.Find(e.Phase)
	if !ok {
		return nil
	}
	var lines []line
	if p.Status == state.Failed && !p.Retry {
		lines = append(lines, line{p.Label, last(e, run)})
		if !run.Config.KeepGoing {
			return lines
		}
	}
	if run.Config.Schedule == "eager" {
		if p.Status == state.Failed && p.Retry {
			lines = append(lines, line{p.Label, next(p, "retry") + cmp.Or(delay(e), " at once")})
		}
		return lines
	}
	return append(lines, b.level(e, run, p)...)
}

// last says what a failure without a retry means for the run.
func last(e state.Event, run *state.Run) string {
	content := "no retry left"
	if d := e.Result.Decision; d != nil && d.Rationale != "" {
		content = "no retry: " + d.Rationale
	}
	if run.Config.KeepGoing {
		return content + "; phases that do not need it go on"
	}
	var running []string
	for i := range run.Phases {
		if run.Phases[i].Status == state.Running {
			running = append(running, run.Phases[i].Label)
		}
	}
	if len(running) > 0 {
		return content + "; halting: nothing new starts, " + text.JoinAnd(running) + " may finish"
	}
	return content + "; halting"
}

// level says how the batch of a phase stands after it has finished, when retries are due.
func (b *batches) level(e state.Event, run *state.Run, p *state.Phase) []line {
	var open, again, complete []string
	var due *state.Phase
	tiers := false
	levels := b.of(run)
	for i := range run.Phases {
		q := &run.Phases[i]
		if levels[q.ID] != levels[p.ID] {
			continue
		}
		switch {
		case q.Status == state.Failed && q.Retry:
			again, due = append(again, q.Label), q
			tiers = tiers || asked(q) != ""
		case q.Status == state.Complete:
			complete = append(complete, q.Label)
		case q.Status == state.Running, q.Status == state.Pending, q.Status == state.Waiting:
			open = append(open, q.Label)
		}
	}
	kept := ""
	if len(complete) > 0 {
		kept = "; " + text.JoinAnd(complete) + " complete and kept"
	}
	switch {
	case len(again) == 0:
		return nil
	case len(open) > 0 && p.Status == state.Failed && p.Retry:
		return []line{{p.Label, next(p, "retry") + " once " + text.JoinAnd(open) +
			render.Have(open) + " finished" + kept}}
	case len(open) > 0:
		return nil
	case len(again) == 1:
		return []line{{again[0], next(due, "retry with the error as context") + delay(e) + kept}}
	}
	how := "retrying them side by side"
	if tiers {
		how = "their next attempts run side by side"
	}
	return []line{{render.WholeRun, fmt.Sprintf("%s failed: %s%s", text.JoinAnd(again), how, kept)}}
}

// next words what follows a failure that is not the phase's last.
func next(p *state.Phase, retry string) string {
	if tier := asked(p); tier != "" {
		return tier + " looks into it"
	}
	if past := p.Decisions(); len(past) > 0 && past[len(past)-1].Action == failure.Arbitrate {
		return "once more, from the line as it now stands"
	}
	return retry
}

// asked is the tier that looks into a phase's last failure; empty where it is simply tried again.
func asked(p *state.Phase) string {
	past := p.Decisions()
	if len(past) == 0 {
		return ""
	}
	if d := past[len(past)-1]; d.Action == failure.Escalate && d.Again() {
		return d.To
	}
	return ""
}

func delay(e state.Event) string {
	if d := e.Result.Decision; d != nil && d.Delay > 0 {
		return " in " + render.Duration(d.Delay)
	}
	return ""
}

// batches holds the batch of each phase, and the batches that were announced.
type batches struct {
	levels map[string]int
	told   map[int]bool
}

// of finds the batch of each phase of a run, by id, from 0.
func (b *batches) of(run *state.Run) map[string]int {
	if len(b.levels) != len(run.Phases) {
		b.levels = render.BatchOf(run.Phases)
	}
	return b.levels
}

// heading announces the batch of a phase the first time that one of its phases starts: "2 of 4: 2A,
// 2B, 2C". An eager schedule has no batches.
func (b *batches) heading(run *state.Run, id string) string {
	if run.Config.Schedule == "eager" {
		return ""
	}
	levels := b.of(run)
	mine, ok := levels[id]
	if !ok || b.told[mine] {
		return ""
	}
	if b.told == nil {
		b.told = make(map[int]bool)
	}
	b.told[mine] = true
	var members []string
	total := 0
	for i := range run.Phases {
		p := &run.Phases[i]
		total = max(total, levels[p.ID]+1)
		if levels[p.ID] == mine && p.Status != state.Complete && p.Status != state.Skipped {
			members = append(members, p.Label)
		}
	}
	return fmt.Sprintf("%d of %d: %s", mine+1, total, text.JoinSome(members, 20))
}
