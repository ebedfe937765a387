package markdown_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
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
	unread     bool // its order is not read, and listed
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
		plans = append(plans, parseWritten(filepath.Base(file), string(data))...)
	}
	return plans
}

// parseWritten reads one file of written plans.
func parseWritten(file, data string) (plans []written) {
	for part := range strings.SplitSeq("\n"+data, "\n=== ") {
		head, text, found := strings.Cut(part, "\n-----\n")
		if !found {
			continue
		}
		lines := strings.Split(head, "\n")
		name, _, _ := strings.Cut(lines[0], " ")
		w := written{name: file + "/" + name, doubtful: strings.Contains(lines[0], "?"), unread: strings.Contains(lines[0], "!")}
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
	return plans
}

// TestWritten reads every written plan: each is as its author meant it, or it is refused, or
// something is said of it. Most are read.
func TestWritten(t *testing.T) {
	exact, refused, warned := 0, 0, 0
	for _, w := range readWritten(t) {
		p, err := markdown.Parse("plan.md", []byte(w.text), markdown.Options{})
		var problems plan.Problems
		if err != nil && !errors.As(err, &problems) {
			t.Fatal(err)
		}
		if err != nil {
			if refused++; w.refuse {
				exact++
			}
			continue
		}
		faults := w.differs(p)
		if w.refuse {
			faults = append(faults, "accepted")
		}
		switch {
		case len(faults) == 0:
			exact++
		case len(p.Notes.Warnings()) == 0:
			t.Errorf("%s: wrong without a word: %s", w.name, strings.Join(faults, "; "))
		default:
			warned++
		}
	}
	t.Logf("%d exact, %d refused, %d otherwise and warned", exact, refused, warned)
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
		return []string{fmt.Sprintf("[%s] phases %v, want %v", p.Reading, labels, wanted)}
	}
	for i, f := range w.phases {
		phase := p.At(i)
		var after []string
		for _, k := range p.Needs(i) {
			after = append(after, labels[k])
		}
		for _, name := range phase.External {
			after = append(after, strings.ReplaceAll(name, " ", "-"))
		}
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

// boxLine matches a line that a person takes for a box.
var boxLine = regexp.MustCompile(`^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[[ xX~-]\][ \t]+\S`)

// mutations are ways in which a line is written differently by accident.
var mutations = []func(line string) string{
	func(line string) string { return "    " + line },
	func(line string) string { return "\t" + line },
	func(line string) string { return "> " + line },
	func(line string) string { return "<div>\n" + line },
	func(line string) string { return line + "\n</details>" },
	func(line string) string { return "<p>Look:\n" + line },
	func(line string) string { return "<details><summary>More</summary>\n" + line },
	func(line string) string { return strings.TrimLeft(line, " \t") },
	func(line string) string { return line + " <!-- a remark -->" },
	func(line string) string { return strings.Replace(line, "- ", "* ", 1) },
	func(line string) string { return line + "\n\n" + line },
	func(line string) string { return "Text before it\n" + line },
	func(line string) string { return "| a | b |\n" + line },
	func(line string) string { return "[^1]: " + line },
}

// TestEveryBoxIsAccountedFor changes lines of the written plans at random. Whatever a reading makes
// of the document, each box in it has a receipt.
func TestEveryBoxIsAccountedFor(t *testing.T) {
	rounds := 6
	if testing.Short() {
		rounds = 1
	}
	for k, w := range readWritten(t) {
		if w.refuse || strings.Contains(w.text, "```") || strings.Contains(w.text, "~~~") || strings.Contains(w.text, "<!--") || strings.ContainsAny(w.text, "\r\ufeff") {
			continue // boxes in code and comments are none
		}
		for round := range rounds {
			random := rand.New(rand.NewPCG(uint64(k), uint64(round)))
			lines := strings.Split(w.text, "\n")
			for range 1 + round%3 {
				at := random.IntN(len(lines))
				lines[at] = mutations[random.IntN(len(mutations))](lines[at])
			}
			src := strings.Join(lines, "\n")
			p, err := markdown.Parse("plan.md", []byte(src), markdown.Options{})
			if err != nil {
				continue
			}
			read := map[int]bool{}
			for _, r := range p.Receipts {
				read[r.Line] = true
			}
			for n, line := range strings.Split(src, "\n") {
				if boxLine.MatchString(line) && !read[n+1] {
					t.Errorf("%s, round %d: line %d has no receipt: %q\n%s", w.name, round, n+1, line, src)
					return
				}
			}
		}
	}
}

// TestWrittenEdits holds the written plans to what TestEditsLoseNothing asks of the others: a line
// written twice, or with something before it, takes no phase and no edge away in silence.
func TestWrittenEdits(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine works, slowly under the race detector")
	}
	for k, w := range readWritten(t) {
		if w.refuse {
			continue
		}
		lines, whole := strings.Split(w.text, "\n"), orderOf(w.text)
		for _, name := range []string{"a line of prose before", "a blank line before", "twice"} {
			for at := range lines {
				tabled := strings.HasPrefix(lines[at], "|") && name != "twice"
				if (at+k)%4 != 0 || tabled || !telling(lines[at]) || hidden(lines, at) {
					continue // a sample
				}
				if lost := whole.loses(orderOf(strings.Join(edits[name](lines, at), "\n"))); lost != "" {
					t.Errorf("%s:%d: %s: %s is lost in silence: %s", w.name, at+1, name, lost, lines[at])
				}
			}
		}
	}
}

// TestWrittenRandomEdits bounds how often a line of a written plan that is moved, removed, or has
// an id misspelt takes a phase or an edge away in silence: where nothing else in the plan is about
// it.
func TestWrittenRandomEdits(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine works, slowly under the race detector")
	}
	most := map[string]int{"an id misspelt": 25, "moved": 20, "removed": 110} // in a thousand
	kinds := map[string]func([]string, int) []string{
		"an id misspelt": edits["an id misspelt"], "moved": movement, "removed": removal,
	}
	silent, total := map[string]int{}, map[string]int{}
	for k, w := range readWritten(t) {
		if w.refuse {
			continue
		}
		lines, whole := strings.Split(w.text, "\n"), orderOf(w.text)
		for name, edit := range kinds {
			for at := range lines {
				if (at+k)%4 != 0 || !telling(lines[at]) || hidden(lines, at) {
					continue // a sample
				}
				after := edit(lines, at)
				if after == nil {
					continue
				}
				total[name]++
				if lost := whole.loses(orderOf(strings.Join(after, "\n"))); lost != "" {
					silent[name]++
					t.Logf("%s: %s:%d: %s: %s", name, w.name, at+1, lost, lines[at])
				}
			}
		}
	}
	for name := range kinds {
		if silent[name]*1000 > total[name]*most[name] || total[name] == 0 {
			t.Errorf("%s: %d of %d in silence, more than %d in a thousand", name, silent[name], total[name], most[name])
		}
	}
}
