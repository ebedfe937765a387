package git

import (
	"os"
	"path"
	"path/filepath"

	"autobuild/internal/safefile"
)

// RemoveEmptyObjects removes loose objects without content, which a power cut leaves: the name of a
// file is durable before its content is. While the name exists, git takes the object for written
// and does not write it again. A file that cannot be removed is named by the call that reads it.
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

// removeEmpty removes the empty files in a folder.
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
