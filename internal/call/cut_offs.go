package call

import (
	"autobuild/internal/proc"
	"autobuild/state"
	"autobuild/state/store"
)

// MemoryKills counts what the system has killed for lack of memory.
func MemoryKills() state.MemoryKills {
	boot, count := proc.MemoryKills()
	return state.MemoryKills{Boot: boot, Count: count}
}

// LookUpCutOffs says of the phases that a run left as running how their attempts ended.
func LookUpCutOffs(stateDir string, run *state.Run) { store.CutOffs(stateDir, run, MemoryKills()) }
