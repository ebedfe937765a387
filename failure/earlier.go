package failure

import "slices"

// Earlier is the failed attempt as later rules remember it: files are what it changed, of which 50
// are kept, and action is what was decided about it.
func (d Diagnosis) Earlier(files []string, action Action) Earlier {
	return Earlier{
		Type: d.Type, Class: d.Class.Class, Category: d.Category, Fingerprint: d.Fingerprint, Message: d.Message, Count: d.Count,
		Files: slices.Clone(files[:min(len(files), maxList)]), Action: action, Conflict: d.ConflictName(),
	}
}

// ownDoing reports whether a failure says anything about the phase and its plan. What the
// environment, the network, an agent's own end, a missing decision or a conflict is to blame for
// does not.
func ownDoing(t Type, c Category, class Class) bool {
	switch t {
	case AgentError, AgentLoop, AgentUnusable, Refusal, ParseError, SetupFailure, DependencyMissing, UsageLimit, TransportError,
		BudgetExhausted, IsolationBreach, FileConflict, PlanInvalid, CircularDependency:
		return false
	}
	return c != Prerequisite && c != Ambiguity && class != Transient && class != Conflicting
}

// Less reports whether the failure is a smaller one of the same kind: both were counted, and fewer
// were found.
func (d Diagnosis) Less(than Earlier) bool {
	return d.Type == than.Type && d.Count > 0 && d.Count < than.Count
}
