package autobuild_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const promises = 14

var (
	promiseRow = regexp.MustCompile(`(?m)^\| *(\d+) \| (.*) \| (.*) \| (.*) \|$`)
	quoted     = regexp.MustCompile("`([^`]+)`")
)

// The table of promises is true to the tree: each row is there once and in order, what it calls a
// mechanism is declared in the package that it names, and every proof is a test or a script that
// exists.
func TestReliability(t *testing.T) {
	doc, err := os.ReadFile("docs/reliability.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := promiseRow.FindAllStringSubmatch(string(doc), -1)
	if len(rows) != promises {
		t.Fatalf("%d rows, want one for each of %d promises", len(rows), promises)
	}
	for i, row := range rows {
		if row[1] != strconv.Itoa(i+1) || strings.TrimSpace(row[2]) == "" {
			t.Errorf("row %d is number %s: %s", i+1, row[1], row[2])
		}
		mechanisms, proofs := quoted.FindAllStringSubmatch(row[3], -1), quoted.FindAllStringSubmatch(row[4], -1)
		named := 0
		for _, m := range mechanisms {
			if cut := strings.LastIndexByte(m[1], '.'); cut > 0 && !strings.ContainsAny(m[1], " ") {
				named++
				name := regexp.QuoteMeta(m[1][cut+1:])
				declares(t, i+1, m[1][:cut], regexp.MustCompile(`(?m)^(func (\([^)]*\) )?`+name+`\(|\t`+name+` +=)`), false)
			}
		}
		if named == 0 || len(proofs) == 0 {
			t.Errorf("row %d names %d mechanisms and %d proofs", i+1, named, len(proofs))
		}
		proven(t, i+1, proofs)
	}
}

// Every row of the first table of docs/security.md names a test or a script that exists.
func TestSecurity(t *testing.T) {
	doc, err := os.ReadFile("docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(doc), "| | | what proves it |\n|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	rows := strings.Split(table, "\n")
	if len(rows) < 10 {
		t.Fatalf("%d rows", len(rows))
	}
	for i, row := range rows {
		cells := strings.Split(strings.TrimSuffix(row, " |"), " | ")
		proofs := quoted.FindAllStringSubmatch(cells[len(cells)-1], -1)
		if len(cells) != 3 || len(proofs) == 0 {
			t.Errorf("row %d has %d cells and %d proofs", i+1, len(cells), len(proofs))
		}
		proven(t, i+1, proofs)
	}
}

// proven looks for the tests and scripts that a row names.
func proven(t *testing.T, row int, proofs [][]string) {
	t.Helper()
	for _, p := range proofs {
		dir, test, isTest := strings.Cut(p[1], " ")
		if isTest {
			declares(t, row, dir, regexp.MustCompile(`(?m)^func `+regexp.QuoteMeta(test)+`\(t \*testing\.T\)`), true)
			continue
		}
		if _, err := os.Stat(filepath.Join("testdata", "scripts", p[1])); err != nil {
			t.Errorf("row %d: no script %s", row, p[1])
		}
	}
}

// declares looks for a declaration in the files of a package, its tests or the others.
func declares(t *testing.T, row int, dir string, what *regexp.Regexp, tests bool) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Errorf("row %d: no package %s", row, dir)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") != tests {
			continue
		}
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if what.Match(src) {
			return
		}
	}
	t.Errorf("row %d: nothing in %s is %s", row, dir, what)
}
