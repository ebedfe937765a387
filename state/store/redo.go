package store

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"slices"
	"time"

	"autobuild/state"
)

// During a session the diary is synced at a transition, and of phases only the names of new files.
// The file of a phase replaces the last one whole, but a power cut can leave an older version of it
// or an empty one. The diary then has what is missing: a phase's file names the time of its last
// event, and the events that follow it are applied again. A session syncs the files before it
// records its end. A file that is missing was removed by the user, and one with another time
// edited.

// redoNote is the note of a phase that is taken from the diary.
const redoNote = "is older than the diary, as a power cut leaves it; " +
	"the phase is taken from the diary"

// moments looks through the diary from its end. It gives the number of the last event, and the time
// of the last event of each phase since the last session that ended; last is nil where nothing has
// happened since.
func moments(f *os.File) (seq int64, last map[string]time.Time, err error) {
	err = linesBack(f, func(line []byte) bool {
		e, ok := headOf(line)
		if !ok {
			return true
		}
		if seq == 0 {
			seq = e.Seq
		}
		if _, later := last[e.Phase]; e.Phase != "" && !later {
			if last == nil {
				last = map[string]time.Time{}
			}
			last[e.Phase] = e.Time
		}
		return e.Type != state.RunFinished
	})
	return seq, last, err
}

// head is the beginning of a line of the diary.
type head struct {
	Seq   int64           `json:"seq"`
	Time  time.Time       `json:"time"`
	Type  state.EventType `json:"type"`
	Phase string          `json:"phase"`
}

// headOf reads what stands before the first list or object of a line: the rest of an event can be
// long. It is not ok for a line without a number.
func headOf(line []byte) (h head, ok bool) {
	if !bytes.Contains(line, []byte(`"seq"`)) {
		return h, false
	}
	short := line
	if i := bytes.IndexAny(line[1:], "{["); i >= 0 {
		short = line[:1+i]
		short = append(bytes.Clone(short[:max(1, bytes.LastIndexByte(short, ','))]), '}')
	}
	if json.Unmarshal(short, &h) != nil || h.Seq <= 0 || h.Type == "" {
		h = head{} // the bracket was in a text, or the order is another
		if json.Unmarshal(line, &h) != nil {
			return h, false
		}
	}
	return h, h.Seq > 0
}

// stale is a phase whose file lacks the last events of the diary.
type stale struct {
	was  state.Phase // as its file says
	lost bool        // the file is empty
	on   bool        // the events of the diary that follow belong to what is lacking
	bad  error       // of the first event that did not follow
}

// redo brings phases up to the diary. An empty file that the diary makes good is not blamed. A
// phase that does not follow from the diary stays as it is.
func (r *reader) redo(run *state.Run, last map[string]time.Time) {
	empty := map[string]bool{}
	for _, b := range r.bad {
		empty[b.Phase] = b.Phase != "" && r.empty(PhasePath(b.Phase))
	}
	behind := map[string]*stale{}
	for i := range run.Phases {
		p := &run.Phases[i]
		at, ok := last[p.ID]
		if lost := empty[p.ID]; ok && r.there[p.ID] && (lost || !p.Updated.Equal(at)) {
			behind[p.ID] = &stale{was: *p, lost: lost, on: lost}
		}
	}
	if len(behind) == 0 {
		return
	}
	replay(r.dir, run, behind)
	for i := range run.Phases {
		p := &run.Phases[i]
		switch s := behind[p.ID]; {
		case s == nil:
		case s.bad != nil:
			*p = s.was
		case !p.Updated.Equal(s.was.Updated):
			r.redone = append(r.redone, p.ID)
		}
	}
	r.bad = slices.DeleteFunc(r.bad, func(b BadFile) bool {
		return empty[b.Phase] && slices.Contains(r.redone, b.Phase)
	})
}

// replay applies the diary to the phases whose files are behind it.
func replay(stateDir string, run *state.Run, behind map[string]*stale) {
	for e, err := range ReadDiary(stateDir) {
		switch {
		case err != nil:
			for _, s := range behind {
				s.bad = cmp.Or(s.bad, err)
			}
		case e.Type == state.RunStarted || e.Type == state.RunFinished:
			for id, s := range behind {
				if p, ok := run.Find(id); ok && s.lost {
					s.begin(p, e)
				}
			}
		case e.Type.Lifecycle():
			if _, ok := run.Find(e.Phase); ok && behind[e.Phase] != nil {
				behind[e.Phase].follow(run, e)
			}
		}
	}
}

// empty reports whether a file has no content, or nothing but the zeros of a power cut.
func (r *reader) empty(name string) bool {
	data, err := readFile(r.root, name)
	return err == nil && len(bytes.Trim(data, "\x00")) == 0
}

// begin takes what the start of a session says of a phase whose file is empty. Such a file is newer
// than the last end of a session, and so is all that happened to the phase.
func (s *stale) begin(p *state.Phase, e state.Event) {
	if e.Type == state.RunFinished {
		*p, s.bad = s.was, nil
		return
	}
	for _, seed := range e.Phases {
		if seed.ID == p.ID && e.Config != nil {
			p.Label, p.Name, p.DependsOn = seed.Label, seed.Name, seed.DependsOn
			p.MaxAttempts = max(p.MaxAttempts, seed.MaxAttempts)
			if e.Config.Sessions <= 1 {
				p.Created = e.Time
			}
		}
	}
}

// follow applies an event that the file lacks.
func (s *stale) follow(run *state.Run, e state.Event) {
	if !s.on {
		s.on = e.Time.Equal(s.was.Updated) // the file has it, and all before it
		return
	}
	e.Seq = 0 // the run is at the end of the diary
	if s.bad == nil {
		s.bad = run.Apply(e)
	}
}
