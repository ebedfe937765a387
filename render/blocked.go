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
