package render

import (
	"cmp"

	"autobuild/state"
)

// ObstacleText says in a sentence why work is not in the user's checkout; empty where nothing is in
// the way.
func ObstacleText(o state.Obstacle) string {
	switch o.Code {
	case state.ObstacleUntracked:
		return o.Path + " exists in the checkout, untracked"
	case state.ObstacleChanged:
		return o.Path + " is changed in the checkout"
	case state.ObstacleDeleted:
		return o.Path + " is deleted in the checkout"
	case state.ObstacleOtherBranch:
		return "the checkout is on " + o.Branch + ", the run began on " + o.Home
	case state.ObstacleOtherCommit:
		return o.Home + " is at " + cmp.Or(o.Commit, "no commit") + ", where the run did not leave it"
	case state.ObstacleDetached:
		return "HEAD is detached, so there is no branch to bring the work to"
	case state.ObstacleMoved:
		return o.Home + " moved while the work was being delivered"
	case state.ObstacleLocked:
		return "another git command is at work, or was killed and left a lock; if none is at " +
			"work: rm " + o.Path
	case state.ObstacleRefused:
		return "git refused: " + o.Detail
	case state.ObstacleElsewhere:
		return "--deliver sends it to the remote, and the checkout stays as it is"
	case state.ObstacleIncomplete:
		return "the run is not complete, and its one commit is made at the end"
	}
	return o.Detail
}

// MergeAdvice says what to do before a merge can work: git refuses as long as a file is in the way.
// It is empty for any other obstacle of an end, whose sentence stands beside it.
func MergeAdvice(end state.End) string {
	switch o := end.Obstacle; o.Code {
	case state.ObstacleUntracked:
		return "move " + o.Path + " away"
	case state.ObstacleChanged, state.ObstacleDeleted:
		return "commit or undo your change to " + o.Path
	}
	return ""
}
