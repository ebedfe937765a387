package markdown_test

import (
	"errors"
	"strings"
	"testing"

	"autobuild/plan"
	"autobuild/plan/markdown"
)

// TestTwins reads plans that state one phase twice with different marks: both count, with a
// warning, or the plan is refused.
func TestTwins(t *testing.T) {
	const rest = "\n\n## Phase 1: Read\n\n- [ ] a\n\n## Phase 2: Parse\n\n- [ ] b\n"
	for _, c := range []struct{ name, src, code string }{
		{"numbers", "- [x] 1. Read\n- [x] 2. Parse\n- [ ] 2. Parse\n", "W-DUP"},
		{"numbers with parts", "- [x] 1. Read\n  - _Requirements: 1_\n- [x] 2. Parse\n- [ ] 2. Parse\n  - [ ] 2.1 Numbers\n", "W-DUP"},
		{"a numbered list", "1. [x] Read\n2. [x] Parse\n2. [ ] Parse\n", "W-DUP"},
		{"items", "- [x] **Unit 1: Read**\n- [ ] **Unit 2: Parse**\n- [x] **Unit 2: Parse**\n", "W-DUP"},
		{"rows", "| Phase | Name | Depends On | Status |\n|---|---|---|---|\n| 1 | Read | - | done |\n| 2 | Parse | 1 | done |\n| 2 | Parse | 1 | todo |\n", "W-DUP"},
		{"rows of the progress", "| Phase | Status |\n|---|---|\n| 1 | done |\n| 2 | done |\n| 2 | todo |" + rest, "W-STATUS"},
		{"two names", "- [x] 1. Read\n- [x] 2. Parse\n- [ ] 2. Print\n", "E-DUP-ID"},
		{"two names of items", "- [x] **Unit 1: Read**\n- [x] **Unit 2: Parse**\n- [ ] **Unit 2: Print**\n", "E-DUP-ID"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := markdown.Parse("plan.md", []byte(c.src), markdown.Options{})
			problems, _ := errors.AsType[plan.Problems](err)
			if p != nil {
				problems = p.Notes
			}
			said := false
			for _, problem := range problems {
				said = said || problem.Code == c.code
			}
			if !said || strings.HasPrefix(c.code, "E-") != (err != nil) {
				t.Fatalf("want %s, got %v", c.code, problems)
			}
			if p != nil && (p.At(1).Status != plan.StatusInProgress || p.At(1).Tasks != nil && p.At(1).Tasks[0].Done) {
				t.Errorf("phase 2 is %s: %v", p.At(1).Status, p.At(1).Tasks)
			}
		})
	}
}
