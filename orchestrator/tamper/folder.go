package tamper

// folder is a directory of a library with the names of its files, as they were at Stamp. While the
// stamp stays, no name was added, removed or replaced.
type folder struct {
	Path  string
	Stamp int64 // change time of the inode, in nanoseconds
	Files []string
}

// entry is the result of a stat call on a library's file.
type entry struct {
	changed int64 // change time of the inode, in nanoseconds; no program can set it
	written int64 // modification time, in nanoseconds
	links   uint64
}

// newer reports whether the file changed after since. A file with several names whose content is
// older has got or lost a name: stores of packages share their files so.
func (e entry) newer(since int64) bool {
	return e.changed > since && (e.links < 2 || e.written > since)
}
