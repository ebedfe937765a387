package agent

import (
	"autobuild/internal/lazyregexp"
)

// sessionID matches the session ids of all agents. An id becomes an argument, so it must not look
// like a flag, and it becomes part of a path in some agents' homes.
var sessionID = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$`)

// noSession matches the messages of agents about a missing session. It counts only for an agent
// that has not asked its model.
var noSession = lazyregexp.New(
	`(?i)no (conversation|saved session|previous sessions?|session|rollout)\b.{0,60}\b(found|matched)|session not found|error resuming session|thread/resume failed`)

// Continues reports whether the agent can go on with the session of an earlier job.
func Continues(a Agent) bool {
	switch a := a.(type) {
	case cli:
		return a.spec.resume != nil
	case priced:
		return Continues(a.Agent)
	}
	return false
}

// resumed are the arguments that go on with the job's session; none where there is none, or its id
// is not like one.
func (c cli) resumed(job Job) []string {
	if c.spec.resume == nil || !sessionID.MatchString(job.Session) {
		return nil
	}
	return c.spec.resume(job.Session)
}

// lost reports whether there was a session to go on with that is not there any more.
func lost(job Job, out Outcome) bool {
	if job.Session == "" || out.Err != "" || out.TimedOut || out.Signal != "" {
		return false
	}
	worked := out.InputTokens+out.OutputTokens > 0 || out.Final != ""
	return !worked && noSession.MatchString(out.Tail+"\n"+out.Message)
}

// subtract takes out of an outcome what earlier jobs of its session have used up, where the agent
// has counted that once more: in the event that ends its stream. Figures below these are the job's
// own.
func (c cli) subtract(job Job, s *story, out *Outcome) {
	again := out.CostUSD >= job.Past.CostUSD && out.InputTokens >= job.Past.Input &&
		out.OutputTokens >= job.Past.Output
	if !c.spec.sums || !s.finished || !again || len(c.resumed(job)) == 0 {
		return
	}
	out.CostUSD -= job.Past.CostUSD
	s.tokens(out.InputTokens-job.Past.Input, out.OutputTokens-job.Past.Output)
}
