package worktree

import (
	"context"
	"slices"
	"strconv"
	"strings"
)

// conflict describes both sides of every file that clashed.
func (l *Line) conflict(ctx context.Context, t Tree, phase, tree string, clashes []clash) error {
	err := &ConflictError{Phase: phase, Dir: t.Dir, Branch: l.Branch}
	for _, c := range clashes {
		path := c.path
		if i := strings.IndexByte(path, '~'); i > 0 && c.kind == "" {
			path = path[:i] // git's name for one side of a file against a directory
		}
		f := ConflictFile{Path: path, Kind: c.kind}
		if commits, e := l.log(ctx, t.Base, l.tip, path); e != nil {
			return e
		} else if len(commits) > 0 {
			last := commits[len(commits)-1]
			f.Other, f.OtherCommit = last.phase, last.id
		}
		var e error
		if f.Lines, e = l.desk.lines(ctx, t.Base, tree, path); e != nil {
			return e
		}
		if f.OtherLines, e = l.desk.lines(ctx, t.Base, l.tip, path); e != nil {
			return e
		}
		err.Files = append(err.Files, f)
	}
	return err
}

// lines gives the line ranges of a file that were changed on the way from one tree to another, in the numbering of the second.
// Removed lines are given as the line before them.
func (d *desk) lines(ctx context.Context, from, to, path string) (string, error) {
	out, _, err := d.do(ctx, on{}, nil, nil, "diff-tree", "-r", "-p", "-U0", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", from, to, "--", path)
	if err != nil {
		return "", err
	}
	return ranges(string(out)), nil
}

const maxRanges = 12 // a file rewritten all over is not told hunk by hunk

func ranges(diff string) string {
	var b strings.Builder
	n := 0
	for line := range strings.Lines(diff) {
		hunk, ok := strings.CutPrefix(line, "@@ -")
		if !ok {
			continue
		}
		_, after, ok := strings.Cut(hunk, " +")
		if !ok {
			continue
		}
		after, _, _ = strings.Cut(after, " ")
		start, count := after, "1"
		if s, c, ok := strings.Cut(after, ","); ok {
			start, count = s, c
		}
		first, err1 := strconv.Atoi(start)
		length, err2 := strconv.Atoi(count)
		if err1 != nil || err2 != nil {
			continue
		}
		if n++; n > maxRanges {
			return b.String() + ", …"
		}
		if n > 1 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Itoa(max(first, 1)))
		if length > 1 {
			b.WriteString("-" + strconv.Itoa(first+length-1))
		}
	}
	return b.String()
}

// overlap names the files that the phase and something landed since its base both changed.
func (l *Line) overlap(ctx context.Context, t Tree, tree string) ([]Overlap, error) {
	mine, err := l.desk.compare(ctx, t.Base, tree)
	if err != nil {
		return nil, err
	}
	theirs, err := l.desk.compare(ctx, t.Base, l.tip)
	if err != nil {
		return nil, err
	}
	same, folded := map[string]bool{}, map[string]string{}
	for _, c := range theirs {
		same[c.path] = true
		if c.status == 'A' {
			folded[strings.ToLower(c.path)] = c.path
		}
	}
	var found []Overlap
	for _, c := range mine {
		o := Overlap{Path: c.path}
		other := c.path
		switch twin := folded[strings.ToLower(c.path)]; {
		case same[c.path]:
		case c.status == 'A' && twin != "" && twin != c.path:
			o.CaseOnly, other = twin, twin
		default:
			continue
		}
		if l.plan != "" && c.path == l.plan {
			continue
		}
		commits, err := l.log(ctx, t.Base, l.tip, other)
		if err != nil {
			return nil, err
		}
		if len(commits) > 0 {
			o.Other, o.Commit = commits[len(commits)-1].phase, commits[len(commits)-1].id
		}
		found = append(found, o)
	}
	return slices.Clip(found), nil
}
