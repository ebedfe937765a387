package git

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"autobuild/internal/safefile"
)

// desk is a git directory of our own in which all work on content is done: it borrows the
// repository's objects and holds a copy of the configuration from the moment when the run began.
// What an agent writes into the repository's configuration later (filters, merge drivers, monitors,
// hooks) is simply not there.
type ScratchDir struct {
	program    program
	Dir        string // <common>/autobuild-desk/<run>
	Objects    string // where objects are read and written
	Shallow    string // path of the shallow file, or empty
	signed     bool
	IgnoreCase bool     // names that differ in case alone are one file
	Notes      []string // what the user should know of the configuration

	settings Config       // all that its configuration holds
	programs Config       // the pinned ones
	unsynced *atomic.Bool // the repository's
	pins     *pinned
	trees    *sync.Map // commit → its tree, both by their full names
}

// deskName is the folder of all desks in git's common directory.
const scratchName = "autobuild-desk"

// Write replaces a file of the directory. Each later call of git compares it with data first, and
// writes it anew where it differs.
func (d *ScratchDir) Write(name string, data []byte) error {
	if err := d.pins.write(filepath.Join(d.Dir, name), data); err != nil {
		return Unusable("git's directory cannot be written", err)
	}
	return nil
}

// on describes the files that a call on the desk works with.
type Files struct {
	WorkTree string // working tree; empty: none
	Index    string // index file; empty: a name that does not exist
}

// do runs a command on the desk.
func (d *ScratchDir) do(ctx context.Context, o Files, stdin []byte, ok []int, args ...string) ([]byte, int, error) {
	return d.run(ctx, d.command(o, command{args: args, stdin: stdin, ok: ok}))
}

// run makes a call that call has completed, with the directory as it is to be.
func (d *ScratchDir) run(ctx context.Context, c command) ([]byte, int, error) {
	return d.pins.guard(func() ([]byte, int, error) { return d.program.do(ctx, c) })
}

// call completes a command for the desk.
func (d *ScratchDir) command(o Files, c command) command {
	env := map[string]string{
		"GIT_DIR": d.Dir, "GIT_OBJECT_DIRECTORY": d.Objects, "GIT_INDEX_FILE": o.Index,
		"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": nullConfig,
	}
	c.dir = d.Dir
	if o.Index == "" {
		env["GIT_INDEX_FILE"] = filepath.Join(d.Dir, "index", "none")
	}
	if o.WorkTree != "" {
		env["GIT_WORK_TREE"], c.dir = o.WorkTree, o.WorkTree
	}
	if d.Shallow != "" {
		env["GIT_SHALLOW_FILE"] = d.Shallow
	}
	c.env = env
	return c
}

// ask is do for commands whose only answer is one line.
func (d *ScratchDir) ask(ctx context.Context, o Files, stdin []byte, args ...string) (string, error) {
	out, _, err := d.do(ctx, o, stdin, nil, args...)
	return word(out), err
}

// IndexFile is the path of an index of our own, by its name.
func (d *ScratchDir) IndexFile(name string) string { return filepath.Join(d.Dir, "index", name) }

// Of is the same directory with the objects of a submodule, of which module is the git directory.
func (d *ScratchDir) OfModule(module string) *ScratchDir {
	own := *d
	own.Objects, own.Shallow = filepath.Join(module, "objects"), ""
	if shallow := filepath.Join(module, "shallow"); safefile.Exists(shallow) {
		own.Shallow = shallow
	}
	return &own
}

// Path is the path of a file of the directory.
func (d *ScratchDir) Path(name ...string) string {
	return filepath.Join(append([]string{d.Dir}, name...)...)
}

// CloneConfig is the text of a configuration file with the pinned settings, for an ordinary clone:
// without those of the scratch directory, and without signing.
func (d *ScratchDir) CloneConfig() string {
	var kept Config
	for _, s := range d.settings {
		switch strings.ToLower(s.Key) {
		case "core.bare", "core.hookspath", "core.fsync", "core.longpaths", "index.threads", "diff.ignoresubmodules", "commit.gpgsign":
		default:
			kept = append(kept, s)
		}
	}
	return string(formatSettings(append(kept, Setting{"core.bare", "false"}, Setting{"gc.auto", "0"})))
}

// Remove removes a file of the directory that Write made, and forgets it.
func (d *ScratchDir) Remove(name string) error {
	if err := d.pins.remove(filepath.Join(d.Dir, name)); err != nil {
		return Unusable("git's directory cannot be written", err)
	}
	return nil
}

// ScratchPath is a path in the folder of all scratch directories.
func (r *Repository) ScratchPath(name string) string {
	return filepath.Join(r.CommonDir, scratchName, name)
}

// ScratchFiles lists the files of one name in all scratch directories.
func (r *Repository) ScratchFiles(name string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(safefile.EscapeGlob(r.CommonDir), scratchName, "*", name))
	if err != nil {
		return nil, fmt.Errorf("looking for %s of earlier runs: %w", name, err)
	}
	return files, nil
}
