// Package calls makes the command lines that follow a session: the one that resumes its run and
// the one that starts it again. They repeat what the session was called with, without what a stored
// run remembers. It does not know whether the run goes on.
package calls

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"autobuild/orchestrator/session/call"
	"autobuild/state"
	"autobuild/state/store"
)

// After are the calls that may follow a session of a run.
type After struct {
	Program []string // how autobuild is called from here
	Plan    string   // as it is typed from here
	Given   []string // the flags of the session's call that a resume has to repeat
	// the flags that stood on its command line, by name
	Chosen map[string]bool
	Run    *state.Run
	Config state.Config // of the session
	// the budgets of the session, from wherever; 0: none
	CostUSD float64
	Tokens  int64
}

// Stored are the calls that may follow the last session of a stored run. holder says how it was
// called while it runs; else its agent is named, since starting again could find another one.
func Stored(c *call.Call, p *call.Project, run *state.Run, holder store.Holder) After {
	after := After{
		Program: c.Program(), Plan: c.Shown(p.PlanPath(run.Config.Plan)), Given: holder.Flags,
		Chosen: make(map[string]bool), Run: run, Config: run.Config,
	}
	for _, name := range holder.Chosen {
		after.Chosen[name] = true
	}
	if holder.PID == 0 {
		after.Given = run.Config.Flags
		after.Chosen["agent"], after.Chosen["model"] = true, run.Config.Model != ""
	}
	after.CostUSD, _ = strconv.ParseFloat(value(after.Given, "max-cost"), 64)
	return after
}

// Resume is the call that resumes the run. done: the session did all that it was asked for, and a
// resume does the rest of the plan.
func (c After) Resume(done bool) []string {
	flags := c.raised()
	if done {
		flags = without(c.Given, "only", "from")
	}
	return slices.Concat(c.tokens(), c.begin(), flags, []string{"--resume"})
}

// Next is the call that resumes the run after its recorded end.
func (c After) Next() []string {
	return c.Resume(c.Run.End != nil && c.Run.End.Outcome == state.Done)
}

// Fresh is the call that starts the run again. It names what a resume would remember.
func (c After) Fresh() []string {
	words := c.begin()
	switch {
	case c.Config.AgentCmd != "":
		words = append(words, "--agent-cmd="+c.Config.AgentCmd)
	// an earlier call may have named it, and the first one found may be another
	case c.Chosen["agent"], c.Config.Sessions > 1:
		words = append(words,
			"--agent="+strings.Join(append([]string{c.Config.Agent}, c.Config.Fallbacks...), ","))
	}
	for _, flag := range []struct{ name, value string }{
		{"model", c.Config.Model},
		{"retry-policy", c.Config.RetryPolicy},
		{"isolation", string(c.Config.Isolation)},
		{"deliver", string(c.Config.Deliver)},
	} {
		if c.Chosen[flag.name] {
			words = append(words, "--"+flag.name+"="+flag.value)
		}
	}
	return slices.Concat(words, c.Given, []string{"--fresh"})
}

// begin is how both calls begin.
func (c After) begin() []string {
	words := append(slices.Clone(c.Program), c.Plan)
	if c.Config.CommitMode != "" {
		words = append(words, "--commit="+string(c.Config.CommitMode))
	}
	return words
}

// raised are the flags with each budget that is spent raised by its own amount: with the old one a
// resume would end as it begins.
func (c After) raised() []string {
	words, used := c.Given, c.Run.Totals().Usage
	if c.CostUSD > 0 && used.CostUSD >= c.CostUSD {
		cents := max(1, math.Round(100*(used.CostUSD+c.CostUSD)))
		words = append(without(words, "max-cost"), "--max-cost="+strconv.FormatFloat(cents/100, 'f',
			-1, 64))
	}
	return words
}

// tokens is the setting that raises a budget of tokens that is spent; nil where none is.
func (c After) tokens() []string {
	used := c.Run.Totals().Usage
	if n := used.InputTokens + used.OutputTokens; c.Tokens > 0 && n >= c.Tokens {
		return []string{"env", "AUTOBUILD_MAX_TOKENS=" + strconv.FormatInt(n+c.Tokens, 10)}
	}
	return nil
}

// value is the value of a flag among words; empty without it.
func value(words []string, flag string) string {
	for _, w := range words {
		if v, ok := strings.CutPrefix(w, "--"+flag+"="); ok {
			return v
		}
	}
	return ""
}

// without are the words but those of some flags.
func without(words []string, flags ...string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool {
		return slices.ContainsFunc(flags,
			func(flag string) bool { return strings.HasPrefix(w, "--"+flag+"=") })
	})
}
