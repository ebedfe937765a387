package worktree

import (
	"context"
	"strconv"
	"strings"
)

// Numbers are the size of one commit's difference from its first parent.
type Numbers struct {
	Files, Added, Deleted int // lines; a binary file counts as a file only
}

// Numbers measures commits by their full names. What is no full name, or not in the repository any more, is left out.
func (r *Repo) Numbers(ctx context.Context, commits []string) (map[string]Numbers, error) {
	var names strings.Builder
	for _, name := range commits {
		if fullName(name) {
			names.WriteString(name + "\n")
		}
	}
	if names.Len() == 0 {
		return nil, nil
	}
	out, _, err := r.real(ctx, []byte(names.String()), nil, "log", "--no-walk=unsorted", "--ignore-missing", "--stdin", "--no-show-signature",
		"--diff-merges=first-parent", "--no-renames", "--no-ext-diff", "--no-textconv", "--numstat", "--format=commit %H")
	if err != nil {
		return nil, err
	}
	return readNumbers(string(out)), nil
}

// readNumbers reads the lines of a log with numbers. Git quotes a path that has a line break in it.
func readNumbers(out string) map[string]Numbers {
	found := make(map[string]Numbers)
	name := ""
	for line := range strings.Lines(out) {
		if rest, ok := strings.CutPrefix(line, "commit "); ok {
			name = strings.TrimSpace(rest)
			found[name] = Numbers{}
			continue
		}
		added, rest, _ := strings.Cut(line, "\t")
		deleted, _, ok := strings.Cut(rest, "\t")
		if !ok || name == "" {
			continue
		}
		n := found[name]
		n.Files++
		plus, _ := strconv.Atoi(added) // "-" for a binary file
		minus, _ := strconv.Atoi(deleted)
		n.Added, n.Deleted = n.Added+plus, n.Deleted+minus
		found[name] = n
	}
	return found
}

// fullName reports whether a word is the full name of an object, by either of git's two hashes.
func fullName(word string) bool {
	return (len(word) == 40 || len(word) == 64) && strings.Trim(word, "0123456789abcdef") == ""
}
