package tamper

import (
	"io/fs"
	"os"
	"runtime"
	"time"
)

// item is one path and its former state: enough to notice any change by stat calls alone, and to
// put a small file back.
type item struct {
	Path   string
	What   string // in words
	Stamp  stamp  // of the path itself
	Dir    stamp  `json:",omitzero"` // of the directory that holds it
	Link   string `json:",omitzero"` // where it leads, if it is a symbolic link
	Target stamp  `json:",omitzero"` // of the file behind the link
	Copy   []byte `json:",omitzero"`
	Kept   bool   `json:",omitzero"` // Copy is the content
	Fetch  bool   `json:",omitzero"` // a cache: removed files are fetched again
}

// stamp identifies a state of a file without reading it. The zero stamp means that there is none.
type stamp struct {
	Mode         fs.FileMode
	Size         int64
	Mtime, Ctime int64 // nanoseconds
	Ino, Dev     uint64
}

// Stamp identifies a state of a file, behind links, by all that its system says of it. Two states
// are comparable with ==. A program cannot give a file that it has changed its old Stamp back.
type Stamp struct{ of stamp }

// StampOf is the Stamp of a path now; zero where there is no file.
func StampOf(path string) Stamp { return Stamp{stampOf(path)} }

func (s stamp) absent() bool { return s == stamp{} }

// stampOf follows links.
func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	return stampFrom(info)
}

// stampFrom makes a stamp. A directory's content is not part of it, but its times show that names
// came or went.
func stampFrom(info fs.FileInfo) stamp {
	s := stamp{Mode: info.Mode(), Size: info.Size(), Mtime: info.ModTime().UnixNano()}
	s.Ctime, s.Ino, s.Dev = inode(info)
	if info.IsDir() {
		s.Size = 0
	}
	return s
}

// settled reports whether a file that changed again would get another stamp. later is a time of the
// same file system, in nanoseconds. Times stand still for as long as a tick of the kernel takes;
// where they are whole seconds, for up to two of them.
func (s stamp) settled(later int64) bool {
	tick := 20 * time.Millisecond
	if s.Ctime%int64(time.Second) == 0 {
		tick = 2 * time.Second
	}
	return s.Ctime != 0 && later-s.Ctime > int64(tick)
}

// identity leaves out of a directory's stamp what changes as names come and go.
func (s stamp) identity() stamp {
	if s.Mode.IsDir() {
		s.Mtime, s.Ctime = 0, 0
	}
	return s
}

// content is the stamp of the file that is read.
func (it item) content() stamp {
	if it.Link != "" {
		return it.Target
	}
	return it.Stamp
}

func (it item) same(now item) bool {
	return it.Stamp.identity() == now.Stamp.identity() && it.Link == now.Link &&
		it.Target.identity() == now.Target.identity()
}

// lookIn notes what lies at a path in a directory that was looked at just now.
func lookIn(dir stamp, path, what string) item {
	it := item{Path: path, What: what, Dir: dir}
	info, err := os.Lstat(path)
	if err != nil {
		return it
	}
	it.Stamp = stampFrom(info)
	if info.Mode()&fs.ModeSymlink != 0 {
		it.Link, _ = os.Readlink(path) // it was one a moment ago
		it.Target = stampOf(path)
	}
	return it
}

// executable reports whether a program could be started from a path.
func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() &&
		(runtime.GOOS == "windows" || info.Mode().Perm()&0o111 != 0)
}

// Bounds in bytes: of one file that is copied, of all copies together, and of the entries that one
// Compare looks at in libraries.
const (
	maxCopy    = 1 << 20
	maxCopies  = 8 << 20
	maxEntries = 40_000
	maxNames   = 100_000 // of one directory
)
