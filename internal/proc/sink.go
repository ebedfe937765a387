package proc

import (
	"bytes"
	"fmt"
	"os"
	"sync"
	"unicode/utf8"
)

const (
	chunkSize   = 32 << 10  // one read
	logTailSize = 256 << 10 // kept in memory, once a log is longer than its limit
	lineKept    = 4 << 10   // raw bytes of a line that are looked at for an activity line
)

// sink is where a child's output ends up: masked, escaped, and bounded on every way. Both streams
// feed it, so it is the one place in this package that needs a lock for data.
type sink struct {
	nudge chan struct{} // a new line is there

	mu      sync.Mutex
	mask    *masker
	clean   []byte // output that the masker has released
	safe    []byte // the same, escaped
	rest    []byte // the start of a character
	log     *cappedLog
	tail    ring
	line    []byte // the line that is being printed
	last    []byte // the last complete one that is not blank
	changed bool
	lines   int64
	bytes   int64
}

func newSink(log *os.File, limit int64, secrets []string) *sink {
	if limit <= 0 {
		limit = DefaultMaxLog
	}
	return &sink{
		nudge: make(chan struct{}, 1),
		mask:  newMasker(secrets),
		log: &cappedLog{
			file: log, room: max(limit-logTailSize, limit/2),
			tail: ring{size: int(min(logTailSize, limit/2))},
		},
		tail: ring{size: TailSize},
	}
}

// write takes one chunk of raw output.
func (s *sink) write(b []byte) {
	s.mu.Lock()
	s.bytes += int64(len(b))
	s.lines += int64(bytes.Count(b, []byte{'\n'}))
	s.pass(b, false)
	changed := s.changed
	s.mu.Unlock()
	if changed {
		select {
		case s.nudge <- struct{}{}:
		default:
		}
	}
}

// Write makes a sink an io.Writer for os/exec.
func (s *sink) Write(b []byte) (int, error) {
	s.write(b)
	return len(b), nil
}

func (s *sink) pass(b []byte, final bool) {
	s.clean = s.mask.feed(s.clean[:0], b, final)
	s.follow(s.clean)
	src := s.clean
	if len(s.rest) > 0 {
		src = append(s.rest, src...)
	}
	var rest []byte
	s.safe, rest = appendEscaped(s.safe[:0], src, final)
	s.rest = append(s.rest[:0:0], rest...)
	s.tail.write(s.safe)
	s.log.write(s.safe)
}

// follow keeps the last line with something on it. A carriage return ends a line too, because that
// is how progress is drawn.
func (s *sink) follow(b []byte) {
	for len(b) > 0 {
		i := bytes.IndexAny(b, "\r\n")
		if i < 0 {
			s.line = append(s.line, b[:min(len(b), max(0, lineKept-len(s.line)))]...)
			return
		}
		// Only the last few lines of a chunk can matter; a flood must not be looked at line by
		// line.
		if cut := len(b) - 2*lineKept; cut > i {
			if j := bytes.LastIndexAny(b[:cut], "\r\n"); j > i {
				s.line = s.line[:0]
				b = b[j+1:]
				continue
			}
		}
		s.line = append(s.line, b[:min(i, max(0, lineKept-len(s.line)))]...)
		if len(bytes.TrimSpace(s.line)) > 0 {
			s.last = append(s.last[:0], s.line...)
			s.changed = true
		}
		s.line = s.line[:0]
		b = b[i+1:]
	}
}

// activity gives the last line, and whether it is newer than at the last call.
func (s *sink) activity() (line string, fresh bool) {
	s.mu.Lock()
	raw := string(s.last)
	fresh = s.changed
	s.changed = false
	s.mu.Unlock()
	line = Clean(raw, LineSize)
	for len(line) > LineSize {
		_, n := utf8.DecodeLastRuneInString(line)
		line = line[:len(line)-n]
	}
	return line, fresh && line != ""
}

// seen is the amount of output so far: a sign of life.
func (s *sink) seen() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes
}

// close writes what was held back and fills in the output's part of an Exit.
func (s *sink) close(e *Exit) error {
	s.mu.Lock()
	s.pass(nil, true)
	if len(bytes.TrimSpace(s.line)) > 0 {
		s.last = append(s.last[:0], s.line...)
		s.changed = true
	}
	e.Lines, e.Bytes, e.Tail = s.lines, s.bytes, string(s.tail.bytes())
	err := s.log.close()
	s.mu.Unlock()
	e.Last, _ = s.activity()
	return err
}

// cappedLog is a file that keeps head and tail. After the first error it only swallows: a full disk
// must not block the child, and is reported at the end.
type cappedLog struct {
	file *os.File
	room int64
	tail ring
	err  error
}

func (l *cappedLog) write(b []byte) {
	if l.file == nil || l.err != nil {
		return
	}
	if n := int64(len(b)); n <= l.room && l.tail.total == 0 {
		l.room -= n
		l.put(b)
		return
	}
	head := 0
	if l.tail.total == 0 {
		head = int(l.room)
		for head > 0 && !utf8.RuneStart(b[head]) {
			head--
		}
		l.put(b[:head])
		l.room = 0
	}
	l.tail.write(b[head:])
}

func (l *cappedLog) put(b []byte) {
	if len(b) == 0 || l.err != nil {
		return
	}
	if _, err := l.file.Write(b); err != nil {
		l.err = fmt.Errorf("write log: %w", err)
	}
}

func (l *cappedLog) close() error {
	if l.tail.total == 0 {
		return l.err
	}
	kept := l.tail.bytes()
	if lost := l.tail.total - int64(len(kept)); lost > 0 {
		l.put(fmt.Appendf(nil, "\n… %d bytes left out …\n", lost))
	}
	l.put(kept)
	return l.err
}

// ring keeps the last size bytes. Its memory grows with what it holds.
type ring struct {
	size  int
	total int64
	buf   []byte
	at    int // where the next byte goes, once buf is full
}

func (r *ring) write(b []byte) {
	r.total += int64(len(b))
	if len(b) > r.size {
		b = b[len(b)-r.size:]
	}
	if n := min(len(b), r.size-len(r.buf)); n > 0 {
		r.buf = append(r.buf, b[:n]...)
		b = b[n:]
	}
	for len(b) > 0 {
		n := copy(r.buf[r.at:], b)
		b = b[n:]
		r.at = (r.at + n) % r.size
	}
}

// bytes gives what is kept, from the start of a character on.
func (r *ring) bytes() []byte {
	out := append(append(make([]byte, 0, len(r.buf)), r.buf[r.at:]...), r.buf[:r.at]...)
	if r.total > int64(len(out)) {
		for i := range min(len(out), utf8.UTFMax) {
			if utf8.RuneStart(out[i]) {
				return out[i:]
			}
		}
	}
	return out
}
