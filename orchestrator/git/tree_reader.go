package git

import (
	"context"
)

// TreeReader reads the files of one tree on demand. One goroutine may use it.
type TreeReader struct {
	scratch *ScratchDir
	ctx     context.Context //nolint:containedctx // the reader is handed to pure code, which has none
	paths   []string
	entries map[string]Change
	content map[string][]byte // by object, of those that were read
	err     error
}

// Bounds of a TreeReader's reads ahead, in bytes.
const (
	aheadFile = 128 << 10 // a file that is read together with all others of its kind
	aheadAll  = 48 << 20
)

// OpenTree opens a tree or commit. Reads end with ctx.
func (d *ScratchDir) OpenTree(ctx context.Context, tree string) (*TreeReader, error) {
	all, err := d.LsTree(ctx, tree)
	if err != nil {
		return nil, err
	}
	s := &TreeReader{scratch: d, ctx: ctx, entries: make(map[string]Change, len(all))}
	for _, e := range all {
		s.paths = append(s.paths, e.Path)
		s.entries[e.Path] = e
	}
	return s, nil
}

// Paths lists all files, in git's order.
func (s *TreeReader) Paths() []string { return s.paths }

// Mode is git's mode of a path; empty where the tree has none.
func (s *TreeReader) Mode(path string) string { return s.entries[path].NewMode }

// Err is the first error of Read, which reports an unreadable file as missing.
func (s *TreeReader) Err() error { return s.err }

// Read is the content of a file. It is false where the file is missing, a submodule, or larger than
// most bytes.
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

// readOne reads one blob of at most some bytes.
func (s *TreeReader) readOne(id string, most int64) ([]byte, bool) {
	sizes, err := s.scratch.Sizes(s.ctx, []string{id})
	if err == nil && sizes[id] <= most {
		var found map[string][]byte
		if found, err = s.scratch.Blobs(s.ctx, []string{id}); err == nil {
			s.content[id] = found[id]
			return found[id], true
		}
	}
	if err != nil && s.err == nil {
		s.err = err
	}
	return nil, false
}

// readAhead reads all small files in one call, which costs less than a call for each.
func (s *TreeReader) readAhead() {
	s.content = map[string][]byte{}
	var ids []string
	seen := map[string]bool{}
	for _, p := range s.paths {
		if e := s.entries[p]; e.NewMode != Gitlink && !seen[e.NewID] {
			seen[e.NewID] = true
			ids = append(ids, e.NewID)
		}
	}
	sizes, err := s.scratch.Sizes(s.ctx, ids)
	ids = ids[:0]
	room := int64(aheadAll)
	for _, p := range s.paths {
		id := s.entries[p].NewID
		size, ok := sizes[id]
		if !ok || size > aheadFile || size > room {
			continue
		}
		delete(sizes, id)
		room -= size
		ids = append(ids, id)
	}
	if err == nil {
		s.content, err = s.scratch.Blobs(s.ctx, ids)
	}
	if err != nil {
		s.err = err
		s.content = map[string][]byte{}
	}
}
