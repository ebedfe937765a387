package tamper

import (
	"io/fs"
	"os"
	"time"
)

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
