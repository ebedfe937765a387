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
	"slices"
	"time"

	"autobuild/internal/safefile"
	"autobuild/state"
)

// ReadDiary yields the events of events.jsonl in order; a directory without a diary has none. A
// last line that a crash cut off is passed over; any other line that is no event is an error, after
// which nothing follows. A resume needs the diary only where the last session has not ended.
func ReadDiary(stateDir string) iter.Seq2[state.Event, error] {
	return func(yield func(state.Event, error) bool) {
		path := filepath.Join(stateDir, DiaryName)
		f, err := openDiary(stateDir)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			yield(state.Event{}, err)
			return
		}
		defer f.Close() //nolint:errcheck // it was only read
		text, err := contentOf(f)
		if err != nil {
			yield(state.Event{}, err)
			return
		}
		r := bufio.NewReader(text)
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
	if _, err = regular(root, stateDir, DiaryName); err == nil {
		f, err = safefile.OpenIn(root, DiaryName, os.O_RDONLY, 0)
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

// lastMoments is the number of the diary's last event that has one, and its moments. It reads the
// end of the file only, up to the last session that ended.
func lastMoments(root *os.Root, dir string) (seq int64, last map[string]time.Time, err error) {
	_, err = regular(root, dir, DiaryName)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil, nil
	}
	if err != nil {
		return 0, nil, err
	}
	f, err := safefile.OpenIn(root, DiaryName, os.O_RDONLY, 0)
	if err != nil {
		return 0, nil, explain("opening", filepath.Join(dir, DiaryName), err)
	}
	seq, last, err = moments(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return 0, nil, explain("reading", filepath.Join(dir, DiaryName), err)
	}
	return seq, last, nil
}

// Seeds are the phases of the plan as the newest session has read it, by the diary; nil where that
// has none.
func Seeds(stateDir string) []state.Seed {
	f, err := openDiary(stateDir)
	if err != nil {
		return nil
	}
	defer f.Close() //nolint:errcheck // it was only read
	var seeds []state.Seed
	words := [][]byte{
		[]byte(`"` + string(state.RunStarted) + `"`), []byte(`"` + string(state.PlanEdited) + `"`),
	}
	_ = linesBack(f, func(line []byte) bool { // what cannot be read has none
		if !slices.ContainsFunc(words, func(w []byte) bool { return bytes.Contains(line, w) }) {
			return true
		}
		e, err := parseEvent(line)
		if err != nil || e.Type != state.RunStarted && e.Type != state.PlanEdited {
			return true
		}
		seeds = e.Phases
		return false
	})
	if slices.ContainsFunc(seeds, func(s state.Seed) bool { return !safe(s.ID) }) {
		return nil
	}
	return seeds
}

// keeps says of the lines behind a hole of the diary, and of the log, which are whole.
var keeps = map[string]func(line []byte) bool{
	DiaryName: func(line []byte) bool {
		e, err := parseEvent(line)
		return err == nil && e.Type != ""
	},
	logName: func(line []byte) bool { return len(line) > 1 },
}

// mendBook truncates an incomplete last line, which a crash leaves, of the diary or the log. It
// opens the file for itself: on Windows a file opened for appending can be written, but not
// truncated.
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
	if err = errors.Join(cutTornLine(f, keeps[name]), f.Close()); err != nil {
		return explain("mending the last line of", d.at(name), err)
	}
	return nil
}

// unsyncedEnd is an upper bound of the bytes that a session writes between two syncs of the diary.
const unsyncedEnd = 1 << 20

// cutTornLine removes an unfinished last line, so that the next event begins on a line of its own.
// It also removes foreign bytes at the end of the file: holes, and the zeros that a power cut
// leaves where the disk has a file's length and not its content. Lines behind those stay if keep
// takes them.
func cutTornLine(f *os.File, keep func(line []byte) bool) error {
	parts, err := segments(f)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	from, err := endOfText(f, parts, info.Size())
	if err != nil {
		return err
	}
	rest := content{
		f:     f,
		parts: slices.DeleteFunc(parts, func(p segment) bool { return p.end <= from }),
	}
	if len(rest.parts) > 0 {
		rest.parts[0].start = max(rest.parts[0].start, from)
	}
	data, err := io.ReadAll(io.LimitReader(&rest, 4*unsyncedEnd+maxFile))
	if err != nil {
		return err
	}
	var kept bytes.Buffer
	for line := range bytes.Lines(data) {
		if bytes.HasSuffix(line, []byte("\n")) && keep(line) {
			kept.Write(line)
		}
	}
	if _, err = f.WriteAt(kept.Bytes(), from); err != nil {
		return err
	}
	if from+int64(kept.Len()) == info.Size() {
		return nil
	}
	return f.Truncate(from + int64(kept.Len()))
}

// endOfText is where the last line begins that is not followed, in the end of the file, by anything
// but text.
func endOfText(f *os.File, parts []segment, size int64) (int64, error) {
	bad, looked := size, 0 // where text ends; bytes of text behind the place that is looked at
	block := make([]byte, blockSize)
	behind := size
	for i := len(parts) - 1; i >= 0; i-- {
		if parts[i].end < behind && looked < unsyncedEnd {
			bad = parts[i].end // a hole follows
		}
		behind = parts[i].start
		for end := parts[i].end; end > parts[i].start; {
			start := max(parts[i].start, end-blockSize)
			n, err := f.ReadAt(block[:end-start], start)
			if err != nil && !errors.Is(err, io.EOF) {
				return 0, err
			}
			b := block[:n]
			if zero := bytes.IndexByte(b, 0); zero >= 0 && looked < unsyncedEnd {
				bad = start + int64(zero)
			}
			text := b[:max(0, min(int64(n), bad-start))]
			last := bytes.LastIndexByte(text, '\n')
			if looked += n - bytes.Count(b, []byte{0}); last >= 0 && looked >= unsyncedEnd {
				return start + int64(last) + 1, nil
			}
			if last >= 0 && start == 0 {
				return int64(last) + 1, nil
			}
			end = start
		}
	}
	return 0, nil
}

// parseEvent reads a line of the diary.
func parseEvent(line []byte) (e state.Event, err error) {
	if err = json.Unmarshal(line, &e); err != nil {
		return state.Event{}, fmt.Errorf("is not an event: %w", err)
	}
	if e.V != state.EventVersion {
		return state.Event{}, fmt.Errorf("version %d; this autobuild reads %d", e.V,
			state.EventVersion)
	}
	return e, nil
}
