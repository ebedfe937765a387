package autobuild_test

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var updateBudget = flag.Bool("budget", false, "write today's figures into docs/architecture.md")

// slack is how many lines a room may lose before its figure in the page is out of date.
const slack = 100

// room is a row of the table of budgets: folders, and their lines of Go without tests.
type room struct {
	folders       []string
	today, budget int
	lines         int
}

var budgetRow = regexp.MustCompile("(?m)^\\| ((?:`[^`]+`,? ?)+)\\| ([\\d,]+) \\| ([\\d,]+) \\|$")

// rooms are the rows of the page, which has every folder once.
func rooms(t *testing.T, page []byte) []room {
	t.Helper()
	number := func(s []byte) int {
		n, err := strconv.Atoi(strings.ReplaceAll(string(s), ",", ""))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	var all []room
	for _, m := range budgetRow.FindAllSubmatch(page, -1) {
		r := room{today: number(m[2]), budget: number(m[3])}
		for _, f := range quoted.FindAllSubmatch(m[1], -1) {
			r.folders = append(r.folders, strings.TrimSuffix(string(f[1]), "/"))
		}
		all = append(all, r)
	}
	return all
}

// TestBudget: no room is larger than the larger of its budget and the figure of the page, and a room
// that has shrunk has a lower figure. With -budget it writes the figures.
func TestBudget(t *testing.T) {
	const name = "docs/architecture.md"
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	all := rooms(t, page)
	list, err := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard", "*.go").Output()
	if err != nil || len(all) == 0 {
		t.Fatalf("%d rooms: %v", len(all), err)
	}
	files := 0
	for _, file := range strings.Fields(string(list)) {
		text, err := os.ReadFile(file)
		if strings.HasSuffix(file, "_test.go") || os.IsNotExist(err) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		files++
		if r := homeOf(all, path.Dir(file)); r != nil {
			r.lines += bytes.Count(text, []byte("\n"))
		} else {
			t.Errorf("%s is in no room of %s", file, name)
		}
	}
	core := 0
	for _, r := range all {
		t.Logf("%6d of %6d  %s", r.lines, r.budget, strings.Join(r.folders, " "))
		if r.folders[0] != "temporal" && r.folders[0] != "bench" {
			core += r.lines
		}
		switch most := max(r.today, r.budget); {
		case *updateBudget:
		case r.lines > most:
			t.Errorf("%s has %d lines, and may have %d: make it smaller", r.folders[0], r.lines, most)
		case r.today > r.lines+slack && r.today > r.budget:
			t.Errorf("%s has %d lines, and %s says %d: go test . -run Budget -args -budget", r.folders[0], r.lines, name, r.today)
		}
	}
	t.Logf("%6d lines of Go without tests, temporal and bench; %d files", core, files)
	if *updateBudget {
		write(t, name, page, all)
	}
}

// homeOf is the room of a folder: the one that names the nearest folder above it.
func homeOf(all []room, dir string) *room {
	for ; dir != "."; dir = path.Dir(dir) {
		for i := range all {
			for _, f := range all[i].folders {
				if f == dir {
					return &all[i]
				}
			}
		}
	}
	return nil
}

func write(t *testing.T, name string, page []byte, all []room) {
	t.Helper()
	i := -1
	page = budgetRow.ReplaceAllFunc(page, func(row []byte) []byte {
		i++
		cells := strings.Split(string(row), "|")
		cells[2] = " " + strconv.Itoa(all[i].lines) + " "
		return []byte(strings.Join(cells, "|"))
	})
	if err := os.WriteFile(name, page, 0o644); err != nil {
		t.Fatal(err)
	}
}
