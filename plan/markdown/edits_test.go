package markdown_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autobuild/plan/markdown"
)

// order is what a reading of a plan says runs when: the phases, and for each what it waits for in
// the end.
type order struct {
	ids    []string
	before map[[2]string]bool // pairs of ids, the second waits for the first
	notes  map[string]int     // codes of findings
	wrong  bool               // refused
}

func orderOf(src string) order {
	o := order{before: map[[2]string]bool{}, notes: map[string]int{}}
	p, err := markdown.Parse("edit.md", []byte(src), markdown.Options{})
	if err != nil {
		o.wrong = true
		return o
	}
	for _, n := range p.Notes.Warnings() {
		o.notes[n.Code+n.Message]++
	}
	for i, phase := range p.Phases() {
		o.ids = append(o.ids, phase.ID)
		for _, k := range p.Ancestors(i) {
			o.before[[2]string{p.At(k).ID, phase.ID}] = true
		}
	}
	return o
}

// loses says what a reading after an edit lacks of the one before, "" when nothing or when
// something is said about it.
func (o order) loses(after order) string {
	if after.wrong {
		return ""
	}
	for code := range after.notes {
		if after.notes[code] > o.notes[code] {
			return ""
		}
	}
	have := map[string]bool{}
	for _, id := range after.ids {
		have[id] = true
	}
	for _, id := range o.ids {
		if !have[id] {
			return "phase " + id
		}
	}
	for pair := range o.before {
		if !after.before[pair] {
			return fmt.Sprintf("the edge %v", pair)
		}
	}
	return ""
}

// telling reports whether a line makes or orders phases.
func telling(line string) bool {
	lower := strings.ToLower(line)
	return strings.HasPrefix(line, "#") || strings.HasPrefix(line, "|") && !strings.Contains(line, "--") ||
		strings.Contains(lower, "depend") || strings.Contains(lower, "blocked by") || strings.Contains(lower, "after") || strings.Contains(lower, "- [")
}

// edits are the ways in which a line of a plan changes by accident. None may take a phase or an
// edge away in silence.
var edits = map[string]func(lines []string, at int) []string{
	"a line of prose before": func(lines []string, at int) []string {
		return splice(lines, at, 0, "", "Some words about it.", "")
	},
	"a blank line before": func(lines []string, at int) []string { return splice(lines, at, 0, "") },
	"twice":               func(lines []string, at int) []string { return splice(lines, at, 0, lines[at]) },
	"an id misspelt": func(lines []string, at int) []string {
		for i := range len(lines[at]) {
			if c := lines[at][i]; c >= '1' && c <= '8' {
				return splice(lines, at, 1, lines[at][:i]+string(c)+"7"+lines[at][i+1:])
			}
		}
		return nil
	},
}

// removal is an edit that may take away what nothing else states; it is only measured.
func removal(lines []string, at int) []string { return splice(lines, at, 1) }

// movement is an edit that may put a line where it means something else: a heading of a group among
// the tasks of another. It is only measured.
func movement(lines []string, at int) []string {
	const far = 3 // lines
	if at+far >= len(lines) {
		return nil
	}
	return splice(splice(lines, at, 1), at+far, 0, lines[at])
}

func splice(lines []string, at, drop int, put ...string) []string {
	out := append([]string{}, lines[:at]...)
	return append(append(out, put...), lines[at+drop:]...)
}

// TestEditsLoseNothing edits every telling line of every plan, and holds the reader to what it says
// then.
func TestEditsLoseNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine works, slowly under the race detector")
	}
	for _, file := range inputs(t, "plans") {
		if filepath.Ext(file) != ".md" {
			continue
		}
		if base := filepath.Base(file); base == "bmad.md" || base == "epics.md" {
			continue // an id of another document is right there
		}
		src := string(content(t, file))
		lines, whole := strings.Split(src, "\n"), orderOf(src)
		for name, edit := range edits {
			for at := range lines {
				if strings.HasPrefix(lines[at], "|") && strings.HasSuffix(name, "before") || !telling(lines[at]) || hidden(lines, at) {
					continue // a table ends there: another document
				}
				if after := edit(lines, at); after != nil {
					if lost := whole.loses(orderOf(strings.Join(after, "\n"))); lost != "" {
						t.Errorf("%s:%d: %s: %s is lost in silence: %s", file, at+1, name, lost, lines[at])
					}
				}
			}
		}
	}
}

// hidden reports whether a line is in the front matter or in a block of code.
func hidden(lines []string, at int) bool {
	fences, front := 0, lines[0] == "---"
	for i := range at {
		if strings.HasPrefix(strings.TrimSpace(lines[i]), "```") {
			fences++
		}
		if i > 0 && lines[i] == "---" {
			front = false
		}
	}
	return fences%2 == 1 || front
}

// TestCorpusEdits counts, on real plans, what edits take away in silence. It only prints figures,
// so it runs where AUTOBUILD_CORPUS asks for them.
func TestCorpusEdits(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(os.Getenv("AUTOBUILD_CORPUS"), "*", "*.md"))
	if os.Getenv("AUTOBUILD_CORPUS") == "" || len(files) == 0 {
		t.Skip("AUTOBUILD_CORPUS names no corpus of real plans")
	}
	all := map[string]func([]string, int) []string{"removed": removal, "moved": movement}
	for name, edit := range edits {
		all[name] = edit
	}
	silent, total := map[string]int{}, map[string]int{}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines, whole := strings.Split(string(src), "\n"), orderOf(string(src))
		if whole.wrong {
			continue
		}
		for name, edit := range all {
			for at := range lines {
				if !telling(lines[at]) || hidden(lines, at) || (at*7+len(lines))%17 != 0 || strings.HasPrefix(lines[at], "|") && strings.HasSuffix(name, "before") {
					continue // a sample
				}
				after := edit(lines, at)
				if after == nil {
					continue
				}
				total[name]++
				if lost := whole.loses(orderOf(strings.Join(after, "\n"))); lost != "" {
					silent[name]++
					t.Logf("%s:%d: %s: %s: %.120s", filepath.Base(filepath.Dir(file))+"/"+filepath.Base(file), at+1, name, lost, lines[at])
				}
			}
		}
	}
	for name := range all {
		t.Logf("%-24s %d of %d in silence", name, silent[name], total[name])
	}
}
