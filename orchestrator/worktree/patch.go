package worktree

import (
	"context"
	"strconv"
	"strings"

	"autobuild/orchestrator/git"
)

// Bounds of the excerpts of other phases' differences.
const (
	maxShownFiles = 12   // of Between
	maxExcerpt    = 2048 // bytes of one file's difference
)

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

// lines gives the line ranges of a file that were changed on the way from one tree to another, in
// the numbering of the second. Removed lines are given as the line before them.
func lines(ctx context.Context, d *git.ScratchDir, from, to, path string) (string, error) {
	patch, err := d.Patch(ctx, from, to, path, 0)
	if err != nil {
		return "", err
	}
	return ranges(patch), nil
}

const maxRanges = 12 // limits the hunks of a file that was rewritten all over

func ranges(diff string) string {
	var b strings.Builder
	n, before := 0, ""
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
		part := strconv.Itoa(max(first, 1))
		if length > 1 {
			part += "-" + strconv.Itoa(first+length-1)
		}
		if part == before {
			continue // git shows a file that became a link in two parts
		}
		before = part
		if n++; n > maxRanges {
			return b.String() + ", …"
		}
		if n > 1 {
			b.WriteString(", ")
		}
		b.WriteString(part)
	}
	return b.String()
}
