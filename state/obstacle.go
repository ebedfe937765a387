package state

import (
	"autobuild/internal/text"
)

// ObstacleCode is the kind of an obstacle that keeps work out of the user's checkout.
type ObstacleCode string

// The obstacles.
const (
	ObstacleUntracked ObstacleCode = "untracked" // Path exists in the checkout, untracked
	ObstacleChanged   ObstacleCode = "changed"   // Path has changes in the checkout
	// Path is deleted in the checkout, not in the index
	ObstacleDeleted     ObstacleCode = "deleted"
	ObstacleOtherBranch ObstacleCode = "other_branch" // the checkout is on Branch instead of Home
	// Home is at Commit, to which no delivery moved it
	ObstacleOtherCommit ObstacleCode = "other_commit"
	ObstacleDetached    ObstacleCode = "detached" // HEAD is on no branch
	ObstacleMoved       ObstacleCode = "moved"    // Home moved during the delivery
	// a git process holds, or left, the lock at Path
	ObstacleLocked  ObstacleCode = "locked"
	ObstacleRefused ObstacleCode = "refused" // git refused for another reason: Detail
	// commit mode single delivers at the end of the run
	ObstacleIncomplete ObstacleCode = "incomplete"
	ObstacleFailed     ObstacleCode = "failed"    // the delivery failed: Detail
	ObstacleElsewhere  ObstacleCode = "elsewhere" // the work goes to a remote
)

// Obstacle is why finished work is not in the user's checkout. The zero Obstacle is none, or one of
// a run that an older version stored: that has the sentence alone.
type Obstacle struct {
	Code   ObstacleCode `json:"code"`
	Path   string       `json:"path,omitzero"`   // of the file in the way, or of git's lock
	Branch string       `json:"branch,omitzero"` // that the checkout is on
	Home   string       `json:"home,omitzero"`   // branch that the run began on
	Commit string       `json:"commit,omitzero"` // where Home is
	Detail string       `json:"detail,omitzero"` // git's output, or the text of an error
}

// bounded is the obstacle as it is stored.
func (o Obstacle) bounded() Obstacle {
	for _, field := range []*string{&o.Path, &o.Branch, &o.Home, &o.Detail} {
		*field = text.Clip(*field, maxNote)
	}
	return o
}
