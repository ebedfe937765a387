// Package referee decides whether a phase's work changed what judges it. The referee is the base's
// tests, gates and the files that steer them; a change of it counts by what the base's referee says
// about the new code, never by the difference alone. It is pure: trees are read through Source, and
// the caller runs the gates. It does not know agents, git or processes.
package referee

import (
	"time"

	"autobuild/state"
)

// Class says what a file of the repository is to the gates. docs/referee.md has the table.
type Class string

// The classes.
const (
	Product Class = "product" // files that phases are meant to change
	// tests, and what only tests import or read: helpers, fixtures, snapshots
	Test Class = "test"
	// gate commands, what they reach, and the settings that decide what they mean
	Gate Class = "gate"
	// a file that could shadow a runner, a module or a program, or switch a judge off
	Lever    Class = "lever"
	Vendored Class = "vendored" // other people's code, never a referee
)

// Source is one tree, read on demand. Paths are relative to the root, with slashes.
type Source interface {
	Paths() []string // all files, sorted
	// at most MaxRead bytes; false: not there, no regular file, or larger
	Read(path string) (string, bool)
	Mode(path string) string // git's mode; empty: not there
}

// MaxRead is the size in bytes up to which a file's content is looked at.
const MaxRead = 1 << 20

// Edit is one file of a difference between a base and the work. A file that moved is two edits.
type Edit struct {
	Path             string
	OldMode, NewMode string // git's; empty where the file is not there
	Old, New         string
	Unread           bool // too large: the content is not here
}

// Overlay is one file to be put into a tree: its content and mode, or its removal.
type Overlay struct {
	Path    string
	Mode    string // git's; empty: the file is removed
	Content string
	Base    bool // take the base's object as it is; Content is not set
}

// Shown is a directory that shows a tree to gates.
type Shown struct {
	Dir string
	// Content names all that gates find in Dir: equal names are equal files, ignored ones included.
	// Empty: it is not known.
	Content string
	Alone   bool // no other suite may run meanwhile
	Warm    bool // Dir has copied build folders of an accepted tree
}

// Outcome is the result of the gates on one tree.
type Outcome struct {
	Ran     bool
	Passed  bool
	Gates   []state.Gate    // as they ended
	CPU     time.Duration   // user and system time of the gates that ran
	Beside  bool            // suites of other phases ran at the same time
	Passing map[string]bool // names by Key of tests seen passing; nil: no runner prints names
	Failing map[string]bool // names of tests seen failing
	Skips   bool            // jest skipped tests; its output does not always say in which files
	// files, packages (BelowKey: crates) or tests that could not be compiled or imported
	Broken map[string]bool
	// names of gates that failed and named no test: any of theirs may have failed
	Blind []string
}

// Section is the text of the plan that may ask for a change.
type Section struct {
	Text  string   // of the phase: its section alone
	Files []string // that the phase declares, patterns allowed
}

// Mode is the strictness of --referee.
type Mode string

// The modes.
const (
	Contest Mode = "contest" // unasked changes that the agent names land as contested
	Strict  Mode = "strict"  // only what the plan asks for lands
	Off     Mode = "off"
)
