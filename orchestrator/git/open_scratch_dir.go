package git

import (
	"context"
	"os"
	"path/filepath"
	"sync"

	"autobuild/internal/safefile"
)

// OpenScratchDir makes the scratch directory of a run, or brings it up to date. The caller holds
// the lock of all runs of the repository: leftovers of killed processes in other scratch
// directories are removed. Its error is an *UnusableError or one of git's.
func OpenScratchDir(ctx context.Context, r *Repository, run string) (*ScratchDir, error) {
	d := &ScratchDir{
		program: r.program, Dir: filepath.Join(r.CommonDir, scratchName, run),
		Objects:  filepath.Join(r.CommonDir, "objects"),
		unsynced: &r.unsynced, pins: &r.pins, trees: &sync.Map{},
	}
	for _, name := range foreign {
		if err := safefile.RemoveAll(filepath.Join(d.Dir, name)); err != nil {
			return nil, err
		}
	}
	for _, sub := range []string{"refs", "info", "index"} {
		if err := os.MkdirAll(filepath.Join(d.Dir, sub), 0o700); err != nil {
			return nil, Unusable("git's directory cannot be written", err)
		}
	}
	r.removeLeftovers()
	d.removeEmptyIndexes()
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
	if settings.Get("lfs.storage") == "" {
		settings = append(settings,
			Setting{"lfs.storage", filepath.ToSlash(filepath.Join(r.CommonDir, "lfs"))})
	}
	d.IgnoreCase = settings.Is("core.ignorecase")
	d.signed = settings.Is("commit.gpgsign")
	settings = d.identify(settings)
	if settings, err = d.borrowAccount(settings); err != nil {
		return nil, err
	}
	d.settings = settings
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

// removeEmptyIndexes removes indexes that a power cut left empty; a missing one is made anew.
func (d *ScratchDir) removeEmptyIndexes() {
	root, err := os.OpenRoot(d.Dir)
	if err != nil {
		return
	}
	defer func() { _ = root.Close() }() // nothing was written through it
	removeEmpty(root, "index")
}

// removeLeftovers removes locks and half-written files that killed processes left in the scratch
// directories of all runs. A run that was killed before it was saved never comes back to its own.
func (r *Repository) removeLeftovers() {
	folder := filepath.Join(r.CommonDir, scratchName)
	root, err := os.OpenRoot(folder)
	if err != nil {
		return // no run has begun here
	}
	defer func() { _ = root.Close() }() // nothing was written through it
	for _, pattern := range []string{
		"*/index/*.lock", "*/" + safefile.TempPrefix + "*",
		"*/*/" + safefile.TempPrefix + "*", safefile.TempPrefix + "*",
	} {
		// the pattern is valid
		left, _ := filepath.Glob(filepath.Join(safefile.EscapeGlob(folder),
			filepath.FromSlash(pattern)))
		for _, path := range left {
			if name, err := filepath.Rel(folder, path); err == nil {
				_ = root.Remove(name) // a file that stays is named by the call that meets it
			}
		}
	}
}
