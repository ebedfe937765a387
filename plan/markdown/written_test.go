package markdown_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"autobuild/plan"
	"autobuild/plan/markdown"
)

// written is a plan whose graph was written down before it was read for the first time. A file of
// testdata/written holds several: "=== name", the phases one a line as "id | dependencies |
// done/boxes | status", "-----", and the plan. "~" is a phase that states nothing, an empty field
// is not compared, REFUSE is a plan that has to be refused, and a question mark behind the name is
// one of which something has to be said.
type written struct {
	name, text string
	phases     [][]string
	doubtful   bool
	refuse     bool
}

func readWritten(t *testing.T) (plans []written) {
	t.Helper()
	files, err := filepath.Glob("testdata/written/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no written plans: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for part := range strings.SplitSeq("\n"+string(data), "\n=== ") {
			head, text, found := strings.Cut(part, "\n-----\n")
			if !found {
				continue
			}
			lines := strings.Split(head, "\n")
			name, _, _ := strings.Cut(lines[0], " ")
			w := written{name: filepath.Base(file) + "/" + name, doubtful: strings.Contains(lines[0], "?")}
			w.text = strings.NewReplacer("<TAB>", "\t", "<CR>", "\r", "<BOM>", "\ufeff").Replace(text + "\n")
			for _, line := range lines[1:] {
				if line == "REFUSE" {
					w.refuse = true
					continue
				}
				fields := strings.Split(line+"|||", "|")
				for k := range fields {
					fields[k] = strings.TrimSpace(fields[k])
				}
				w.phases = append(w.phases, fields)
			}
			plans = append(plans, w)
		}
	}
	return plans
}

// TestWritten reads every written plan: each is as its author meant it, and nothing is said of one
// that is plain.
func TestWritten(t *testing.T) {
	for _, w := range readWritten(t) {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			p, err := markdown.Parse("plan.md", []byte(w.text), markdown.Options{})
			var problems plan.Problems
			if err != nil && !errors.As(err, &problems) {
				t.Fatal(err)
			}
			if w.refuse != (err != nil) {
				t.Fatalf("refused: %v", err)
			}
			if w.refuse {
				return
			}
			for _, fault := range w.differs(p) {
				t.Error(fault)
			}
			if warnings := p.Notes.Warnings(); !w.doubtful && len(warnings) > 0 {
				t.Errorf("a plain plan has warnings: %v", warnings)
			}
		})
	}
}

// differs compares a plan with what was written down.
func (w written) differs(p *plan.Plan) (faults []string) {
	var labels, wanted []string
	for _, phase := range p.Phases() {
		labels = append(labels, phase.Label)
	}
	for _, f := range w.phases {
		wanted = append(wanted, f[0])
	}
	if !slices.Equal(labels, wanted) {
		return []string{fmt.Sprintf("[%s] phases %v, want %v", p.Dialect, labels, wanted)}
	}
	for i, f := range w.phases {
		phase := p.At(i)
		var after []string
		for _, k := range p.Needs(i) {
			after = append(after, labels[k])
		}
		after = append(after, phase.External...)
		want := strings.Fields(strings.ReplaceAll(f[1], ",", " "))
		if f[1] == "~" {
			if want = nil; i > 0 {
				want = wanted[i-1 : i]
			}
		}
		if sorted(after) != sorted(want) {
			faults = append(faults, fmt.Sprintf("%s: after %v, want %v", f[0], after, want))
		}
		if total, done := count(phase.Tasks, phase.Criteria); f[2] != "" && f[2] != fmt.Sprintf("%d/%d", done, total) {
			faults = append(faults, fmt.Sprintf("%s: %d/%d boxes, want %s", f[0], done, total, f[2]))
		}
		if f[3] != "" && f[3] != string(phase.Status) {
			faults = append(faults, fmt.Sprintf("%s: status %s, want %s", f[0], phase.Status, f[3]))
		}
	}
	return faults
}
