package store

import (
	"bytes"
	"errors"
	"io"
	"os"
)

// A file can be given any length without content. Readers of diary and log take one block at a time
// and leave out holes and NUL bytes, so that neither costs memory or time.

// blockSize is the length of one read of a file, in bytes.
const blockSize = 1 << 20

// segment is a part of a file that is no hole: from start to before end.
type segment struct{ start, end int64 }

// maxSegments bounds how many parts a file is split into.
const maxSegments = 10_000

// segments lists the parts of a file that are no holes, in order. Where the system cannot report
// holes, the whole file is one segment.
func segments(f *os.File) ([]segment, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err //nolint:wrapcheck // the path is in it
	}
	size := info.Size()
	var out []segment
	for at := int64(0); at < size; {
		start, err := f.Seek(at, seekData)
		if seekData == seekHole || unknown(err) || len(out) == maxSegments {
			return append(out, segment{at, size}), nil
		}
		if err != nil { // only a hole is left
			return out, nil //nolint:nilerr // that is how it is said
		}
		end, err := f.Seek(start, seekHole)
		if err != nil || end <= start {
			end = size
		}
		out = append(out, segment{start, min(end, size)})
		at = end
	}
	return out, nil
}

// content reads a file without its holes and NUL bytes.
type content struct {
	f     *os.File
	parts []segment
}

func contentOf(f *os.File) (*content, error) {
	parts, err := segments(f)
	return &content{f: f, parts: parts}, err
}

// Read gives what comes next.
func (c *content) Read(p []byte) (int, error) {
	for len(c.parts) > 0 {
		part := &c.parts[0]
		n, err := c.f.ReadAt(p[:min(int64(len(p)), part.end-part.start)], part.start)
		part.start += int64(n)
		if part.start >= part.end || n == 0 {
			c.parts = c.parts[1:]
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, err //nolint:wrapcheck // the path is in it
		}
		if kept := dropNUL(p[:n]); kept > 0 {
			return kept, nil
		}
	}
	return 0, io.EOF
}

// dropNUL moves the other bytes to the front and counts them.
func dropNUL(p []byte) int {
	if bytes.IndexByte(p, 0) < 0 {
		return len(p)
	}
	kept := 0
	for _, b := range p {
		if b != 0 {
			p[kept] = b
			kept++
		}
	}
	return kept
}

// linesBack calls each for the whole lines of a file, the last one first, until that returns false.
// Lines longer than maxFile are passed over.
func linesBack(f *os.File, each func(line []byte) bool) error {
	parts, err := segments(f)
	if err != nil {
		return err
	}
	var rest []byte // the end of a line whose beginning lies further up
	whole, long := false, false
	for i := len(parts) - 1; i >= 0; i-- {
		for end := parts[i].end; end > parts[i].start; {
			start := max(parts[i].start, end-blockSize)
			block := make([]byte, end-start, end-start+int64(len(rest)))
			if _, err := f.ReadAt(block, start); err != nil && !errors.Is(err, io.EOF) {
				return err //nolint:wrapcheck // the path is in it
			}
			end = start
			block = append(block, rest...)
			for {
				last := bytes.LastIndexByte(block, '\n')
				if last < 0 {
					break
				}
				line := block[last+1:]
				if whole && !long && !each(line[:dropNUL(line)]) {
					return nil
				}
				whole, long, block = true, false, block[:last]
			}
			if rest = block; len(rest) > maxFile {
				rest, long = nil, true
			}
		}
	}
	if whole && !long {
		each(rest[:dropNUL(rest)])
	}
	return nil
}
