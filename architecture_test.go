package autobuild_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// architecture is the page that shows the tree of packages.
const architecture = "docs/architecture.md"

// treeLine is a line of the tree on that page: a directory below those that are indented less, and
// what it is for.
var treeLine = regexp.MustCompile(`^( *)([\w./-]+/)(  .*)?$`)

// TestArchitectureTree: the page names every package, with what it is for, and no directory that is
// not there.
func TestArchitectureTree(t *testing.T) {
	_, tree, _ := strings.Cut(readPage(t), "```\n")
	tree, _, _ = strings.Cut(tree, "```")
	var parents []string
	shown := make(map[string]bool)
	for line := range strings.Lines(tree) {
		m := treeLine.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil {
			continue // a file
		}
		depth := len(m[1]) / 2
		if depth > len(parents) {
			t.Fatalf("%q is indented too far", line)
		}
		parents = append(parents[:depth], m[2])
		dir := strings.TrimSuffix(strings.Join(parents, ""), "/")
		if _, err := os.Stat(dir); err != nil {
			t.Errorf("the tree shows %s: %v", dir, err)
		}
		shown[dir] = strings.TrimSpace(m[3]) != ""
	}
	for name := range arrows {
		if name == "." || name == "cmd/autobuild" { // a file in the tree
			continue
		}
		if !shown[name] {
			t.Errorf("the tree does not say what package %s is for", name)
		}
	}
}

func readPage(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile(architecture)
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}
