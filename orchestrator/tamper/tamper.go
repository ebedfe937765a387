// Package tamper finds and undoes changes that an agent may not make: to the environment of gates,
// to the state of the run, and around the worktrees. Everything is noted before an agent starts,
// compared when it ends, and put back where it differs; a Watch costs a stat call a path. A Lookout
// decides which phase answers for a change. It does not know agents, plans or gates, nor what a
// breach does to an attempt.
package tamper

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"autobuild/internal/safefile"
)

// Config says what a Watch watches.
type Config struct {
	Environ []string // in which gates run
	Root    string   // the user's checkout
	// what is put aside goes into kept/ below it
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

// Bounds in bytes: of one file that is copied, of all copies together, and of the entries that one
// Compare looks at in libraries.
const (
	maxCopy    = 1 << 20
	maxCopies  = 8 << 20
	maxEntries = 40_000
	maxNames   = 100_000 // of one directory
)

// Watch is what lay around a run when it was taken.
type Watch struct {
	config   Config
	items    []item
	listings []listing
	trees    []tree
	programs map[string]int  // name → position of the directory in listings that it is found in
	modules  map[string]bool // names that Python can import
	copied   int64
	// nanoseconds; what changed in a tree after this moment was changed while the watch went on
	since   int64
	partial bool // a Compare met maxEntries

	dirs map[string]stamp // directories that Take has looked at
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

// LostError says that something cannot be put back: what runs from now on would not be what it was.
type LostError struct{ Notes []string } // of what is lost, in words

// Error has the first of them.
func (e *LostError) Error() string {
	text := e.Notes[0]
	if more := len(e.Notes) - 1; more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return text + "; gates would not judge as they did, so install it anew or look at it, then resume"
}

// Take looks at everything once.
func Take(c Config) (*Watch, error) {
	if c.Load == nil {
		c.Load = safefile.Read
	}
	w := &Watch{config: c, programs: map[string]int{}, modules: map[string]bool{}, dirs: map[string]stamp{}}
	if c.Now != nil {
		w.since = c.Now().UnixNano()
	}
	env := environ(c.Environ)
	w.takePrograms(env)
	w.takeSpots(env)
	w.takePython(env)
	w.takeNode(env)
	w.takeGo(env)
	w.dirs = nil
	slices.SortStableFunc(w.items, func(a, b item) int { return cmp.Compare(a.Path, b.Path) })
	w.items = slices.CompactFunc(w.items, func(a, b item) bool { return a.Path == b.Path })
	return w, nil
}

// spot watches one path, there or not.
func (w *Watch) spot(path, what string) {
	if path == "" || !filepath.IsAbs(path) || w.own(path) {
		return
	}
	w.items = append(w.items, w.look(filepath.Clean(path), what, true))
}

// own reports whether a path belongs to what phases may change.
func (w *Watch) own(path string) bool {
	return w.config.Shared && below(path, w.config.Root) || slices.ContainsFunc(w.config.Above, func(dir string) bool {
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

// Compare looks again. Libraries of a tool are looked at where one of the commands, or what lay in
// the checkout, says that it is used, and where commands are given at all: that costs a stat call a
// file.
func (w *Watch) Compare(commands ...string) []Change {
	var changes []Change
	known := map[string]stamp{} // directories that were looked at just now
	for i := range w.items {
		if c, changed := w.compareItem(i, known); changed {
			changes = append(changes, c)
		}
	}
	for i := range w.listings {
		changes = append(changes, w.compareListing(i, known)...)
	}
	if len(commands) > 0 {
		changes = append(changes, w.compareTrees(commands)...)
	}
	slices.SortStableFunc(changes, func(a, b Change) int { return cmp.Compare(a.Path, b.Path) })
	return slices.CompactFunc(changes, func(a, b Change) bool { return a.Path == b.Path })
}

// Partial reports whether a Compare has met more files in libraries than it looks at.
func (w *Watch) Partial() bool { return w.partial }

// Adopt takes changes for what is to be: autobuild's own preparation made them.
func (w *Watch) Adopt() error {
	again, err := Take(w.config)
	if err == nil {
		*w = *again
	}
	return err
}

func (w *Watch) compareItem(i int, known map[string]stamp) (Change, bool) {
	was := &w.items[i]
	dir := filepath.Dir(was.Path)
	parent, looked := known[dir]
	if !looked {
		parent = stampOf(dir)
		known[dir] = parent
	}
	if was.Stamp.absent() && parent == was.Dir {
		return Change{}, false // no name has come since
	}
	now := lookIn(parent, was.Path, was.What)
	if was.same(now) {
		was.Dir = now.Dir
		return Change{}, false
	}
	if w.unchanged(was, now) || was.Fetch && was.Stamp.absent() || w.tracked(was.Path) {
		w.renew(i)
		return Change{}, false
	}
	return Change{Path: was.Path, What: fmt.Sprintf("%s %s %s", was.What, was.Path, verb(was.Stamp, now.Stamp)), kind: replaced, at: i}, true
}

// renew takes an item as it is now for what it is to be.
func (w *Watch) renew(i int) {
	was := w.items[i]
	w.copied -= int64(len(was.Copy))
	now := w.look(was.Path, was.What, was.Kept || was.Stamp.absent())
	now.Fetch = was.Fetch
	w.items[i] = now
}

// unchanged reports whether an item was written anew with the same content.
func (w *Watch) unchanged(was *item, now item) bool {
	if !was.Kept || was.Link != now.Link || was.content().Mode != now.content().Mode || was.content().Size != now.content().Size || !now.content().Mode.IsRegular() {
		return false
	}
	data, err := w.config.Load(was.Path, maxCopy)
	return err == nil && bytes.Equal(data, was.Copy)
}

func verb(was, now stamp) string {
	switch {
	case was.absent():
		return "was created"
	case now.absent():
		return "was removed"
	}
	return "was changed"
}

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

// listing is a directory in which names that were not there may change what others mean.
type listing struct {
	Dir   string
	Kind  listingKind
	Stamp stamp
	Names map[string]bool
}

type listingKind string

const (
	programsIn listingKind = "programs" // a directory of PATH
	modulesIn  listingKind = "modules"  // a directory from which Python imports
)

// list adds a directory, and returns its position.
func (w *Watch) list(dir string, kind listingKind) int {
	l := listing{Dir: filepath.Clean(dir), Kind: kind}
	l.Stamp, l.Names = stampOf(l.Dir), map[string]bool{}
	names, _ := namesIn(l.Dir) // what cannot be listed has no names that a tool could find
	for _, name := range names {
		l.Names[name] = true
	}
	w.listings = append(w.listings, l)
	return len(w.listings) - 1
}

// namesIn are the names in a directory, sorted, at most maxNames.
func namesIn(dir string) ([]string, error) {
	f, err := safefile.OpenDir(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	names, err := f.Readdirnames(maxNames)
	slices.Sort(names)
	return names, err
}

// compareListing finds new names that would be taken for others.
func (w *Watch) compareListing(i int, known map[string]stamp) []Change {
	l := &w.listings[i]
	now, looked := known[l.Dir]
	if !looked {
		now = stampOf(l.Dir)
		known[l.Dir] = now
	}
	if now == l.Stamp {
		return nil
	}
	names, err := namesIn(l.Dir)
	if err != nil {
		return nil // it is gone, and what it held is missed by name
	}
	var changes []Change
	for _, name := range names {
		if l.Names[name] {
			continue
		}
		path := filepath.Join(l.Dir, name)
		what := w.shadows(i, name, path)
		if what == "" || w.tracked(path) {
			continue
		}
		changes = append(changes, Change{Path: path, What: what, kind: added, at: i})
	}
	if len(changes) == 0 {
		l.Stamp = now // new names that stand for nothing else need not be looked at again
	}
	return changes
}

// shadows says in words what a new name would stand for; empty where it stands for itself alone.
func (w *Watch) shadows(i int, name, path string) string {
	l := w.listings[i]
	switch l.Kind {
	case programsIn:
		at, known := w.programs[name]
		if !known || at <= i || !executable(path) {
			return ""
		}
		return fmt.Sprintf("program %s was created: it comes before %s on PATH", path, filepath.Join(w.listings[at].Dir, name))
	case modulesIn:
		if steersPython(name) {
			return fmt.Sprintf("%s was created: Python runs it at every start", path)
		}
		if w.plugsIn(path) {
			return fmt.Sprintf("%s was created: pytest runs the package at every start", path)
		}
		if module := moduleName(name); module != "" && w.modules[module] {
			return fmt.Sprintf("%s was created: Python may import it instead of another %s", path, module)
		}
	}
	return ""
}
