package delivery

import (
	"context"
	"path/filepath"
	"strings"

	"autobuild/internal/text"
	"autobuild/orchestrator/git"
)

// update moves the user's files from one commit's content to another's, as git checkout would: a
// file that the two do not differ in is not looked at, and one that the user changed stops it
// before anything is written.
type update struct {
	*Checkout
	index    string
	from, to string
	changes  []git.Change
	plan     *git.Change // the plan's own change, when it is not git that makes it

	noted     bool // the intent is written down before anything is moved
	finishing bool // … as it was before an earlier update to the same commit was cut off
}

func (u *update) files() git.Files { return git.Files{WorkTree: u.Repo.Top, Index: u.index} }

func (u *update) path(c git.Change) string { return u.onDisk(c.Path) }

func (u *update) onDisk(name string) string {
	return filepath.Join(u.Repo.Top, filepath.FromSlash(name))
}

// unsynced makes the ref that moves next, in either repository, wait for the files.
func (u *update) unsynced() {
	u.Repo.MarkUnsynced()
	u.Own.MarkUnsynced()
}

func (u *update) refresh(ctx context.Context) error {
	return u.Scratch.RefreshIndex(ctx, u.files())
}

// locked is the obstacle of a lock that did not go away.
func locked(path string) Obstacle { return Obstacle{Code: Locked, Path: text.Quote(path)} }

// refusalIn finds the obstacle in what git printed.
func refusalIn(failed *git.ExitError) Obstacle {
	if lock := failed.Lock(); lock != "" {
		return locked(lock)
	}
	for line := range strings.Lines(failed.Tail) {
		line = strings.TrimSpace(line)
		name := ""
		if _, after, ok := strings.Cut(line, "'"); ok {
			if i := strings.LastIndexByte(after, '\''); i > 0 {
				name = text.Quote(after[:i])
			}
		}
		switch {
		case name == "":
		case strings.Contains(line, "ntracked"):
			return Obstacle{Code: Untracked, Path: name}
		case strings.Contains(line, "not uptodate"),
			strings.Contains(line, "would be overwritten by merge"):
			return Obstacle{Code: Changed, Path: name}
		}
	}
	return Obstacle{Code: Refused, Detail: failed.Said()}
}

// entries reads the index: "mode id" by path.
func (u *update) entries(ctx context.Context) (map[string]string, error) {
	listed, err := u.Scratch.Index(ctx, u.files())
	if err != nil {
		return nil, err
	}
	entries := map[string]string{}
	for _, e := range listed {
		entries[e.Path] = e.NewMode + " " + e.NewID
	}
	return entries, nil
}
