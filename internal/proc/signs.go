package proc

import (
	"encoding/binary"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// FilesSeen bounds a look at Command.Files, in directory entries: those that are less deep come
// first. The look skips the content of directories whose names begin with a dot, since it changes
// without work of the child.
const FilesSeen = 20_000

// signs are the signs of life other than output, to be compared with earlier ones.
type signs struct {
	cpu     time.Duration
	counted bool // cpu is known
	files   uint64
}

// observe looks at a tree and, where dir is not empty, at its files.
func observe(t *tree, dir string) signs {
	var s signs
	s.cpu, s.counted = t.cpu()
	if dir != "" {
		s.files = stamp(dir, FilesSeen)
	}
	return s
}

// look begins a look, off the loop: a file system that does not answer must not keep the child from
// being stopped. One that never ends is left behind.
func (w *watch) look() {
	looks, sense := make(chan signs, 1), w.sense
	w.looks, w.looked = looks, w.awake
	go func() { looks <- sense() }()
}

// notice compares what is seen with what was: one per cent of a processor used by the tree is a
// sign of life, and so is any change of a file.
func (w *watch) notice(s signs) {
	w.looks = nil
	since := w.looked - w.compared
	if used := (s.cpu - w.signs.cpu).Abs(); s.counted && used >= max(since/100, 2*cpuTick) ||
		s.files != w.signs.files {
		w.lively = max(w.lively, w.looked)
	}
	w.signs, w.compared = s, w.looked
}

// Stamp sums up names, sizes and times of the entries below a directory, at most FilesSeen of them,
// in one number, which stays the same as long as none of them changes. It leaves out names that
// begin with a dot: sandboxes come and go there with each command.
func Stamp(dir string) uint64 {
	return sumUp(dir, FilesSeen, func(name string) bool { return !strings.HasPrefix(name, ".") })
}

// stamp sums up names, sizes and times of the entries below a directory, breadth first, at most
// limit of them. It stays the same as long as none of them changes. It leaves out entries that it
// cannot read.
func stamp(root string, limit int) uint64 {
	return sumUp(root, limit, func(string) bool { return true })
}

// sumUp is stamp for the entries whose names count.
func sumUp(root string, limit int, counts func(name string) bool) uint64 {
	var sum uint64
	for dirs := []string{root}; len(dirs) > 0 && limit > 0; dirs = dirs[1:] {
		limit = each(dirs[0], limit, func(path string, info fs.FileInfo) {
			if counts(info.Name()) {
				sum += digest(path, info) // a sum does not depend on the order
			}
			if info.IsDir() && !strings.HasPrefix(info.Name(), ".") {
				dirs = append(dirs, path)
			}
		})
	}
	return sum
}

// each calls f for the entries of a directory and returns what is left of limit. Links are not
// followed.
func each(dir string, limit int, f func(path string, info fs.FileInfo)) int {
	d, err := os.Open(dir)
	if err != nil {
		return limit
	}
	defer closeQuietly(d)
	for limit > 0 {
		names, err := d.Readdirnames(min(limit, 512))
		limit -= len(names)
		for _, name := range names {
			path := filepath.Join(dir, name)
			if info, gone := os.Lstat(path); gone == nil {
				f(path, info)
			}
		}
		if err != nil {
			break
		}
	}
	return limit
}

func digest(path string, info fs.FileInfo) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, path) // a hash has no errors
	b := binary.LittleEndian.AppendUint64(nil, uint64(info.Size()))
	b = binary.LittleEndian.AppendUint64(b, uint64(info.ModTime().UnixNano()))
	b = binary.LittleEndian.AppendUint32(b, uint32(info.Mode()))
	_, _ = h.Write(b)
	return h.Sum64()
}
