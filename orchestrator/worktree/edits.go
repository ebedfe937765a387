package worktree

import (
	"bytes"
	"context"
	"fmt"
	"slices"
)

// What Edits reads of a difference, in bytes. Whatever is larger is told by its size alone.
const (
	MaxEdit  = 1 << 20  // one side of one file
	MaxEdits = 64 << 20 // all of them
	MaxHead  = 5 << 20  // a file of which at least the beginning is read: as much of it as git looks at to tell text from binary
	headSize = 8000
)

// noMode is git's mode of a side that is not there.
const noMode = "000000"

// Edit is one file of a phase's difference. A file that was moved is two of them.
type Edit struct {
	Path             string
	OldMode, NewMode string // git's, like 100755 or 120000; empty where the file is not there
	Old, New         []byte // a link's content is where it leads
	Size             int64  // of the new side, in bytes
	Unread           bool   // too large for its content to be here; of New the beginning may be
}

// Edits gives what the phase changed with the content of both sides, sorted by path. It is what Land would take at this moment;
// errors are those of Changes.
func (l *Line) Edits(ctx context.Context, t Tree) ([]Edit, error) {
	give, err := take(ctx, l.hands)
	if err != nil {
		return nil, err
	}
	defer give()
	c, err := l.read(ctx, t.Phase, t.Dir, t.Base)
	if err != nil {
		return nil, err
	}
	return l.desk.Edits(ctx, t.Base, c.tree)
}

// Edits is the phase's difference from the commit on which the checkout stands; in the modes that commit at the end, earlier phases'
// changes of the same files are in it too. Without git, there is nothing to compare with and nothing is told.
func (s *Shared) Edits(ctx context.Context, t Tree) ([]Edit, error) {
	if s.line == nil {
		return nil, nil
	}
	c, err := s.Changes(ctx, t)
	if err != nil || c.Empty() {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.line
	_, head, err := l.repo.ReadHead(ctx)
	if err != nil {
		return nil, err
	}
	tree, err := l.treeWith(ctx, head, slices.Concat(c.Created, c.Modified, c.Deleted))
	if err != nil {
		return nil, err
	}
	return l.desk.Edits(ctx, head, tree)
}

// Edits compares two trees or commits and reads what differs, sorted by path, within the bounds of
// MaxEdit, MaxEdits and MaxHead.
func (d *desk) Edits(ctx context.Context, from, to string) ([]Edit, error) {
	changes, err := d.DiffTree(ctx, from, to)
	if err != nil {
		return nil, err
	}
	var ids bytes.Buffer
	for _, c := range changes {
		fmt.Fprintf(&ids, "%s\n%s\n", c.oldID, c.newID)
	}
	sizes, err := d.Sizes(ctx, ids.Bytes())
	if err != nil {
		return nil, err
	}
	room, heads := int64(MaxEdits), int64(MaxEdits)
	edits := make([]Edit, len(changes))
	var large bytes.Buffer
	ids.Reset()
	for i, c := range changes {
		e := Edit{Path: c.path, OldMode: present(c.oldMode), NewMode: present(c.newMode), Size: sizes[c.newID]}
		both := sizes[c.oldID] + e.Size
		if e.Unread = max(sizes[c.oldID], e.Size) > MaxEdit || both > room; !e.Unread {
			room -= both
			fmt.Fprintf(&ids, "%s\n%s\n", c.oldID, c.newID)
		} else if e.Size > 0 && e.Size <= min(MaxHead, heads) {
			heads -= e.Size
			fmt.Fprintln(&large, c.newID)
		}
		edits[i] = e
	}
	content, err := d.Blobs(ctx, ids.Bytes())
	if err != nil {
		return nil, err
	}
	beginnings, err := d.heads(ctx, large.Bytes())
	if err != nil {
		return nil, err
	}
	for i, c := range changes {
		e := &edits[i]
		if !e.Unread {
			e.Old, e.New = content[c.oldID], content[c.newID]
		} else {
			e.New = beginnings[c.newID]
		}
	}
	return edits, nil
}

// present is the mode of a side that is there, and empty for one that is not.
func present(mode string) string {
	if mode == noMode {
		return ""
	}
	return mode
}

// heads reads how objects begin. What follows is let go of at once.
func (d *desk) heads(ctx context.Context, ids []byte) (map[string][]byte, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	content, err := d.Blobs(ctx, ids)
	for id, c := range content {
		content[id] = bytes.Clone(c[:min(len(c), headSize)])
	}
	return content, err
}
