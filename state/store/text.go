package store

import (
	"cmp"
	"io"
	"os"
	"path/filepath"
	"slices"

	"autobuild/internal/safefile"
)

// maxShown is the most that ReadText reads of a file, in bytes.
const maxShown = 16 << 20

// ReadText reads the beginning of a file of the state directory. It returns "" where the file
// cannot be read.
func ReadText(stateDir, name string) string {
	return ReadPart(stateDir, name,
		func(f *os.File, _ int64) io.Reader { return io.LimitReader(f, maxShown) })
}

// ReadPart reads a part of a file of the state directory; part gets its size. It returns "" where
// the file cannot be read. The name may be from a file that was edited by hand, so it cannot leave
// the directory.
func ReadPart(stateDir, name string, part func(f *os.File, size int64) io.Reader) string {
	root, err := os.OpenRoot(stateDir)
	if err != nil {
		return ""
	}
	defer root.Close() //nolint:errcheck // opened for reading
	name = filepath.FromSlash(name)
	f, err := safefile.OpenIn(root, name, os.O_RDONLY, 0)
	if err != nil {
		return ""
	}
	defer f.Close() //nolint:errcheck // opened for reading
	info, err := f.Stat()
	if err != nil {
		return ""
	}
	text, err := io.ReadAll(part(f, info.Size()))
	if err != nil {
		return ""
	}
	return string(text)
}

// Archived lists the folders of archived runs below HistoryDir, the latest first.
func Archived(stateDir string) []string {
	entries, err := os.ReadDir(filepath.Join(stateDir, HistoryDir))
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && Exists(filepath.Join(stateDir, HistoryDir, e.Name())) {
			names = append(names, e.Name())
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(b, a) })
	return names
}
