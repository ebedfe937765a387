package git

import (
	"os"
	"path"
	"path/filepath"

	"autobuild/internal/safefile"
)

// A power cut leaves files empty that were written and not yet on the disk: their names are durable
// before their content is. Most are made again by whoever finds them missing, and by nobody who
// finds them there.

// RemoveEmptyObjects makes room for what a power cut has left empty of git's objects, whoever wrote
// them. An empty one holds nothing, so nothing is lost; but while its name is there git takes the
// object for written, and the same content, done once more, would lead to nothing. What cannot be
// removed is met, and named, by the git that reads it.
func (r *Repository) RemoveEmptyObjects() {
	root, err := os.OpenRoot(filepath.Join(r.CommonDir, "objects"))
	if err != nil {
		return
	}
	defer func() { _ = root.Close() }() // nothing was written through it
	folders, err := safefile.ReadDirIn(root, ".", safefile.Entries)
	if err != nil {
		return
	}
	for _, folder := range folders {
		if len(folder.Name()) == 2 && folder.IsDir() {
			removeEmpty(root, folder.Name())
		}
	}
}

// removeEmpty removes the empty files of a folder.
func removeEmpty(root *os.Root, folder string) {
	files, err := safefile.ReadDirIn(root, folder, safefile.Entries)
	if err != nil {
		return
	}
	for _, f := range files {
		info, err := f.Info()
		if err == nil && info.Mode().IsRegular() && info.Size() == 0 {
			_ = root.Remove(filepath.FromSlash(path.Join(folder, f.Name())))
		}
	}
}
