package render

import "autobuild/state"

// BatchOf finds the batch of each phase by id, from 0. Phases on a cycle, which no plan has, are in
// batch 0.
func BatchOf(phases []state.Phase) map[string]int {
	missing := make(map[string]int, len(phases))
	above := make(map[string][]string, len(phases))
	known := make(map[string]int, len(phases))
	for i := range phases {
		known[phases[i].ID] = 0
	}
	var ready []string
	for i := range phases {
		p := &phases[i]
		for _, id := range p.DependsOn {
			if _, ok := known[id]; ok {
				missing[p.ID]++
				above[id] = append(above[id], p.ID)
			}
		}
		if missing[p.ID] == 0 {
			ready = append(ready, p.ID)
		}
	}
	for ; len(ready) > 0; ready = ready[1:] {
		for _, id := range above[ready[0]] {
			known[id] = max(known[id], known[ready[0]]+1)
			if missing[id]--; missing[id] == 0 {
				ready = append(ready, id)
			}
		}
	}
	return known
}
