package render

import (
	"slices"
	"strings"

	"autobuild/failure"
	"autobuild/state"
)

// IsDiscovery reports whether the last decision about a phase was to block it.
func IsDiscovery(p *state.Phase) bool {
	past := p.Decisions()
	return len(past) > 0 && past[len(past)-1].Action == failure.Block
}

// Blockers are the labels of all failed phases that a blocked one needs, however far, in the order
// of the plan.
func (d Overview) Blockers(p *state.Phase) []string {
	needed := map[string]bool{p.ID: true}
	for open := []string{p.ID}; len(open) > 0; open = open[1:] {
		if q, ok := d.Run.Find(open[0]); ok {
			for _, id := range q.DependsOn {
				if !needed[id] {
					needed[id] = true
					open = append(open, id)
				}
			}
		}
	}
	var failed []string
	for i := range d.Run.Phases {
		if q := &d.Run.Phases[i]; needed[q.ID] && q.Status == state.Failed {
			failed = append(failed, q.Label)
		}
	}
	if len(failed) == 0 {
		return []string{d.Label(p.BlockedBy)}
	}
	return failed
}

// KnowledgeCommand is the command that records the fix for the failure of a blocked phase. The user
// replaces WORDS.
func KnowledgeCommand(program []string, p *state.Phase) []string {
	argv := append(slices.Clone(program), "knowledge", "add")
	a, _ := p.Last()
	if trigger := triggerOf(a.Failure); trigger != "" {
		argv = append(argv, "--trigger", trigger)
	}
	return append(argv, "--fix", "WORDS")
}

// triggerOf is the part of a failure by which it is found again: the message of a test or a
// finding, else the end of the message.
func triggerOf(f *failure.Diagnosis) string {
	if f == nil {
		return ""
	}
	text := f.Message[strings.LastIndex(f.Message, ": ")+1:]
	for _, p := range slices.Backward(f.Places) {
		text = p.Message
	}
	for _, t := range slices.Backward(f.Tests) {
		text = t.Message
	}
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	if len(text) > 80 || strings.ContainsAny(text, "…") {
		return ""
	}
	return text
}
