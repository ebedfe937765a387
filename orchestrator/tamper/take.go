package tamper

import (
	"cmp"
	"slices"

	"autobuild/internal/safefile"
)

// Take looks at everything once.
func Take(c Config) (*Watch, error) {
	if c.Load == nil {
		c.Load = safefile.Read
	}
	w := &Watch{
		config: c, programs: map[string]int{}, modules: map[string]bool{},
		dirs: map[string]stamp{},
	}
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
	w.items = slices.Clone(
		slices.CompactFunc(w.items, func(a, b item) bool { return a.Path == b.Path }))
	w.arm()
	return w, nil
}
