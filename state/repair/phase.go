package repair

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"autobuild/state"
	"autobuild/state/store"
)

// phase looks at one phase alone.
func (x *exam) phase(id string) {
	if b, ok := x.bad[id]; ok {
		x.unusable(b)
		return
	}
	f, ok := x.good[id]
	if !ok {
		x.missing(id)
		return
	}
	x.believe(f.Phase)
	if !f.ByHand && !x.blind {
		x.usable(f)
	}
}

// pending is a phase of which nothing is known.
func (x *exam) pending(id string) *state.Phase {
	s := x.seeds[id]
	p := &state.Phase{
		ID: id, Label: x.label(id), Name: s.Name, Status: state.Pending,
		DependsOn: s.DependsOn, MaxAttempts: max(s.MaxAttempts, 1),
	}
	if h, ok := x.diary.run.Find(id); ok && x.ev.Seeds == nil {
		p.Name, p.DependsOn = h.Name, h.DependsOn
	}
	return p
}

// unusable is a file that cannot be read, or says what cannot be.
func (x *exam) unusable(b store.BadFile) {
	f := Finding{
		Position: store.Position{Path: b.Path, Line: b.Line, Col: b.Col}, Phase: b.Phase,
		Cause: b.Cause.Error(), Refused: true,
	}
	if left, ok := x.left(f, b.Cause); ok {
		x.find(left)
		return
	}
	if h, ok := x.diary.says(b.Phase); ok {
		x.find(x.settle(f, h))
		return
	}
	if c, ok := x.newest(b.Phase); ok && !x.diary.reset[b.Phase] {
		x.find(adopt(f, x.pending(b.Phase), c))
		return
	}
	f.Why = "neither the diary nor git tells how it stood"
	x.find(again(f, x.pending(b.Phase)))
}

// left reports a finding that a repair must leave alone.
func (x *exam) left(f Finding, cause error) (Finding, bool) {
	f.Do = Leave
	_, unread := errors.AsType[*fs.PathError](cause)
	switch {
	case errors.Is(cause, store.ErrNewer):
		f.Why, f.Next = "it is whole, and of a form that this autobuild does not know",
			"go on with the autobuild that wrote it"
	case unread:
		f.Why, f.Next = "what cannot be read cannot be kept",
			"see who owns it, and make it readable"
	case x.blind:
		f.Why, f.Next = "nothing tells which run it belongs to",
			"put config.json back from a copy, or start again with --fresh, which keeps the old "+
				"state in history/"
	default:
		return f, false
	}
	return f, true
}

// settle follows the diary about a phase, with two exceptions: a phase without its commit is not
// complete, and no phase is running now.
func (x *exam) settle(f Finding, h *state.Phase) Finding {
	last, _ := h.Last()
	switch h.Status {
	case state.Complete:
		if x.has(h.ID, h.Commit) {
			f.Do, f.base, f.Why = Restore, h, "the diary tells how it completed, and its commit "+
				short(h.Commit.SHA)+" is there"
			return f
		}
		f.Why = "the diary tells that it completed, but git does not have its commit"
		return again(f, h)
	case state.Running:
		return x.stopped(f, h, last.Key)
	case state.Pending, state.Waiting, state.Failed, state.Blocked, state.Skipped:
	}
	f.Do, f.base, f.Why = Restore, h, "the diary tells that it is "+string(h.Status)
	return f
}

// stopped is a phase that was running when the run ended without a word.
func (x *exam) stopped(f Finding, p *state.Phase, key string) Finding {
	if c, ok := x.of(p.ID, key); ok {
		return adopt(f, p, c)
	}
	cut := x.ev.CutOffs[p.ID]
	if p.Blamed(cut) {
		f.Do, f.Why = Leave,
			fmt.Sprintf(
				"it was cut off %d times in a row, and somebody should look at its log first",
				p.CutOff)
		f.Next, f.Refused = "autobuild reset "+x.label(f.Phase), true
		return f
	}
	f.Why = "nobody works on it, and the attempt has made no commit"
	f = again(f, p)
	f.events[0].Cut = &cut
	return f
}

// again makes a phase pending.
func again(f Finding, base *state.Phase) Finding {
	f.Do, f.base = Again, base
	f.events = []state.Event{{Type: state.PhaseReset, Phase: base.ID, Text: "repaired: " + f.Why}}
	return f
}

// adopt completes a phase whose commit is there.
func adopt(f Finding, base *state.Phase, c Landed) Finding {
	f.Do, f.base = Adopt, base
	f.Why = "its work has landed as commit " + short(c.Commit.SHA) +
		"; the record of its gates is lost"
	result, _ := base.Last()
	if base.Status != state.Running {
		n := len(base.Attempts) + 1
		result = state.Attempt{N: n, Key: c.Key}
		f.events = append(f.events, state.Event{
			Type: state.PhaseStarted, Phase: base.ID,
			Attempt: n, Attempts: base.MaxAttempts, Key: c.Key, Print: base.Fingerprint,
		})
	}
	commit := c.Commit
	result.Commit, result.Verdict, result.Referee = &commit, c.Verdict, c.Contested
	if !result.Verdict.Passed() {
		result.Verdict = state.Unverified // the commit does not say
	}
	result.Warnings = []string{"repaired: " + f.Why}
	f.events = append(f.events, state.Event{
		Type: state.AttemptFinished, Phase: base.ID,
		Attempt: result.N, Result: &result,
	})
	return f
}

// missing is a phase without a file. Every phase begins like that, and a user deletes the file to
// run the phase again; only landed work is evidence of damage.
func (x *exam) missing(id string) {
	f := Finding{Position: store.Position{Path: filepath.Join(x.files.Dir, "phases",
		"phase-"+id+".json")}, Phase: id}
	h, known := x.diary.says(id)
	last := state.Attempt{}
	if known {
		last, _ = h.Last()
	}
	c, landed := x.newest(id)
	_, mine := x.of(id, last.Key)
	switch {
	case x.blind:
		return
	case known && h.Status == state.Complete && x.has(id, h.Commit):
		f.Cause = "is missing, although the diary tells that the phase completed"
		x.find(x.settle(f, h))
		return
	case known && h.Status == state.Running && mine:
		f.Cause = "is missing, although the phase's work has landed"
		x.find(x.settle(f, h))
		return
	case !known && landed && !x.diary.reset[id]:
		f.Cause = "is missing, although the phase's work has landed"
		x.find(adopt(f, x.pending(id), c))
		return
	}
	x.believe(*x.pending(id))
}

// believe accepts a phase as it is.
func (x *exam) believe(p state.Phase) { x.truth[p.ID], x.then[p.ID] = p, p }

// usable is a file that can be true by itself.
func (x *exam) usable(file store.PhaseFile) {
	p := &file.Phase
	f := Finding{Position: file.Position, Phase: p.ID}
	h, known := x.diary.says(p.ID)
	if known && unlike(p, h) {
		switch {
		case x.diary.before(p.ID, p.Updated):
			f.Cause = "is older than the diary: it says " + stand(p) +
				", and the diary goes on to " + stand(h)
			x.find(x.settle(f, h))
			return
		case p.Status == state.Complete && p.Updated.Equal(h.Updated) && h.Status != state.Complete:
			f.Cause = "says complete, where the diary says " + stand(h) + " at the same moment"
			x.find(x.settle(f, h))
			return
		}
	}
	last, _ := p.Last()
	switch p.Status {
	case state.Complete:
		if x.proof() && !x.has(p.ID, p.Commit) {
			f.Cause = "says complete, but names no commit"
			if p.Commit != nil && p.Commit.SHA != "" {
				f.Cause = "says complete, but its commit " + short(p.Commit.SHA) +
					" is not part of the work"
			}
			if known && h.Status == state.Complete && x.has(h.ID, h.Commit) {
				x.find(x.settle(f, h))
				return
			}
			x.find(x.uncommitted(f, p, last.Key))
		}
	case state.Running:
		f.Cause = "says running, but nobody works here"
		x.find(x.stopped(f, p, last.Key))
	case state.Pending:
		untold := !known && !x.diary.reset[p.ID] && p.Was == "" && len(p.Attempts) == 0 &&
			len(p.Past) == 0
		if c, landed := x.newest(p.ID); landed && untold {
			f.Cause = "says pending, although the phase's work has landed"
			x.find(adopt(f, p, c))
		}
	case state.Waiting, state.Failed, state.Blocked, state.Skipped:
	}
}

// uncommitted is a complete phase without the commit that it names. Its attempt may have made
// another one.
func (x *exam) uncommitted(f Finding, p *state.Phase, key string) Finding {
	c, ok := x.of(p.ID, key)
	if !ok {
		f.Why = "complete is what has landed"
		return again(f, p)
	}
	right := *p
	right.Attempts = slices.Clone(p.Attempts)
	last := &right.Attempts[len(right.Attempts)-1]
	commit := c.Commit
	if p.Commit != nil {
		commit = *p.Commit
		commit.SHA, commit.Message = c.Commit.SHA, c.Commit.Message
	}
	last.Commit, right.Commit = &commit, &commit
	f.Do, f.base, f.Why = Restore, &right, "git has the attempt's commit as "+short(c.Commit.SHA)
	return f
}

// stand is where a phase stands, in words.
func stand(p *state.Phase) string {
	if n := len(p.Attempts); n > 0 {
		return fmt.Sprintf("%s in attempt %d", p.Status, n)
	}
	return string(p.Status)
}

// needs checks that the dependencies of a complete phase are complete. A dependency that was reset
// or skipped is no contradiction: a resume looks at the phase again.
func (x *exam) needs(id string) {
	p, known := x.then[id]
	if !known || x.blind || p.Status != state.Complete {
		return
	}
	var open []string
	for _, need := range p.DependsOn {
		n, known := x.then[need]
		if !known || n.Status == state.Complete || n.Status == state.Skipped || n.Was != "" ||
			x.good[need].ByHand {
			continue
		}
		open = append(open, x.label(need)+", which is "+string(n.Status))
	}
	if len(open) == 0 {
		return
	}
	x.unsettle(id, "says complete, but the phase needs "+strings.Join(open, ", and "),
		"what it was built on has not been checked")
}

// unsettle makes a phase pending because of the state of other phases; it overrides the phase's own
// remedy.
func (x *exam) unsettle(id, cause, why string) {
	base := x.truth[id]
	i, changed := x.about[id]
	if !changed {
		x.find(again(Finding{Position: x.good[id].Position, Phase: id, Cause: cause, Why: why}, &base))
		return
	}
	f := x.out[i]
	f.Cause, f.Why = f.Cause+"; it "+cause, why
	x.out[i] = again(f, &base)
	x.then[id] = x.out[i].after()
}

// blocked looks whether what blocks a phase can block it.
func (x *exam) blocked(id string) {
	p, known := x.then[id]
	if !known || x.blind || p.Status != state.Blocked {
		return
	}
	const why = "it runs when what it needs is complete"
	root, known := x.then[p.BlockedBy]
	switch {
	case !known:
		x.unsettle(id, "says blocked by "+p.BlockedBy+", which is no phase", why)
	case root.Status == state.Complete:
		x.unsettle(id, "says blocked by "+x.label(p.BlockedBy)+", which is complete", why)
	}
}

func short(sha string) string { return sha[:min(len(sha), 9)] }
