package worktree

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// Put is one file to be put into a tree.
type Put struct {
	Path    string
	Mode    string // git's; empty: the file is removed
	Content []byte
	Base    bool // the entry of another tree as it is; Mode and Content are not looked at
}

// Difference gives what differs between two trees or commits with the content of both sides, sorted by path, without the plan.
func (l *Line) Difference(ctx context.Context, from, to string) ([]Edit, error) {
	edits, err := l.desk.Edits(ctx, from, to)
	return slices.DeleteFunc(edits, func(e Edit) bool { return l.plan != "" && e.Path == l.plan }), err
}

// TreeOf names the content of a commit.
func (l *Line) TreeOf(ctx context.Context, commit string) (string, error) {
	return l.desk.TreeOf(ctx, commit)
}

// Content names what a commit holds; an empty one stands for the line's tip. Equal names are equal content.
func (l *Line) Content(ctx context.Context, commit string) (string, error) {
	give, err := take(ctx, l.hands)
	if err != nil {
		return "", err
	}
	defer give()
	if commit == "" {
		commit = l.tip
	}
	return l.desk.TreeOf(ctx, commit)
}

// Compose gives a tree, named by itself or a commit, with files put into it. Those marked Base come from the tree base, and go where that has none.
func (l *Line) Compose(ctx context.Context, tree, base string, puts []Put) (string, error) {
	if len(puts) == 0 {
		return l.desk.TreeOf(ctx, tree)
	}
	give, err := take(ctx, l.hands)
	if err != nil {
		return "", err
	}
	defer give()
	entries, err := l.entries(ctx, base, puts)
	if err != nil {
		return "", err
	}
	changes := make([]change, 0, len(puts))
	for _, p := range puts {
		c := change{path: p.Path, newMode: p.Mode}
		switch was, ok := entries[p.Path]; {
		case p.Base && ok:
			c.newMode, c.newID = was.newMode, was.newID
		case p.Base || p.Mode == "":
			c.newMode, c.newID = "0", strings.Repeat("0", len(tree))
		default:
			if c.newID, err = l.desk.WriteBlob(ctx, p.Content); err != nil {
				return "", err
			}
		}
		changes = append(changes, c)
	}
	// Removals first: a file may take a directory's place, or the other way round.
	slices.SortStableFunc(changes, func(a, b change) int {
		return strings.Compare(fmt.Sprint(a.newMode != "0"), fmt.Sprint(b.newMode != "0"))
	})
	return l.desk.Graft(ctx, tree, changes)
}

// entries are a tree's entries of the paths that come from it.
func (l *Line) entries(ctx context.Context, tree string, puts []Put) (map[string]change, error) {
	found := map[string]change{}
	if !slices.ContainsFunc(puts, func(p Put) bool { return p.Base }) {
		return found, nil
	}
	all, err := l.desk.LsTree(ctx, tree)
	if err != nil {
		return nil, err
	}
	for _, e := range all {
		found[e.path] = e
	}
	return found, nil
}

// Inputs names the content of those files of a tree that are wanted: equal names are equal content.
func (l *Line) Inputs(ctx context.Context, tree string, wanted func(path string) bool) (string, error) {
	all, err := l.desk.LsTree(ctx, tree)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, e := range all {
		if wanted(e.path) {
			_, _ = fmt.Fprintf(h, "%q %s %s\n", e.path, e.newMode, e.newID) // a digest takes everything
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// ReadTree opens a tree or commit. It reads as long as ctx lives.
func (l *Line) ReadTree(ctx context.Context, tree string) (*TreeReader, error) {
	return l.desk.OpenTree(ctx, tree)
}

// TreeReader is one tree that is read on demand. It is made for one goroutine.
type TreeReader struct {
	desk    *desk
	ctx     context.Context //nolint:containedctx // the reader is handed to pure code, which has none
	paths   []string
	entries map[string]change
	content map[string][]byte // by object, of those that were read
	err     error
}

// What a TreeReader reads ahead, in bytes.
const (
	aheadFile = 128 << 10 // a file that is read together with all others of its kind
	aheadAll  = 48 << 20
)

// OpenTree opens a tree or commit. It reads as long as ctx lives.
func (d *desk) OpenTree(ctx context.Context, tree string) (*TreeReader, error) {
	all, err := d.LsTree(ctx, tree)
	if err != nil {
		return nil, err
	}
	s := &TreeReader{desk: d, ctx: ctx, entries: make(map[string]change, len(all))}
	for _, e := range all {
		s.paths = append(s.paths, e.path)
		s.entries[e.path] = e
	}
	return s, nil
}

// Paths are all files, sorted as git sorts them.
func (s *TreeReader) Paths() []string { return s.paths }

// Mode is git's mode of a path; empty: it is not there.
func (s *TreeReader) Mode(path string) string { return s.entries[path].newMode }

// Err is the first failure of a read: what was not read looked as if it were not there.
func (s *TreeReader) Err() error { return s.err }

// Read is the content of a file up to a size in bytes; false: it is not there, no file, or larger.
func (s *TreeReader) Read(path string, most int64) ([]byte, bool) {
	e, ok := s.entries[path]
	if !ok || e.newMode == gitlink {
		return nil, false
	}
	if s.content == nil {
		s.readAhead()
	}
	data, ok := s.content[e.newID]
	if !ok && s.err == nil {
		data, ok = s.readOne(e.newID, most)
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

// readAhead reads all small files in one call: most are asked for, and a call for each costs more than the bytes.
func (s *TreeReader) readAhead() {
	s.content = map[string][]byte{}
	var ids bytes.Buffer
	seen := map[string]bool{}
	for _, p := range s.paths {
		if e := s.entries[p]; e.newMode != gitlink && !seen[e.newID] {
			seen[e.newID] = true
			ids.WriteString(e.newID + "\n")
		}
	}
	sizes, err := s.desk.Sizes(s.ctx, ids.Bytes())
	ids.Reset()
	room := int64(aheadAll)
	for _, p := range s.paths {
		id := s.entries[p].newID
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
