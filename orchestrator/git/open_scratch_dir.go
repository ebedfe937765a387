package git

import (
	"context"
	"os"
	"path/filepath"
	"sync"

	"autobuild/internal/safefile"
)

// openDesk makes the desk or brings it up to date.
func OpenScratchDir(ctx context.Context, r *Repository, run string) (*ScratchDir, error) {
	d := &ScratchDir{
		program: r.program, Dir: filepath.Join(r.CommonDir, scratchName, run), Objects: filepath.Join(r.CommonDir, "objects"),
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
	r.clearDesks()
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
	// With safecrlf, git would refuse a file whose line ends it is told to normalise. Without
	// longpaths, git for Windows would refuse what fits into the checkout and not into a worktree,
	// some thirty letters deeper.
	settings = append(settings, Setting{"core.bare", "true"}, Setting{"core.hooksPath", nullPath}, Setting{"core.fsmonitor", "false"},
		Setting{"core.splitIndex", "false"}, Setting{"core.safecrlf", "warn"}, Setting{"core.longpaths", "true"},
		Setting{"diff.ignoreSubmodules", "dirty"}, Setting{"core.fsync", objectSync}, Setting{"index.threads", "1"})
	if settings.Get("lfs.storage") == "" {
		settings = append(settings, Setting{"lfs.storage", filepath.ToSlash(filepath.Join(r.CommonDir, "lfs"))})
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
	return d, nil
}

// removeEmptyIndexes does the same for the desk's indexes, which are made anew where they are
// missing.
func (d *ScratchDir) removeEmptyIndexes() {
	root, err := os.OpenRoot(d.Dir)
	if err != nil {
		return
	}
	defer func() { _ = root.Close() }() // as above
	removeEmpty(root, "index")
}

// clearDesks removes what writers that were killed have left in the desks of all runs: locks and
// half-written files. The caller holds the repository's run lock, so no writer is at work in any of
// them; a run that was killed before it was saved never comes back to its own.
func (r *Repository) clearDesks() {
	desks := filepath.Join(r.CommonDir, scratchName)
	root, err := os.OpenRoot(desks)
	if err != nil {
		return // no run has begun here
	}
	defer func() { _ = root.Close() }() // nothing was written through it
	for _, pattern := range []string{"*/index/*.lock", "*/index/" + safefile.TempPrefix + "*", "*/" + safefile.TempPrefix + "*"} {
		// the pattern is right
		left, _ := filepath.Glob(filepath.Join(safefile.EscapeGlob(desks), filepath.FromSlash(pattern)))
		for _, path := range left {
			if name, err := filepath.Rel(desks, path); err == nil {
				_ = root.Remove(name) // what cannot be removed is met, and named, when it is used
			}
		}
	}
}
