package store

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"autobuild/internal/safefile"
	"autobuild/state"
)

// ErrNoRun says that a state directory holds no run.
var ErrNoRun = errors.New("no run is stored here")

// ErrNewer says that a file was written by a newer autobuild. The file is intact; this version must
// not repair it.
var ErrNewer = errors.New("written by a newer autobuild")

// Note is an observation of Load for the user.
type Note struct {
	Phase string // id
	Path  string
	Text  string
}

// String is the note on one line.
func (n Note) String() string { return n.Path + ": " + n.Text }

// BadFile is one file that cannot be read, or says what cannot be.
type BadFile struct {
	Path  string
	Phase string // id, when it is a phase's file
	Line  int    // from 1; 0 when no place in the file is to blame
	Col   int    // from 1, in characters
	Cause error
}

// String is "path:line:col: cause".
func (b BadFile) String() string {
	if b.Line == 0 {
		return b.Path + ": " + b.Cause.Error()
	}
	return fmt.Sprintf("%s:%d:%d: %v", b.Path, b.Line, b.Col, b.Cause)
}

// CorruptError lists every file that cannot be used. None of them has been touched.
type CorruptError struct {
	Dir   string
	Files []BadFile
}

// Error has a line for each file and one for each next step.
func (e *CorruptError) Error() string {
	var b strings.Builder
	files := "1 file"
	if n := len(e.Files); n != 1 {
		files = strconv.Itoa(n) + " files"
	}
	fmt.Fprintf(&b, "the stored run cannot be used · %s in %s", files, e.Dir)
	var ids []string
	for _, f := range e.Files {
		b.WriteString("\n  " + f.String())
		if f.Phase != "" {
			ids = append(ids, f.Phase)
		}
	}
	b.WriteString(
		"\nways out, nothing has been changed:")
	if len(ids) > 0 {
		b.WriteString("\n  run these phases again: autobuild reset " + strings.Join(ids, " ") +
			" (or edit what is wrong)")
	} else {
		b.WriteString("\n  edit what is wrong, or put the file back from a copy, and run again")
	}
	b.WriteString("\n  start over: --fresh (it keeps the old state in history/; phases that have landed " +
		"are recognised)")
	return b.String()
}

// Unwrap gives the causes.
func (e *CorruptError) Unwrap() []error {
	causes := make([]error, len(e.Files))
	for i, f := range e.Files {
		causes[i] = f.Cause
	}
	return causes
}

// Load reads the run in stateDir without taking a lock or changing anything. A phase whose file is
// older than the diary, as a power cut leaves it, is as the diary says. seeds are the plan's
// phases in order: a phase without a file is pending, a file without a phase is kept and noted.
// Without seeds the run has the phases that have files, in the natural order of their ids. Seq is
// that of the diary's last event, 0 without a diary. Errors: ErrNoRun, *UnusableError, or a
// *CorruptError with every bad file at once.
func Load(stateDir string, seeds []state.Seed) (*state.Run, []Note, error) {
	root, err := openRoot(stateDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, ErrNoRun
	}
	if err != nil {
		return nil, nil, err
	}
	r := newReader(root, stateDir)
	run, err := r.load(seeds)
	return run, r.notes, errors.Join(err, root.Close())
}

// Load is the function Load for the open directory.
func (d *Dir) Load(seeds []state.Seed) (*state.Run, []Note, error) {
	r := newReader(d.root, d.path)
	run, err := r.load(seeds)
	notes := r.notes
	for _, id := range r.redone {
		notes = append(notes, Note{Phase: id, Path: d.at(PhasePath(id)), Text: redoNote})
	}
	d.redone, d.open = r.redone, r.open
	return run, notes, err
}

// reader gathers what is wrong while the files are read.
type reader struct {
	root *os.Root
	// phases/, where many files of it are read: a path of one step costs half; may be nil
	inside *os.Root
	dir    string
	bad    []BadFile
	notes  []Note
	there  map[string]bool // ids of phases that have a file
	redone []string        // ids of phases that were newer in the diary than in their files
	open   bool            // the last session has not ended
	buf    bytes.Buffer    // the last file that was read
}

func newReader(root *os.Root, dir string) *reader {
	return &reader{root: root, dir: dir}
}

func (r *reader) load(seeds []state.Seed) (*state.Run, error) {
	if !holdsRun(r.root) {
		return nil, ErrNoRun
	}
	run := &state.Run{}
	r.config(&run.Config)
	seq, last, err := lastMoments(r.root, r.dir)
	r.open = last != nil
	run.Phases = r.phases(seeds, run.Config)
	run.Index()
	r.redo(run, last)
	slices.SortStableFunc(r.notes, func(a, b Note) int { return natural(a.Path, b.Path) })
	var end resultFile
	if r.read(ResultName, "", &end) {
		run.End = &end.End
	}
	if len(r.bad) > 0 {
		slices.SortStableFunc(r.bad, func(a, b BadFile) int { return natural(a.Path, b.Path) })
		return nil, &CorruptError{Dir: r.dir, Files: r.bad}
	}
	if err != nil {
		return nil, err
	}
	run.Seq = seq
	return run, nil
}

// phases reads the phase files that belong to the plan.
func (r *reader) phases(seeds []state.Seed, c state.Config) []state.Phase {
	names, err := phaseFiles(r.root)
	if err != nil {
		r.blame(PhasesDir, "", err)
		return nil
	}
	there := make(map[string]bool, len(names))
	var ids []string
	for _, name := range names {
		id, ok := phaseID(name)
		if !ok {
			r.note("", PhasesDir+"/"+name, "is not the file of a phase; it is kept as it is")
			continue
		}
		there[id] = true
		ids = append(ids, id)
	}
	if seeds == nil {
		for _, id := range ids {
			seeds = append(seeds, state.Seed{ID: id})
		}
	}
	phases := make([]state.Phase, len(seeds))
	for i, s := range seeds {
		phases[i] = state.Phase{
			ID: s.ID, Label: s.Label, Name: s.Name, Status: state.Pending,
			MaxAttempts: s.MaxAttempts,
			DependsOn:   s.DependsOn, Created: c.Started, Updated: c.Started,
		}
	}
	r.there = maps.Clone(there)
	r.fill(phases, there, c.Isolation)
	for _, s := range seeds {
		delete(there, s.ID)
	}
	for _, id := range ids {
		if there[id] {
			r.note(id, PhasePath(id),
				"belongs to a phase that the plan no longer has; it is kept as it is")
		}
	}
	return phases
}

// fill replaces the phases that are there by what their files say. Decoding costs more than
// reading, so every processor takes a share; each has a reader of its own.
func (r *reader) fill(phases []state.Phase, there map[string]bool, isolation state.Isolation) {
	inside, err := r.root.OpenRoot(PhasesDir)
	if err != nil {
		inside = nil // every file that is read says why
	} else {
		defer inside.Close() //nolint:errcheck // nothing was written
	}
	shares := make([]reader, min(runtime.GOMAXPROCS(0), 1+len(phases)/50))
	var wg sync.WaitGroup
	for n := range shares {
		wg.Go(func() {
			own := &shares[n]
			*own = reader{root: r.root, inside: inside, dir: r.dir}
			for i := n; i < len(phases); i += len(shares) {
				if id := phases[i].ID; there[id] {
					if p, ok := own.phase(id, isolation); ok {
						phases[i] = p
					}
				}
			}
		})
	}
	wg.Wait()
	for _, own := range shares {
		r.bad = append(r.bad, own.bad...)
		r.notes = append(r.notes, own.notes...)
	}
}

// byHand is the note of a phase whose status the user has edited.
const byHand = "was set to pending by hand; the phase starts anew"

// phase reads one phase file.
func (r *reader) phase(id string, isolation state.Isolation) (p state.Phase, ok bool) {
	path := PhasePath(id)
	data, ok := r.bytes(path, id)
	if !ok {
		return p, false
	}
	f, err := parsePhase(data, id, isolation)
	if err != nil {
		r.complain(path, id, data, err)
		return p, false
	}
	if f.handReset() {
		g := f.reset()
		f = &g
		r.note(id, path, byHand)
	}
	return f.phase(), true
}

// parsePhase reads the bytes of a phase file. Every error is a *complaint.
func parsePhase(data []byte, id string, isolation state.Isolation) (*phaseFile, error) {
	f := &phaseFile{}
	if err := decode(data, f); err != nil {
		return nil, err
	}
	if f.ID != id {
		return nil, &complaint{
			at:  keyAt(data, "phase_id"),
			why: fmt.Sprintf("phase_id is %q, but the file is that of phase %q", f.ID, id),
		}
	}
	if f.handReset() { // its attempts no longer count
		if key, why := f.checkHistory(); why != "" {
			return nil, &complaint{at: keyAt(data, key), why: why}
		}
		return f, nil
	}
	if key, why := f.check(isolation); why != "" {
		return nil, &complaint{at: keyAt(data, key), why: why}
	}
	return f, nil
}

// read decodes a file into v; false when it is missing or bad.
func (r *reader) read(name, id string, v any) bool {
	data, ok := r.bytes(name, id)
	if !ok {
		return false
	}
	if err := decode(data, v); err != nil {
		r.complain(name, id, data, err)
		return false
	}
	return true
}

// bytes reads a regular file of bounded size; false when it is missing or bad. The result is valid
// until the next file is read.
func (r *reader) bytes(name, id string) ([]byte, bool) {
	root, local := r.root, name
	if rest, ok := strings.CutPrefix(name, PhasesDir+"/"); ok && r.inside != nil {
		root, local = r.inside, rest
	}
	info, err := regular(root, r.dir, local)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, false
	case err == nil && info.Size() > maxFile:
		err = fmt.Errorf("is %d bytes long; a state file has at most %d", info.Size(), maxFile)
	}
	if u, ok := errors.AsType[*UnusableError](err); ok {
		err = errors.New(u.Cause)
	}
	var data []byte
	if err == nil {
		data, err = readInto(&r.buf, root, local, info.Size())
	}
	if err != nil {
		r.blame(name, id, err)
		return nil, false
	}
	return data, true
}

func readFile(root *os.Root, name string) ([]byte, error) {
	var b bytes.Buffer
	return readInto(&b, root, name, 0)
}

// readInto is readFile for a file of about this size, in bytes, into memory that has been used
// before.
func readInto(b *bytes.Buffer, root *os.Root, name string, size int64) ([]byte, error) {
	f, err := safefile.OpenIn(root, filepath.FromSlash(name), os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	b.Reset()
	b.Grow(int(size) + bytes.MinRead) // one read, and one that finds the end
	_, err = b.ReadFrom(io.LimitReader(f, maxFile+1))
	data := b.Bytes()
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("is longer than %d bytes", maxFile)
	}
	return data, errors.Join(err, f.Close())
}

func (r *reader) blame(name, id string, cause error) {
	r.bad = append(r.bad, BadFile{Path: r.at(name), Phase: id, Cause: cause})
}

func (r *reader) complain(name, id string, data []byte, err error) {
	b := BadFile{Path: r.at(name), Phase: id, Cause: err}
	if c, ok := errors.AsType[*complaint](err); ok {
		b.Line, b.Col = position(data, c.at)
	}
	r.bad = append(r.bad, b)
}

func (r *reader) note(id, name, text string) {
	r.notes = append(r.notes, Note{Phase: id, Path: r.at(name), Text: text})
}

func (r *reader) at(name string) string { return filepath.Join(r.dir, filepath.FromSlash(name)) }

// phaseFiles lists phases/ in natural order, without temporary files. A missing directory is an
// empty one.
func phaseFiles(root *os.Root) ([]string, error) {
	info, err := root.Lstat(PhasesDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, errors.New("is not a directory")
	}
	dir, err := safefile.OpenDirIn(root, PhasesDir)
	if err != nil {
		return nil, err
	}
	names, err := dir.Readdirnames(-1)
	names = slices.DeleteFunc(names, func(n string) bool { return strings.HasPrefix(n, ".") })
	slices.SortFunc(names, natural)
	return names, errors.Join(err, dir.Close())
}

// natural orders 2 before 10.
func natural(a, b string) int {
	for a != "" && b != "" {
		x, y := chunk(a), chunk(b)
		a, b = a[len(x):], b[len(y):]
		if isDigit(rune(x[0])) && isDigit(rune(y[0])) {
			n, m := strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
			if c := cmp.Or(cmp.Compare(len(n), len(m)), cmp.Compare(n, m),
				cmp.Compare(len(x), len(y))); c != 0 {
				return c
			}
			continue
		}
		if c := cmp.Compare(x, y); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b))
}

// chunk is the longest start of s that is all digits, or has none.
func chunk(s string) string {
	digit := isDigit(rune(s[0]))
	if i := strings.IndexFunc(s, func(c rune) bool { return isDigit(c) != digit }); i > 0 {
		return s[:i]
	}
	return s
}

func isDigit(c rune) bool { return c <= unicode.MaxASCII && unicode.IsDigit(c) }

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
