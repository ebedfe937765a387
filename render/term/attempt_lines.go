package term

import (
	"fmt"
	"strings"

	"autobuild/failure"
	"autobuild/internal/text"
	"autobuild/render"
	"autobuild/state"
)

func (n *narrator) finished() {
	a := n.event.Result
	if a == nil {
		return
	}
	if a.Failure == nil {
		n.done(*a)
	} else {
		n.failed(*a)
	}
	for _, line := range n.batch.sequel(n.event, n.run) {
		n.say(n.style.Show(line.who, 12), "next", render.Warn, n.show(line.text))
	}
}

func (n *narrator) done(a state.Attempt) {
	parts := []string{render.Duration(a.Duration)}
	if c := render.Cost(a.Usage); c != "" {
		parts = append(parts, c)
	}
	if a.Tasks.Total > 0 {
		parts = append(parts, fmt.Sprintf("%d/%d tasks", a.Tasks.Done, a.Tasks.Total))
	}
	if proof := render.ProofWord(a.Proof); proof != "" {
		parts = append(parts, proof)
	}
	if a.Commit != nil {
		parts = append(parts, n.style.Show(render.CommitSubject(a.Commit.Message), 100))
		if a.Commit.SHA != "" && render.CommitsPerPhase(n.run) {
			parts = append(parts, render.ShortSHA(n.style.Show(a.Commit.SHA, 40)))
		}
	}
	n.phase("done", render.Good, strings.Join(parts, "  "))
	switch a.Verdict {
	case state.Unverified:
		n.phase("note", render.Warn, "unverified: "+render.WhyUnproven(a))
	case state.Upgraded:
		n.phase("note", render.Warn,
			"upgraded: the agent reported failure, yet all gates pass and every task is done")
	case state.Verified, state.Refused:
	}
	if words := render.ReviewWords(a.Review); words != "" && a.Review.Missing == "" {
		n.phase("review", render.PlainInk, n.show(words))
	}
	contested := render.ContestLines(a.Contested())
	for _, line := range contested[:min(len(contested), render.FoldContested)] {
		n.phase("note", render.Warn, n.style.Show("contested: "+line, 2*render.MaxLine))
	}
	for _, w := range a.Warnings[:min(len(a.Warnings), 10)] {
		n.phase("note", render.Warn, n.show(w))
	}
	if a.Commit != nil && a.Commit.Undelivered != "" {
		n.phase("note", render.Warn, n.show("not yet in your checkout: "+a.Commit.Undelivered))
	}
}

func (n *narrator) failed(a state.Attempt) {
	f := a.Failure
	if d := a.Decision; d != nil && d.Action == failure.Wait {
		n.waits(f, d)
		return
	}
	allowed := a.N
	if p, ok := n.run.Find(n.event.Phase); ok {
		allowed = max(allowed, p.MaxAttempts)
	}
	verb := "FAILED"
	if d := a.Decision; d != nil && d.Action == failure.Block {
		verb = "BLOCKED"
	}
	n.phase(verb, render.Bad, n.style.Show(render.FailureLine(a), 2*render.MaxLine)+
		fmt.Sprintf(" (attempt %d/%d, %s)", a.N, allowed, render.Duration(a.Duration)))
	if len(f.Tests) > 0 {
		names := make([]string, len(f.Tests))
		for i, t := range f.Tests {
			names[i] = t.Name
		}
		n.phase("tests", render.PlainInk, n.show(text.JoinSome(names, foldTests)))
	}
	log := a.Log
	if render.IsRefused(a) {
		log = render.LogOf(a)
	}
	if log != "" {
		n.phase("log", render.PlainInk, n.show(render.InStateDir(n.dir, log)))
	}
}
