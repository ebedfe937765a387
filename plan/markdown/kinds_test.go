package markdown_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"autobuild/plan/markdown"
)

// TestKinds reads plans of kinds that have no sign of their own: each want is "id name done/tasks".
func TestKinds(t *testing.T) {
	const front = "---\nphase: 4\nplan: 8\n---\n\n# Plan: Read\n\n"
	for _, c := range []struct{ name, src, want string }{
		{
			"a task with a name", front + "<task type=\"auto\">\n  <name>Parse</name>\n  <files>a.go</files>\n</task>\n", "04-08 Read 0/1 Parse",
		},
		{
			"tasks without a name",
			front + "<tasks>\n<task type=\"auto\">\n  <action>\n  Parse it\n  </action>\n</task>\n<task type=\"auto\" name=\"Check\">Text.</task>\n" +
				"<task type=\"checkpoint\">\n</task>\n</tasks>\n",
			"04-08 Read 0/3 Parse it;Check;task of type checkpoint",
		},
		{
			"goals with tables of tasks",
			"## 2. Implementation Steps\n\n### Implementation Phase 1\n\n- GOAL-001: Read\n\n| Task | Description | Completed | Date |\n|---|---|---|---|\n" +
				"| TASK-001 | Scan | ✅ | Monday |\n| TASK-002 | Parse | | |\n\n### Implementation Phase 2\n\n- GOAL-002: Print\n\n" +
				"| Task | Description | Completed | Date |\n|---|---|---|---|\n| TASK-003 | Format | yes | |\n\n## 3. Files\n\n- **FILE-001**: a.go\n",
			"1 Read 1/2 TASK-001: Scan;TASK-002: Parse, 2 Print 1/1 TASK-003: Format",
		},
		{
			"a list of progress",
			"# Cache\n\n## Progress\n\n- [x] (2025-10-01 13:00Z) Read the code.\n- [ ] Write the cache.\n\n## Plan of Work\n\nText.\n",
			"1 Read the code. 1/1 Read the code., 2 Write the cache. 0/1 Write the cache.",
		},
		{
			"progress of milestones",
			"# Cache\n\n## Progress\n\n- [x] (2025-10-01 13:00Z) Milestone 1: Read.\n- [ ] Milestone 2: Write.\n\n" +
				"## Plan of Work\n\n### Milestone 1: Read\n\nText.\n\n### Milestone 2: Write\n\nText.\n",
			"1 Read 1/1 Milestone 1: Read., 2 Write 0/1 Milestone 2: Write.",
		},
		{
			"dates before tasks", "## Phase 1: Read\n\n- [x] 2025-10-01 13:00 - Scan\n- [ ] 2025-10-02: Parse\n- [ ] 2025 lines\n",
			"1 Read 1/3 Scan;Parse;2025 lines",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			p := parse(t, "plan.md", []byte(c.src))
			for _, phase := range p.Phases() {
				total, done := count(phase.Tasks)
				var tasks []string
				for _, task := range phase.Tasks {
					tasks = append(tasks, task.Text)
				}
				got = append(got, fmt.Sprintf("%s %s %d/%d %s", phase.ID, phase.Name, done, total, strings.Join(tasks, ";")))
			}
			if strings.Join(got, ", ") != c.want {
				t.Errorf("got %s\nwant %s\n%v", strings.Join(got, ", "), c.want, p.Notes)
			}
		})
	}
}

// A row is not the heading of another kind around its table, though both have the same number.
func TestRowsBelowPhases(t *testing.T) {
	t.Parallel()
	p, err := markdown.Parse("plan.md", []byte("# Harbour\n\n## Phase 1: Quay\n\n| PR | What | Depends On |\n|---|---|---|\n"+
		"| #1 | Piles | none |\n| #2 | Planks | #1 |\n\n## Phase 2: Cranes\n\n| PR | What | Depends On |\n"+
		"|---|---|---|\n| #3 | Rails | PR #2 |\n| #4 | Hooks | PR #3 |\n"), markdown.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, phase := range p.Phases() {
		names = append(names, phase.Name)
	}
	if want := []string{"Piles", "Planks", "Rails", "Hooks"}; !slices.Equal(names, want) {
		t.Errorf("names = %q, want %q", names, want)
	}
}
