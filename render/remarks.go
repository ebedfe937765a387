package render

import (
	"slices"

	"autobuild/internal/text"
	"autobuild/state"
)

// FoldLabels is how many labels of phases a list names.
const FoldLabels = 60

// Remarks are the notes, and the warnings about completed phases. A warning that several phases
// share appears once: repeated, it would hide the rest.
func (d Overview) Remarks(notes []string) []string {
	var said []string
	of := make(map[string][]string)
	say := func(p *state.Phase, text string) {
		if len(of[text]) == 0 {
			said = append(said, text)
		}
		of[text] = append(of[text], p.Label)
	}
	var unverified, unclear, upgraded []string
	for _, p := range d.ByStatus[state.Complete] {
		switch p.Verdict() {
		case state.Unverified:
			if a, _ := p.Last(); inconclusive(a) {
				unclear = append(unclear, p.Label)
			} else {
				unverified = append(unverified, p.Label)
			}
		case state.Upgraded:
			upgraded = append(upgraded, p.Label)
		case state.Verified, state.Refused:
		}
		if a, ok := p.Last(); ok {
			for _, w := range a.Warnings {
				say(p, w)
			}
		}
		if p.Commit != nil && len(p.Commit.Overlap) > 0 {
			say(p, "other phases changed "+text.JoinSome(p.Commit.Overlap, 3)+
				" too; merged cleanly")
		}
	}
	lines := slices.Clone(notes)
	for _, content := range said {
		lines = append(lines, text.JoinSome(of[content], 6)+": "+content)
	}
	if len(unverified) > 0 {
		lines = append(lines, "unverified: no gate was run for "+text.JoinSome(unverified,
			FoldLabels)+
			"; name a gate in autobuild.yaml or in the plan")
	}
	if len(unclear) > 0 {
		lines = append(lines, "unverified: the gates of "+text.JoinSome(unclear, FoldLabels)+
			" failed before as well, and prove nothing; mend them, or name one that passes")
	}
	if len(upgraded) > 0 {
		lines = append(lines, "upgraded: the agent reported failure for "+text.JoinSome(upgraded,
			FoldLabels)+
			", yet all gates pass and every task is done")
	}
	return lines
}
