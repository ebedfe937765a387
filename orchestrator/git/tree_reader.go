package git

import (
	"bytes"
	"context"
)

// TreeReader is one tree that is read on demand. It is made for one goroutine.
type TreeReader struct {
	desk *ScratchDir
	// the reader is handed to pure code, which has none
	ctx     context.Context //nolint:containedctx
	paths   []string
	entries map[string]Change
	content map[string][]byte // by object, of those that were read
	err     error
}

// What a TreeReader reads ahead, in bytes.
const (
	aheadFile = 128 << 10 // a file that is read together with all others of its kind
	aheadAll  = 48 << 20
)

// OpenTree opens a tree or commit. It reads as long as ctx lives.
func (d *ScratchDir) OpenTree(ctx context.Context, tree string) (*TreeReader, error) {
	all, err := d.LsTree(ctx, tree)
	if err != nil {
		return nil, err
	}
	s := &TreeReader{desk: d, ctx: ctx, entries: make(map[string]Change, len(all))}
	for _, e := range all {
		s.paths = append(s.paths, e.Path)
		s.entries[e.Path] = e
	}
	return s, nil
}

// Paths are all files, sorted as git sorts them.
func (s *TreeReader) Paths() []string { return s.paths }

// Mode is git's mode of a path; empty: it is not there.
func (s *TreeReader) Mode(path string) string { return s.entries[path].NewMode }

// Err is the first failure of a read: what was not read looked as if it were not there.
func (s *TreeReader) Err() error { return s.err }

// Read is the content of a file up to a size in bytes; false: it is not there, no file, or larger.
func (s *TreeReader) Read(path string, most int64) ([]byte, bool) {
	e, ok := s.entries[path]
	if !ok || e.NewMode == Gitlink {
		return nil, false
	}
	if s.content == nil {
		s.readAhead()
	}
	data, ok := s.content[e.NewID]
	if !ok && s.err == nil {
		data, ok = s.readOne(e.NewID, most)
	}
	return data, ok && int64(len(data)) <= most
}

func (s *TreeReader) readOne(id string, most int64) ([]byte, bool) {
	sizes, err := s.desk.Sizes(s.ctx, []byte(id+"\n"))
	if err == nil && sizes[id] <= most {
		var found map[string][]byte
		if found, err = s.desk.Blobs(s.ctx, []byte(id+"\n")); err == nil {
			s.content[id] = found[id]
			return found[id], true
		}
	}
	if err != nil && s.err == nil {
		s.err = err
	}
	return nil, false
}

// readAhead reads all small files in one call: most are asked for, and a call for each costs more
// than the bytes.
func (s *TreeReader) readAhead() {
	s.content = map[string][]byte{}
	var ids bytes.Buffer
	seen := map[string]bool{}
	for _, p := range s.paths {
		if e := s.entries[p]; e.NewMode != Gitlink && !seen[e.NewID] {
			seen[e.NewID] = true
			ids.WriteString(e.NewID + "\n")
		}
	}
	sizes, err := s.desk.Sizes(s.ctx, ids.Bytes())
	ids.Reset()
	room := int64(aheadAll)
	for _, p := range s.paths {
		id := s.entries[p].NewID
		size, ok := sizes[id]
		if !ok || size > aheadFile || size > room {
			continue
		}
		delete(sizes, id)
		room -= size
		ids.WriteString(id + "\n")
	}
	if err == nil {
		s.content, err = s.desk.Blobs(s.ctx, ids.Bytes())
	}
	if err != nil {
		s.err = err
		s.content = map[string][]byte{}
	}
}
