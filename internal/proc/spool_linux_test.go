package proc

import (
	"bytes"
	"os"
	"strings"
	"syscall"
	"testing"
)

// spoolOf is a spool, and the bytes that its pump has handed over when done is called.
func spoolOf(t *testing.T) (s *spool, child *os.File, done func() []byte) {
	t.Helper()
	s, child, err := openSpool(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var got []byte
	finished := make(chan struct{})
	start := func() {
		s.pump(func(b []byte) { got = append(got, b...) })
		close(finished)
	}
	t.Cleanup(s.close)
	return s, child, func() []byte {
		go start()
		s.end()
		<-finished
		return got
	}
}

// The spool returns a child's output to the last byte, and the file has no name under which it
// could be found.
func TestSpool(t *testing.T) {
	s, child, done := spoolOf(t)
	text := strings.Repeat("a line of an agent's\n", 100_000)
	if _, err := child.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(strings.TrimSuffix(s.file.Name(), "/"+lastOf(s.file.Name()))); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v", entries, err)
	}
	if got := done(); string(got) != text {
		t.Errorf("%d bytes of %d", len(got), len(text))
	}
}

// A write is signalled, though the file has no name any more.
func TestSpoolSignalsWrites(t *testing.T) {
	s, child, err := openSpool(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	written := s.writes()
	if written == nil {
		t.Skip("inotify has no watch left for this user")
	}
	for range 3 {
		if _, err := child.WriteString("a line\n"); err != nil {
			t.Fatal(err)
		}
		<-written
	}
}

func lastOf(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// The disk holds what is not read yet, and no more.
func TestSpoolIsBounded(t *testing.T) {
	s, child, err := openSpool(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	piece := bytes.Repeat([]byte("0123456789abcde\n"), 1<<16) // 1 MiB
	read := make(chan int)
	finished := make(chan struct{})
	go func() {
		s.pump(func(b []byte) { read <- len(b) })
		close(finished)
	}()
	for range 64 {
		if _, err := child.Write(piece); err != nil {
			t.Fatal(err)
		}
		for n := 0; n < len(piece); {
			n += <-read
		}
	}
	var st syscall.Stat_t
	if err := syscall.Fstat(int(child.Fd()), &st); err != nil {
		t.Fatal(err)
	}
	if held := st.Blocks * 512; held > 2*spoolFreed {
		t.Errorf("the disk holds %d bytes of a file of %d that is read", held, st.Size)
	}
	s.end()
	<-finished
}

// The reader gets the end of a flood that it cannot keep up with, and a note of the missing part.
func TestSpoolOfAFlood(t *testing.T) {
	_, child, done := spoolOf(t)
	piece := bytes.Repeat([]byte("0123456789abcde\n"), 1<<16)
	for range (spoolBacklog + spoolKept) >> 20 {
		if _, err := child.Write(piece); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := child.WriteString("{\"type\":\"result\"}\n"); err != nil {
		t.Fatal(err)
	}
	got := done()
	if len(got) > spoolKept+1<<20 || !bytes.HasSuffix(got, []byte("{\"type\":\"result\"}\n")) || !bytes.Contains(got, []byte("bytes left out")) {
		t.Errorf("%d bytes, ending %q", len(got), got[max(0, len(got)-40):])
	}
}

// A child that cuts its output off is read from its new beginning.
func TestSpoolIsCutOff(t *testing.T) {
	s, child, err := openSpool(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	read, finished := make(chan string), make(chan struct{})
	go func() {
		s.pump(func(b []byte) { read <- string(b) })
		close(finished)
	}()
	for _, text := range []string{"what was there before\n", "after\n"} {
		if err := child.Truncate(0); err != nil {
			t.Fatal(err)
		}
		if _, err := child.WriteString(text); err != nil {
			t.Fatal(err)
		}
		if got := <-read; got != text {
			t.Errorf("%q, not %q", got, text)
		}
	}
	s.end()
	<-finished
}
