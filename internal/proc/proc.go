// Package proc runs a program and makes sure that it and everything it started end. Every child has
// a supervisor, this program re-executed, that adopts all descendants and holds one end of a
// socket: whichever side dies, the other learns it from the kernel and kills what is left. It does
// not know what it runs, what the output means, or whether an exit code is good news.
package proc

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"autobuild/internal/secret"
)

// Defaults and bounds. Memory for a child is bounded by them and never by what it prints.
const (
	DefaultGrace  = 5 * time.Second  // between the polite signal and SIGKILL
	DefaultLinger = 30 * time.Second // between the end of the work and the polite signal
	// between the child's own word that it has ended and the polite signal
	LeaveTime     = 5 * time.Second
	DefaultMaxLog = 64 << 20        // bytes of a log, head and tail together
	DefaultOutput = 16 << 20        // bytes that Output returns at most
	TailSize      = 16 << 10        // bytes of Exit.Tail
	LineSize      = 200             // bytes of an activity line
	MinSecret     = secret.MinValue // bytes; a shorter value would mask ordinary words
)

// ErrOutputLimit says that a command printed more than Output was allowed to return.
var ErrOutputLimit = errors.New("too much output")

// ErrGone says that a process is not there any more, or that another has its number.
var ErrGone = errors.New("the process has ended")

// Runner starts children. The zero Runner works; share one by pointer, because it keeps the
// supervisors of ended children for the next ones.
type Runner struct {
	Exe  string           // the supervisor's program; empty: this one
	Kill <-chan struct{}  // when closed, every child is killed at once, without grace
	Hold *os.File         // kept open by every supervisor until its tree is gone; may be nil
	Now  func() time.Time // nil: time.Now
	// masked in every log, tail and activity line, if at least MinSecret bytes long
	Secrets []string

	// Step, where it is set, is called before each child starts and again once it has ended. It is
	// called from any goroutine, and an error from it becomes Run's: a run can be stopped there, or
	// made to fail.
	Step func(when Moment, argv []string) error

	// Confine makes of a command the one that starts it with fewer rights; program is the file that
	// was found for it. Run alone calls it: commands of Output are trusted. nil: every child
	// has the rights of this process.
	Confine func(program string, c Command) ([]string, error)

	patience time.Duration // 0: killPatience
	begins   time.Duration // 0: startPatience

	mu   sync.Mutex
	idle []*supervisor

	running int    // calls of Run that have a child
	started uint64 // children that Run has started so far
}

// Children counts the children that Run has started; none is set where none is alive. Between two
// such answers with one count no child was alive, so no child has changed anything.
func (r *Runner) Children() (started uint64, none bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.started, r.running == 0
}

// count notes that a child of Run starts, or has ended with all that it started.
func (r *Runner) count(change int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.running += change; change > 0 {
		r.started++
	}
}

// Moment is one of the two at which Runner.Step is asked.
type Moment string

// The moments of a child.
const (
	Before Moment = "before"
	After  Moment = "after"
)

// Command is one program to run.
type Command struct {
	Argv   []string     // a name without a slash is looked up in Env's PATH
	Dir    string       // working directory; empty: this process's
	Env    []string     // the whole environment; with Dir, PWD is corrected
	Own    bool         // for Confine: the user's own commands
	Hide   string       // a directory that Confine is to make unreadable; empty: none
	Stdin  io.Reader    // nil: the null device; otherwise copied, then closed
	Log    *os.File     // receives stdout and stderr, masked and escaped; nil: discarded
	MaxLog int64        // bytes; past it the head and the tail are kept. 0: DefaultMaxLog
	Stdout func([]byte) // raw stdout as it arrives, from one goroutine; the slice is reused

	// Spool is a directory in which a regular file without a name takes stdout, instead of a pipe,
	// where the system lets it be bounded (Linux): for programs that lose what is still in a pipe
	// when they exit. It goes with Stdout alone. Empty: a pipe.
	Spool string

	// Activity receives the last complete output line, printable and at most LineSize bytes,
	// a few times a second. It is called by Run itself and must not block.
	Activity func(string)

	// Quiet is called for each further minute without output, with the length of the silence. Like
	// Activity it is called by Run itself.
	Quiet func(time.Duration)

	// Done reports whether the child has done its work and need only end: one that prints nothing
	// for Linger after that is stopped. Run itself calls it every second or more often. nil: the
	// work is done only when the child ends.
	Done   func() bool
	Linger time.Duration // 0: DefaultLinger

	// Gone reports whether the child has announced its end: LeaveTime after that it is stopped,
	// even while it prints. It is called as Done is. nil: the child announces nothing.
	Gone func() bool

	Timeout time.Duration // of awake time; 0: none
	// without a sign of life: output, CPU use of the whole tree, changes in Files; 0: none
	Idle time.Duration
	// a directory in which changes are signs of life; see FilesSeen. Empty: none
	Files string
	Grace time.Duration // 0: DefaultGrace
	// Hurry, closed, takes the grace away: the child is killed once it is to be stopped. nil: it
	// has its grace.
	Hurry     <-chan struct{}
	Interrupt bool // stop politely by SIGINT rather than SIGTERM
}

// Ended says why a child is no longer there.
type Ended string

// The endings. The exit code is the child's own only after Exited.
const (
	Exited  Ended = "exited"  // by itself, also by a signal that is not ours
	Timeout Ended = "timeout" // Command.Timeout
	Idle    Ended = "idle"    // Command.Idle
	// its work was done and it did not end; see Command.Done and Command.Gone
	Lingered Ended = "lingered"
	Stopped  Ended = "stopped" // the context was cancelled
	Killed   Ended = "killed"  // Runner.Kill was closed
	Blocked  Ended = "blocked" // Output's command waited for a named pipe, Exit.Blocked
	// its supervisor was killed from outside; its remains have been swept
	Lost Ended = "lost"
)

// Exit is the end of a child and the kept part of its output.
type Exit struct {
	Code     int    // exit status; -1 after a signal
	Signal   string // "SIGTERM"; empty when it exited
	Ended    Ended
	Duration time.Duration
	CPU      time.Duration // user and system time, adopted descendants included
	Blocked  string        // the named pipe that it waited for; after Blocked
	Tail     string        // the last TailSize bytes of output, masked and escaped
	Last     string        // the last activity line
	Lines    int64
	Bytes    int64
}

// OK reports whether the child exited by itself with status 0.
func (e Exit) OK() bool { return e.Ended == Exited && e.Code == 0 && e.Signal == "" }

// StartError means that a program could not be started at all; Err holds the cause and the next
// step.
type StartError struct {
	Argv []string
	Dir  string
	Err  error
}

// Error names the program, its directory, the cause and the next step.
func (e *StartError) Error() string {
	name := "(no program)"
	if len(e.Argv) > 0 {
		name = Clean(e.Argv[0], LineSize)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "start %s", name)
	if e.Dir != "" {
		fmt.Fprintf(&b, " in %s", Clean(e.Dir, 4*LineSize))
	}
	fmt.Fprintf(&b, ": %v", e.Err)
	return b.String()
}

// Unwrap gives the cause: fs.ErrNotExist for a missing program or directory, an errno for the rest.
func (e *StartError) Unwrap() error { return e.Err }

func (r *Runner) now() time.Time {
	if r.Now != nil {
		return r.Now()
	}
	return time.Now()
}

// step passes a moment of a child on.
func (r *Runner) step(when Moment, c *Command) error {
	if r.Step == nil {
		return nil
	}
	return r.Step(when, c.Argv)
}

func (c *Command) grace() time.Duration {
	if c.Grace > 0 {
		return c.Grace
	}
	return DefaultGrace
}
