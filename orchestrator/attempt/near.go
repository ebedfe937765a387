package attempt

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"autobuild/state"
)

// Bounds of a search for what missing paths may mean.
const (
	maxSought = 20 // paths
	maxNear   = 5  // that each may mean
)

// near finds, for every path that something expected and did not find, the paths that may be meant: for those that gates and the agent
// name, the claimed ones, and those that the plan takes for granted.
func (t *try) near(ctx context.Context) map[string][]string {
	if t.Near == nil || t.tree.Dir == "" || ctx.Err() != nil {
		return nil
	}
	root, err := os.OpenRoot(t.tree.Dir)
	if err != nil {
		return nil
	}
	defer func() { _ = root.Close() }() // only read from
	sought := slices.Concat(t.seen.NotFound(), t.task.Phase.Prerequisites.Files, t.task.Phase.Files.Existing)
	var found map[string][]string
	for _, path := range sought[:min(len(sought), maxSought)] {
		local, ok := inside(t.tree.Dir, path)
		if _, known := found[path]; known || !ok || t.awaited(filepath.ToSlash(local)) || exists(root, t.tree.Dir, local) {
			continue
		}
		near := t.Near(ctx, t.tree.Dir, filepath.ToSlash(local))
		if len(near) == 0 {
			continue
		}
		if found == nil {
			found = make(map[string][]string)
		}
		found[path] = near[:min(len(near), maxNear)]
	}
	return found
}

// making are words by which a text says that something comes to be, in the languages of the plans that can be read.
var making = regexp.MustCompile(`(?i)\b(?:creat\w*|writ\w*|add\w*|generat\w*|new|produc\w*|mak(?:e|es|ing)|sav(?:e|es|ing)|output\w*|emit\w*|put|build\w*|implement\w*|document\w*|draft\w*|deliver\w*` +
	`|erstell\w*|erzeug\w*|anleg\w*|schreib\w*|neue?[nrs]?|cré\w*|écri\w*|ajout\w*|génér\w*|crea\w*|escrib\w*)\b|创建|新建|编写|生成|作成`)

// awaited reports whether a path that does not exist is one that this phase is to make: its section says so, a gate asks
// for it, or the agent claims to have made it. Then no other file is meant.
func (t *try) awaited(path string) bool {
	p := t.task.Phase
	if slices.Contains(p.Files.Create, path) || slices.Contains(p.Files.Test, path) {
		return true
	}
	if r := t.record.Report; r != nil && slices.Contains(r.Created, path) {
		return true
	}
	names := func(text string) bool {
		at := strings.Index(text, path)
		return at >= 0 && (at == 0 || !strings.ContainsRune("/.-_", rune(text[at-1])))
	}
	if slices.ContainsFunc(t.gates, func(g state.GateSpec) bool { return names(g.Command) }) {
		return true
	}
	for line := range strings.Lines(p.Text) {
		if names(line) && making.MatchString(line) {
			return true
		}
	}
	return false
}

// inside is a path relative to dir, if it lies below it.
func inside(dir, path string) (string, bool) {
	local := filepath.FromSlash(path)
	if filepath.IsAbs(local) {
		rel, err := filepath.Rel(dir, local)
		if err != nil {
			return "", false
		}
		local = rel
	}
	local = filepath.Clean(local)
	return local, local != "." && filepath.IsLocal(local)
}
