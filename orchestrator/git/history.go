package git

import (
	"context"
	"strconv"
	"strings"
)

// logFormat makes git log print the id of a commit and its message, each ended by NUL.
var logFormat = []string{
	"--first-parent", "--no-show-signature", "--encoding=UTF-8", "-z",
	"--format=%H%x00%B",
}

// Log lists the commits from one to another along first parents, oldest first, the first left out.
// With paths, only those that changed one of them.
func (d *ScratchDir) Log(ctx context.Context, from, to string, paths ...string) ([]Commit, error) {
	if len(paths) == 0 {
		if commits, ok, err := d.line.log(ctx, d.objects, from, to); ok || err != nil {
			return commits, err
		}
	}
	out, _, err := d.do(ctx, Files{}, nil, nil, logArgs("--reverse", from+".."+to, paths)...)
	if err != nil {
		return nil, err
	}
	return parseLog(out), nil
}

// Newest lists the newest commits along first parents, newest first, at most some.
func (d *ScratchDir) Newest(ctx context.Context, tip string, most int) ([]Commit, error) {
	out, _, err := d.do(ctx, Files{}, nil, nil, logArgs("--max-count="+strconv.Itoa(most), tip,
		nil)...)
	return parseLog(out), err
}

func logArgs(option, revisions string, paths []string) []string {
	args := append(append([]string{"log"}, logFormat...), option, revisions, "--")
	return append(args, paths...)
}

func parseLog(out []byte) []Commit {
	parts := strings.Split(string(out), "\x00")
	var found []Commit
	for i := 0; i+1 < len(parts); i += 2 {
		found = append(found, Commit{ID: parts[i], Message: parts[i+1]})
	}
	return found
}

// LastDeletion names the newest commit that deleted a path; empty where none did.
func (d *ScratchDir) LastDeletion(ctx context.Context, tip, path string) (string, error) {
	return d.ask(ctx, Files{}, nil, "log", "-1", "--format=%H", "--no-renames", "--diff-filter=D",
		tip, "--", path)
}

// MergeBase is the best common ancestor of the first commit and a merge of the others; empty where
// there is none.
func (d *ScratchDir) MergeBase(
	ctx context.Context, commit string, others ...string,
) (string, error) {
	out, code, err := d.do(ctx, Files{}, nil, []int{1},
		append([]string{"merge-base", commit}, others...)...)
	if err != nil || code != 0 {
		return "", err
	}
	return word(out), nil
}

// IsAncestor reports whether commit a is b or an ancestor of b.
func (d *ScratchDir) IsAncestor(ctx context.Context, a, b string) (bool, error) {
	if a == b && commitID(a) != "" {
		return true, nil
	}
	_, code, err := d.do(ctx, Files{}, nil, []int{1}, "merge-base", "--is-ancestor", a, b)
	return err == nil && code == 0, err
}

// IsAhead reports whether a commit can be reached from tip and not from base, merges aside.
func (d *ScratchDir) IsAhead(ctx context.Context, tip, base string) (bool, error) {
	if c, err := d.objects.commit(ctx, tip); err == nil && len(c.parents) == 1 &&
		c.parents[0] == base {
		return true, nil
	}
	out, _, err := d.do(ctx, Files{}, nil, nil, "rev-list", "--no-merges", "--max-count=1", tip,
		"^"+base)
	return len(out) > 0, err
}

// Log lists the commits from one to another along first parents, oldest first, the first left out.
func (r *Repository) Log(ctx context.Context, from, to string) ([]Commit, error) {
	out, _, err := r.real(ctx, nil, nil, logArgs("--reverse", from+".."+to, nil)...)
	return parseLog(out), err
}
