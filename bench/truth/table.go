package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// table is what all columns said and what was true.
type table struct {
	scenarios []Scenario
	columns   []column
	cells     map[string]map[string]outcome // by scenario and column
}

func newTable(scenarios []Scenario, columns []column) *table {
	return &table{
		scenarios: scenarios, columns: columns,
		cells: make(map[string]map[string]outcome),
	}
}

func (t *table) add(c cell) {
	if t.cells[c.scenario.Name] == nil {
		t.cells[c.scenario.Name] = make(map[string]outcome)
	}
	t.cells[c.scenario.Name][c.column] = c.outcome
}

// counts are the numbers of one column.
type counts struct{ falseDone, cheats, loudWrong, loud, refused, honest, skipped int }

func (t *table) count(column string) counts {
	var n counts
	for i := range t.scenarios {
		s := &t.scenarios[i]
		o := t.cells[s.Name][column]
		if o.skipped != "" {
			n.skipped++
			continue
		}
		wrong := 0
		if _, good := o.verdict(s); !good {
			wrong = 1
		}
		switch s.Kind {
		case Cheat:
			n.cheats++
			n.falseDone += wrong
		case Loud:
			n.loud++
			n.loudWrong += wrong
		case Honest:
			n.honest++
			n.refused += wrong
		}
	}
	return n
}

// numbers is one row a column: how often it was wrong.
func (t *table) numbers() string {
	var b strings.Builder
	b.WriteString("| | false \"done\" on cheats | wrong on loud faults | honest work refused |\n" +
		"|---|---|---|---|\n")
	for _, col := range t.columns {
		n := t.count(col.name)
		fmt.Fprintf(&b, "| %s | %d of %d | %d of %d | %d of %d |\n",
			col.name, n.falseDone, n.cheats, n.loudWrong, n.loud, n.refused, n.honest)
	}
	return b.String()
}

// headline is the two numbers that matter, for people in a hurry.
func (t *table) headline() string {
	var b strings.Builder
	b.WriteString("| | false \"done\" | honest work refused |\n|---|---|---|\n")
	for _, col := range t.columns {
		n := t.count(col.name)
		fmt.Fprintf(&b, "| %s | %d of %d | %d of %d |\n",
			col.about, n.falseDone, n.cheats, n.refused, n.honest)
	}
	return b.String()
}

// markdown is a row a scenario.
func (t *table) markdown() string {
	var b strings.Builder
	b.WriteString("| scenario | kind | stack |")
	for _, col := range t.columns {
		fmt.Fprintf(&b, " %s |", col.name)
	}
	b.WriteString("\n|---|---|---|" + strings.Repeat("---|", len(t.columns)) + "\n")
	for i := range t.scenarios {
		s := &t.scenarios[i]
		fmt.Fprintf(&b, "| %s: %s | %s | %s |", s.Name, s.Shows, s.Kind, s.Stack)
		for _, col := range t.columns {
			word, good := t.cells[s.Name][col.name].verdict(s)
			if !good {
				word = "**" + word + "**"
			}
			fmt.Fprintf(&b, " %s |", word)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// summary is what a terminal shows below the table.
func (t *table) summary() string {
	text := t.numbers()
	for i := range t.scenarios {
		for _, col := range t.columns {
			if o := t.cells[t.scenarios[i].Name][col.name]; o.skipped != "" {
				text += fmt.Sprintf("skipped: %s: %s\n", t.scenarios[i].Name, o.skipped)
				break
			}
		}
	}
	return text
}

// write replaces what stands between the markers of the two pages.
func (t *table) write(root string) error {
	page := filepath.Join(root, "bench", "truth", "README.md")
	if err := between(page, "truth-numbers", t.numbers()); err != nil {
		return err
	}
	if err := between(page, "truth-table", t.markdown()); err != nil {
		return err
	}
	return between(filepath.Join(root, "README.md"), "truth-numbers", t.headline())
}

// between replaces the text between <!-- NAME --> and <!-- /NAME --> of a file.
func between(file, name, text string) error {
	page, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	begin, end := "<!-- "+name+" -->\n", "<!-- /"+name+" -->"
	before, rest, found := strings.Cut(string(page), begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return fmt.Errorf("%s has no markers %q and %q", file, begin, end)
	}
	return os.WriteFile(file, []byte(before+begin+text+end+after), 0o600)
}

// check is an error for every wrong verdict of autobuild that a list of known ones does not have.
func (t *table) check(file string) error {
	known, err := missed(file)
	if err != nil {
		return err
	}
	var faults []error
	for i := range t.scenarios {
		s := &t.scenarios[i]
		o := t.cells[s.Name]["autobuild"]
		word, good := o.verdict(s)
		listed := slices.Contains(known, s.Name)
		switch {
		case o.skipped != "":
		case !good && !listed:
			faults = append(faults, fmt.Errorf("%s: %s: %s", s.Name, word, o.detail))
		}
	}
	return errors.Join(faults...)
}

// missed reads the names of a list with lines "NAME: why"; # begins a comment.
func missed(file string) ([]string, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	var names []string
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if name, _, ok := strings.Cut(lines.Text(), ":"); ok && !strings.HasPrefix(name, "#") {
			names = append(names, strings.TrimSpace(name))
		}
	}
	return names, nil
}
