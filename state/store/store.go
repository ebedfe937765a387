// Package store keeps a run in its state directory, .autobuild/, and is the only writer there,
// except in the repository of runs. Each phase has a file of its own, replaced atomically, so a
// transition costs the same in a plan of ten phases and of ten thousand. It does not know what an
// event means, only what it touched.
package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"autobuild/internal/atomicfile"
	"autobuild/internal/safefile"
)

// Files and folders of a state directory, by their names in it.
const (
	ConfigName = "config.json"
	ResultName = "result.json"
	DiaryName  = "events.jsonl"
	PhasesDir  = "phases"
	HistoryDir = "history" // archived runs
	CommitsDir = "commits" // the messages that commits.sh reads
)

// The rest of the layout. Files that are not listed in keeps belong to one run.
const (
	logsDir     = "logs"
	logName     = logsDir + "/execution.log"
	filesDir    = HistoryDir + "/files"
	gitDir      = "git" // the repository of runs
	ignoreName  = ".gitignore"
	markerName  = "set-aside.json"
	runLock     = "autobuild.lock"
	agentsLock  = "autobuild-agents.lock"
	dirMode     = 0o700
	fileMode    = 0o600
	maxFile     = 8 << 20
	agentsWait  = 10 * time.Second
	agentsEvery = 20 * time.Millisecond
)

// Dir is an open state directory whose run lock is held. Log and Put may be called from any
// goroutine; the rest is for the one that owns the run.
type Dir struct {
	path     string
	root     *os.Root
	files    files
	clock    func() time.Time // nil: time.Now
	lock     *flock.Flock
	locked   fs.FileInfo // the lock file as it was locked
	agents   *os.File
	survived Holder // of a killed run, when its agents have outlived our patience
	diary    *os.File
	execLog  *os.File
	redone   []string // phases that were newer in the diary than in their files
	open     bool     // the session before this one has not ended
	// of a session, by id: whether all events of the phase are in its diary, and whether the name
	// of the file is durable
	told, named map[string]bool
	logs        sync.Mutex // two attempts may open logs at the same time
}

// files are the operations that a crash can come between; tests count them and make them fail.
type files struct {
	write func(root *os.Root, name string, data []byte, perm os.FileMode) error
	// replace is write without the syncs
	replace func(root *os.Root, name string, data []byte, perm os.FileMode) error
	rename  func(root *os.Root, from, to string) error
	remove  func(root *os.Root, name string) error
}

// Watch asks step before and after everything that Dir writes, renames or removes from now on:
// "before write config.json". An error from step is that of the operation, which has then taken
// place only after "after". It belongs before the first use of Dir.
func (d *Dir) Watch(step func(what string) error) {
	under := d.files
	around := func(what string, do func() error) error {
		if err := step("before " + what); err != nil {
			return err
		}
		if err := do(); err != nil {
			return err
		}
		return step("after " + what)
	}
	d.files = files{
		write: func(root *os.Root, name string, data []byte, perm os.FileMode) error {
			return around("write "+name,
				func() error { return under.write(root, name, data, perm) })
		},
		replace: func(root *os.Root, name string, data []byte, perm os.FileMode) error {
			return around("write "+name,
				func() error { return under.replace(root, name, data, perm) })
		},
		rename: func(root *os.Root, from, to string) error {
			return around("rename "+from, func() error { return under.rename(root, from, to) })
		},
		remove: func(root *os.Root, name string) error {
			return around("remove "+name, func() error { return under.remove(root, name) })
		},
	}
}

func realFiles() files {
	return files{
		write:   atomicfile.Write,
		replace: atomicfile.Replace,
		rename:  atomicfile.Rename,
		remove:  (*os.Root).Remove,
	}
}

// UnusableError says that a path below the state directory is unusable: a link, not a directory,
// not a regular file, or owned by another user.
type UnusableError struct {
	Path  string
	Cause string
	Next  string
}

// Error joins the cause, the path and the next step with middle dots.
func (e *UnusableError) Error() string {
	return fmt.Sprintf("the state directory cannot be used · %s %s · %s", e.Path, e.Cause, e.Next)
}

// Open creates stateDir where it is missing and takes the run lock in lockDir, git's common
// directory (empty: in stateDir itself). It then waits, ten seconds at most, for the remaining
// processes of an earlier, killed run, and finishes operations that a crash interrupted. now is the
// clock; nil means time.Now. The errors to expect are *LockedError and *UnusableError.
func Open(stateDir, lockDir string, h Holder, now func() time.Time) (*Dir, error) {
	return open(stateDir, lockDir, h, now, agentsWait)
}

func open(
	stateDir, lockDir string, h Holder, now func() time.Time, wait time.Duration,
) (_ *Dir, err error) {
	if err = create(stateDir); err != nil {
		return nil, err
	}
	root, err := openRoot(stateDir)
	if err != nil {
		return nil, err
	}
	d := &Dir{path: stateDir, root: root, files: realFiles(), clock: now}
	defer func() {
		if err != nil {
			_ = d.Close() // the first error counts
		}
	}()
	if lockDir == "" {
		lockDir = stateDir
	}
	old, err := d.takeLock(lockDir)
	if err != nil {
		return nil, err
	}
	if err = d.sign(h); err != nil {
		return nil, err
	}
	if err = d.awaitAgents(filepath.Join(lockDir, agentsLock), old, wait); err != nil {
		return nil, err
	}
	if err = d.prepare(); err != nil {
		return nil, err
	}
	if err = d.finishSettingAside(); err != nil {
		return nil, err
	}
	return d, nil
}

// create makes the directory and makes its name durable.
func create(stateDir string) error {
	err := os.Mkdir(stateDir, dirMode)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return explain("creating the state directory", stateDir, err)
	}
	return syncDir(filepath.Dir(stateDir))
}

// syncDir makes the names in a directory durable, where the system can.
func syncDir(path string) error {
	f, err := safefile.OpenDir(path)
	if err != nil {
		return explain("opening", path, err)
	}
	err = f.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) ||
		errors.Is(err, fs.ErrPermission) {
		err = nil // Windows and some network file systems have no such thing
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return explain("syncing", path, err)
	}
	return nil
}

// openRoot opens the state directory itself, never what a link of that name points to.
func openRoot(stateDir string) (*os.Root, error) {
	info, err := os.Lstat(stateDir)
	if err != nil {
		return nil, explain("looking at the state directory", stateDir, err)
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, &UnusableError{stateDir, "is a symbolic link", "remove the link and run again"}
	case !info.IsDir():
		return nil, &UnusableError{
			stateDir, "is not a directory",
			"move it out of the way and run again",
		}
	case !ours(info):
		return nil, &UnusableError{
			stateDir, "belongs to another user",
			"change its owner, or remove it, and run again",
		}
	}
	root, err := os.OpenRoot(stateDir)
	if err != nil {
		return nil, explain("opening the state directory", stateDir, err)
	}
	opened, err := root.Stat(".")
	switch {
	case err != nil:
		err = explain("looking into the state directory", stateDir, err)
	case !os.SameFile(info, opened):
		err = &UnusableError{stateDir, "was replaced while it was being opened", "run again"}
	default:
		return root, nil
	}
	return nil, errors.Join(err, root.Close())
}

// prepare makes the directory private and unseen by git, and clears what a crash left half written.
func (d *Dir) prepare() error {
	if info, err := d.root.Stat("."); err == nil && info.Mode().Perm() != dirMode {
		if err := d.root.Chmod(".", dirMode); err != nil {
			return explain("making private", d.path, err)
		}
	}
	if err := d.sweep(); err != nil {
		return err
	}
	if _, err := d.regular(ignoreName); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return d.write(ignoreName, []byte("*\n"), fileMode)
}

// sweep removes the temporary files of writers that were killed.
func (d *Dir) sweep() error {
	if err := atomicfile.Sweep(d.root); err != nil {
		return explain("clearing", d.path, err)
	}
	if info, err := d.root.Lstat(PhasesDir); err != nil || !info.IsDir() {
		return nil //nolint:nilerr // Load complains where there is something to complain about
	}
	phases, err := d.root.OpenRoot(PhasesDir)
	if err != nil {
		return explain("opening", d.at(PhasesDir), err)
	}
	if err = errors.Join(atomicfile.Sweep(phases), phases.Close()); err != nil {
		return explain("clearing", d.at(PhasesDir), err)
	}
	return nil
}

// Close gives up the locks and closes every file. The agents' lock stays with supervisors that
// inherited it.
func (d *Dir) Close() error {
	var errs []error
	for _, f := range []*os.File{d.diary, d.execLog, d.agents} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	d.diary, d.execLog, d.agents = nil, nil, nil
	if d.root != nil {
		errs = append(errs, d.root.Close())
		d.root = nil
	}
	if d.lock != nil {
		errs = append(errs, d.release())
		d.lock = nil
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("closing %s: %w", d.path, err)
	}
	return nil
}

// Agents is the handle of the agents' lock, for supervisors to inherit: while one of them has it
// open, the next run waits. It belongs to Dir.
func (d *Dir) Agents() *os.File { return d.agents }

// Exists reports whether stateDir holds a run, readable or not.
func Exists(stateDir string) bool {
	root, err := openRoot(stateDir)
	if err != nil {
		return false
	}
	found := holdsRun(root)
	return root.Close() == nil && found
}

// holdsRun: a run that was being set aside when a crash came counts as gone.
func holdsRun(root *os.Root) bool {
	if _, err := root.Lstat(markerName); err == nil {
		return false
	}
	if _, err := root.Lstat(ConfigName); err == nil {
		return true
	}
	names, _ := phaseFiles(root)
	return len(names) > 0
}

// at is the path of name for people.
func (d *Dir) at(name string) string { return filepath.Join(d.path, filepath.FromSlash(name)) }

// regular looks at name and refuses what is not a regular file. A missing one is fs.ErrNotExist.
func (d *Dir) regular(name string) (fs.FileInfo, error) { return regular(d.root, d.path, name) }

func regular(root *os.Root, base, name string) (fs.FileInfo, error) {
	info, err := root.Lstat(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &UnusableError{
			filepath.Join(base, filepath.FromSlash(name)), "is " + kind(info.Mode()) +
				", not a regular file",
			"move it out of the way and run again",
		}
	}
	return info, nil
}

func kind(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a directory"
	case m&fs.ModeSymlink != 0:
		return "a symbolic link"
	}
	return "a special file"
}

// write replaces a file durably.
func (d *Dir) write(name string, data []byte, perm os.FileMode) error {
	return saving(d.files.write(d.root, name, data, perm))
}

func saving(err error) error {
	if err != nil {
		return fmt.Errorf("saving state: %w%s", err, wayOut(err)) // atomicfile names the path
	}
	return nil
}

// explain names the failed action, its path, and the next step.
func explain(doing, path string, err error) error {
	next := wayOut(err)
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err // the path is said once, and whole
	}
	if le, ok := errors.AsType[*os.LinkError](err); ok {
		err = le.Err
	}
	return fmt.Errorf("%s %s: %w%s", doing, path, err, next)
}

// wayOut is the advice for the causes that a person can remove.
func wayOut(err error) string {
	switch {
	case diskFull(err):
		return " · what was there is untouched; free some space and go on with --resume"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return " · what was there is untouched; raise ulimit -n, or lower --jobs, and go on " +
			"with --resume"
	case errors.Is(err, syscall.EFBIG):
		return " · what was there is untouched; raise ulimit -f, which bounds how large a file " +
			"may be, and run again"
	case errors.Is(err, syscall.EROFS):
		return " · the file system is read-only; make it writable and go on with --resume"
	case heldOpen(err):
		return " · what was there is untouched; another program has it open: close that, and go " +
			"on with --resume"
	case errors.Is(err, fs.ErrPermission):
		return " · check who owns it and its permissions, then run again"
	}
	return ""
}
