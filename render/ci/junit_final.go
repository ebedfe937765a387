package ci

import "autobuild/state"

// finals are the final gates as cases.
func (s Suites) finals() []junitCase {
	if s.Run == nil || s.Run.End == nil {
		return nil
	}
	var cases []junitCase
	for i := range s.Run.End.Final {
		g := &s.Run.End.Final[i]
		whole, attempt := state.Phase{Status: state.Failed}, state.Attempt{}
		c := s.gate(&whole, &attempt, g, s.class("run"))
		c.Name = "final gate " + c.Name
		cases = append(cases, c)
	}
	return cases
}
