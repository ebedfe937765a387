package git

import (
	"context"
	"strconv"
	"strings"
)

// Numstat is the size of a commit's difference from its first parent.
type Numstat struct {
	Files, Added, Deleted int // lines; a binary file counts as a file only
}

// Numstat measures commits by their full ids. Other words, and commits that are missing, are left
// out.
func (r *Repository) Numstat(ctx context.Context, commits []string) (map[string]Numstat, error) {
	var names strings.Builder
	for _, name := range commits {
		if commitID(name) != "" {
			names.WriteString(name + "\n")
		}
	}
	if names.Len() == 0 {
		return nil, nil
	}
	out, _, err := r.real(ctx, []byte(names.String()), nil, "log", "--no-walk=unsorted",
		"--ignore-missing", "--stdin", "--no-show-signature",
		"--diff-merges=first-parent", "--no-renames", "--no-ext-diff", "--no-textconv", "--numstat",
		"--format=commit %H")
	if err != nil {
		return nil, err
	}
	return parseNumstat(string(out)), nil
}

// parseNumstat reads a log with --numstat. Git quotes a path with a line break.
func parseNumstat(out string) map[string]Numstat {
	found := make(map[string]Numstat)
	name := ""
	for line := range strings.Lines(out) {
		if rest, ok := strings.CutPrefix(line, "commit "); ok {
			name = strings.TrimSpace(rest)
			found[name] = Numstat{}
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
