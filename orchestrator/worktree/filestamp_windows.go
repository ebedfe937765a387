package worktree

import "io/fs"

// fileStamp distinguishes two states of a file without reading it.
type fileStamp struct {
	size  int64
	mode  fs.FileMode
	mtime int64 // nanoseconds; of a directory none, since gates make files in it
}

func stampOf(_ string, e fs.DirEntry) (fileStamp, error) {
	info, err := e.Info()
	if err != nil {
		return fileStamp{}, err //nolint:wrapcheck // the path is in it
	}
	if e.IsDir() {
		return fileStamp{mode: info.Mode()}, nil
	}
	return fileStamp{size: info.Size(), mode: info.Mode(), mtime: info.ModTime().UnixNano()}, nil
}
