package repair

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"autobuild/state"
	"autobuild/state/store"
)

// Do does what the report proposes, in the directory that was examined and is locked since. First
// everything that it touches is copied to backup, a path relative to the state directory; it is
// empty when there is nothing to do. Cut off at any step, it leaves a directory that can be
// examined again, and done to its end.
func Do(d *store.Dir, r *Report, now func() time.Time) (backup string, err error) {
	if r.Mendable() == 0 {
		return "", nil
	}
	var paths []string
	for _, f := range r.Findings {
		if f.Do != Leave {
			paths = append(paths, f.Path)
		}
	}
	m, err := d.Mend(paths)
	if err != nil {
		return "", err
	}
	w := &work{
		dir: d, mending: m, now: now,
		run: &state.Run{Config: r.config, Phases: slices.Clone(r.phases), Seq: r.seq},
	}
	for _, f := range slices.Concat(r.about(true), r.about(false)) {
		if err := w.mend(f); err != nil {
			return m.Backup, fmt.Errorf("repairing %s: %w", f.Path, err)
		}
	}
	return m.Backup, nil
}

// about returns the findings to repair: those about the files that record the run, or else those
// about phases, whose repair is an event of the run.
func (r *Report) about(files bool) []Finding {
	var fs []Finding
	for _, f := range r.Findings {
		if f.Do != Leave && (f.Phase == "") == files {
			fs = append(fs, f)
		}
	}
	return fs
}

// work is a repair that goes on.
type work struct {
	dir     *store.Dir
	mending *store.Mending
	now     func() time.Time
	run     *state.Run
}

// mend applies the remedy of one finding and records it in the diary.
func (w *work) mend(f Finding) error {
	var err error
	switch {
	case f.config != nil:
		err = w.mending.Config(*f.config)
	case f.Do == Trim:
		err = w.mending.Trim(f.lines)
	case f.Do == Aside:
		err = w.mending.Aside(f.Path)
	case f.Do == Restore:
		err = w.mending.Phase(f.base, w.run.Config.Isolation)
	case f.base != nil:
		err = w.mending.Clear(f.Path)
	}
	if err != nil {
		return err
	}
	events := append(slices.Clone(f.events), state.Event{
		Type: state.Notice, Phase: f.Phase, Text: fmt.Sprintf("repair: %s %s · %s: %s",
			filepath.Base(f.Path), f.Cause, f.Do, f.Why),
	})
	for _, e := range events {
		if err := w.happen(e, f.Label); err != nil {
			return err
		}
	}
	return nil
}

// happen applies and saves, in the order of every event.
func (w *work) happen(e state.Event, label string) error {
	e.V, e.Time, e.Run, e.Label = state.EventVersion, w.now(), w.run.Config.RunID, label
	if e.Type.Lifecycle() {
		e.Seq = w.run.Seq + 1
	}
	if err := w.run.Apply(e); err != nil {
		return err
	}
	if p, ok := w.run.Find(e.Phase); ok {
		e.Status, e.Name = p.Status, p.Name
	}
	return w.dir.Event(e, w.run)
}
