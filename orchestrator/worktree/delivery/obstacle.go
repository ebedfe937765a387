package delivery

import (
	"strings"
)

// Obstacle is why the user's checkout did not get finished work. The zero Obstacle is none. It
// holds facts only: words are made where they are shown.
type Obstacle struct {
	Code string
	// of the file in the way, or of git's lock; quoted where it holds blanks or control characters
	Path   string
	Branch string // short name of the branch that the checkout is on
	Home   string // short name of the branch that the run began on
	Commit string // abbreviated: where Home is
	Detail string // git's output, or the text of an error
}

// The codes of obstacles.
const (
	Untracked   = "untracked"    // Path exists in the checkout, untracked
	Changed     = "changed"      // Path has changes in the checkout
	Deleted     = "deleted"      // Path is deleted in the checkout, not in the index
	OtherBranch = "other_branch" // the checkout is on Branch instead of Home
	OtherCommit = "other_commit" // Home is at Commit, to which no delivery moved it
	Detached    = "detached"     // HEAD is on no branch
	Moved       = "moved"        // Home moved during the delivery
	Locked      = "locked"       // a git process holds, or left, the lock at Path
	Refused     = "refused"      // git refused for another reason: Detail
	Incomplete  = "incomplete"   // mode single commits at the end of the run
	Failed      = "failed"       // the delivery failed: Detail
	Elsewhere   = "elsewhere"    // the work goes to a remote and not into the checkout
)

// None reports whether nothing is in the way.
func (o Obstacle) None() bool { return o.Code == "" }

// String is the code with its facts, for logs and tests.
func (o Obstacle) String() string {
	return strings.Join(strings.Fields(strings.Join([]string{
		o.Code, o.Path, o.Branch, o.Home,
		o.Commit, o.Detail,
	}, " ")), " ")
}
