package git

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"autobuild/internal/safefile"
)

// Folder is the folder of the repository of runs, in the state directory.
const Folder = "git"

// OpenScratchDir creates or updates the repository of a run at dir: bare, with the user's objects
// as alternates. Objects and refs of earlier runs stay; their other files are deleted. The caller
// holds the lock of all runs. Its error is an *UnusableError or one of git's.
func OpenScratchDir(ctx context.Context, r *Repository, dir, run string) (*ScratchDir, error) {
	own := &OwnRefs{Dir: dir}
	d := &ScratchDir{
		program: r.program, Dir: dir, Own: own, Objects: filepath.Join(dir, "objects"),
		unsynced: &own.unsynced, pins: &pinned{}, trees: &sync.Map{},
	}
	if err := d.begin(run); err != nil {
		return nil, err
	}
	r.Bare(dir).RemoveEmptyObjects()
	d.removeLeftovers()
	d.removeEmptyIndexes()
	borrowed := filepath.ToSlash(filepath.Join(r.CommonDir, "objects")) + "\n"
	if err := d.Write("objects/info/alternates", []byte(borrowed)); err != nil {
		return nil, err
	}
	if shallow := filepath.Join(r.CommonDir, "shallow"); safefile.Exists(shallow) {
		d.Shallow = shallow
	}
	users, err := r.Config(ctx)
	if err != nil {
		return nil, err
	}
	settings, err := d.pin(users)
	if err != nil {
		return nil, err
	}
	// A split index would keep its shared part here, where the user's git does not look for it.
	// With safecrlf, git would refuse a file whose line ends it is to normalise. Without longpaths,
	// git for Windows would refuse a path that fits into the checkout and not into a worktree.
	settings = append(settings, Setting{"core.bare", "true"}, Setting{"core.hooksPath", nullPath},
		Setting{"core.fsmonitor", "false"},
		Setting{"core.splitIndex", "false"}, Setting{"core.safecrlf", "warn"},
		Setting{"core.longpaths", "true"},
		Setting{"diff.ignoreSubmodules", "dirty"}, Setting{"core.fsync", objectSync},
		Setting{"index.threads", "1"})
	d.IgnoreCase = settings.Is("core.ignorecase")
	d.signed = settings.Is("commit.gpgsign")
	settings = d.identify(settings)
	if settings, err = d.borrowAccount(settings); err != nil {
		return nil, err
	}
	d.settings = settings
	if settings.Get("lfs.storage") == "" { // a clone has its own, and finds this one as it finds objects
		settings = append(slices.Clip(settings),
			Setting{"lfs.storage", filepath.ToSlash(filepath.Join(r.CommonDir, "lfs"))})
	}
	if err := d.Write("config", formatSettings(settings)); err != nil {
		return nil, err
	}
	if err := d.Write("HEAD", []byte("ref: refs/heads/none\n")); err != nil {
		return nil, err
	}
	if err := d.borrow(r); err != nil {
		return nil, err
	}
	d.pins.forbid(d.Dir)
	d.connect()
	return d, nil
}

// begin makes the directory. What another run left in it goes, without objects and refs.
func (d *ScratchDir) begin(run string) error {
	last, _ := safefile.ReadPlain(filepath.Join(d.Dir, "run"), safefile.Small) // missing: a new one
	gone := foreign
	if entries, _ := os.ReadDir(d.Dir); string(last) != run {
		for _, e := range entries {
			if e.Name() != "objects" && e.Name() != "refs" {
				gone = append(slices.Clip(gone), e.Name())
			}
		}
	}
	for _, name := range gone {
		if err := safefile.RemoveAll(filepath.Join(d.Dir, name)); err != nil {
			return err
		}
	}
	for _, sub := range []string{"objects/info", "refs", "info", "indexes"} {
		if err := os.MkdirAll(filepath.Join(d.Dir, filepath.FromSlash(sub)), 0o700); err != nil {
			return Unusable("the run's git directory cannot be written", err)
		}
	}
	return d.Write("run", []byte(run))
}

// removeEmptyIndexes removes indexes that a power cut left empty; a missing one is made anew.
func (d *ScratchDir) removeEmptyIndexes() {
	root, err := os.OpenRoot(d.Dir)
	if err != nil {
		return
	}
	defer func() { _ = root.Close() }() // nothing was written through it
	removeEmpty(root, "indexes")
}

// removeLeftovers removes locks and half-written files that killed processes left.
func (d *ScratchDir) removeLeftovers() {
	root, err := os.OpenRoot(d.Dir)
	if err != nil {
		return
	}
	defer func() { _ = root.Close() }() // nothing was written through it
	for _, pattern := range []string{
		"indexes/*.lock", safefile.TempPrefix + "*", "*/" + safefile.TempPrefix + "*",
		"refs/autobuild/*/" + safefile.TempPrefix + "*", "refs/autobuild/*/*/" + safefile.TempPrefix + "*",
	} {
		// the pattern is valid
		left, _ := filepath.Glob(filepath.Join(safefile.EscapeGlob(d.Dir), filepath.FromSlash(pattern)))
		for _, path := range left {
			if name, err := filepath.Rel(d.Dir, path); err == nil {
				_ = root.Remove(name) // a file that stays is named by the call that meets it
			}
		}
	}
}
