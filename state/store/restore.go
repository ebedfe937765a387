package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"autobuild/internal/safefile"
	"autobuild/state"
)

// repairPrefix begins the names of the backups in history.
const repairPrefix = "repair-"

// Mending changes files of a state directory after their backup has been made. Only a repair uses
// it; a run never needs it.
type Mending struct {
	Backup string // relative to the state directory, with slashes

	dir *Dir
}

// Mend copies the files with these paths, diary and log into history/repair-TIME, and syncs the
// copies: from here on each of them may be changed. A path that is not a regular file cannot be
// copied; Aside moves it.
func (d *Dir) Mend(paths []string) (*Mending, error) {
	name, err := d.free(HistoryDir + "/" + repairPrefix + d.now().UTC().Format("20060102-150405"))
	if err != nil {
		return nil, err
	}
	if err = d.mkdir(name + "/" + PhasesDir); err != nil {
		return nil, err
	}
	m := &Mending{Backup: name, dir: d}
	d.closeBooks()
	names := []string{DiaryName, logName}
	for _, p := range paths {
		names = append(names, m.name(p))
	}
	slices.Sort(names)
	for _, from := range slices.Compact(names) {
		if err := m.copy(from); err != nil {
			return nil, err
		}
	}
	for _, book := range []string{logsDir, logName, DiaryName} {
		if err := m.room(book); err != nil {
			return nil, err
		}
	}
	for _, dir := range []string{name + "/" + PhasesDir, name, HistoryDir} {
		if err := syncDir(d.at(dir)); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// room makes room where something stands that nothing can be written to.
func (m *Mending) room(name string) error {
	info, err := m.dir.root.Lstat(filepath.FromSlash(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return explain("looking at", m.dir.at(name), err)
	case info.Mode().IsRegular() && name != logsDir, info.IsDir() && name == logsDir:
		return nil
	}
	if err := m.dir.mkdir(path.Dir(m.Backup + "/" + name)); err != nil {
		return err
	}
	return m.Aside(m.dir.at(name))
}

// name is a path of the state directory as its files are named here.
func (m *Mending) name(p string) string {
	rel, err := filepath.Rel(m.dir.path, p)
	if err != nil {
		return p
	}
	return filepath.ToSlash(rel)
}

// copy puts a regular file into the backup; anything else is passed over.
func (m *Mending) copy(name string) error {
	d := m.dir
	if _, err := d.regular(name); err != nil {
		return nil //nolint:nilerr // missing, or to be moved as it is
	}
	to := m.Backup + "/" + name
	if err := d.mkdir(path.Dir(to)); err != nil {
		return err
	}
	in, err := safefile.OpenIn(d.root, filepath.FromSlash(name), os.O_RDONLY, 0)
	if err != nil {
		return explain("reading", d.at(name), err)
	}
	out, err := safefile.OpenIn(d.root, filepath.FromSlash(to), os.O_CREATE|os.O_EXCL|os.O_WRONLY,
		fileMode)
	if err == nil {
		_, err = io.Copy(out, in)
		err = errors.Join(err, out.Sync(), out.Close())
	}
	if err = errors.Join(err, in.Close()); err != nil {
		return explain("keeping a copy of "+d.at(name)+" as", d.at(to), err)
	}
	return nil
}

// Phase writes the file of a phase.
func (m *Mending) Phase(p *state.Phase, isolation state.Isolation) error {
	if err := m.dir.mkdir(PhasesDir); err != nil {
		return err
	}
	name := PhasePath(p.ID)
	data, err := encodePhase(p, isolation)
	if err == nil {
		err = m.clear(name)
	}
	if err != nil {
		return err
	}
	return m.dir.write(name, data, fileMode)
}

// Config writes config.json.
func (m *Mending) Config(c state.Config) error {
	c.Schema = state.Schema
	data, err := encode(c)
	if err == nil {
		err = m.clear(ConfigName)
	}
	if err != nil {
		return err
	}
	return m.dir.write(ConfigName, data, fileMode)
}

// Clear makes room for a file at this path, where something stands that could not be replaced.
func (m *Mending) Clear(p string) error {
	if err := m.dir.mkdir(PhasesDir); err != nil {
		return err
	}
	return m.clear(m.name(p))
}

// clear makes room where there is no regular file that could be replaced.
func (m *Mending) clear(name string) error {
	_, err := m.dir.regular(name)
	if _, odd := errors.AsType[*UnusableError](err); odd {
		return m.Aside(m.dir.at(name))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Aside moves the file or directory at this path into the backup. For a regular file the copy there
// is replaced; a path that is gone counts as moved.
func (m *Mending) Aside(p string) error {
	d, name := m.dir, m.name(p)
	if _, err := d.root.Lstat(filepath.FromSlash(name)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := d.files.rename(d.root, filepath.FromSlash(name),
		filepath.FromSlash(m.Backup+"/"+name)); err != nil {
		return explain("setting aside", p, err)
	}
	return errors.Join(syncDir(d.at(m.Backup)), syncDir(d.at(path.Dir(name))))
}

// maxDiary bounds a diary that is rewritten, in bytes.
const maxDiary = 256 << 20

// Trim takes the lines with these numbers (from 1) out of the diary; the backup has them.
func (m *Mending) Trim(lines []int) error {
	d := m.dir
	d.closeBooks()
	f, err := safefile.OpenIn(d.root, DiaryName, os.O_RDONLY, 0)
	if err != nil {
		return explain("reading", d.at(DiaryName), err)
	}
	text, err := contentOf(f)
	var data []byte
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(text, maxDiary+1))
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return explain("reading", d.at(DiaryName), err)
	}
	if len(data) > maxDiary {
		return fmt.Errorf("the diary %s is longer than %d bytes; nothing needs it: move it away",
			d.at(DiaryName), maxDiary)
	}
	var kept bytes.Buffer
	n := 0
	for line := range bytes.Lines(data) {
		if n++; !slices.Contains(lines, n) {
			kept.Write(line)
		}
	}
	return d.write(DiaryName, kept.Bytes(), fileMode)
}

// isBackup reports whether a name in history is that of a repair's backup, which is kept however
// many runs there are.
func isBackup(name string) bool { return strings.HasPrefix(name, repairPrefix) }
