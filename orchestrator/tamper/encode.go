package tamper

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
)

// stored is a Watch on disk.
type stored struct {
	Items    []item `json:",omitempty"` // Encode writes them first
	Listings []listing
	Trees    []tree
	Since    int64
}

// Encode is the watch as bytes, for a process that comes after this one. It encodes one item at a
// time, because json.Marshal of a watch allocates five times its length.
func (w *Watch) Encode() ([]byte, error) {
	const each = 400 // bytes of an item without its copy, and a little more
	data := make([]byte, 0, each*len(w.items)+int(w.copied)*4/3)
	data = append(data, `{"Items":[`...)
	comma := ""
	for i := range w.items {
		if w.items[i].Stamp.absent() {
			continue
		}
		line, err := json.Marshal(&w.items[i])
		if err != nil {
			return nil, fmt.Errorf("noting the environment: %w", err)
		}
		data = append(append(data, comma...), line...)
		comma = ","
	}
	rest, err := json.Marshal(stored{Listings: w.listings, Trees: w.trees, Since: w.since})
	if err != nil {
		return nil, fmt.Errorf("noting the environment: %w", err)
	}
	data = append(data, "],"...)
	return append(data, rest[1:]...), nil
}

// Decode is the watch that Encode has written. Only paths that a watch with this configuration
// looks at are taken from it: anything else could have been written there to have it overwritten.
func Decode(c Config, data []byte) (*Watch, error) {
	var was stored
	if err := json.Unmarshal(data, &was); err != nil {
		return nil, fmt.Errorf("what was noted of the environment cannot be read: %w", err)
	}
	w, err := Take(c)
	if err != nil {
		return nil, err
	}
	lists := make(map[string]listing, len(was.Listings))
	for _, l := range was.Listings {
		lists[l.Dir+"\x00"+string(l.Kind)] = l
	}
	for i, l := range w.listings {
		if old, known := lists[l.Dir+"\x00"+string(l.Kind)]; known && old.Names != nil {
			w.listings[i] = old
		}
	}
	w.adoptItems(was.Items)
	w.resolve()
	// one that has come since is missed by its name
	w.trees = slices.DeleteFunc(w.trees, func(t tree) bool {
		return !slices.ContainsFunc(was.Trees, func(old tree) bool { return old.Root == t.Root })
	})
	for i, t := range w.trees {
		old := was.Trees[slices.IndexFunc(was.Trees,
			func(old tree) bool { return old.Root == t.Root })]
		w.trees[i].Names, w.trees[i].Since, w.trees[i].Away = old.Names, old.Since, old.Away
	}
	w.since = was.Since
	return w, nil
}

// adoptItems takes over the noted state of the watched paths. A path without a note was absent.
func (w *Watch) adoptItems(old []item) {
	noted := make(map[string]item, len(old))
	for _, it := range old {
		noted[it.Path] = it
	}
	listed := make(map[string]bool)
	onPath := make(map[string]bool)
	packages := make(map[string]bool)
	for _, l := range w.listings {
		listed[l.Dir] = true
		for name := range l.Names {
			packages[filepath.Join(l.Dir, name)] = true
		}
		onPath[l.Dir] = onPath[l.Dir] || l.Kind == programsIn
	}
	w.items = slices.DeleteFunc(w.items, func(it item) bool {
		_, known := noted[it.Path]
		dir := filepath.Dir(it.Path)
		fresh := listed[dir] || listed[filepath.Dir(dir)] &&
			filepath.Base(it.Path) == entryPoints && !packages[dir]
		return !known && fresh // a new name, which the directory's own list lacks
	})
	for i, it := range w.items {
		was, known := noted[it.Path]
		if !known {
			was = item{Path: it.Path, What: it.What}
		}
		w.items[i] = was
		delete(noted, it.Path)
	}
	for path, it := range noted {
		if it.What == programWord && onPath[filepath.Dir(path)] { // gone, or shadowed by now
			w.items = append(w.items, it)
		}
	}
}

// resolve finds out anew which names stand for what.
func (w *Watch) resolve() {
	programs := make(map[string]bool)
	for _, it := range w.items {
		programs[it.Path] = it.What == programWord
	}
	w.programs, w.modules = map[string]int{}, map[string]bool{}
	for i, l := range w.listings {
		for name := range l.Names {
			if l.Kind == modulesIn {
				if module := moduleName(name); module != "" {
					w.modules[module] = true
				}
				continue
			}
			if _, known := w.programs[name]; !known && programs[filepath.Join(l.Dir, name)] {
				w.programs[name] = i
			}
		}
	}
}
