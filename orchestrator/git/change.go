package git

import "strings"

// Change is one path that differs between two trees, or one entry of a tree or an index, of which
// only the new side is set. Modes and ids are git's; those of a missing side are zeros.
type Change struct {
	Path             string
	OldMode, NewMode string
	OldID, NewID     string
	Status           byte // A, M, D, T
}

// Gitlink is git's mode of a submodule.
const Gitlink = "160000"

// byPath orders changes as git does.
func byPath(a, b Change) int { return strings.Compare(a.Path, b.Path) }
