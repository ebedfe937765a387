package git

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"autobuild/internal/lazyregexp"
	"autobuild/internal/safefile"
	"autobuild/internal/text"
)

// ErrNoRepository means that a directory lies in no git repository.
var ErrNoRepository = errors.New(
	"no git repository here or above; run git init, or share the directory with --isolation none")

// UnusableError says what the user must change before work in a repository is possible.
type UnusableError struct {
	What  string // the defect
	Where string // a path, or empty
	Next  string // the next step, or empty

	none bool // git does not accept it as a repository
}

// Is matches ErrNoRepository where git does not accept the repository.
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

// PipeError means that a call waited for a named pipe and was ended.
type PipeError struct {
	Path string
}

func (e *PipeError) Error() string {
	return "git would wait for ever for " + text.Quote(e.Path) +
		", which is a named pipe; remove it, and put the file back that was there"
}

// ExitError is a call that did not succeed.
type ExitError struct {
	Args  []string // the command and its arguments, without settings
	Code  int      // exit code
	Tail  string   // the end of stderr, bounded
	Ended string   // by what it was ended before it could clean up; empty: it exited
}

// Lock is the path of the lock of another git that stopped the call; empty: it was none.
func (e *ExitError) Lock() string { return lockIn(e.Tail) }

// OfContent reports whether the content of the working tree may have caused the failure, rather
// than the machine or a lock of another git.
func (e *ExitError) OfContent() bool {
	return e.Ended == "" && e.Lock() == "" &&
		(!unwritten.MatchString(e.Tail) || strings.Contains(e.Tail, "ermission denied"))
}

// Said is Summary of git's output.
func (e *ExitError) Said() string { return Summary(e.Tail) }

func (e *ExitError) Error() string {
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

// unwritten matches git's messages about files that it cannot write.
var unwritten = lazyregexp.New(
	`(?i)permission denied|insufficient permission|read-only file system|no space left on device|disk quota exceeded|unable to create directory`)

// wayOut is the next step for the user, where it is known.
func (e *ExitError) wayOut() string {
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

// Next steps where a file cannot be written.
const (
	makeWritable = "make it writable for this user, and see that the disk is not full"
	raiseLimit   = "raise ulimit -f, which bounds how large a file may be"
)

// Unusable is the *UnusableError for the error of a file, with the next step; what begins the
// message.
func Unusable(what string, err error) error {
	where, next := "", makeWritable
	if special, ok := errors.AsType[*safefile.NotRegularError](err); ok {
		return &UnusableError{
			What: what + ": it is " + safefile.Kind(special.Mode), Where: special.Path,
			Next: "find out what replaced it, and put it back, or remove it",
		}
	}
	if errors.Is(err, syscall.EFBIG) {
		next = raiseLimit
	}
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		where, err = p.Path, p.Err
	}
	return &UnusableError{What: fmt.Sprintf("%s (%v)", what, err), Where: where, Next: next}
}

var lockFile = lazyregexp.New(`'([^'\n]*\.lock)': File exists`)

// lockIn is the path of the lock that git's message names; empty: none.
func lockIn(tail string) string {
	if m := lockFile.FindStringSubmatch(tail); m != nil {
		return m[1]
	}
	return ""
}

// heldLock is the message about a lock that stays.
func heldLock(path string) string {
	return "another git command is at work, or was killed and left a lock; if none is at work: rm " + text.Quote(
		path)
}
