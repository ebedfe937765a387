package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"autobuild/internal/safefile"
	"autobuild/state"
)

// marker is set-aside.json. While it is there the directory holds no run: the old one is on its way
// to history.
type marker struct {
	Schema int    `json:"schema"`
	To     string `json:"to"`
}

// Fresh sets the old run aside in history/RUN and keeps the last keep runs there (0 means ten).
// Worktrees stay: they may hold unmerged work. archived is the path of the set-aside run relative
// to the state directory, empty when there was nothing to set aside. A crash at any step leaves
// either the old run whole or a directory without a run, and the next Open finishes the rest.
func (d *Dir) Fresh(keep int) (archived string, err error) {
	if keep <= 0 {
		keep = 10
	}
	names, err := d.belongings()
	if err != nil || len(names) == 0 {
		return "", err
	}
	if archived, err = d.free(HistoryDir + "/" + d.runName()); err != nil {
		return "", err
	}
	data, err := encode(marker{state.Schema, archived})
	if err == nil {
		err = d.write(markerName, data, fileMode) // from here on the old run is gone
	}
	if err == nil {
		err = d.moveTo(archived)
	}
	if err != nil {
		return "", err
	}
	return archived, d.prune(keep, path.Base(archived))
}

// SetAside moves the file of one phase, readable or not, to history/files, which makes the phase
// pending. A person's reset uses it for a file that Load cannot use. kept is the new path, relative
// to the state directory; it is empty when there was no file.
func (d *Dir) SetAside(id string) (kept string, err error) {
	if !safe(id) {
		return "", fmt.Errorf("setting aside phase %q: its id is no file name", id)
	}
	_, err = d.root.Lstat(filepath.FromSlash(PhasePath(id)))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", explain("looking at", d.at(PhasePath(id)), err)
	}
	if err = d.mkdir(filesDir); err != nil {
		return "", err
	}
	if kept, err = d.free(filesDir + "/" + phaseName(id)); err != nil {
		return "", err
	}
	if err = d.files.rename(d.root, filepath.FromSlash(PhasePath(id)),
		filepath.FromSlash(kept)); err != nil {
		return "", explain("setting aside", d.at(PhasePath(id)), err)
	}
	return kept, errors.Join(syncDir(d.at(filesDir)), syncDir(d.at(PhasesDir)))
}

// finishSettingAside ends what a crash left between the marker and its removal.
func (d *Dir) finishSettingAside() error {
	if _, err := d.regular(markerName); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	var m marker
	data, err := readFile(d.root, markerName)
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	if err != nil || path.Dir(m.To) != HistoryDir || !safe(path.Base(m.To)) {
		return &UnusableError{
			d.at(markerName), "cannot be read",
			"delete it and run again with --fresh",
		}
	}
	return d.moveTo(m.To)
}

// moveTo renames everything of the old run, config.json first, into its place in history, and
// removes the marker.
func (d *Dir) moveTo(to string) error {
	if err := d.mkdir(to); err != nil {
		return err
	}
	names, err := d.belongings()
	if err != nil {
		return err
	}
	d.closeBooks() // Windows moves no open file
	for _, name := range names {
		target, err := d.free(to + "/" + name)
		if err != nil {
			return err
		}
		if err := d.files.rename(d.root, name, filepath.FromSlash(target)); err != nil {
			return explain("setting aside", d.at(name), err)
		}
	}
	return d.unmark(to)
}

// unmark makes the moves durable before the marker that would repeat them goes.
func (d *Dir) unmark(to string) error {
	for _, dir := range []string{to, HistoryDir, "."} {
		if err := syncDir(d.at(dir)); err != nil {
			return err
		}
	}
	if err := d.files.remove(d.root, markerName); err != nil {
		return explain("removing", d.at(markerName), err)
	}
	return syncDir(d.path)
}

// belongings are the names in the state directory that belong to a run, config.json first.
func (d *Dir) belongings() ([]string, error) {
	entries, err := d.list(".")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		switch e.Name() {
		case HistoryDir, gitDir, ignoreName, markerName, runLock, agentsLock:
		case ConfigName:
			names = slices.Insert(names, 0, ConfigName)
		default:
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// list reads a directory, sorted by name; a missing one is empty.
func (d *Dir) list(name string) ([]fs.DirEntry, error) {
	f, err := safefile.OpenDirIn(d.root, filepath.FromSlash(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var entries []fs.DirEntry
	if err == nil {
		entries, err = f.ReadDir(-1)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return nil, explain("listing", d.at(name), err)
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return natural(a.Name(), b.Name()) })
	return entries, nil
}

// runName is the name of the old run in history, even when its config cannot be read.
func (d *Dir) runName() string {
	var c struct {
		RunID string `json:"run_id"`
	}
	if _, err := d.regular(ConfigName); err == nil {
		if data, err := readFile(d.root, ConfigName); err == nil &&
			json.Unmarshal(data, &c) == nil && safe(c.RunID) {
			return c.RunID
		}
	}
	return "unknown-" + d.now().UTC().Format("20060102-150405")
}

func (d *Dir) now() time.Time {
	if d.clock == nil {
		return time.Now()
	}
	return d.clock()
}

// free is name, or name.1, name.2 … : the first that does not exist.
func (d *Dir) free(name string) (string, error) {
	for n, free := 1, name; ; n++ {
		_, err := d.root.Lstat(filepath.FromSlash(free))
		if errors.Is(err, fs.ErrNotExist) {
			return free, nil
		}
		if err != nil {
			return "", explain("looking at", d.at(free), err)
		}
		free = name + "." + strconv.Itoa(n)
	}
}

// prune removes the oldest runs from history until keep are left; just is the one that was added
// now.
func (d *Dir) prune(keep int, just string) error {
	entries, err := d.list(HistoryDir)
	if err != nil {
		return err
	}
	type old struct {
		name string
		at   time.Time
	}
	var runs []old
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && info.IsDir() && e.Name() != just && e.Name() != path.Base(filesDir) {
			runs = append(runs, old{e.Name(), info.ModTime()})
		}
	}
	slices.SortStableFunc(runs, func(a, b old) int { return a.at.Compare(b.at) })
	for len(runs) > keep-1 {
		if err := d.root.RemoveAll(filepath.Join(HistoryDir, runs[0].name)); err != nil {
			return fmt.Errorf("pruning %s: %w", d.at(HistoryDir), err)
		}
		runs = runs[1:]
	}
	return nil
}
