package git

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"syscall"

	"autobuild/internal/safefile"
)

// SyncLater makes the next flush of UpdateRefs, or else the next SyncRefs, sync the folders of refs
// too.
func (r *Repository) SyncLater(refs ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, ref := range refs {
		if ref != "" {
			if r.later == nil {
				r.later = map[string]bool{}
			}
			r.later[path.Dir(ref)] = true
		}
	}
}

// takeLater gives the folders of refs that are to be synced, and forgets them.
func (r *Repository) takeLater() map[string]bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	folders := r.later
	r.later = nil
	return folders
}

// SyncRefs syncs the folders of refs that were just updated. Git syncs the file of a ref and
// renames it into its place, and does not sync the folder: a power cut could lose the ref and keep
// a later file elsewhere that says that the ref was updated. Refs of SyncLater are synced too; for
// more than one folder a flush of the file system is one call.
func (r *Repository) SyncRefs(refs ...string) error {
	r.moving.Lock() // a flush that is under way may be the one
	defer r.moving.Unlock()
	r.SyncLater(refs...)
	folders := r.takeLater()
	if len(folders) > 1 && flushes {
		return Flush(r.CommonDir)
	}
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		f, err := safefile.OpenDir(filepath.Join(r.CommonDir, filepath.FromSlash(folder)))
		if errors.Is(err, fs.ErrNotExist) {
			continue // packed, or kept in another way
		}
		if err == nil {
			err = errors.Join(f.Sync(), f.Close())
		}
		switch {
		case err == nil:
		case errors.Is(err, errors.ErrUnsupported), errors.Is(err, syscall.EINVAL),
			errors.Is(err, fs.ErrPermission):
			// Windows and some network file systems cannot sync a folder.
		default:
			return fmt.Errorf("flushing %s: %w; see that the disk is not full", folder, err)
		}
	}
	return nil
}
