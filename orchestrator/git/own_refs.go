package git

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"autobuild/internal/safefile"
)

// OwnRefs are the refs of a run's repository: one file a ref, in git's own format. The run is
// their only writer, so an update needs no git process. Its methods may be called from any number
// of goroutines.
type OwnRefs struct {
	Dir string // the git directory

	unsynced atomic.Bool // something was written that the next UpdateRefs has to flush

	mu    sync.Mutex
	later map[string]bool // folders of refs that have moved and are not synced
}

// file is the path of a ref's file.
func (o *OwnRefs) file(ref string) string { return filepath.Join(o.Dir, filepath.FromSlash(ref)) }

// at is the value of a ref; empty: it has none.
func (o *OwnRefs) at(ref string) (string, error) {
	data, err := safefile.ReadPlain(o.file(ref), safefile.Small)
	switch {
	case safefile.Missing(err) || errors.Is(err, fs.ErrNotExist) || safefile.IsDir(o.file(ref)):
		return "", nil
	case err != nil:
		return "", Unusable("a ref of the run cannot be read", err)
	}
	return commitID(string(bytes.TrimSpace(data))), nil // empty after a power cut
}

// RefsNamed gives those of some refs, by full name, that have a value.
func (o *OwnRefs) RefsNamed(_ context.Context, names ...string) (map[string]string, error) {
	refs := map[string]string{}
	for _, name := range names {
		id, err := o.at(name)
		if err != nil {
			return nil, err
		}
		if id != "" {
			refs[name] = id
		}
	}
	return refs, nil
}

// Refs gives the refs below folders, each with a slash at its end.
func (o *OwnRefs) Refs(ctx context.Context, folders ...string) (map[string]string, error) {
	var names []string
	for _, folder := range folders {
		err := filepath.WalkDir(o.file(folder), func(p string, e fs.DirEntry, err error) error {
			name := path.Join(folder, filepath.ToSlash(strings.TrimPrefix(p, o.file(folder))))
			if err == nil && e.Type().IsRegular() && !strings.HasPrefix(e.Name(), safefile.TempPrefix) {
				names = append(names, name)
			}
			return safefile.IgnoreMissing(err)
		})
		if err != nil {
			return nil, Unusable("the refs of the run cannot be read", err)
		}
	}
	return o.RefsNamed(ctx, names...)
}

// UpdateRefs sets refs in the given order, then deletes those without a new value. It changes
// nothing if a ref does not have its expected old value. New values, and after MarkUnsynced the
// whole file system, are durable before a ref moves.
func (o *OwnRefs) UpdateRefs(_ context.Context, moves ...RefUpdate) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	given, err := o.expected(moves)
	if err != nil {
		return err
	}
	if len(given) > 0 {
		unsynced := o.unsynced.Swap(false)
		if err = o.give(given, unsynced); err != nil {
			o.unsynced.CompareAndSwap(false, unsynced)
			return Unusable("a ref of the run cannot be written", err)
		}
	}
	for _, m := range moves {
		if m.New == "" {
			err = errors.Join(err, safefile.IgnoreMissing(os.Remove(o.file(m.Ref))))
		}
	}
	if err != nil {
		return Unusable("a ref of the run cannot be removed", err)
	}
	return nil
}

// expected checks the old values of all changes, and returns the changes that set another value.
func (o *OwnRefs) expected(moves []RefUpdate) (given []RefUpdate, err error) {
	for _, m := range moves {
		was, err := o.at(m.Ref)
		if err == nil && (m.Old != "" && was != m.Old || m.Create && was != "") {
			err = &UnusableError{What: "something else moved a ref of the run", Where: m.Ref}
		}
		if err != nil {
			return nil, err
		}
		if m.New != "" && m.New != was {
			given = append(given, m)
		}
	}
	return given, nil
}

// give sets refs after all new values are durable.
func (o *OwnRefs) give(moves []RefUpdate, unsynced bool) error {
	defer func() {
		for _, m := range moves {
			_ = os.Remove(o.next(m.Ref)) // one that was not renamed
		}
	}()
	for _, m := range moves {
		if err := o.write(m, !unsynced || !flushes); err != nil {
			return err
		}
	}
	if unsynced {
		if err := o.flush(); err != nil {
			return err
		}
	}
	for _, m := range moves {
		if err := os.Rename(o.next(m.Ref), o.file(m.Ref)); err != nil {
			return err //nolint:wrapcheck // the caller says what it is about
		}
	}
	return nil
}

// WriteLater sets refs at once; the next UpdateRefs makes them durable. A power cut before that
// may leave an empty ref.
func (o *OwnRefs) WriteLater(moves ...RefUpdate) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.unsynced.Store(true)
	for _, m := range moves {
		err := o.write(m, !flushes)
		if err == nil {
			err = os.Rename(o.next(m.Ref), o.file(m.Ref))
		}
		if err != nil {
			return Unusable("a ref of the run cannot be written", err)
		}
	}
	return nil
}

// next is the path of the file that will be a ref's.
func (o *OwnRefs) next(ref string) string {
	dir, name := filepath.Split(o.file(ref))
	return filepath.Join(dir, safefile.TempPrefix+name)
}

// write writes the next file of a ref.
func (o *OwnRefs) write(m RefUpdate, sync bool) error {
	if _, err := os.Lstat(o.Dir); err != nil {
		return err // it was removed while the run went on, and is not made anew
	}
	file := o.next(m.Ref)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	f, err := safefile.OpenPlain(file, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(m.New + "\n")
	if err == nil && sync {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// flush puts what the refs lead to on the disk, and the folders of SyncLater.
func (o *OwnRefs) flush() error {
	err := Flush(o.Dir)
	if err == nil {
		o.later = nil
	}
	return err
}

// Flush puts on the disk what the next UpdateRefs would.
func (o *OwnRefs) Flush() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.unsynced.Swap(false) {
		return nil
	}
	err := o.flush()
	o.unsynced.Store(err != nil)
	return err
}

// MarkUnsynced makes the next UpdateRefs that gives a value flush the file system.
func (o *OwnRefs) MarkUnsynced() { o.unsynced.Store(true) }

// SyncLater registers the folders of refs for the next flush or SyncRefs: a rename is durable only
// then.
func (o *OwnRefs) SyncLater(refs ...string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, ref := range refs {
		if o.later == nil {
			o.later = map[string]bool{}
		}
		o.later[path.Dir(ref)] = true
	}
}

// Synced forgets SyncLater: the file system was flushed.
func (o *OwnRefs) Synced() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.later = nil
}

// SyncRefs syncs the folders of refs, and those of SyncLater.
func (o *OwnRefs) SyncRefs(refs ...string) error {
	o.SyncLater(refs...)
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.later) > 1 && flushes {
		return o.flush()
	}
	for _, folder := range slices.Sorted(maps.Keys(o.later)) {
		if err := syncFolder(o.file(folder)); err != nil {
			return err
		}
	}
	o.later = nil
	return nil
}
