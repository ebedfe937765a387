package cmd

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
	"autobuild/orchestrator"
	"autobuild/state"
	"autobuild/state/store"
)

// keptState is the store as a sink, with a memory of what it has saved: an agent can write to the same files, and whatever it says there
// must neither be believed by a resume nor be lost from sight.
type keptState struct {
	dir  *store.Dir
	root string // the state directory

	mu    sync.Mutex
	files map[string][]byte // name below root → as it was saved
	found []string          // what was noticed when a file was about to be saved anew
}

// keep is the session's one keptState.
func (s *session) keep() *keptState {
	if s.written == nil {
		s.written = &keptState{dir: s.dir, root: s.project.stateDir}
	}
	return s.written
}

const (
	stateConfig = "config.json"
	statePhases = "phases"
)

func stateFile(phase string) string { return statePhases + "/phase-" + phase + ".json" }

// Event saves, and remembers what was saved. A file that is to be replaced is looked at before.
func (k *keptState) Event(e state.Event, r *state.Run) error {
	if !e.Type.Lifecycle() {
		return k.dir.Event(e, r)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	name := stateFile(e.Phase)
	if k.files != nil && e.Phase != "" {
		if dir, err := os.OpenRoot(k.root); err == nil {
			k.found = append(k.found, k.check(dir, name)...)
			_ = dir.Close() // only read from
		}
	}
	if err := k.dir.Event(e, r); err != nil {
		return err
	}
	dir, err := os.OpenRoot(k.root)
	if err != nil {
		return nil //nolint:nilerr // the store says at its next event that the directory is gone
	}
	defer dir.Close() //nolint:errcheck // only read from
	names := []string{name}
	if k.files == nil || e.Phase == "" {
		k.files = map[string][]byte{}
		names = append(phaseFiles(dir), stateConfig)
	}
	for _, name := range names {
		if data, err := dir.ReadFile(name); err == nil {
			k.files[name] = data
		}
	}
	return nil
}

// phaseFiles are the names of the files of phases that are there.
func phaseFiles(dir *os.Root) []string {
	entries, err := fs.ReadDir(dir.FS(), statePhases)
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "phase-") && strings.HasSuffix(e.Name(), ".json") {
			names = append(names, path.Join(statePhases, e.Name()))
		}
	}
	return names
}

// tampered compares the files with what was saved, puts them back, and says in words which differed, each once.
func (k *keptState) tampered() ([]string, error) {
	if k == nil {
		return nil, nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	dir, err := os.OpenRoot(k.root)
	if err != nil || k.files == nil {
		return nil, nil //nolint:nilerr // the store says at its next event that the directory is gone
	}
	defer dir.Close() //nolint:errcheck // what was written is durable already
	found := k.found
	k.found = nil
	names := slices.Collect(maps.Keys(k.files))
	for _, name := range phaseFiles(dir) {
		if _, known := k.files[name]; !known {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		found = append(found, k.check(dir, name)...)
	}
	return found, nil
}

// check puts one file back, keeps what it had become, and says so; nothing where it is as it was saved.
func (k *keptState) check(dir *os.Root, name string) []string {
	saved, known := k.files[name]
	info, err := dir.Lstat(name)
	there := err == nil
	var now []byte
	if there && info.Mode().IsRegular() && info.Size() <= maxStateKept {
		now, _ = dir.ReadFile(name) // what cannot be read differs
	}
	if !there && !known || known && there && info.Mode().IsRegular() && bytes.Equal(now, saved) {
		return nil
	}
	text := filepath.Base(k.root) + "/" + name
	switch {
	case !there:
		text += " was removed"
	case !known:
		text += " was made"
	default:
		text += " was changed"
	}
	kept := ""
	if now != nil {
		kept = fmt.Sprintf("breaches/%s.%d", path.Base(name), info.ModTime().UnixNano())
		if err = errors.Join(dir.MkdirAll("breaches", 0o700), atomicfile.Write(dir, kept, now, 0o600)); err != nil {
			kept = ""
		}
	}
	if known {
		err = atomicfile.Write(dir, name, saved, 0o600)
	} else {
		err = dir.Remove(name)
	}
	if err != nil {
		return []string{text + "; not put back: " + err.Error()}
	}
	if kept != "" {
		return []string{text + "; put back, and kept in " + filepath.Base(k.root) + "/" + kept}
	}
	return []string{text + "; put back"}
}

// maxStateKept is the size in bytes up to which a foreign state file is kept.
const maxStateKept = 1 << 20

var _ orchestrator.Sink = (*keptState)(nil)
