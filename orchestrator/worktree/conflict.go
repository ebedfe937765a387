package worktree

import (
	"context"
	"slices"
	"strings"

	"autobuild/orchestrator/git"
)

// conflict describes both sides of every file that clashed.
func (l *Line) conflict(
	ctx context.Context, t Tree, phase, tree string, clashes []git.Conflict,
) error {
	err := &ConflictError{Phase: phase, Dir: t.Dir, Branch: l.Branch}
	for _, c := range clashes {
		path := c.Path
		f := ConflictFile{Path: path, Kind: c.Kind}
		last, e := l.lastChange(ctx, t.Base, path)
		if e != nil {
			return e
		}
		f.Other, f.OtherCommit = last.phase, last.ID
		if f.Lines, e = lines(ctx, l.scratch, t.Base, tree, path); e != nil {
			return e
		}
		if f.OtherLines, e = lines(ctx, l.scratch, t.Base, l.tip, path); e != nil {
			return e
		}
		if f.Excerpt, e = excerpt(ctx, l.scratch, t.Base, l.tip, path); e != nil {
			return e
		}
		err.Files = append(err.Files, f)
	}
	// A file that the phase alone has conflicts for the sake of another one: both sides moved a
	// third, say.
	for i := range err.Files {
		for _, f := range err.Files {
			if err.Files[i].OtherCommit == "" {
				err.Files[i].Other, err.Files[i].OtherCommit = f.Other, f.OtherCommit
			}
		}
	}
	return err
}

// lastChange is the newest commit of the line since a base that changed a path, or below it where
// it is a directory; zero if there is none.
func (l *Line) lastChange(ctx context.Context, base, path string) (entry, error) {
	commits, err := l.log(ctx, base, l.tip, path)
	if err != nil || len(commits) == 0 {
		return entry{}, err
	}
	return commits[len(commits)-1], nil
}

// folded is the conflict of files whose names differ in case alone, on a file system that ignores
// case: neither could be checked out without the other's content. Nil where there is none, and on a
// file system that respects case.
func (l *Line) folded(t Tree, phase string, found []Overlap) error {
	err := &ConflictError{Phase: phase, Dir: t.Dir, Branch: l.Branch}
	for _, o := range found {
		if o.CaseOnly != "" && l.scratch.IgnoreCase {
			err.Files = append(err.Files, ConflictFile{
				Path: o.Path, Kind: "case of " + o.CaseOnly,
				Other: o.Other, OtherCommit: o.Commit,
			})
		}
	}
	if len(err.Files) == 0 {
		return nil
	}
	return err
}

// overlap names the files that the phase and something landed since its base both changed.
func (l *Line) overlap(ctx context.Context, t Tree, tree string) ([]Overlap, error) {
	mine, err := l.scratch.DiffTree(ctx, t.Base, tree)
	if err != nil {
		return nil, err
	}
	theirs, err := l.scratch.DiffTree(ctx, t.Base, l.tip)
	if err != nil {
		return nil, err
	}
	same, folded := map[string]bool{}, map[string]string{}
	for _, c := range theirs {
		same[c.Path] = true
		if c.Status == 'A' {
			folded[strings.ToLower(c.Path)] = c.Path
		}
	}
	var found []Overlap
	for _, c := range mine {
		o := Overlap{Path: c.Path}
		other := c.Path
		switch twin := folded[strings.ToLower(c.Path)]; {
		case same[c.Path]:
		case c.Status == 'A' && twin != "" && twin != c.Path:
			o.CaseOnly, other = twin, twin
		default:
			continue
		}
		if l.plan != "" && c.Path == l.plan {
			continue
		}
		commits, err := l.log(ctx, t.Base, l.tip, other)
		if err != nil {
			return nil, err
		}
		if len(commits) > 0 {
			o.Other, o.Commit = commits[len(commits)-1].phase, commits[len(commits)-1].ID
		}
		found = append(found, o)
	}
	return slices.Clip(found), nil
}
