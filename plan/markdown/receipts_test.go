package markdown_test

import (
	"strings"
	"testing"

	"autobuild/plan/markdown"
)

// TestLostLines reads plans from which a line is gone that another line still speaks of.
func TestLostLines(t *testing.T) {
	for _, c := range []struct {
		name, src string
		line      int
		says      string
	}{
		{
			"a letter of a series", "| PR | Title | Depends |\n|---|---|---|\n| A | Read | - |\n| B | Parse | A |\n| D | Print | B |\n", 5,
			"W-GAP there is no phase C",
		},
		{
			"a letter behind a number", "## Phase 2A: Read\n\n- [ ] a\n\n## Phase 2C: Print\n\n- [ ] b\n", 5,
			"W-GAP there is no phase 2B",
		},
		{
			"an entry of a chain",
			"## Phase 1: Read\n\n- [ ] a\n\n## Phase 2: Parse\n\n- [ ] b\n\n## Phase 3: Print\n\n- [ ] c\n\n## Order\n\n`1 → 2 → 3 → 4`\n", 15,
			"W-UNREAD this line names phase 4",
		},
		{
			"the title in a box",
			"## Phase S1: Read\n\n- [ ] read\n- [ ] verify 'Phase S1: Read'\n\n## Phase S2: Parse\n\n- [ ] parse\n- [ ] verify 'Phase S3: Print'\n", 9,
			"W-UNREAD this box is about \"Phase S3: Print\"",
		},
		{
			"a row of the progress",
			"## Phase 1: Read\n\n- [ ] a\n\n## Phase 2: Parse\n\n- [ ] b\n\n## Phase 3: Print\n\n- [ ] c\n\n## Progress\n\n" +
				"| Phase | Status |\n|---|---|\n| 1. Read | todo |\n| 2. Parse | todo |\n| 2.1 Check | todo |\n| 3. Print | todo |\n", 19,
			"W-UNREAD 1 row of the table on line 15 is read as no phase",
		},
		{
			"a box of the count", "## Tasks\n\n- [ ] 001.md - Read\n- [ ] 002.md - Parse\n\nTotal tasks: 3\n", 6,
			"W-COUNT the plan is said to have 3 tasks, but has 2",
		},
		{
			"a cell of a row",
			"## Phase 1: Read\n\nText.\n\n## Phase 2: Parse\n\nText.\n\n## Progress\n\n" +
				"| Phase | Release | Plans | Status | Day |\n|---|---|---|---|---|\n| 1. Read | v1 | 1/1 | done | Monday |\n| 2. Parse | 1/1 | done | Monday | - |\n", 14,
			"W-STATUS the status of phase 2 stands in another column",
		},
		{
			"parts without work", "## Idea\n\n### Deliverable 1: A page\n\nText.\n\n### Deliverable 2: A form\n\nText.\n", 3,
			"W-GUESSED the phases are a guess: they are taken from headings of parts",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := parse(t, "plan.md", []byte(c.src))
			for _, n := range p.Notes.Warnings() {
				if n.Pos.Line == c.line && strings.HasPrefix(n.Code+" "+n.Message, c.says) {
					return
				}
			}
			t.Errorf("line %d: want %q, got %v", c.line, c.says, p.Notes)
		})
	}
}

// TestSpokenOf reads lines that resemble those of TestLostLines and lack nothing.
func TestSpokenOf(t *testing.T) {
	for _, src := range []string{
		"| PR | Title | Depends |\n|---|---|---|\n| A | Read | - |\n| B | Parse | A |\n| R | Release | B |\n",
		"## Phase 1: Read\n\n- [ ] a → b → c\n\n## Phase 1B: Print\n\n- [ ] b\n",
		"## Phase 1: Read\n\n- [ ] read 'Dialogue: a story'\n\n## Phase 2: Parse\n\n- [ ] upgrade 1 → 2 → 30 of them\n",
		"## Tasks\n\n- [ ] 001.md - Read\n- [ ] 002.md - Parse\n\nTotal tasks: 2\n",
		"### Deliverable 1: A page\n\n- [ ] write\n\n### Deliverable 2: A form\n\n- [ ] draw\n",
	} {
		p, err := markdown.Parse("plan.md", []byte(src), markdown.Options{})
		if err != nil || len(p.Notes.Warnings()) > 0 {
			t.Errorf("%v %v\n%s", err, p.Notes.Warnings(), src)
		}
	}
}
