package markdown_test

import (
	"strings"
	"testing"
)

// TestUnheardOrder: a line of a phase that says something of its order which the graph does not
// hold has a finding; what agrees with document order, or says nothing of order, has none.
func TestUnheardOrder(t *testing.T) {
	for line, reported := range map[string]bool{
		"Can start without Phase 2.": true, "It does not need Beta.": true,
		"Skip this phase unless Phase 1 fails.": true, "If Phase 1 fails, do this instead.": true,
		"Phases 2 and 3 are alternatives.": true, "Starts together with Phase 2.": true,
		"Blocked until legal approves.": true, "Can begin as soon as the contract is signed.": true,
		"Entweder Phase 2 oder diese.": true, "Wartet auf die Freigabe.": true,
		"> ### Phase 4: Quoted": true, "Ne dépend pas de la phase 2.": true,

		"Reuses the helper of Phase 2.": false, "Takes 3 days.": false, "Needs 2 reviewers.": false,
		"It does not change what Phase 2 built.": false, "> ### Phase 2: Beta": false,
		"When a file is missing, print its name.": false, "Depends on nothing else": false,
	} {
		src := "# Plan\n\n## Phase 1: Alpha\n\n- [ ] a\n\n## Phase 2: Beta\n\n- [ ] b\n\n" +
			"## Phase 3: Gamma\n\n" + line + "\n\n- [ ] c\n"
		p := parse(t, "plan.md", []byte(src))
		found := false
		for _, n := range p.Notes.Warnings() {
			found = found || n.Code == "W-UNREAD" && n.Pos.Line == 13
		}
		if found != reported {
			t.Errorf("%s: reported %v, want %v", strings.TrimSpace(line), found, reported)
		}
	}
}
