package tamper

import (
	"os"
	"path/filepath"
	"slices"
)

// look notes what lies at a path, with its content where that is wanted and small.
func (w *Watch) look(path, what string, keep bool) item {
	it := lookIn(w.dir(filepath.Dir(path)), path, what)
	if keep {
		w.keep(&it)
	}
	return it
}

// dir is the stamp of a directory. While a watch is taken, each is looked at once.
func (w *Watch) dir(path string) stamp {
	s, known := w.dirs[path]
	if !known {
		s = stampOf(path)
		if w.dirs != nil {
			w.dirs[path] = s
		}
	}
	return s
}

// keep copies a small regular file, as long as there is room for it.
func (w *Watch) keep(it *item) {
	size := it.content().Size
	if !it.content().Mode.IsRegular() || size > maxCopy || w.copied+size > maxCopies {
		return
	}
	data, err := w.config.Load(it.Path, maxCopy)
	if err != nil {
		return // it is noticed when it changes, and cannot be put back
	}
	w.copied += int64(len(data))
	it.Copy, it.Kept = data, true
}

// spot watches one path, there or not.
func (w *Watch) spot(path, what string) {
	if path == "" || !filepath.IsAbs(path) || w.own(path) {
		return
	}
	w.items = append(w.items, w.look(filepath.Clean(path), what, true))
}

// renew takes an item as it is now for what it is to be.
func (w *Watch) renew(i int) {
	was := w.items[i]
	w.copied -= int64(len(was.Copy))
	now := w.look(was.Path, was.What, was.Kept || was.Stamp.absent())
	now.Fetch = was.Fetch
	w.items[i] = now
}

// list adds a directory, and returns its position.
func (w *Watch) list(dir string, kind listingKind) int {
	l := listing{Dir: filepath.Clean(dir), Kind: kind}
	l.Stamp, l.Names = stampOf(l.Dir), map[string]bool{}
	names, _ := namesIn(l.Dir) // a tool cannot find names in an unreadable directory
	for _, name := range names {
		l.Names[name] = true
	}
	w.listings = append(w.listings, l)
	return len(w.listings) - 1
}

// tree adds a library that this process could change; an agent can change no other.
func (w *Watch) tree(t tree) {
	if w.config.Now == nil || w.own(t.Root) || !writable(t.Root) ||
		slices.ContainsFunc(w.trees, func(o tree) bool { return o.Root == t.Root }) {
		return
	}
	if info, err := os.Stat(t.Root); err == nil && info.IsDir() {
		w.trees = append(w.trees, t)
	}
}
