package store

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"autobuild/internal/safefile"
	"autobuild/state"
)

// ReadDiary yields the events of events.jsonl in order; a directory without a diary has none. A last line that a
// crash cut off is passed over; any other line that is no event is an error, after which nothing follows. Nothing
// in the program needs the diary.
func ReadDiary(stateDir string) iter.Seq2[state.Event, error] {
	return func(yield func(state.Event, error) bool) {
		path := filepath.Join(stateDir, diaryName)
		f, err := openDiary(stateDir)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			yield(state.Event{}, err)
			return
		}
		defer f.Close() //nolint:errcheck // it was only read
		r := bufio.NewReader(f)
		for n := 1; ; n++ {
			line, err := readLine(r)
			if errors.Is(err, io.EOF) {
				return
			}
			var e state.Event
			if err == nil {
				e, err = parseEvent(line)
			}
			if err != nil {
				yield(state.Event{}, fmt.Errorf("reading the diary %s:%d: %w", path, n, err))
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

func openDiary(stateDir string) (*os.File, error) {
	root, err := openRoot(stateDir)
	if err != nil {
		return nil, err
	}
	var f *os.File
	if _, err = regular(root, stateDir, diaryName); err == nil {
		f, err = safefile.OpenIn(root, diaryName, os.O_RDONLY, 0)
	}
	if cerr := root.Close(); err == nil {
		err = cerr
	}
	return f, err
}

// readLine is one whole line; io.EOF when no more are whole.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
		if len(line) > maxFile {
			return nil, fmt.Errorf("the line is longer than %d bytes", maxFile)
		}
	}
}

// lastSeq is the number of the diary's last event that has one. It reads the end of the file only.
func lastSeq(root *os.Root, dir string) (int64, error) {
	info, err := regular(root, dir, diaryName)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	f, err := safefile.OpenIn(root, diaryName, os.O_RDONLY, 0)
	if err != nil {
		return 0, explain("opening", filepath.Join(dir, diaryName), err)
	}
	seq, err := scanBack(f, info.Size())
	if err = errors.Join(err, f.Close()); err != nil {
		return 0, explain("reading", filepath.Join(dir, diaryName), err)
	}
	return seq, nil
}

// scanBack looks through ever longer ends of the diary for a numbered event.
func scanBack(f io.ReaderAt, size int64) (int64, error) {
	for length := int64(16 << 10); ; length *= 4 {
		length = min(length, size, maxFile)
		tail := make([]byte, length)
		if _, err := f.ReadAt(tail, size-length); err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		lines := bytes.SplitAfter(tail, []byte{'\n'})
		for i := len(lines) - 1; i >= 0; i-- {
			var e struct {
				Seq int64 `json:"seq"`
			}
			if json.Unmarshal(lines[i], &e) == nil && e.Seq > 0 {
				return e.Seq, nil
			}
		}
		if length == size || length == maxFile {
			return 0, nil
		}
	}
}

// mendBook cuts off what a crash has left of a line of the diary or the log. It opens the file for itself: what is opened for appending can
// be written on Windows, and not be cut.
func (d *Dir) mendBook(name string) error {
	if _, err := d.regular(name); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	f, err := safefile.OpenIn(d.root, filepath.FromSlash(name), os.O_RDWR, 0)
	if err != nil {
		return explain("opening", d.at(name), err)
	}
	if err = errors.Join(cutTornLine(f), f.Close()); err != nil {
		return explain("mending the last line of", d.at(name), err)
	}
	return nil
}

// unsyncedEnd is more than a session tells between two syncs of the diary, in bytes.
const unsyncedEnd = 1 << 20

// cutTornLine removes an unfinished last line, so that the next event begins on a line of its own, and what a power cut has left of
// lines that were not synced: zeros, where the disk has the file's length and not its content.
func cutTornLine(f *os.File) error {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil || size == 0 {
		return err
	}
	for length := int64(unsyncedEnd); ; length *= 4 {
		end := make([]byte, min(length, size))
		if _, err := f.ReadAt(end, size-int64(len(end))); err != nil {
			return err
		}
		whole, _, _ := bytes.Cut(end, []byte{0})
		whole = whole[:bytes.LastIndexByte(whole, '\n')+1]
		switch {
		case len(whole) == len(end):
			return nil
		case len(whole) > 0 || length >= size:
			return f.Truncate(size - int64(len(end)-len(whole)))
		}
	}
}
