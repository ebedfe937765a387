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

// SyncRefs syncs the folders of refs that were just updated. Git syncs the file of a ref and
// renames it into its place, and does not sync the folder: a power cut could lose the ref and keep
// a later file elsewhere that says that the ref was updated.
func (r *Repository) SyncRefs(refs ...string) error {
	folders := make(map[string]bool)
	for _, ref := range refs {
		if ref != "" {
			folders[path.Dir(ref)] = true
		}
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
