package tamper

import "path/filepath"

// arm sets the alarm for everything but libraries. The next look is a full one.
func (w *Watch) arm() {
	w.alarm.news.close()
	a := alarm{
		news: openNotices(), paths: map[string]bool{}, lists: map[string]bool{},
		dirs: map[string]bool{}, rung: true,
	}
	w.alarm = a
	if a.news == nil {
		return
	}
	for i := range w.items {
		a.file(w.items[i].Path, w.items[i].Link)
	}
	for i := range w.listings {
		a.lists[w.listings[i].Dir] = true
		a.folder(w.listings[i].Dir)
		a.names(w.listings[i].Dir)
	}
	for dir, files := range a.dirs {
		if isDir(dir) && !a.news.add(dir, files) {
			a.news.close()
			w.alarm.news = nil
			return
		}
	}
}

// quiet reports that nothing of what the alarm is set for has changed since the last call. It is
// false where the kernel does not say, and then the caller has to look.
func (w *Watch) quiet() bool {
	a := &w.alarm
	if a.news == nil {
		return false
	}
	seen := false
	whole := a.news.read(func(path string) {
		seen = seen || a.paths[path] || a.lists[filepath.Dir(path)]
	})
	rung := a.rung
	if seen || !whole {
		w.arm() // a directory may be there that was not
	}
	w.alarm.rung = false
	return whole && !seen && !rung
}
