package tamper

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
)

// Compare looks again. Without commands it looks at nothing where the kernel says that nothing has
// changed. Before and after commands it looks at every path, and at libraries of tools that one of
// the commands, or what lay in the checkout, says are used: that costs a stat call a file.
func (w *Watch) Compare(commands ...string) []Change {
	if w.quiet() && len(commands) == 0 {
		return nil
	}
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
	w.alarm.rung = w.alarm.rung || len(changes) > 0
	slices.SortStableFunc(changes, func(a, b Change) int { return cmp.Compare(a.Path, b.Path) })
	return slices.CompactFunc(changes, func(a, b Change) bool { return a.Path == b.Path })
}

// Adopt takes changes for what is to be: autobuild's own preparation made them.
func (w *Watch) Adopt() error {
	again, err := Take(w.config)
	if err == nil {
		w.alarm.news.close()
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
	return Change{Path: was.Path, What: fmt.Sprintf("%s %s %s", was.What, was.Path,
		verb(was.Stamp, now.Stamp)), kind: replaced, at: i}, true
}

// unchanged reports whether an item was written anew with the same content.
func (w *Watch) unchanged(was *item, now item) bool {
	if !was.Kept || was.Link != now.Link || was.content().Mode != now.content().Mode ||
		was.content().Size != now.content().Size || !now.content().Mode.IsRegular() {
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
		return nil // it is gone; its entries are missed by name
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

// shadows describes the effect of a new name on programs and modules; empty where it has none.
func (w *Watch) shadows(i int, name, path string) string {
	l := w.listings[i]
	switch l.Kind {
	case programsIn:
		at, known := w.programs[name]
		if !known || at <= i || !executable(path) {
			return ""
		}
		return fmt.Sprintf("program %s was created: it comes before %s on PATH", path,
			filepath.Join(w.listings[at].Dir, name))
	case modulesIn:
		if steersPython(name) {
			return fmt.Sprintf("%s was created: Python runs it at every start", path)
		}
		if w.plugsIn(path) {
			return fmt.Sprintf("%s was created: pytest runs the package at every start", path)
		}
		if module := moduleName(name); module != "" && w.modules[module] {
			return fmt.Sprintf("%s was created: Python may import it instead of another %s", path,
				module)
		}
	}
	return ""
}
