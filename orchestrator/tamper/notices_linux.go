package tamper

import (
	"bytes"
	"encoding/binary"
	"errors"
	"path/filepath"
	"runtime"

	"golang.org/x/sys/unix"
)

// notices receives from the kernel which names in directories have changed, by inotify. It sees a
// file through its directory alone: a write through a hard link elsewhere does not show.
type notices struct {
	fd   int
	dirs map[int32]string
	buf  []byte
	end  runtime.Cleanup
}

// The events that a change of a name leaves, and a change of the file behind it. A file that is
// mapped into memory shows when it is closed.
const (
	named = unix.IN_ATTRIB | unix.IN_CREATE | unix.IN_DELETE | unix.IN_MOVED_FROM |
		unix.IN_MOVED_TO | unix.IN_DELETE_SELF | unix.IN_MOVE_SELF | unix.IN_ONLYDIR
	written = unix.IN_MODIFY | unix.IN_CLOSE_WRITE
)

// openNotices is nil where the system gives no more of them.
func openNotices() *notices {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil
	}
	n := &notices{fd: fd, dirs: map[int32]string{}, buf: make([]byte, 16<<10)}
	n.end = runtime.AddCleanup(n, func(fd int) { _ = unix.Close(fd) }, fd)
	return n
}

// add watches the names in a directory, with files also what is written, and reports whether it
// does.
func (n *notices) add(dir string, files bool) bool {
	mask := uint32(named)
	if files {
		mask |= written
	}
	wd, err := unix.InotifyAddWatch(n.fd, dir, mask)
	if err != nil {
		return false
	}
	n.dirs[int32(wd)] = dir
	return true
}

// read calls each with the path of every change between the last call and this one. It returns
// false where some may be missing: the queue was full, or a directory is gone.
func (n *notices) read(each func(path string)) (whole bool) {
	left, err := unix.IoctlGetInt(n.fd, unix.TIOCINQ)
	if whole = err == nil; !whole {
		return false
	}
	// Another process may write faster than this one reads: what comes later waits.
	for left > 0 {
		size, err := unix.Read(n.fd, n.buf)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || size <= 0 {
			return false
		}
		left -= size
		for at := 0; at+unix.SizeofInotifyEvent <= size; {
			head := n.buf[at:]
			wd := int32(binary.NativeEndian.Uint32(head))
			mask := binary.NativeEndian.Uint32(head[4:])
			end := at + unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(head[12:]))
			name := bytes.TrimRight(n.buf[at+unix.SizeofInotifyEvent:end], "\x00")
			at = end
			if mask&(unix.IN_Q_OVERFLOW|unix.IN_IGNORED|unix.IN_UNMOUNT|unix.IN_DELETE_SELF|
				unix.IN_MOVE_SELF) != 0 {
				whole = false
				continue
			}
			if len(name) > 0 {
				each(filepath.Join(n.dirs[wd], string(name)))
			}
		}
	}
	return whole
}

// close ends the notices; nil has none.
func (n *notices) close() {
	if n != nil {
		n.end.Stop()
		_ = unix.Close(n.fd) // nothing was written
	}
}
