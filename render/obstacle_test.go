package render

import (
	"testing"

	"autobuild/state"
)

// TestObstacleText: each obstacle has a sentence, and the sentences about files, which older
// versions stored alone, are read back as what they were made of.
func TestObstacleText(t *testing.T) {
	for want, o := range map[string]state.Obstacle{
		"a b.txt exists in the checkout, untracked":                    {Code: state.ObstacleUntracked, Path: "a b.txt"},
		"go.mod is changed in the checkout":                            {Code: state.ObstacleChanged, Path: "go.mod"},
		"go.mod is deleted in the checkout":                            {Code: state.ObstacleDeleted, Path: "go.mod"},
		"the checkout is on other, the run began on main":              {Code: state.ObstacleOtherBranch, Branch: "other", Home: "main"},
		"main is at 0123456789ab, where the run did not leave it":      {Code: state.ObstacleOtherCommit, Home: "main", Commit: "0123456789ab"},
		"HEAD is detached, so there is no branch to bring the work to": {Code: state.ObstacleDetached},
		"main moved while the work was being delivered":                {Code: state.ObstacleMoved, Home: "main"},
		"another git command is at work, or was killed and left a lock; if none is at work: rm .git/index.lock": {
			Code: state.ObstacleLocked, Path: ".git/index.lock",
		},
		"git refused: no": {Code: state.ObstacleRefused, Detail: "no"},
		"the run is not complete, and its one commit is made at the end": {Code: state.ObstacleIncomplete},
		"disk full": {Code: state.ObstacleFailed, Detail: "disk full"},
		"":          {},
	} {
		if got := ObstacleText(o); got != want {
			t.Errorf("%s says %q, want %q", o.Code, got, want)
		}
	}
}
