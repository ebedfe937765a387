package failure

// Types returns every type of a failure, in the order of their declaration. What can only be a
// cause is none.
func Types() []Type {
	return []Type{
		TestFailure, LintError, TypecheckError, FormatError, GateFailure, TaskIncomplete,
		VerificationMismatch, Timeout, ParseError, AgentError, AgentLoop, GuardViolation,
		ReviewRejected, SiblingWorkRemoved, NestedRepository,
		DependencyMissing, CircularDependency, FileConflict, PlanInvalid, UsageLimit,
		TransportError,
		AgentUnusable, Refusal, ContextOverflow, SetupFailure, IsolationBreach, BudgetExhausted,
	}
}

// Retryable reports whether another attempt at the same work may end differently. A usage limit and
// trouble on the way to the model are not: they are waited out, and the same attempt goes on.
func (t Type) Retryable() bool {
	switch t {
	case TestFailure, LintError, TypecheckError, FormatError, GateFailure, TaskIncomplete,
		VerificationMismatch, Timeout, ParseError, AgentError, AgentLoop, GuardViolation,
		ReviewRejected, SiblingWorkRemoved, NestedRepository,
		RefereeChanged, ProofMissing:
		return true
	}
	return false
}

// Waits reports whether it passes by itself and is waited out, so that no attempt is spent on it.
func (t Type) Waits() bool { return t == UsageLimit || t == TransportError }

// Awaited reports whether an account may be waited for because of it. An agent_error is one of
// them only where Diagnosis.Unbilled is set.
func (t Type) Awaited() bool { return t.Waits() || t == AgentError }

// Changes reports whether another agent may do what this one did not, so that one takes over
// without an attempt being spent. Waiting for the same agent comes first where that helps.
func (d Diagnosis) Changes() bool {
	return d.Type == AgentUnusable || d.Type == Refusal || d.Type.Waits() || d.Unbilled
}

// Valid reports whether t is one of Types.
func (t Type) Valid() bool {
	switch t {
	case DependencyMissing, CircularDependency, FileConflict, PlanInvalid, UsageLimit,
		TransportError,
		AgentUnusable, Refusal, ContextOverflow, SetupFailure, IsolationBreach, BudgetExhausted:
		return true
	}
	return t.Retryable()
}
