package render

import (
	"strings"

	"autobuild/state"
)

// The ends of the sentences about a file in the way. Versions before state.Obstacle stored nothing
// but the sentence.
const (
	isUntracked = " exists in the checkout, untracked"
	isChanged   = " is changed in the checkout"
	isDeleted   = " is deleted in the checkout"
)

// ObstacleText says in a sentence why work is not in the user's checkout; empty where nothing is in
// the way.
func ObstacleText(o state.Obstacle) string {
	switch o.Code {
	case state.ObstacleUntracked:
		return o.Path + isUntracked
	case state.ObstacleChanged:
		return o.Path + isChanged
	case state.ObstacleDeleted:
		return o.Path + isDeleted
	case state.ObstacleOtherBranch:
		return "the checkout is on " + o.Branch + ", the run began on " + o.Home
	case state.ObstacleOtherCommit:
		return o.Home + " is at " + o.Commit + ", where the run did not leave it"
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

// obstacleIn is the obstacle itself, or for a run of an older version what its sentence says about
// a file.
func obstacleIn(o state.Obstacle, sentence string) state.Obstacle {
	if o.Code != "" {
		return o
	}
	for _, old := range []struct {
		end  string
		code state.ObstacleCode
	}{
		{isUntracked, state.ObstacleUntracked},
		{isChanged, state.ObstacleChanged},
		{isDeleted, state.ObstacleDeleted},
	} {
		if name, ok := strings.CutSuffix(sentence, old.end); ok {
			return state.Obstacle{Code: old.code, Path: name}
		}
	}
	return state.Obstacle{}
}

// MergeAdvice says what to do before a merge can work: git refuses as long as a file is in the way.
// It is empty for any other obstacle of an end, whose sentence stands beside it.
func MergeAdvice(end state.End) string {
	switch o := obstacleIn(end.Obstacle, end.Why); o.Code {
	case state.ObstacleUntracked:
		return "move " + o.Path + " away"
	case state.ObstacleChanged, state.ObstacleDeleted:
		return "commit or undo your change to " + o.Path
	}
	return ""
}
