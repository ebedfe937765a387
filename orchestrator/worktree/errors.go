package worktree

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"autobuild/internal/text"
)

// ErrNoRepository means that the directory lies in no git repository: the phases must share it.
var ErrNoRepository = errors.New("no git repository here or above; run git init, or share the directory with --isolation none")

// ErrNoChange means that a phase was to land without having changed anything.
var ErrNoChange = errors.New("the phase changed no file; nothing to land")

// UnusableError says why a repository cannot be worked with as it is, and the way out.
type UnusableError struct {
	What, Where, Next string

	none bool // for git it is no repository
}

// Is reports whether git finds no repository at all.
func (e *UnusableError) Is(target error) bool { return e.none && target == ErrNoRepository }

func (e *UnusableError) Error() string {
	s := e.What
	if e.Where != "" {
		s += ": " + text.Quote(e.Where)
	}
	if e.Next != "" {
		s += "; " + e.Next
	}
	return s
}

// GoneError means that a phase's worktree was deleted or replaced; Open makes it anew.
type GoneError struct {
	Dir string
}

func (e *GoneError) Error() string {
	return fmt.Sprintf("worktree %s was deleted or replaced while the phase ran; the next attempt gets a new one", text.Quote(e.Dir))
}

// NestedError names git repositories that a phase made inside its work, which git would record as links to nowhere, or submodules that
// hold what is not committed in them, which it would not record at all.
type NestedError struct {
	Paths      []string
	Submodules bool
}

func (e *NestedError) Error() string {
	if e.Submodules {
		return fmt.Sprintf("the work changed files inside submodules, which are repositories of their own: %s; "+
			"undo that, or have it committed there and the phase only move the submodule", text.QuoteSome(e.Paths))
	}
	return fmt.Sprintf("the work holds git repositories of its own: %s; remove their .git, or ignore them", text.QuoteSome(e.Paths))
}

// ShutError means that a phase's work holds what may not be read even by its owner, so that it cannot be committed.
type ShutError struct {
	Why  string // git's words, which name the path
	Pipe string // a named pipe where git reads a file; then Why is empty
}

func (e *ShutError) Error() string {
	if e.Pipe != "" {
		return "the work holds a named pipe where git reads a file: " + e.Pipe + "; remove it"
	}
	return "the work holds what cannot be read: " + e.Why + "; give it to the user who runs autobuild, or have git ignore it"
}

// PipeError means that git would have waited for a named pipe for ever.
type PipeError struct {
	Path string
}

func (e *PipeError) Error() string {
	return "git would wait for ever for " + text.Quote(e.Path) + ", which is a named pipe; remove it, and put the file back that was there"
}

// ConflictFile is one file on which a phase and earlier landed work disagree. Lines are given as "10-25, 40", each side
// numbered in its own version, and empty where lines make no sense.
type ConflictFile struct {
	Path        string
	Kind        string // as git names it: contents, binary, modify/delete, …
	Lines       string
	Other       string // the other phase, or empty when it was the user's own commit
	OtherCommit string
	OtherLines  string
	Excerpt     string // the other's part of the difference, bounded
}

// ConflictError means that a phase's work does not merge with what landed since its base. Nothing was merged; the work is
// committed in Dir, where a person can merge Branch.
type ConflictError struct {
	Phase  string
	Dir    string // the phase's worktree; empty when the directory is shared
	Branch string // the line's, short; empty when the directory is shared
	Files  []ConflictFile
}

func (e *ConflictError) Error() string {
	if len(e.Files) == 0 {
		return fmt.Sprintf("phase %s conflicts with work that landed before it; make the phases sequential", e.Phase)
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
	return fmt.Sprintf("phase %s and %s both changed %s%s%s; merge them by hand, or make the phases sequential",
		e.Phase, other, text.Quote(f.Path), bracket(f.Lines, f.OtherLines), more)
}

func bracket(mine, theirs string) string {
	if mine == "" || theirs == "" {
		return ""
	}
	return " (lines " + mine + " and " + theirs + ")"
}

// gitError is a git call that did not end as it should.
type gitError struct {
	Args  []string // the command and its arguments, without settings
	Code  int      // exit code
	Tail  string   // the end of what it printed on stderr, bounded
	Ended string   // how it was ended, and so without cleaning up; empty: it ended by itself
}

// Lock is the path of another git's lock, if that is what stopped the call.
func (e *gitError) Lock() string { return lockIn(e.Tail) }

// Said is what git printed, in one bounded line.
func (e *gitError) Said() string { return Summary(e.Tail) }

func (e *gitError) Error() string {
	if lock := e.Lock(); lock != "" {
		return fmt.Sprintf("git %s: %s", e.Args[0], heldLock(lock))
	}
	said := fmt.Sprintf("ended with %d: %s", e.Code, e.Said())
	if e.Ended != "" {
		said = "was ended " + e.Ended
		if e.Tail != "" {
			said += ": " + e.Said()
		}
	}
	return fmt.Sprintf("git %s %s%s", e.Args[0], said, e.wayOut())
}

// unwritten is what git says where it may not or cannot write.
var unwritten = regexp.MustCompile(`(?i)permission denied|insufficient permission|read-only file system|no space left on device|disk quota exceeded|unable to create directory`)

// wayOut is what a person can do about it, where that is known.
func (e *gitError) wayOut() string {
	switch {
	case e.Ended == "by SIGXFSZ":
		return "; " + raiseLimit
	case unwritten.MatchString(e.Tail):
		return "; " + makeWritable
	}
	return ""
}

// Summary folds what git printed into one line of at most 400 bytes.
func Summary(tail string) string {
	s := strings.Join(strings.Fields(strings.ToValidUTF8(tail, "?")), " ")
	if len(s) > 400 {
		s = strings.ToValidUTF8(s[len(s)-400:], "")
	}
	if s == "" {
		return "no message"
	}
	return s
}
