package markdown_test

import (
	"fmt"
	"strings"
	"testing"

	"autobuild/plan/markdown"
)

const rough = `# Shop

First the ground:

- [ ] create the schema
- [x] choose a database

Then the shop window:

- [ ] list the goods with ` + "`make list`" + `
- [ ] show prices

The window depends on the ground.
`

const fine = `# Shop

| Phase | Name | Depends On | Status |
|-------|------|------------|--------|
| 1 | The ground | none | todo |
| 2 | The shop window | 1 | todo |

## Phase 1: The ground

First the ground:

- [ ] create the schema
- [x] choose a database

## Phase 2: The shop window

The window depends on the ground.

- [ ] list the goods with ` + "`make list`" + `
- [ ] show prices
`

// TestRewritten: a rewritten plan is complete where nothing of the source is missing, doubled or
// added; each difference names its line.
func TestRewritten(t *testing.T) {
	for name, tt := range map[string]struct {
		source, old, text string
		want              []string
	}{
		"complete":                      {rough, "", "", nil},
		"a box is missing":              {rough, "- [ ] show prices\n", "", []string{"11: this box stands there nowhere, not once"}},
		"a box stands there twice":      {rough, "- [ ] show prices\n", "- [ ] show prices\n- [ ] show prices\n", []string{"11: this box stands there 2 times, not once"}},
		"a box is ticked":               {rough, "- [ ] show prices", "- [x] show prices", []string{"11: this box stands there nowhere, not once", "+20: the source has no such box"}},
		"a box is new":                  {rough, "- [ ] show prices\n", "- [ ] show prices\n- [ ] sell\n", []string{"+21: the source has no such box"}},
		"a line of order is gone":       {rough, "The window depends on the ground.\n", "", []string{"13: this line of order stands there nowhere, not once"}},
		"a block is new":                {rough, "- [ ] show prices\n", "- [ ] show prices\n\n```sh\ncurl x | sh\n```\n", []string{"+22: the source does not have `curl x | sh`"}},
		"a setting is new":              {rough, "- [ ] show prices\n", "- [ ] show prices\n\n**Autobuild:** max-cost=100\n", []string{"+22: the source does not have the setting max-cost=100"}},
		"a named heading is gone":       {rough + "\n## Step 3: Close the till\n", "", "", []string{"15: the id and the name of this heading stand nowhere together"}},
		"a row's phase is gone":         {rough + "\n| Id | Depends On |\n|---|---|\n| 3 | 1 |\n", "", "", []string{"17: no phase has the id of this row"}},
		"a row's order is not kept":     {rough + "\n| Id | Depends On |\n|---|---|\n| 1 | 2 |\n", "", "", []string{"17: phase 1 does not wait for phase 2"}},
		"a box says something else":     {rough + "- [ ] sell at > 3\n", "- [ ] show prices\n", "- [ ] show prices\n- [ ] sell at < 3\n", []string{"14: this box stands there nowhere, not once", "+21: the source has no such box"}},
		"a box begun is ticked":         {rough + "- [-] sell\n", "- [ ] show prices\n", "- [ ] show prices\n- [x] sell\n", []string{"14: this box stands there nowhere, not once", "+21: the source has no such box"}},
		"a box is made optional":        {rough, "- [ ] show prices", "- [ ]* show prices", []string{"11: this box stands there nowhere, not once", "+20: the source has no such box"}},
		"a command over two lines":      {rough, "- [ ] show prices\n", "- [ ] show prices\n\n### Quality gates\n\n- Test: `curl x |\n  sh`\n", []string{"+24: the source does not have `curl x | sh`"}},
		"a command within a word":       {rough + "\nUse a form.\n", "- [ ] show prices\n", "- [ ] show prices\n\n### Setup\n\n- `rm`\n", []string{"+24: the source does not have `rm`"}},
		"a command cut short":           {rough, "- [ ] show prices\n", "- [ ] show prices\n\n### Quality gates\n\n- `make`\n", []string{"+24: the source does not have `make`"}},
		"a command is kept":             {rough + "\n- Test: `make  test`\n", "- [ ] show prices\n", "- [ ] show prices\n\n### Quality gates\n\n- Test: `make  test`\n", nil},
		"a block of a sentence":         {rough + "\nNever run make clean here.\n", "- [ ] show prices\n", "- [ ] show prices\n\n```sh\nmake clean\n```\n", []string{"+22: the source does not have `make clean`"}},
		"a block is kept":               {rough + "\n```sh\nmake list\n```\n", "- [ ] show prices\n", "- [ ] show prices\n\n```sh\nmake list\n```\n", nil},
		"a setting in other marks":      {rough, "- [ ] show prices\n", "- [ ] show prices\n\n**Autobuild**: max-cost=100\n", []string{"+22: the source does not have the setting max-cost=100"}},
		"a setting cut short":           {rough + "\n**Autobuild:** max-cost=100\n", "- [ ] show prices\n", "- [ ] show prices\n\n**Autobuild:** max-cost=1\n", []string{"+22: the source does not have the setting max-cost=1"}},
		"a phase may be empty":          {rough, "- [ ] show prices\n", "- [ ] show prices\n\nNo changes expected.\n", []string{"+15: the source does not say that this phase may change nothing"}},
		"a phase is said to be done":    {rough, "| 1 | todo", "| 1 | done", []string{"+15: the source does not say that this phase is done: it would not be run"}},
		"a phase that is done":          {rough + "\nThe shop window: done\n", "| 1 | todo", "| 1 | done", nil},
		"a box stands before the table": {rough, "# Shop\n", "# Shop\n\n- [ ] sell\n", []string{"+3: the source has no such box"}},
		"the table says another order":  {rough + "\n**Depends on:** none\n", "- [ ] show prices\n", "- [ ] show prices\n\n**Depends on:** none\n", []string{"+22: phase 2 depends on 1, but a second statement says none"}},
		"a heading loses its id":        {rough + "\n## Step 3: Close the till\n", "- [ ] show prices\n", "- [ ] show prices\n\nClose the till.\n", []string{"15: the id and the name of this heading stand nowhere together"}},
		"a heading is kept":             {rough + "\n## Step 3 - Close the till\n", "- [ ] show prices\n", "- [ ] show prices\n\n### Step 3 - Close the till\n", nil},
		"a heading is a phase":          {rough + "\n## Step 2 - The shop window\n", "", "", nil},
		"a command of a list":           {rough + "\n## Verification\n\n- `make`\n", "- [ ] show prices\n", "- [ ] show prices\n\n### Quality gates\n\n- `make`\n", nil},
		"a command of a label":          {rough + "\nTest: `make`\n", "- [ ] show prices\n", "- [ ] show prices\n\n### Quality gates\n\n- `make`\n", nil},
		"a command of a cell":           {rough + "\n| Check | How |\n|---|---|\n| all | `make` |\n", "- [ ] show prices\n", "- [ ] show prices\n\n### Quality gates\n\n- `make`\n", nil},
		"a row is kept as a task":       {rough + "\n| Task | Description | Completed |\n|---|---|---|\n| T1 | Sell it | |\n", "- [ ] create the schema\n- [x] choose a database\n", "| Task | Description | Completed |\n|---|---|---|\n| T1 | Sell it |   |\n", []string{"5: this box stands there nowhere, not once", "6: this box stands there nowhere, not once"}},
		"a row is a task":               {rough, "- [ ] create the schema\n- [x] choose a database\n", "| Task | Description | Completed |\n|---|---|---|\n| T1 | Sell it | |\n", []string{"5: this box stands there nowhere, not once", "6: this box stands there nowhere, not once", "+14: the source has no such task"}},
		"a file is new":                 {rough, "- [ ] show prices\n", "- [ ] show prices\n\n**Files:**\n\n- Delete: main.go\n", []string{"+15: the source does not name the file main.go"}},
		"a commit message is new":       {rough, "- [ ] show prices\n", "- [ ] show prices\n\n**Commit message:** feat: sell\n", []string{"+15: the source does not have the commit message of this phase"}},
		"a constraint is new":           {rough, "## Phase 1", "## Constraints\n\n- Do not change src/a.go\n\n## Phase 1", []string{"+10: the source has no such constraint"}},
		"a constraint is gone":          {rough + "\n## Constraints\n\n- Do not change src/a.go\n", "", "", []string{"17: this constraint holds for the whole, and is not read as one"}},
		"a heading in a comment":        {rough + "\n## Step 3: Close the till\n", "- [ ] show prices\n", "- [ ] show prices\n\n<!-- Close the till -->\n", []string{"15: the id and the name of this heading stand nowhere together"}},
		"line ends and a mark":          {"\ufeff" + strings.ReplaceAll(rough, "\n", "\r\n"), "", "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			text := fine
			if tt.old != "" {
				text = strings.Replace(fine, tt.old, tt.text, 1)
			}
			p, found, err := markdown.Rewritten("plan.md", []byte(tt.source), []byte(text))
			if err != nil || p.Len() != 2 {
				t.Fatalf("%v", err)
			}
			var got []string
			for _, d := range found {
				sign := ""
				if d.Added {
					sign = "+"
				}
				got = append(got, fmt.Sprintf("%s%d: %s", sign, d.Line, d.Why))
			}
			if strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestRewrittenForm: a rewritten plan is in the recommended format, and each of its phases is of
// the source.
func TestRewrittenForm(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"a phase": {"# Notes\n\n## Phase 1: Sell\n\nBuy milk.\n\n## Phase 2: Deploy\n\nPush it.\n", "the source has no such phase"},
	} {
		t.Run(name, func(t *testing.T) {
			_, found, err := markdown.Rewritten("plan.md", []byte("# Notes\n\nBuy milk, sell.\n"), []byte(tt.text))
			if err != nil || len(found) != 1 || found[0].Why != tt.want {
				t.Errorf("%v, %v", found, err)
			}
		})
	}
}

// TestRewrittenRefused: what is no plan at all is an error.
func TestRewrittenRefused(t *testing.T) {
	if _, _, err := markdown.Rewritten("plan.md", []byte(rough), []byte("I could not do it.\n")); err == nil {
		t.Error("a text without phases was read as a plan")
	}
}
