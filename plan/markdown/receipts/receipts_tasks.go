package receipts

import (
	"fmt"

	"autobuild/plan"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/words"
)

// taskLabels accounts for the labels with which tasks say what they depend on. A task may wait for
// tasks of its own phase, and for those of phases that its phase waits for.
func (l *ledger) taskLabels() {
	for i := range l.Units {
		u := &l.Units[i]
		if u.From == 0 {
			continue
		}
		for _, lb := range l.Doc.LabelsIn(u.From+1, u.To) {
			if l.readAs[lb.Line] != "" || !words.IsNeedLabel(lb.Name) ||
				len(lb.Value) > words.MaxSentence || l.isAboutWholePhase(lb.Line, i) &&
				(lb.Item < 0 || !l.Doc.InTask(lb.Item, u.Own-1)) {
				continue
			}
			hits := l.Index().Mentions(inline.Plain(lb.Value))
			missing := -1
			for _, k := range hits {
				if k != i && !l.plan.Reaches(k, i) {
					missing = k
				}
			}
			switch {
			case missing >= 0:
				l.unread(lb.Line, plan.EvidenceRelation,
					fmt.Sprintf("a task of phase %s depends on phase %s, and the phase does not "+
						"wait for it", u.Label, l.Units[missing].Label),
					"say it in a line \"**Depends on:** …\" of the phase")
			case len(hits) > 0:
				l.note(lb.Line, plan.EvidenceRelation, "the order of tasks in phase %s", u.Label)
			}
		}
	}
}
