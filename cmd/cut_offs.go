package cmd

import (
	"autobuild/internal/proc"
	"autobuild/state"
	"autobuild/state/store"
)

// memoryKills counts what the system has killed for lack of memory.
func memoryKills() state.MemoryKills {
	boot, count := proc.MemoryKills()
	return state.MemoryKills{Boot: boot, Count: count}
}

// lookUpCutOffs says of the phases that a run left as running how their attempts ended.
func lookUpCutOffs(stateDir string, run *state.Run) { store.CutOffs(stateDir, run, memoryKills()) }

// cutOffs is the same for the files of a run that need not fit together.
func cutOffs(stateDir string, files *store.Files) map[string]state.CutOff {
	run := state.Run{}
	for i := range files.Phases {
		run.Phases = append(run.Phases, files.Phases[i].Phase)
	}
	lookUpCutOffs(stateDir, &run)
	out := map[string]state.CutOff{}
	for i := range run.Phases {
		if p := &run.Phases[i]; p.Status == state.Running {
			out[p.ID] = p.Cut
		}
	}
	return out
}
