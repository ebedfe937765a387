package markdown_test

import (
	"strings"
	"testing"
)

// TestLostPhases: what looks like a further phase and becomes none has a finding on its line; what
// is about a known phase, or about none, has not.
func TestLostPhases(t *testing.T) {
	for text, lost := range map[string]bool{
		"# Phase 3: Ring": true, "### Phase 3: Nested": true,
		"## Phases 3 and 4: Two": true, "## Phase 3 to 5: Two": true,
		"## Phase 3+: Later": true, "## Phase 3–5: Later": true, "## Phase 2 bis: More": true,
		"## Phase Ⅲ: Roman": true, "## Final phase: Launch": true, "## Last step: Launch": true,
		"## 3. Publish": true, "## Part 3: Logs": true, "## P3: Report": true, "## Ph. 3: Short": true,
		"**Phase 3: Build**": true, "Phase 3: Build": true, "1. **Phase 3: Build**": true,
		"| Phase | Weeks |\n|---|---|\n| 1 | 1 |\n| 2 | 1 |\n| 3 | 1 |": true,

		"## Phase 1 results": false, "## Phases 1 and 2": false, "## Notes": false, "## Launch": false,
		"## 7. Notes": false, "**Phase 2: Beta** is long.": false,
		"| Phase | Weeks |\n|---|---|\n| 1 | 1 |\n| 2 | 1 |": false,
	} {
		src := "# Plan\n\n## Phase 1: Alpha\n\n- [ ] a\n\n## Phase 2: Beta\n\nDepends on Phase 1.\n\n- [ ] b\n\n" +
			text + "\n\nMore.\n"
		p := parse(t, "plan.md", []byte(src))
		found := false
		for _, n := range p.Notes.Warnings() {
			found = found || n.Code == "W-UNREAD" && n.Pos.Line > 12
		}
		if found != lost || p.Len() != 2 {
			t.Errorf("%s: reported %v, want %v; %d phases", strings.ReplaceAll(text, "\n", "/"), found, lost, p.Len())
		}
	}
}
