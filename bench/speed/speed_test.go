package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autobuild/plan/markdown"
)

// The plan that autobuild gets is the graph that the others get.
func TestPlanIsTheGraph(t *testing.T) {
	t.Parallel()
	for name, g := range map[string]graph{"chain": chain(5), "layered": layered(30)} {
		dir := t.TempDir()
		if err := g.write(dir, "/bin/true"); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(dir, "plan.md"))
		if err != nil {
			t.Fatal(err)
		}
		p, err := markdown.Parse("plan.md", data, markdown.Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if p.Len() != len(g) {
			t.Fatalf("%s: %d phases, want %d", name, p.Len(), len(g))
		}
		for node, on := range g {
			if got := p.Needs(node); fmt.Sprint(got) != fmt.Sprint(on) && len(got)+len(on) > 0 {
				t.Errorf("%s: node %d depends on %v, want %v", name, node, got, on)
			}
		}
	}
}

// replace writes a table between its two marks and leaves the rest of the page alone.
func TestReplace(t *testing.T) {
	t.Parallel()
	page := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(page, []byte("# A\n"+markOf("start")+"\nold\n"+markOf("start")+"\nend\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := bench{options: options{write: page}, out: &strings.Builder{}}
	b.print("### %s\n\n", "new")
	if err := b.replace("start"); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(page)
	if want := "# A\n" + markOf("start") + "\n### new\n" + markOf("start") + "\nend\n"; err != nil || string(got) != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

func Example() {
	fmt.Println(chain(3), layered(4))
	// Output: [[] [0] [1]] [[] [] [0 1] [0 1]]
}
