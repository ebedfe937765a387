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

// CutOffs is the same for the files of a run that need not fit together.
func CutOffs(stateDir string, files *store.Files) map[string]state.CutOff {
	run := state.Run{}
	for i := range files.Phases {
		run.Phases = append(run.Phases, files.Phases[i].Phase)
	}
	LookUpCutOffs(stateDir, &run)
	out := map[string]state.CutOff{}
	for i := range run.Phases {
		if p := &run.Phases[i]; p.Status == state.Running {
			out[p.ID] = p.Cut
		}
	}
	return out
}
