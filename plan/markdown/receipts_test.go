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
			"W-GAP phase D stands where phase C would",
		},
		{
			"a letter behind a number", "## Phase 2A: Read\n\n- [ ] a\n\n## Phase 2C: Print\n\n- [ ] b\n", 5,
			"W-GAP phase 2C stands where phase 2B would",
		},
		{
			"a row of the progress",
			"## Phase 1: Read\n\n- [ ] a\n\n## Phase 2: Parse\n\n- [ ] b\n\n## Phase 3: Print\n\n- [ ] c\n\n## Progress\n\n" +
				"| Phase | Status |\n|---|---|\n| 1. Read | todo |\n| 2. Parse | todo |\n| 2.1 Check | todo |\n| 3. Print | todo |\n", 19,
			"W-UNREAD the row of line 19 belongs to no phase",
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
		if err != nil {
			t.Errorf("%v\n%s", err, src)
		} else if len(p.Notes.Warnings()) > 0 {
			t.Errorf("%v\n%s", p.Notes.Warnings(), src)
		}
	}
}
