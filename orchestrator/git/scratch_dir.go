package git

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"autobuild/internal/safefile"
)

// ScratchDir is the bare repository of one run. All work on content happens in it. It borrows the
// user's objects by alternates, and has a copy of the configuration from the start of the run.
// Filters, merge drivers, monitors and hooks that are configured later have no effect. Its files
// are compared before each call and restored if they differ. Its methods may be called from any
// number of goroutines, unless two of them use one index.
type ScratchDir struct {
	Dir        string   // the private git directory
	Own        *OwnRefs // its refs
	Objects    string   // where objects are read and written
	Shallow    string   // path of the shallow file; empty: the repository is complete
	IgnoreCase bool     // names that differ in case alone are one file
	Notes      []string // for the user, about the configuration

	program  program
	signed   bool         // commits are to be signed
	settings Config       // its whole configuration
	programs Config       // the settings of it that name programs
	unsynced *atomic.Bool // of Own
	pins     *pinned
	trees    *sync.Map // commit → its tree, both by their full names
	objects  *objectReader
	write    *objectWriter
	line     *firstParents
}

// Write replaces a file of the directory. Each later call of git first compares the file with data
// and puts it back where it differs.
func (d *ScratchDir) Write(name string, data []byte) error {
	if err := d.pins.write(filepath.Join(d.Dir, name), data); err != nil {
		return Unusable("git's directory cannot be written", err)
	}
	return nil
}

// Files are the files of one call.
type Files struct {
	WorkTree string // root of the working tree; empty: none
	Index    string // index file; empty: none
}

// do runs a command in the scratch directory.
func (d *ScratchDir) do(
	ctx context.Context, o Files, stdin []byte, ok []int, args ...string,
) ([]byte, int, error) {
	return d.run(ctx, d.command(o, command{args: args, stdin: stdin, ok: ok}))
}

// run runs a command that command has completed, after the pinned files were compared.
func (d *ScratchDir) run(ctx context.Context, c command) ([]byte, int, error) {
	return d.pins.guard(func() ([]byte, int, error) { return d.program.do(ctx, c) })
}

// command completes a command for the scratch directory.
func (d *ScratchDir) command(o Files, c command) command {
	env := map[string]string{
		"GIT_DIR": d.Dir, "GIT_OBJECT_DIRECTORY": d.Objects, "GIT_INDEX_FILE": o.Index,
		"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": nullConfig,
	}
	c.dir = d.Dir
	if o.Index == "" {
		env["GIT_INDEX_FILE"] = filepath.Join(d.Dir, "indexes", "none")
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

// ask is do for commands that print one line.
func (d *ScratchDir) ask(
	ctx context.Context, o Files, stdin []byte, args ...string,
) (string, error) {
	out, _, err := d.do(ctx, o, stdin, nil, args...)
	return word(out), err
}

// IndexFile is the path of a private index.
func (d *ScratchDir) IndexFile(name string) string { return filepath.Join(d.Dir, "indexes", name) }

// connect makes what reads and writes objects, and starts no process.
func (d *ScratchDir) connect() {
	c := d.command(Files{}, command{})
	d.write = &objectWriter{program: d.program, command: c, guard: d.pins.guard}
	c.args = []string{"cat-file", "--batch-command"}
	d.objects = &objectReader{git: coprocess{program: d.program, command: c}, guard: d.pins.guard}
	d.line = &firstParents{}
}

// OfModule is the same directory with the objects of a submodule; module is its git directory.
func (d *ScratchDir) OfModule(module string) *ScratchDir {
	own := *d
	own.Objects, own.Shallow = filepath.Join(module, "objects"), ""
	if shallow := filepath.Join(module, "shallow"); safefile.Exists(shallow) {
		own.Shallow = shallow
	}
	own.connect()
	return &own
}

// Path is the path of a file in the directory.
func (d *ScratchDir) Path(name ...string) string {
	return filepath.Join(append([]string{d.Dir}, name...)...)
}

// CloneConfig is a configuration file for a clone: the pinned settings without those that only fit
// the scratch directory, and without signing.
func (d *ScratchDir) CloneConfig() string {
	var kept Config
	for _, s := range d.settings {
		switch strings.ToLower(s.Key) {
		case "core.bare", "core.hookspath", "core.fsync", "core.longpaths", "index.threads",
			"diff.ignoresubmodules", "commit.gpgsign":
		default:
			kept = append(kept, s)
		}
	}
	return string(formatSettings(append(kept, Setting{"core.bare", "false"},
		Setting{"gc.auto", "0"})))
}

// identityConfig is a configuration file for a clone of a submodule: who commits, and nothing else.
func (d *ScratchDir) identityConfig() string {
	kept := Config{{"core.bare", "false"}, {"gc.auto", "0"}}
	for _, s := range d.settings {
		if strings.HasPrefix(strings.ToLower(s.Key), "user.") {
			kept = append(kept, s)
		}
	}
	return string(formatSettings(kept))
}

// Remove removes a file that Write made.
func (d *ScratchDir) Remove(name string) error {
	if err := d.pins.remove(filepath.Join(d.Dir, name)); err != nil {
		return Unusable("git's directory cannot be written", err)
	}
	return nil
}
