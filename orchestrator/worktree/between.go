package worktree

import (
	"context"
	"slices"
	"strings"

	"autobuild/orchestrator/git"
)

// Bounds of what is shown of other phases' differences.
const (
	maxShownFiles = 12   // of Between
	maxExcerpt    = 2048 // bytes of one file's difference
)

// Between lists what landed between a phase's base and a later commit of the line: a file of one phase, or of the user's own
// commits, each with its part of the difference. The files in first come first; at most 12 are listed.
func (l *Line) Between(ctx context.Context, base, tip string, first []string) ([]ConflictFile, error) {
	give, err := take(ctx, l.hands)
	if err != nil {
		return nil, err
	}
	defer give()
	commits, err := l.log(ctx, base, tip)
	if err != nil {
		return nil, err
	}
	var found []ConflictFile
	before := base
	for _, c := range commits {
		changed, failed := l.scratch.DiffTree(ctx, before, c.ID)
		if failed != nil {
			return nil, failed
		}
		for _, ch := range changed {
			if ch.Path != l.plan {
				found = append(found, ConflictFile{Path: ch.Path, Kind: before, Other: c.phase, OtherCommit: c.ID})
			}
		}
		before = c.ID
	}
	slices.SortStableFunc(found, func(a, b ConflictFile) int {
		return rank(first, a.Path) - rank(first, b.Path)
	})
	found = found[:min(len(found), maxShownFiles)]
	for i := range found {
		f := &found[i]
		from := f.Kind
		f.Kind = ""
		if f.OtherLines, err = lines(ctx, l.scratch, from, f.OtherCommit, f.Path); err != nil {
			return nil, err
		}
		if f.Excerpt, err = excerpt(ctx, l.scratch, from, f.OtherCommit, f.Path); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// rank puts the paths of a list before all others.
func rank(first []string, path string) int {
	if slices.Contains(first, path) {
		return 0
	}
	return 1
}

// excerpt is the difference of one path without git's header, cut at a line's end.
func excerpt(ctx context.Context, d *git.ScratchDir, from, to, path string) (string, error) {
	text, err := d.Patch(ctx, from, to, path, 1)
	if err != nil {
		return "", err
	}
	text = strings.ToValidUTF8(text, "?")
	if at := strings.Index(text, "\n@@ "); at >= 0 {
		text = text[at+1:]
	} else {
		text = "" // it has no lines
	}
	if len(text) > maxExcerpt {
		text = text[:maxExcerpt]
		text = text[:strings.LastIndexByte(text, '\n')+1]
	}
	return text, nil
}
