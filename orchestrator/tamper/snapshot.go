package tamper

import (
	"slices"

	"autobuild/orchestrator/worktree/delivery"
)

// Snapshot is the state outside the worktrees: refs, the user's checkout and index, and git's
// configuration. The difference of two of them shows forbidden changes of an agent.
type Snapshot struct {
	head  string
	refs  map[string]string
	stash string            // the stash's newest entry
	index map[string]string // the staged files, by path
	// stamps of files that differ from the index or are untracked, by path
	files map[string]string
	meta  map[string]metaFile // git's own files, by name
	// git's notes of the moves of the user's checkouts; nil where it notes none
	logs  map[string]bool
	last  string            // the newest entry of the stash's log
	ours  map[string]string // refs that this process has moved, with where it left them
	mine  map[string]string // git's own files that were put back, with their digest
	deeds []delivery.Deed   // all of ours so far
	// stamps of files that the user has edited and the run has accepted, by path
	accepted map[string]string
}

// differing lists the keys whose values differ, without the excused ones, sorted.
func differing(a, b map[string]string, excused map[string]bool) []string {
	var keys []string
	for k, v := range a {
		if w, ok := b[k]; (!ok || w != v) && !excused[k] {
			keys = append(keys, k)
		}
	}
	for k := range b {
		if _, ok := a[k]; !ok && !excused[k] {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return keys
}
