package proc

import (
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Bounds of a spool, in bytes.
const (
	spoolBacklog = 64 << 20 // written and not yet read: beyond it the middle is dropped
	spoolKept    = 16 << 20 // … and this much of the end is read
	spoolFreed   = 4 << 20  // read, and not yet given back to the disk
)

// Pauses between reads of a spool that has nothing new. They matter where inotify is not available:
// they begin short and grow.
const (
	spoolSoon = 5 * time.Millisecond
	spoolLate = 100 * time.Millisecond
	spoolIdle = 5 * time.Second // with inotify, in case a write went unnoticed
)

// spool is a regular file that takes a child's stdout and is read while it grows. Node writes to a
// file before it goes on, and to a pipe some time later: data still in a pipe when it exits is
// lost. Data that was read is cut out of the file, so that the disk holds no more than the backlog.
// The file has no name.
type spool struct {
	file  *os.File
	at    int64 // where the next read begins
	freed int64 // up to where the file is a hole
	ended chan struct{}
	once  sync.Once
	watch *os.File // inotify's; nil where it is not available
}

// openSpool makes a spool in dir, and the end of it that the child gets.
func openSpool(dir string) (s *spool, child *os.File, err error) {
	file, err := os.CreateTemp(dir, "stdout-*")
	if err != nil {
		return nil, nil, fmt.Errorf("make a file for its output: %w", err)
	}
	watch := watchWrites(file.Name())
	child, err = os.OpenFile(file.Name(), os.O_WRONLY|os.O_APPEND, 0)
	if gone := os.Remove(file.Name()); err == nil {
		err = gone
	}
	if err != nil {
		closeQuietly(file)
		closeQuietly(child)
		closeQuietly(watch)
		return nil, nil, fmt.Errorf("make a file for its output: %w", err)
	}
	return &spool{file: file, ended: make(chan struct{}), watch: watch}, child, nil
}

// watchWrites returns an inotify descriptor that is readable after each write to a file; nil where
// the system has none left.
func watchWrites(path string) *os.File {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil
	}
	watch := os.NewFile(uintptr(fd), "inotify")
	if _, err := unix.InotifyAddWatch(fd, path, unix.IN_MODIFY); err != nil {
		closeQuietly(watch)
		return nil
	}
	return watch
}

// writes signals that the file was written to, at most one signal at a time, until the spool is
// closed. It is nil without inotify.
func (s *spool) writes() <-chan struct{} {
	if s.watch == nil {
		return nil
	}
	written := make(chan struct{}, 1)
	go func() {
		events := make([]byte, 4096)
		for {
			if _, err := s.watch.Read(events); err != nil {
				return
			}
			select {
			case written <- struct{}{}:
			default:
			}
		}
	}()
	return written
}

// end says that nothing more is written.
func (s *spool) end() {
	if s != nil {
		s.once.Do(func() { close(s.ended) })
	}
}

// close gives the spool up, read or not.
func (s *spool) close() {
	if s != nil {
		s.end()
		closeQuietly(s.file)
		closeQuietly(s.watch)
	}
}

// pump hands over what is written until the end.
func (s *spool) pump(each func([]byte)) {
	buf := make([]byte, chunkSize)
	written, soon, late := s.writes(), spoolSoon, spoolLate
	if written != nil {
		soon, late = spoolIdle, spoolIdle
	}
	wait := soon
	for last := false; ; {
		n, _ := s.file.ReadAt(buf, s.at) // the end of a file that grows is no error
		if n > 0 {
			s.at, wait = s.at+int64(n), soon
			each(buf[:n])
			s.cut(each)
			continue
		}
		if last {
			return
		}
		if size := s.size(); size < s.at { // the child has cut it off
			s.at, s.freed = 0, 0
			continue
		}
		select {
		case <-s.ended:
			last = true
		case <-written:
		case <-time.After(wait):
			wait = min(2*wait, late)
		}
	}
}

// cut frees the bytes that were read. It skips a backlog that the reader cannot catch up with.
func (s *spool) cut(each func([]byte)) {
	if behind := s.size() - s.at; behind > spoolBacklog {
		left := behind - spoolKept
		s.at += left
		each(fmt.Appendf(nil, "\n… %d bytes left out …\n", left))
	}
	if s.at-s.freed >= spoolFreed {
		// a file system that cannot do it keeps the bytes until the child ends
		_ = unix.Fallocate(int(s.file.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE,
			s.freed, s.at-s.freed)
		s.freed = s.at
	}
}

func (s *spool) size() int64 {
	info, err := s.file.Stat()
	if err != nil {
		return 0
	}
	return info.Size()
}
