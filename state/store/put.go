package store

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"autobuild/internal/safefile"
)

// reserved are the first names of paths that Put leaves to the other methods.
func reserved() []string {
	return []string{
		ConfigName, ResultName, DiaryName, PhasesDir, logsDir, HistoryDir, gitDir,
		ignoreName, markerName, runLock, agentsLock,
	}
}

// Log opens logs/name for writing and gives its path relative to the state directory. A log of that
// name is kept as name.1, name.2 …: a phase that was reset counts its attempts from one again.
func (d *Dir) Log(name string) (f *os.File, rel string, err error) {
	if err = logFileName(name); err != nil {
		return nil, "", err
	}
	rel = logsDir + "/" + name
	d.logs.Lock()
	defer d.logs.Unlock()
	if err = d.mkdir(logsDir); err != nil {
		return nil, "", err
	}
	aside, err := d.free(rel)
	if err != nil {
		return nil, "", err
	}
	if aside != rel {
		if err = d.files.rename(d.root, filepath.FromSlash(rel),
			filepath.FromSlash(aside)); err != nil {
			return nil, "", explain("keeping", d.at(rel), err)
		}
	}
	f, err = safefile.OpenIn(d.root, filepath.FromSlash(rel), os.O_CREATE|os.O_EXCL|os.O_RDWR,
		fileMode)
	if err != nil {
		return nil, "", explain("creating", d.at(rel), err)
	}
	return f, rel, nil
}

// logFileName refuses what would lead out of the directory of logs, or hide in it.
func logFileName(name string) error {
	if name != path.Base(name) || !filepath.IsLocal(name) || strings.ContainsAny(name, `\:`) ||
		strings.HasPrefix(name, ".") {
		return fmt.Errorf("opening the log %q: not a plain file name", name)
	}
	return nil
}

// Put replaces a file that accompanies the run, such as commits.sh or proposals/2a.md. name is
// relative, with slashes, and not one of the state's own; exec makes it executable for the owner.
func (d *Dir) Put(name string, data []byte, exec bool) error {
	first, _, _ := strings.Cut(name, "/")
	if name == "" || name == "." || name != path.Clean(name) ||
		!filepath.IsLocal(filepath.FromSlash(name)) || strings.ContainsAny(name, `\:`) ||
		slices.ContainsFunc(reserved(),
			func(r string) bool { return strings.EqualFold(r, first) }) {
		return fmt.Errorf("writing %q: not a path for an accompanying file", name)
	}
	if dir := path.Dir(name); dir != "." {
		if err := d.mkdir(dir); err != nil {
			return err
		}
	}
	perm := os.FileMode(fileMode)
	if exec {
		perm = dirMode
	}
	return d.write(name, data, perm)
}
