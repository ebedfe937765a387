package agent

import "bytes"

// maxLine bounds a line of an event stream, in bytes. Some agents repeat the prompt, or all they
// have said so far, in one line, and half a megabyte was seen; a line beyond any of that is
// dropped, so that nothing an agent prints fills memory.
const maxLine = 8 << 20

// lines cuts a stream into lines of any length.
type lines struct {
	limit   int
	each    func(line []byte) // without its end; the slice is reused
	dropped func()            // a line was longer than limit
	buf     []byte
	skip    bool // until the end of a line that is too long
}

func (l *lines) write(p []byte) {
	for len(p) > 0 {
		part, rest, whole := bytes.Cut(p, []byte("\n"))
		p = rest
		if !l.skip && len(l.buf)+len(part) > l.limit {
			l.buf, l.skip = nil, true
			l.dropped()
		}
		switch {
		case l.skip:
		case whole && len(l.buf) == 0:
			l.each(part)
		default:
			l.buf = append(l.buf, part...)
			if whole {
				l.each(l.buf)
				l.buf = l.buf[:0]
			}
		}
		if whole {
			l.skip = false
		}
	}
}

// close hands over a last line that has no end.
func (l *lines) close() {
	if len(l.buf) > 0 && !l.skip {
		l.each(l.buf)
	}
	l.buf = nil
}
