package repair

import (
	"iter"
	"slices"
	"time"

	"autobuild/state"
	"autobuild/state/store"
)

// Diary is the run as events.jsonl records it, as far as it can be replayed. A phase's record is
// valid only while no line is missing since the phase began anew: a lost line may have been a
// reset.
type Diary struct {
	Config state.Config // of the latest session; zero when the diary names none

	run   state.Run
	lost  map[string]bool        // phases of which it can no longer be followed
	times map[string][]time.Time // of each phase's events
	reset map[string]bool        // phases that were ever reset
	keys  map[string]bool        // of the attempts that began
	bad   []store.DiaryLine
	err   error // the file cannot be read, or not to its end
	seq   int64
}

// ReadDiary follows the diary. It never fails: an unreadable line is a finding.
func ReadDiary(lines iter.Seq2[store.DiaryLine, error]) *Diary {
	d := &Diary{
		lost: map[string]bool{}, times: map[string][]time.Time{}, reset: map[string]bool{},
		keys: map[string]bool{},
	}
	for l, err := range lines {
		switch {
		case err != nil:
			d.err = err
			d.lose()
		case l.Cause != nil:
			d.bad = append(d.bad, l)
			d.lose()
		case l.Event.Type.Lifecycle():
			d.hear(l.Event)
		}
	}
	return d
}

// hear folds one event. A phase whose status a person has edited starts from a state that is
// missing in the diary: it begins anew.
func (d *Diary) hear(e state.Event) {
	first := d.run.Config.RunID == ""
	if e.Seq != d.seq+1 {
		d.lose()
	}
	d.seq, d.run.Seq = e.Seq, e.Seq-1 // the loss in between is recorded
	if first && e.Type != state.RunStarted {
		return
	}
	err := d.run.Apply(e)
	if err != nil && e.Type == state.PhaseStarted && e.Attempt == 1 {
		if d.run.Apply(state.Event{
			Type: state.PhaseReset, Phase: e.Phase, Time: e.Time,
			User: true,
		}) == nil {
			err = d.run.Apply(e)
		}
	}
	switch {
	case e.Type == state.RunStarted && err != nil:
		d.lose()
	case e.Type == state.RunStarted:
		d.Config = d.run.Config
		if first && d.Config.Sessions > 1 {
			d.lose() // it begins in the middle
		}
	case e.Type == state.PlanEdited && err == nil:
		d.Config = d.run.Config
	case e.Phase == "":
	case err != nil:
		d.lost[e.Phase] = true
	default:
		if e.Type == state.PhaseReset || e.Type == state.PhaseStarted && e.Attempt == 1 {
			delete(d.lost, e.Phase)
		}
		d.reset[e.Phase] = d.reset[e.Phase] || e.Type == state.PhaseReset
		d.times[e.Phase] = append(d.times[e.Phase], e.Time)
		if e.Key != "" {
			d.keys[e.Key] = true
		}
	}
}

// lose forgets where every phase stands.
func (d *Diary) lose() {
	for i := range d.run.Phases {
		d.lost[d.run.Phases[i].ID] = true
	}
}

// says returns the state of a phase according to the diary; ok is false when the record is
// unreliable or empty.
func (d *Diary) says(id string) (p *state.Phase, ok bool) {
	p, ok = d.run.Find(id)
	return p, ok && !d.lost[id] && len(d.times[id]) > 0
}

// Completed returns the commit that completed a phase; ok is false where the diary does not record
// its completion.
func (d *Diary) Completed(id string) (c state.Commit, ok bool) {
	p, ok := d.says(id)
	if !ok || p.Status != state.Complete || p.Commit == nil {
		return state.Commit{}, false
	}
	return *p.Commit, true
}

// before reports whether the diary records this moment of a phase, and later ones too.
func (d *Diary) before(id string, at time.Time) bool {
	times := d.times[id]
	i := slices.IndexFunc(times, at.Equal)
	return i >= 0 && !times[len(times)-1].Equal(at)
}

// unlike reports whether two accounts of a phase differ in what matters.
func unlike(a, b *state.Phase) bool {
	x, _ := a.Last()
	y, _ := b.Last()
	return a.Status != b.Status || len(a.Attempts) != len(b.Attempts) || x.Key != y.Key
}
