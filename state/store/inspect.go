package store

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"autobuild/state"
)

// ErrNewer says that a file was written by a newer autobuild. The file is intact; this version must
// not repair it.
var ErrNewer = errors.New("written by a newer autobuild")

// Files are the contents of the files of a state directory, each by itself. Contradictions between
// files are not checked.
type Files struct {
	Dir    string
	Config state.Config // zero when config.json cannot be used
	// of every file with the name of a phase's, in the natural order of their ids
	Phases  []PhaseFile
	End     *state.End // nil without a result.json that can be used
	EndedBy string     // id of the run that result.json is about
	Bad     []BadFile  // those that cannot be used: config.json, result.json, phases
	Notes   []Note
}

// PhaseFile is one file that can be used.
type PhaseFile struct {
	Position
	state.Phase
	ByHand bool // the user has set it to pending
}

// Position is where something is written.
type Position struct {
	Path      string
	Line, Col int // from 1; 0 when no place in the file is meant
}

// Inspect reads what is stored in stateDir without taking a lock or changing anything. Unlike Load
// it gives what can be used beside what cannot. Errors: ErrNoRun, *UnusableError.
func Inspect(stateDir string) (*Files, error) {
	root, err := openRoot(stateDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNoRun
	}
	if err != nil {
		return nil, err
	}
	f, err := inspect(root, stateDir)
	return f, errors.Join(err, root.Close())
}

// Inspect is the function Inspect for the open directory.
func (d *Dir) Inspect() (*Files, error) { return inspect(d.root, d.path) }

func inspect(root *os.Root, dir string) (*Files, error) {
	if !holdsRun(root) {
		return nil, ErrNoRun
	}
	r := newReader(root, dir)
	f := &Files{Dir: dir}
	var c state.Config
	if r.config(&c) {
		f.Config = c
	}
	var end resultFile
	if r.read(ResultName, "", &end) {
		f.End, f.EndedBy = &end.End, end.RunID
	}
	names, err := phaseFiles(root)
	if err != nil {
		r.blame(PhasesDir, "", err)
	}
	for _, name := range names {
		id, ok := phaseID(name)
		if !ok {
			r.note("", PhasesDir+"/"+name, "is not the file of a phase; it is kept as it is")
			continue
		}
		if p, ok := r.placed(id, f.Config.Isolation); ok {
			f.Phases = append(f.Phases, p)
		}
	}
	slices.SortStableFunc(r.bad, func(a, b BadFile) int { return natural(a.Path, b.Path) })
	f.Bad, f.Notes = r.bad, r.notes
	return f, nil
}

// config reads config.json; false when it is missing or bad.
func (r *reader) config(c *state.Config) bool {
	before := len(r.bad)
	if !r.read(ConfigName, "", c) {
		if len(r.bad) == before {
			r.blame(ConfigName, "", errors.New("is missing, although there are phase files"))
		}
		return false
	}
	if c.RunID == "" {
		r.blame(ConfigName, "", errors.New("names no run: run_id is empty"))
		return false
	}
	return true
}

// placed is phase, with the place of the status.
func (r *reader) placed(id string, isolation state.Isolation) (PhaseFile, bool) {
	out := PhaseFile{Position: Position{Path: r.at(PhasePath(id))}}
	before := len(r.notes)
	p, ok := r.phase(id, isolation)
	out.Phase, out.ByHand = p,
		slices.ContainsFunc(r.notes[before:], func(n Note) bool { return n.Text == byHand })
	if data, found := r.bytes(PhasePath(id), id); ok && found {
		out.Line, out.Col = position(data, keyAt(data, "status"))
	}
	return out, ok
}

// DiaryLine is one line of the diary: an event, or why it is none.
type DiaryLine struct {
	Position
	Event state.Event
	Cause error // nil for an event
}

// DiaryLines yields every whole line of events.jsonl, those that are no events too. An error ends
// it: the file cannot be read.
func DiaryLines(stateDir string) iter.Seq2[DiaryLine, error] {
	return func(yield func(DiaryLine, error) bool) {
		path := filepath.Join(stateDir, DiaryName)
		f, err := openDiary(stateDir)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			yield(DiaryLine{Position: Position{Path: path}}, err)
			return
		}
		defer f.Close() //nolint:errcheck // it was only read
		data, err := contentOf(f)
		if err != nil {
			yield(DiaryLine{Position: Position{Path: path}}, err)
			return
		}
		r := bufio.NewReader(data)
		for n := 1; ; n++ {
			text, err := readLine(r)
			if errors.Is(err, io.EOF) {
				return
			}
			l := DiaryLine{Position: Position{Path: path, Line: n, Col: 1}}
			if err != nil {
				yield(l, fmt.Errorf("reading the diary %s:%d: %w", path, n, err))
				return
			}
			l.Event, l.Cause = parseEvent(text)
			if !yield(l, nil) {
				return
			}
		}
	}
}

// parseEvent reads a line of the diary.
func parseEvent(line []byte) (e state.Event, err error) {
	if err = json.Unmarshal(line, &e); err != nil {
		return state.Event{}, fmt.Errorf("is not an event: %w", err)
	}
	if e.V != state.EventVersion {
		return state.Event{}, fmt.Errorf("version %d; this autobuild reads %d", e.V,
			state.EventVersion)
	}
	return e, nil
}
