package markdown_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"autobuild/plan"
	"autobuild/plan/markdown"
)

// corpus is where real plans of other projects lie, with what a careful reader finds in each. They
// belong to their authors, so they are not part of this repository. AUTOBUILD_CORPUS names another
// place.
const corpus = "../../../shared/corpus"

type expectation struct {
	Dialect      string     `json:"dialect"`
	Confidence   string     `json:"confidence"`
	TaskKind     string     `json:"task_kind"`
	Alternatives [][]string `json:"alternatives"`
	Refuse       any        `json:"expect_error"`
	Phases       []struct {
		ID        string    `json:"id"`
		DependsOn *[]string `json:"depends_on"`
		External  []string  `json:"external"`
		Soft      []string  `json:"soft_deps"`
		Tasks     *int      `json:"tasks_total"`
		Done      int       `json:"tasks_done"`
		Gates     *int      `json:"gate_total"`
		GatesDone *int      `json:"gate_done"`
		Status    string    `json:"status"`
		Line      int       `json:"line"`
	} `json:"phases"`
}

// TestCorpus reads every plan of the corpus and compares ids, edges and counts. Of the plans about
// which careful readers agree fifteen in sixteen have to be exact, and none may be read otherwise
// without a warning.
func TestCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine works, slowly under the race detector")
	}
	files, err := filepath.Glob(filepath.Join(cmp.Or(os.Getenv("AUTOBUILD_CORPUS"), corpus), "*", "*.expect.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skipf("no corpus of real plans at %s", corpus)
	}
	table, silent := map[string][2]int{}, 0
	plain, read := 0, 0 // plans about which careful readers agree
	for _, file := range files {
		want := expectation{}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err = json.Unmarshal(data, &want); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		plan := strings.TrimSuffix(file, ".expect.json") + ".md"
		src, err := os.ReadFile(plan)
		if err != nil {
			t.Fatal(err)
		}
		got := differences(plan, src, want)
		quiet := len(got) > 0 && unwarned(plan, src)
		if quiet {
			silent++
			got[0] = "WITHOUT A WARNING: " + got[0]
		}
		if want.Confidence == "high" {
			if plain++; len(got) == 0 {
				read++
			}
		}
		row := table[filepath.Base(filepath.Dir(file))]
		row[1]++
		switch {
		case len(got) == 0:
			row[0]++
		case want.Confidence == "high" && quiet:
			t.Errorf("%s:\n  %s", plan, strings.Join(got, "\n  "))
		default:
			t.Logf("%s (%s):\n  %s", plan, want.Confidence, strings.Join(got, "\n  "))
		}
		table[filepath.Base(filepath.Dir(file))] = row
	}
	exact, all := 0, 0
	var names []string
	for name := range table {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		t.Logf("%-12s %d of %d exact", name, table[name][0], table[name][1])
		exact, all = exact+table[name][0], all+table[name][1]
	}
	t.Logf("%d of %d exact, %d of %d plain ones; %d read otherwise without a warning", exact, all, read, plain, silent)
	if least := plain - plain/16; read < least {
		t.Errorf("%d of %d plain plans are read exactly, want %d", read, plain, least)
	}
}

// unwarned reports whether a plan is accepted and nothing is said of it that a person would look
// at.
func unwarned(path string, src []byte) bool {
	p, err := markdown.Parse(path, src, markdown.Options{})
	return err == nil && len(p.Notes.Warnings()) == 0
}

func differences(path string, src []byte, want expectation) []string {
	p, err := markdown.Parse(path, src, markdown.Options{})
	if err != nil {
		if want.Refuse != nil {
			return nil
		}
		var problems plan.Problems
		if errors.As(err, &problems) {
			problems = problems.Errors()
			return append([]string{fmt.Sprintf("%d errors", len(problems))}, strings.Split(problems[:min(6, len(problems))].Error(), "\n")...)
		}
		return []string{err.Error()}
	}
	var diff []string
	report := func(format string, args ...any) { diff = append(diff, fmt.Sprintf(format, args...)) }
	var labels, wanted []string
	for _, phase := range p.Phases() {
		labels = append(labels, phase.Label)
	}
	for _, w := range want.Phases {
		wanted = append(wanted, w.ID)
	}
	for _, other := range want.Alternatives {
		if slices.Equal(labels, other) && !slices.Equal(labels, wanted) {
			return nil
		}
	}
	if !slices.Equal(labels, wanted) {
		report("[%s] phases: got %v, want %v", p.Reading, labels, wanted)
		return diff
	}
	for i, w := range want.Phases {
		phase := p.At(i)
		label := func(ids []string) []string {
			var list []string
			for _, id := range ids {
				k, _ := p.Index(id)
				list = append(list, p.At(k).Label)
			}
			return list
		}
		if w.DependsOn != nil {
			got := append(label(phase.DependsOn), phase.External...)
			if phase.Unstated && len(*w.DependsOn) == 0 && len(want.Phases) > 1 && i > 0 && len(phase.DependsOn) > 0 {
				report("%s: dependencies are not seen as stated, want none", w.ID)
			} else if sorted(got) != sorted(*w.DependsOn) {
				report("%s: depends on %v, want %v (unstated: %v)", w.ID, got, *w.DependsOn, phase.Unstated)
			}
			if !slices.Equal(label(phase.SoftDeps), w.Soft) && len(label(phase.SoftDeps))+len(w.Soft) > 0 {
				report("%s: soft %v, want %v", w.ID, label(phase.SoftDeps), w.Soft)
			}
		}
		total, done := count(phase.Tasks, phase.Criteria)
		if want.TaskKind == "heading" {
			total, done = count(phase.Tasks)
		}
		if w.Tasks != nil && (total != *w.Tasks || done != w.Done) {
			report("%s: %d/%d tasks, want %d/%d", w.ID, done, total, w.Done, *w.Tasks)
		}
		gates, gatesDone := count(phase.Criteria)
		if w.Gates != nil && (gates != *w.Gates || gatesDone != *w.GatesDone) {
			report("%s: %d/%d criteria, want %d/%d", w.ID, gatesDone, gates, *w.GatesDone, *w.Gates)
		}
		if w.Line > 0 && phase.Pos.Line != w.Line {
			report("%s: line %d, want %d", w.ID, phase.Pos.Line, w.Line)
		}
		if w.Status != "" && string(phase.Status) != w.Status {
			report("%s: status %q, want %q", w.ID, phase.Status, w.Status)
		}
	}
	return diff
}

func sorted(list []string) string {
	list = slices.Clone(list)
	slices.Sort(list)
	return strings.Join(list, " ")
}

func count(lists ...[]plan.Task) (total, done int) {
	for _, list := range lists {
		for _, task := range list {
			total++
			if task.Done {
				done++
			}
		}
	}
	return total, done
}
