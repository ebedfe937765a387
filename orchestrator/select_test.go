package orchestrator

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"autobuild/orchestrator/plantest"
)

func TestSelect(t *testing.T) {
	lines := []string{"1", "2A: 1", "2B: 1", "3: 2A, 2B", "4"}
	for name, c := range map[string]struct {
		part    Part
		done    string // ids
		marked  string // the label that the plan marks as done
		want    string // labels
		skipped string // ids
		what    string // of the error
		next    string
	}{
		"everything":                       {want: "1 2A 2B 3 4"},
		"only":                             {part: Part{Only: []string{"1", "phase 2-A"}}, want: "1 2A"},
		"only, and what it needs is done":  {part: Part{Only: []string{"2A"}}, done: "1", want: "2A"},
		"only, and what it needs is not":   {part: Part{Only: []string{"2A"}}, what: "phase 2A needs phase 1, which is left out and not complete", next: "run 1 too, or leave 2A out as well"},
		"only what is unknown":             {part: Part{Only: []string{"9"}}, what: `--only names phase "9"`, next: "its phases are 1, 2A, 2B, 3, 4"},
		"from":                             {part: Part{From: "3"}, done: "2a 2b", want: "3 4"},
		"from the first":                   {part: Part{From: "1"}, want: "1 2A 2B 3 4"},
		"from, and what it needs is not":   {part: Part{From: "3"}, done: "2a", what: "phase 3 needs phase 2B"},
		"from what is unknown":             {part: Part{From: "x y"}, what: `--from names phase "x y"`, next: "its phases are"},
		"only from":                        {part: Part{Only: []string{"1", "4"}, From: "2A"}, want: "4"},
		"skip":                             {part: Part{Skip: []string{"4"}}, want: "1 2A 2B 3"},
		"skip what others need":            {part: Part{Skip: []string{"2B"}}, what: "phase 3 needs phase 2B", next: "leave 3 out as well"},
		"skip what is complete":            {part: Part{Skip: []string{"1"}}, done: "1", want: "2A 2B 3 4"},
		"skip what the plan marks as done": {part: Part{Skip: []string{"1"}}, marked: "1", want: "2A 2B 3 4", skipped: "1"},
		"skip what is unknown":             {part: Part{Skip: []string{"9"}}, what: `--skip names phase "9"`, next: "its phases are"},
		"skip what is only":                {part: Part{Only: []string{"1", "4"}, Skip: []string{"4"}}, want: "1"},
	} {
		t.Run(name, func(t *testing.T) {
			p := plantest.New(t, lines...)
			if c.marked != "" {
				p = plantest.New(t, strings.Split(strings.Replace(strings.Join(lines, "|"), c.marked, c.marked+"*", 1), "|")...)
			}
			selected, skipped, err := Select(p, c.part, func(id string) bool {
				return strings.Contains(" "+c.done+" ", " "+id+" ")
			})
			if c.what != "" {
				part, ok := errors.AsType[*PartError](err)
				if !ok || !strings.Contains(part.What, c.what) || !strings.Contains(part.Next, c.next) || err.Error() != part.What+"; "+part.Next {
					t.Errorf("error %v, want %q; %q", err, c.what, c.next)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var labels []string
			for i, yes := range selected {
				if yes {
					labels = append(labels, p.At(i).Label)
				}
			}
			if got := strings.Join(labels, " "); got != c.want {
				t.Errorf("selected %q, want %q", got, c.want)
			}
			if (len(skipped) > 0) != (c.skipped != "") || c.skipped != "" && !strings.Contains(skipped[c.skipped], "the plan marks it as done") {
				t.Errorf("skipped %q, want %q", skipped, c.skipped)
			}
		})
	}
}

// The error about an unknown phase lists those that there are, but not without end.
func TestSelectInALargePlan(t *testing.T) {
	lines := make([]string, 500)
	for i := range lines {
		lines[i] = strings.Repeat("9", 1+i/9) + string(rune('A'+i%9))
	}
	_, _, err := Select(plantest.New(t, lines...), Part{Only: []string{"x"}}, nil)
	if err == nil || len(err.Error()) > 400 || !utf8.ValidString(err.Error()) || !strings.HasSuffix(err.Error(), "…") {
		t.Errorf("error %v", err)
	}
}
