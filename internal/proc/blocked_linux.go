package proc

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// blockedOn returns the file that a process of the group waits for: a FIFO whose other end no
// process opens or writes to. It is empty while every process of the group can go on.
func blockedOn(pgid int) string {
	all, err := processes()
	if err != nil {
		return ""
	}
	for _, p := range all {
		if p.pgid != pgid {
			continue
		}
		if path := waitsFor(p.pid); path != "" {
			return path
		}
	}
	return ""
}

// waitsFor reads the system call in which a process sleeps.
func waitsFor(pid int) string {
	dir := "/proc/" + strconv.Itoa(pid)
	raw, err := os.ReadFile(dir + "/syscall")
	if err != nil {
		return ""
	}
	f := strings.Fields(string(raw)) // "running" for one that does not sleep
	if len(f) < 3 {
		return ""
	}
	number, err := strconv.Atoi(f[0])
	if err != nil {
		return ""
	}
	switch number {
	case unix.SYS_OPENAT:
		return namedPipe(dir, argument(dir, f[1]), text(dir+"/mem", f[2]))
	case sysOpen:
		return namedPipe(dir, dir+"/cwd", text(dir+"/mem", f[1]))
	case unix.SYS_READ:
		fd, err := strconv.ParseUint(f[1], 0, 32)
		if err != nil {
			return ""
		}
		to, err := os.Readlink(dir + "/fd/" + strconv.FormatUint(fd, 10))
		if err != nil || !filepath.IsAbs(to) { // an unnamed pipe is "pipe:[123]"
			return ""
		}
		return namedPipe(dir, "", to)
	}
	return ""
}

// argument is the directory that the first argument of openat names.
func argument(dir, word string) string {
	fd, err := strconv.ParseUint(word, 0, 64)
	if err != nil || int32(fd) == unix.AT_FDCWD {
		return dir + "/cwd"
	}
	return dir + "/fd/" + strconv.FormatUint(fd, 10)
}

// namedPipe returns the path if it leads to a FIFO. A link in the path is resolved as the process
// would resolve it.
func namedPipe(dir, base, path string) string {
	if path == "" {
		return ""
	}
	if !filepath.IsAbs(path) {
		at, err := os.Readlink(base)
		if err != nil {
			return ""
		}
		path = filepath.Join(at, path)
	}
	var st unix.Stat_t
	if unix.Stat(dir+"/root"+path, &st) != nil && unix.Stat(path, &st) != nil {
		return ""
	}
	if st.Mode&unix.S_IFMT != unix.S_IFIFO {
		return ""
	}
	return path
}

// text reads a C string from a process's memory.
func text(mem, word string) string {
	at, err := strconv.ParseUint(word, 0, 64)
	if err != nil {
		return ""
	}
	f, err := os.Open(mem)
	if err != nil {
		return ""
	}
	defer closeQuietly(f)
	buf := make([]byte, unix.PathMax)
	n, _ := f.ReadAt(buf, int64(at)) // the next page need not be there
	s, _, ended := bytes.Cut(buf[:n], []byte{0})
	if !ended {
		return ""
	}
	return string(s)
}
