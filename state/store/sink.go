package store

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"autobuild/failure"
	"autobuild/internal/atomicfile"
	"autobuild/internal/safefile"
	"autobuild/state"
)

// resultFile is result.json: how the last session ended, for scripts that want one file.
type resultFile struct {
	Schema int    `json:"schema"`
	RunID  string `json:"run_id"`
	Plan   string `json:"plan"`
	state.End
	Phases []resultPhase `json:"phases"`
}

type resultPhase struct {
	ID       string       `json:"phase_id"`
	Label    string       `json:"phase_label,omitzero"`
	Name     string       `json:"phase_name,omitzero"`
	Status   state.Status `json:"status"`
	Attempts int          `json:"attempts"`
	Error    *resultError `json:"error,omitzero"`
	Proof    state.Proof  `json:"proof,omitzero"`

	Contested []state.RefereeChange `json:"contested,omitzero"` // that no person has accepted yet
}

type resultError struct {
	Type    failure.Type `json:"type"`
	Message string       `json:"message"`
}

// Event saves what an event that was applied to r touched: one file, or none. It also writes the
// diary's line and the log's. The diary comes first and is synced: after a crash Load takes from it
// what a file lacks. A failing diary does not keep the state from being saved.
func (d *Dir) Event(e state.Event, r *state.Run) error {
	if !e.Type.Kept() {
		return nil
	}
	if e.Type.Lifecycle() {
		if err := d.held(); err != nil {
			return err
		}
	}
	if e.Type == state.RunFinished {
		if err := d.settle(); err != nil {
			return err
		}
	}
	err := d.tell(e)
	return errors.Join(err, d.save(e, r, err == nil))
}

// settle makes the files of the session's phases durable. From its end on they count, and not the
// diary: a file that is missing has been deleted.
func (d *Dir) settle() error {
	if len(d.told) == 0 && !d.open {
		return nil
	}
	phases, err := d.root.OpenRoot(PhasesDir)
	if err != nil {
		return explain("opening", d.at(PhasesDir), err)
	}
	if err = errors.Join(atomicfile.Flush(phases), phases.Close()); err != nil {
		return fmt.Errorf("saving state: %w%s", err, wayOut(err))
	}
	d.told, d.named, d.open = nil, nil, false
	return nil
}

// held makes sure that lock and directory are still those that were opened: an agent may delete
// either.
func (d *Dir) held() error {
	if !sameFile(d.lock.Path(), d.locked) {
		return &UnusableError{
			d.lock.Path(), "was removed or replaced while the run was going",
			"make sure that no other autobuild runs here, then go on with --resume",
		}
	}
	if info, err := d.root.Stat("."); err != nil || !sameFile(d.path, info) {
		return &UnusableError{
			d.path, "was removed or replaced while the run was going",
			"put it back, then go on with --resume; if it is lost, begin again: a phase whose " +
				"work is there already is complete with `allow-empty: true`",
		}
	}
	return nil
}

// save writes the file that an event touched; told: the event is in the diary.
func (d *Dir) save(e state.Event, r *state.Run, told bool) error {
	switch e.Type {
	case state.RunStarted:
		return d.saveStart(r)
	case state.RunFinished:
		return d.saveEnd(r)
	case state.RunPaused, state.RunContinued:
		return d.saveConfig(r)
	case state.PlanEdited:
		return errors.Join(d.saveConfig(r), d.saveSeeds(r))
	}
	if !e.Type.Lifecycle() {
		return nil
	}
	p, ok := r.Find(e.Phase)
	if !ok {
		return fmt.Errorf("saving %s: the run has no phase %q", e.Type, e.Phase)
	}
	data, err := encodePhase(p, r.Config.Isolation)
	if err != nil {
		return err
	}
	if err := d.writePhase(p.ID, data, d.whole(p.ID) && told); err != nil || e.Type != state.PhaseAccepted ||
		r.End == nil {
		return err
	}
	return d.saveEnd(r) // an acceptance may change its exit code
}

// whole reports whether the diary of the session has all events of a phase, because there was no
// file of it when the session came to it.
func (d *Dir) whole(id string) bool {
	if d.told == nil {
		return false
	}
	if _, known := d.told[id]; !known {
		_, err := d.root.Lstat(filepath.FromSlash(PhasePath(id)))
		d.told[id] = errors.Is(err, fs.ErrNotExist)
	}
	return d.told[id]
}

// encodePhase encodes the file of a phase. It refuses a file that Load would refuse: the old file
// is worth more than an unreadable one.
func encodePhase(p *state.Phase, isolation state.Isolation) ([]byte, error) {
	if !safe(p.ID) {
		return nil, fmt.Errorf("saving phase %q: its id is no file name", p.ID)
	}
	f := toFile(p)
	if _, why := f.check(isolation); why != "" {
		return nil, fmt.Errorf(
			"saving phase %s: it cannot be %s · the file keeps what it said before · this is a "+
				"bug in autobuild",
			p.ID, why)
	}
	data, err := encode(f)
	if err != nil {
		return nil, fmt.Errorf("phase %s: %w", p.ID, err)
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf(
			"saving phase %s: its file would have %d bytes, and at most %d are read · the file "+
				"keeps what it said before · this is a bug in autobuild",
			p.ID, len(data), maxFile)
	}
	return data, nil
}

// saveStart begins a session. The last session's end goes first, in the directory that the write of
// the config syncs, so that an end on disk is always that of the session in config.json.
func (d *Dir) saveStart(r *state.Run) error {
	for _, dir := range []string{PhasesDir, logsDir} {
		if err := d.mkdir(dir); err != nil {
			return err
		}
	}
	if err := d.files.remove(d.root, ResultName); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return explain("removing", d.at(ResultName), err)
	}
	if err := d.saveConfig(r); err != nil {
		return err
	}
	if err := d.saveSeeds(r); err != nil {
		return err
	}
	d.told, d.named = map[string]bool{}, map[string]bool{}
	return nil
}

func (d *Dir) saveConfig(r *state.Run) error {
	c := r.Config
	c.Schema = state.Schema
	data, err := encode(c)
	if err != nil {
		return err
	}
	return d.write(ConfigName, data, fileMode)
}

// saveSeeds rewrites the phases whose place in the plan has changed since they were saved, and
// those that were taken from the diary. Phases that have not begun have no file.
func (d *Dir) saveSeeds(r *state.Run) error {
	names, err := phaseFiles(d.root)
	if err != nil {
		return explain("listing", d.at(PhasesDir), err)
	}
	ids := d.redone
	for _, name := range names {
		if id, ok := phaseID(name); ok && !slices.Contains(d.redone, id) {
			ids = append(ids, id)
		}
	}
	for _, id := range ids {
		p, found := r.Find(id)
		if !found {
			continue
		}
		now, err := encodePhase(p, r.Config.Isolation)
		if err != nil {
			return err
		}
		if old, err := readFile(d.root, PhasePath(id)); err == nil && bytes.Equal(old, now) {
			continue
		}
		if err := d.writePhase(id, now, false); err != nil {
			return err
		}
	}
	d.redone = nil
	return nil
}

func (d *Dir) saveEnd(r *state.Run) error {
	if r.End == nil {
		return errors.New("saving run.finished: the run has no end")
	}
	f := resultFile{
		Schema: state.Schema, RunID: r.Config.RunID, Plan: r.Config.Plan, End: *r.End,
		Phases: []resultPhase{},
	}
	for i := range r.Phases {
		p := &r.Phases[i]
		out := resultPhase{
			ID: p.ID, Label: p.Label, Name: p.Name, Status: p.Status,
			Attempts: len(p.Attempts),
		}
		if a, ok := p.Last(); ok && a.Failure != nil {
			out.Error = &resultError{a.Failure.Type, a.Failure.Message}
		} else if ok {
			out.Proof = a.Proof
		}
		out.Contested = p.Contested()
		f.Phases = append(f.Phases, out)
	}
	data, err := encode(f)
	if err != nil {
		return err
	}
	return d.write(ResultName, data, fileMode)
}

// mkdir makes a directory below the state directory, parents included.
func (d *Dir) mkdir(name string) error {
	err := d.root.MkdirAll(filepath.FromSlash(name), dirMode)
	if err == nil {
		var info fs.FileInfo
		if info, err = d.root.Lstat(filepath.FromSlash(name)); err == nil && !info.IsDir() {
			return &UnusableError{
				d.at(name), "is " + kind(info.Mode()) + ", not a directory",
				"move it out of the way and run again",
			}
		}
	}
	if errors.Is(err, fs.ErrExist) {
		return &UnusableError{
			d.at(name), "is not a directory",
			"move it out of the way and run again",
		}
	}
	if err != nil {
		return explain("creating", d.at(name), err)
	}
	return nil
}

// tell writes an event to the diary and to the log for people.
func (d *Dir) tell(e state.Event) error {
	line, err := marshal(e)
	if err != nil {
		return fmt.Errorf("writing the diary: %w", err)
	}
	if e.Type.Lifecycle() {
		err = errors.Join(d.putBack(&d.diary, DiaryName), d.putBack(&d.execLog, logName))
	}
	if err = errors.Join(err, d.openBooks()); err != nil {
		return err
	}
	if _, err = d.diary.Write(append(line, '\n')); err != nil {
		d.closeBooks() // half a line may be there; opening the diary again cuts it off
		return explain("writing", d.at(DiaryName), err)
	}
	if e.Type.Lifecycle() { // and a power cut does not fall between the two either
		if err = d.diary.Sync(); err != nil {
			return explain("syncing", d.at(DiaryName), err)
		}
	}
	if _, err = d.execLog.WriteString(logLine(e)); err != nil {
		return explain("writing", d.at(logName), err)
	}
	return nil
}

// maxPutBack bounds what is written anew of a diary or log that was taken away, in bytes; from a
// longer one only what comes is kept.
const maxPutBack = 64 << 20

// putBack writes a book anew that something else has deleted or replaced: as long as it is open,
// all that was written into it is there.
func (d *Dir) putBack(book **os.File, name string) error {
	if *book == nil {
		return nil
	}
	info, err := (*book).Stat()
	if err != nil || sameFile(d.at(name), info) {
		return nil //nolint:nilerr // the next write will say it
	}
	var data []byte
	if info.Size() <= maxPutBack {
		if data, err = io.ReadAll(io.NewSectionReader(*book, 0, info.Size())); err != nil {
			return explain("reading", d.at(name), err)
		}
	}
	_ = (*book).Close() // nothing is buffered
	*book = nil
	if err = d.mkdir(logsDir); err != nil {
		return err
	}
	return d.write(name, data, fileMode)
}

// openBooks opens diary and log where they are not open yet: a run without events creates neither.
func (d *Dir) openBooks() (err error) {
	if d.diary == nil {
		if err = d.mendBook(DiaryName); err != nil {
			return err
		}
		if d.diary, err = d.appendTo(DiaryName); err != nil {
			return err
		}
	}
	if d.execLog == nil {
		if err = d.mkdir(logsDir); err == nil {
			err = d.mendBook(logName)
		}
		if err == nil {
			d.execLog, err = d.appendTo(logName)
		}
	}
	return err
}

// closeBooks closes what openBooks opened.
func (d *Dir) closeBooks() {
	for _, f := range []**os.File{&d.diary, &d.execLog} {
		if *f != nil {
			_ = (*f).Close() // a failed write has been reported, and nothing is buffered
			*f = nil
		}
	}
}

// appendTo opens a regular file for appending.
func (d *Dir) appendTo(name string) (*os.File, error) {
	if _, err := d.regular(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	f, err := safefile.OpenIn(d.root, filepath.FromSlash(name), os.O_CREATE|os.O_RDWR|os.O_APPEND,
		fileMode)
	if err != nil {
		return nil, explain("opening", d.at(name), err)
	}
	return f, nil
}

// logLine formats an event for people, as one physical line with any content.
func logLine(e state.Event) string {
	words := []string{e.Time.UTC().Format("2006-01-02T15:04:05Z"), string(e.Type)}
	if e.Phase != "" {
		words = append(words, "phase "+cmp.Or(e.Label, e.Phase))
	}
	if e.Attempt > 0 {
		words = append(words, "attempt "+strconv.Itoa(e.Attempt))
	}
	switch {
	case e.Config != nil:
		words = append(words, "run "+e.Config.RunID, "plan "+e.Config.Plan,
			strconv.Itoa(len(e.Phases))+" phases")
	case e.End != nil:
		words = append(words, string(e.End.Outcome), "exit "+strconv.Itoa(e.End.Exit), e.End.Reason)
	case e.Gate != nil:
		words = append(words, e.Gate.Name, string(e.Gate.Status))
	case e.Result != nil && e.Result.Failure != nil:
		words = append(words, string(e.Result.Failure.Type)+": "+e.Result.Failure.Message)
		if d := e.Result.Decision; d != nil {
			words = append(words, "decision "+string(d.Action)+": "+d.Rationale)
		}
	case e.Result != nil:
		words = append(words, "complete", string(e.Result.Verdict))
	}
	if e.By != "" {
		words = append(words, "blocked by "+e.By)
	}
	if e.Text != "" {
		words = append(words, e.Text)
	}
	return oneLine(strings.Join(words, " · ")) + "\n"
}

// oneLine escapes everything that could move a cursor, hide text or end the line.
func oneLine(s string) string {
	var b strings.Builder
	for i, c := range s {
		switch {
		case c == unicode.ReplacementChar && !strings.HasPrefix(s[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case unicode.IsPrint(c):
			b.WriteRune(c)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(c), "'"))
		}
	}
	return b.String()
}

// writePhase replaces the file of a phase. Where the diary has all that the file says, only the
// name of a new file is synced.
func (d *Dir) writePhase(id string, data []byte, told bool) error {
	write := d.files.write
	if told {
		write = d.files.replace
	}
	do := func() error { return saving(write(d.root, PhasePath(id), data, fileMode)) }
	err := do()
	if errors.Is(err, fs.ErrNotExist) { // an agent has removed the directory
		if err = d.mkdir(PhasesDir); err == nil {
			err = do()
		}
	}
	if err == nil && told && !d.named[id] {
		if err = syncDir(d.at(PhasesDir)); err == nil {
			d.named[id] = true
		}
	}
	return err
}
