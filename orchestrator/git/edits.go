package git

import (
	"bytes"
	"context"
)

// Bounds of the reads of Edits, in bytes. Of a larger file only the size is known.
const (
	MaxEdit  = 1 << 20  // one side of one file
	MaxEdits = 64 << 20 // all of them
	// a file of which at least the beginning is read: as much of it as git examines to distinguish
	// text from binary
	MaxHead  = 5 << 20
	headSize = 8000
)

// NoMode is git's mode of a side that is missing.
const NoMode = "000000"

// Edit is one file of a difference, with its content. A renamed file is two of them.
type Edit struct {
	Path             string
	OldMode, NewMode string // git's, like 100755 or 120000; empty where the file is not there
	Old, New         []byte // a link's content is where it leads
	Size             int64  // of the new side, in bytes
	Unread           bool   // too large for its content to be here; of New the beginning may be
}

// Edits compares two trees or commits and reads what differs, sorted by path, within the bounds of
// MaxEdit, MaxEdits and MaxHead.
func (d *ScratchDir) Edits(ctx context.Context, from, to string) ([]Edit, error) {
	changes, err := d.DiffTree(ctx, from, to)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, c := range changes {
		ids = append(ids, c.OldID, c.NewID)
	}
	sizes, err := d.Sizes(ctx, ids)
	if err != nil {
		return nil, err
	}
	room, heads := int64(MaxEdits), int64(MaxEdits)
	edits := make([]Edit, len(changes))
	var large []string
	ids = nil
	for i, c := range changes {
		e := Edit{
			Path: c.Path, OldMode: present(c.OldMode), NewMode: present(c.NewMode),
			Size: sizes[c.NewID],
		}
		both := sizes[c.OldID] + e.Size
		if e.Unread = max(sizes[c.OldID], e.Size) > MaxEdit || both > room; !e.Unread {
			room -= both
			ids = append(ids, c.OldID, c.NewID)
		} else if e.Size > 0 && e.Size <= min(MaxHead, heads) {
			heads -= e.Size
			large = append(large, c.NewID)
		}
		edits[i] = e
	}
	content, err := d.Blobs(ctx, ids)
	if err != nil {
		return nil, err
	}
	beginnings, err := d.heads(ctx, large)
	if err != nil {
		return nil, err
	}
	for i, c := range changes {
		e := &edits[i]
		if !e.Unread {
			e.Old, e.New = content[c.OldID], content[c.NewID]
		} else {
			e.New = beginnings[c.NewID]
		}
	}
	return edits, nil
}

// present is the mode of a side, empty where it is missing.
func present(mode string) string {
	if mode == NoMode {
		return ""
	}
	return mode
}

// heads reads the beginnings of blobs, at most headSize bytes each.
func (d *ScratchDir) heads(ctx context.Context, ids []string) (map[string][]byte, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	content, err := d.Blobs(ctx, ids)
	for id, c := range content {
		content[id] = bytes.Clone(c[:min(len(c), headSize)])
	}
	return content, err
}
