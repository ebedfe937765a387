package tamper

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"autobuild/internal/atomicfile"
	"autobuild/internal/safefile"
	"autobuild/state"
	"autobuild/state/store"
)

// StateFiles is a sink that saves events in a store and remembers the saved files. An agent can
// write to the same files: its changes are put back and kept aside, so that a resume reads what
// autobuild wrote.
type StateFiles struct {
	dir    *store.Dir
	root   string   // the state directory
	beside []string // files beside the state that a later session or the user reads

	mu     sync.Mutex
	files  map[string]*savedFile   // by name below root, with slashes
	fresh  map[string]bool         // files that may have changed without another stamp
	quiet  map[string]state.Status // of the phases that are not at work, by the names of their files
	turn   int                     // counts looks
	found  []string                // changes that were found before a file was saved again
	newest int64                   // change time of the newest file that was looked at, in nanoseconds
}

// savedFile is a file as it was saved.
type savedFile struct {
	data  []byte
	perm  fs.FileMode
	stamp stamp // the content was read after it was taken
}

// KeepState makes the StateFiles of a store in the directory root.
func KeepState(dir *store.Dir, root string, beside ...string) *StateFiles {
	return &StateFiles{dir: dir, root: root, beside: beside}
}

// Event saves, and remembers what was saved. It compares a file before replacing it.
func (k *StateFiles) Event(e state.Event, r *state.Run) error {
	if !e.Type.Lifecycle() {
		return k.dir.Event(e, r)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	names := []string{store.PhasePath(e.Phase)}
	if e.Phase == "" {
		names = []string{store.ConfigName, store.ResultName}
	}
	if p, known := r.Find(e.Phase); known {
		if delete(k.quiet, names[0]); p.Status != state.Running {
			k.rest(p)
		}
	}
	if e.Type == state.PlanEdited {
		for i := range r.Phases {
			names = append(names, store.PhasePath(r.Phases[i].ID))
		}
	}
	k.notice(names...)
	if err := k.dir.Event(e, r); err != nil {
		return err
	}
	dir, err := os.OpenRoot(k.root)
	if err != nil {
		return nil //nolint:nilerr // the store says at its next event that the directory is gone
	}
	defer dir.Close() //nolint:errcheck // only read from
	if k.files == nil || e.Type == state.RunStarted {
		names = append(names, phaseFiles(dir)...)
	}
	if k.files == nil {
		k.quiet = map[string]state.Status{}
		for i := range r.Phases {
			k.rest(&r.Phases[i])
		}
		k.files, k.fresh = map[string]*savedFile{}, map[string]bool{}
		// a run that is followed from its middle begins with the event of a phase
		names = slices.Concat(names, []string{store.ConfigName, store.ResultName}, k.beside,
			filesIn(dir, store.CommitsDir, "", ".txt"))
	}
	for _, name := range names {
		k.remember(dir, name)
	}
	return nil
}

// Put writes a file beside the state, and remembers it.
func (k *StateFiles) Put(name string, data []byte, exec bool) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.notice(name)
	if err := k.dir.Put(name, data, exec); err != nil || k.files == nil {
		return err
	}
	if dir, err := os.OpenRoot(k.root); err == nil {
		k.remember(dir, name)
		_ = dir.Close() // only read from
	}
	return nil
}

// remember takes the present content of a file as the saved one; the caller holds mu.
func (k *StateFiles) remember(dir *os.Root, name string) {
	info, err := dir.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		delete(k.files, name)
		return
	}
	data, err := safefile.ReadIn(dir, name, safefile.Large)
	if err != nil {
		return
	}
	k.files[name] = &savedFile{data: data, perm: info.Mode().Perm(), stamp: stampFrom(info)}
	k.fresh[name] = true
	k.newest = max(k.newest, stampFrom(info).Ctime)
}

// notice compares files that are about to be replaced, because the new content would hide a change.
// The caller holds mu.
func (k *StateFiles) notice(names ...string) {
	if k.files == nil {
		return
	}
	dir, err := os.OpenRoot(k.root)
	if err != nil {
		return // the store reports it when it writes
	}
	defer dir.Close() //nolint:errcheck // the writes are durable already
	for _, name := range names {
		k.found = append(k.found, k.check(dir, name)...)
	}
}

// phaseFiles are the names of the files of phases that are there.
func phaseFiles(dir *os.Root) []string { return filesIn(dir, store.PhasesDir, "phase-", ".json") }

// filesIn are the names in a folder that begin and end so.
func filesIn(dir *os.Root, folder, prefix, suffix string) []string {
	there, err := safefile.NamesIn(dir, folder, safefile.Entries)
	if err != nil {
		return nil
	}
	var names []string
	for _, name := range there {
		if strings.HasPrefix(name, prefix) && strings.HasSuffix(name, suffix) {
			names = append(names, path.Join(folder, name))
		}
	}
	return names
}

// tampered compares the files with what was saved, puts them back, and names those that differed,
// each once.
func (k *StateFiles) tampered() []string {
	if k == nil {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	dir, err := os.OpenRoot(k.root)
	if err != nil || k.files == nil {
		return nil // the store says at its next event that the directory is gone
	}
	defer dir.Close() //nolint:errcheck // the writes are durable already
	found := k.found
	k.found = nil
	there := phaseFiles(dir)
	slices.Sort(there)
	names := slices.AppendSeq(slices.Clone(there), maps.Keys(k.files))
	slices.Sort(names)
	names = slices.Compact(names)
	k.turn++
	for i, name := range names {
		_, here := slices.BinarySearch(there, name)
		mine := len(names) <= inTurn || (i+k.turn*inTurn)%len(names) < inTurn
		if !here || k.quiet[name] == "" || mine && k.quiet[name] != state.Complete {
			found = append(found, k.check(dir, name)...)
		}
	}
	return found
}

// Damaged puts back files that differ from what was saved. It names those that still differ, and
// all files where the directory is gone.
func (k *StateFiles) Damaged() []string {
	if k == nil {
		return nil
	}
	k.mu.Lock()
	clear(k.quiet) // a resume reads all
	k.mu.Unlock()
	k.tampered() // the check below finds files that stayed changed
	k.mu.Lock()
	defer k.mu.Unlock()
	names := slices.Sorted(maps.Keys(k.files))
	dir, err := os.OpenRoot(k.root)
	if err != nil {
		return names
	}
	defer dir.Close() //nolint:errcheck // only read from
	return slices.DeleteFunc(names, func(name string) bool {
		now, err := safefile.ReadIn(dir, name, safefile.Large)
		return err == nil && bytes.Equal(now, k.files[name].data)
	})
}

// check puts one file back and keeps the changed content aside. It returns nothing where the file
// is as saved.
func (k *StateFiles) check(dir *os.Root, name string) []string {
	saved, known := k.files[name]
	info, err := dir.Lstat(name)
	there := err == nil
	if !there && !known {
		return nil
	}
	var now []byte
	if there && info.Mode().IsRegular() {
		var same bool
		if now, same = k.compared(dir, name, saved, stampFrom(info)); same {
			return nil
		}
	}
	text := filepath.Base(k.root) + "/" + name + changeOf(there, known)
	kept := ""
	if now != nil {
		kept = fmt.Sprintf("breaches/%s.%d", path.Base(name), info.ModTime().UnixNano())
		if err = errors.Join(dir.MkdirAll("breaches", 0o700),
			atomicfile.Write(dir, kept, now, 0o600)); err != nil {
			kept = ""
		}
	}
	if known {
		err = errors.Join(dir.MkdirAll(path.Dir(name), 0o700),
			atomicfile.Write(dir, name, saved.data, saved.perm))
	} else {
		err = dir.Remove(name)
	}
	if err != nil {
		return []string{text + "; not put back: " + err.Error()}
	}
	k.remember(dir, name)
	if kept != "" {
		return []string{text + "; put back, and kept in " + filepath.Base(k.root) + "/" + kept}
	}
	return []string{text + "; put back"}
}

// changeOf says what became of a file that is not as saved.
func changeOf(there, known bool) string {
	switch {
	case !there:
		return " was removed"
	case !known:
		return " was made"
	}
	return " was changed"
}

// compared reports whether a file is as saved; nil: it was not saved. It reads a file whose stamp
// differs, or may stay the same when the file changes, and returns its content, nil where that
// cannot be read. The caller holds mu.
func (k *StateFiles) compared(
	dir *os.Root, name string, saved *savedFile, is stamp,
) (now []byte, same bool) {
	limit := int64(maxStateKept)
	if saved != nil {
		if is == saved.stamp && is.Ctime != 0 && !k.fresh[name] {
			return nil, true
		}
		limit = max(limit, int64(len(saved.data)))
	}
	if is.Size <= limit {
		now, _ = safefile.ReadIn(dir, name, limit) // an unreadable file differs
	}
	if saved == nil || !bytes.Equal(now, saved.data) {
		return now, false
	}
	saved.stamp = is
	if is.settled(k.newest) {
		delete(k.fresh, name)
	}
	k.newest = max(k.newest, is.Ctime)
	return now, true
}

// rest notes that a phase is not at work.
func (k *StateFiles) rest(p *state.Phase) { k.quiet[store.PhasePath(p.ID)] = p.Status }

// inTurn is the number of files of waiting phases that one look compares; in a large plan they
// alternate. Files of complete phases are compared at the end.
const inTurn = 16

// maxStateKept is the size in bytes up to which a foreign state file is kept.
const maxStateKept = 1 << 20
