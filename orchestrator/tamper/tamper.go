// Package tamper finds and undoes changes that an agent may not make: to the environment of gates,
// to the state of the run, and around the worktrees. Everything is noted before an agent starts,
// compared when it ends, and put back where it differs; a Watch costs a stat call a path. A Lookout
// decides which phase answers for a change. It does not know agents, plans or gates, nor what a
// breach does to an attempt.
package tamper

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Config says what a Watch watches.
type Config struct {
	Environ []string // in which gates run
	Root    string   // the user's checkout
	// files that were put aside go into kept/ below it
	StateDir string
	// where worktrees lie: these directories and all above them are looked at
	Above []string
	// phases work in Root itself, so nothing in it is watched
	Shared bool
	// names of programs that update themselves: agents
	Exempt []string
	// git looks after this file of the checkout; nil: after none
	Tracked func(path string) bool
	// nil: changes of libraries are not looked for
	Now func() time.Time
	// nil: a regular file, bounded, opened without waiting
	Load func(name string, limit int64) ([]byte, error)
}

// Watch is the state of a run's surroundings when it was taken.
type Watch struct {
	config   Config
	items    []item
	listings []listing
	trees    []tree
	programs map[string]int  // name → position of the directory in listings that it is found in
	modules  map[string]bool // names that Python can import
	copied   int64
	// nanoseconds; a tree that changed after this moment changed during the watch
	since   int64
	partial bool // a Compare met maxEntries

	dirs  map[string]stamp // directories that Take has looked at
	alarm alarm
}

// Change is one thing that is not as it was.
type Change struct {
	Path string
	What string // in words: "npm's configuration /home/u/.npmrc was changed"

	kind changeKind
	at   int // in items or trees
}

type changeKind int

const (
	replaced changeKind = iota // an item has another content, or is gone
	added                      // a new entry that nothing may add
	library                    // a file within a tree
)

// LostError means that something cannot be put back: later commands would not run in the same
// environment.
type LostError struct{ Notes []string } // of what is lost, in words

// Error has the first of them.
func (e *LostError) Error() string {
	text := e.Notes[0]
	if more := len(e.Notes) - 1; more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return text + "; gates would not judge as they did, so install it anew or look at it, then " +
		"resume"
}

// own reports whether a path belongs to what phases may change.
func (w *Watch) own(path string) bool {
	return w.config.Shared && below(path, w.config.Root) ||
		slices.ContainsFunc(w.config.Above, func(dir string) bool {
			return below(path, dir) && path != dir && filepath.Dir(path) != dir
		})
}

// ancestors are the directories in which worktrees lie, and all above those, each once.
func (w *Watch) ancestors() []string {
	var dirs []string
	for _, dir := range w.config.Above {
		for ; filepath.IsAbs(dir) && !slices.Contains(dirs, dir); dir = filepath.Dir(dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// below reports whether path is dir or lies in it.
func below(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// tracked reports whether git looks after a path of the checkout.
func (w *Watch) tracked(path string) bool {
	return w.config.Tracked != nil && below(path, w.config.Root) && w.config.Tracked(path)
}

// Partial reports whether a Compare has met more files in libraries than it looks at.
func (w *Watch) Partial() bool { return w.partial }

// environ is an environment as a map; the last value of a name counts.
func environ(entries []string) map[string]string {
	env := map[string]string{}
	for _, e := range entries {
		if k, v, ok := strings.Cut(e, "="); ok {
			env[k] = v
		}
	}
	return env
}
