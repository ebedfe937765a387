package worktree

import (
	"errors"
	"fmt"

	"autobuild/internal/text"
)

// ErrNoChange means that a phase was to land without having changed anything.
var ErrNoChange = errors.New("the phase changed no file; nothing to land")

// GoneError means that a phase's worktree was deleted or replaced; Open makes it anew.
type GoneError struct {
	Dir string
}

func (e *GoneError) Error() string {
	return fmt.Sprintf(
		"worktree %s was deleted or replaced while the phase ran; the next attempt gets a new one",
		text.Quote(e.Dir))
}

// NestedError names git repositories that a phase made inside its work, which git would record as
// links to nowhere, or submodules that hold what is not committed in them, which it would not
// record at all.
type NestedError struct {
	Paths      []string
	Submodules bool
}

func (e *NestedError) Error() string {
	if e.Submodules {
		return fmt.Sprintf(
			"the work changed files inside submodules, which are repositories of their own: %s; "+
				"undo that, or have it committed there and the phase only move the submodule",
			text.QuoteSome(e.Paths))
	}
	return fmt.Sprintf(
		"the work holds git repositories of its own: %s; remove their .git, or ignore them",
		text.QuoteSome(e.Paths))
}

// ShutError means that a phase's work holds what git cannot take: what may not be read even by its
// owner, what is too large, or what its own attributes forbid.
type ShutError struct {
	Why  string // git's words, or ours
	Pipe string // a named pipe where git reads a file; then Why is empty
}

func (e *ShutError) Error() string {
	if e.Pipe != "" {
		return "the work holds a named pipe where git reads a file: " + e.Pipe + "; remove it"
	}
	return "git cannot take the work: " + e.Why + "; mend that, or have git ignore it"
}

// ConflictFile is one file on which a phase and earlier landed work disagree. Lines are given as
// "10-25, 40", each side numbered in its own version, and empty where lines make no sense.
type ConflictFile struct {
	Path        string
	Kind        string // as git names it: contents, binary, modify/delete, …
	Lines       string
	Other       string // the other phase, or empty when it was the user's own commit
	OtherCommit string
	OtherLines  string
	Excerpt     string // the other's part of the difference, bounded
}

// ConflictError means that a phase's work does not merge with what landed since its base. Nothing
// was merged; the work stays in Dir.
type ConflictError struct {
	Phase  string
	Dir    string // the phase's worktree; empty when the directory is shared
	Branch string // the line's, short; empty when the directory is shared
	Files  []ConflictFile
}

func (e *ConflictError) Error() string {
	if len(e.Files) == 0 {
		return fmt.Sprintf(
			"phase %s conflicts with work that landed before it; make the phases sequential",
			e.Phase)
	}
	f := e.Files[0]
	other := "a commit of yours"
	if f.Other != "" {
		other = "phase " + f.Other
	}
	more := ""
	if n := len(e.Files) - 1; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf(
		"phase %s and %s both changed %s%s%s; make the phases sequential",
		e.Phase, other, text.Quote(f.Path), bracket(f.Lines, f.OtherLines), more)
}

func bracket(mine, theirs string) string {
	if mine == "" || theirs == "" {
		return ""
	}
	return " (lines " + mine + " and " + theirs + ")"
}

// isWork reports whether the work in a worktree is the reason why it cannot be read.
func isWork(err error) bool {
	_, gone := errors.AsType[*GoneError](err)
	_, nested := errors.AsType[*NestedError](err)
	_, shut := errors.AsType[*ShutError](err)
	return gone || nested || shut
}

func firstError(a, b error) error {
	if a != nil {
		return a
	}
	return b
}
