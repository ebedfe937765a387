package attempt

import (
	"errors"
	"strings"

	"autobuild/failure"
	"autobuild/internal/text"
	"autobuild/orchestrator/attempt/prompt"
	"autobuild/orchestrator/attempt/result"
	"autobuild/state"
)

// conclude reads how a tier ends its answer, beside the result block.
//
// "blocked" is a failed claim with that reason, whatever the block says: who cannot mend it knows
// best that he cannot. "fixed" stands for a block where there is none at all, because gates and
// files decide in any case and work that passes them is too dear to be thrown away for a form; a
// block that is malformed or another attempt's stays a parse error.
func (t *try) conclude(out Outcome, report *state.Report, err error) (*state.Report, error) {
	word, reason := lastWord(out.Final)
	n := len(t.task.Phase.Tasks)
	switch {
	case word == prompt.WordBlocked:
		t.blocked = true
		said := state.Report{Error: text.Truncate(reason, result.MaxText)}
		if report != nil {
			said.Category, said.Retry = report.Category, report.Retry
		}
		return &said, nil
	case word == prompt.WordFixed && errors.Is(err, result.ErrNone) && !out.TimedOut &&
		out.Signal == "":
		t.record.Warnings = append(t.record.Warnings,
			"tier "+t.who.Name+" left no result block; its last line was taken for one")
		return &state.Report{
			Complete: true, Implied: true,
			Tasks: failure.TaskCount{Total: n, Done: n},
		}, nil
	}
	return report, err
}

// hear keeps how a tier ends its answer: what it found is paid for, and the next tier, and a
// person, go on from there.
func (t *try) hear(final string, report *state.Report) {
	said := text.Truncate(text.OneLine(closing(final)), prompt.MaxSaid)
	if said == "" {
		return
	}
	if report != nil {
		report.Said = said
	}
	t.record.Warnings = append(t.record.Warnings, "tier "+t.who.Name+" said: "+said)
}

// unfenced drops the fenced code blocks of an answer and trims each line. An empty line replaces
// each block.
func unfenced(final string) string {
	var lines []string
	open := ""
	for line := range strings.Lines(final) {
		line = strings.TrimSpace(line)
		fence, info := result.SplitFence(line)
		switch {
		case open == "" && fence != "":
			open, lines = fence, append(lines, "")
		case open == "":
			lines = append(lines, line)
		case fence != "" && info == "" && fence[0] == open[0] && len(fence) >= len(open):
			open = ""
		}
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// closing is the last paragraph of an answer outside code blocks.
func closing(final string) string {
	said := unfenced(final)
	return strings.TrimSpace(said[max(0, strings.LastIndex(said, "\n\n")):])
}

// lastWord returns the word and the reason on the last line of an answer outside code blocks. It
// ignores marks of emphasis around the word, because models add them.
func lastWord(final string) (word, reason string) {
	said := unfenced(final)
	last := said[strings.LastIndexByte(said, '\n')+1:]
	const marks = "*_`> "
	head, reason, ok := strings.Cut(last, ":")
	head = strings.ToLower(strings.Trim(head, marks))
	if !ok || head != prompt.WordFixed && head != prompt.WordBlocked {
		return "", ""
	}
	reason = strings.Trim(reason, marks)
	if reason == "" {
		reason = "no reason given"
	}
	return head, reason
}
