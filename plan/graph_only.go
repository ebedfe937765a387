package plan

import "fmt"

// Graph makes a plan of phases whose DependsOn are ids of phases among them, as they are. Nothing
// is resolved, and no fingerprint is made. It returns an error for ids that are double or unknown,
// and a *CycleError.
func Graph(phases []Phase) (*Plan, error) {
	p := &Plan{phases: phases, index: make(map[string]int, len(phases))}
	for i, phase := range phases {
		if _, twice := p.index[phase.ID]; twice {
			return nil, fmt.Errorf("two phases have the id %s", phase.ID)
		}
		p.index[phase.ID] = i
	}
	p.needs = make([][]int, len(phases))
	for i, phase := range phases {
		for _, id := range phase.DependsOn {
			need, ok := p.index[id]
			if !ok {
				return nil, fmt.Errorf("phase %s needs %s, which is none", phase.ID, id)
			}
			p.needs[i] = append(p.needs[i], need)
		}
		p.needs[i] = unique(p.needs[i])
	}
	p.dependents = invert(p.needs)
	sorted := order(p.needs, p.dependents)
	if len(sorted) < len(phases) {
		var path []string
		for _, i := range cycles(p.needs)[0] {
			path = append(path, phases[i].Label)
		}
		return nil, &CycleError{Path: path}
	}
	p.level = levels(p.needs, sorted)
	p.rest = rests(func(i int) float64 { return p.phases[i].weight() }, p.dependents, sorted)
	return p, nil
}
