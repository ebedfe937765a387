package markdown_test

import (
	"fmt"
	"os"
	"testing"

	"autobuild/plan/markdown"
)

func TestShow(t *testing.T) {
	f := os.Getenv("SHOW")
	src, _ := os.ReadFile(f)
	p, err := markdown.Parse(f, src, markdown.Options{Dialect: os.Getenv("DIALECT")})
	if err != nil {
		fmt.Println("ERR", err)
		return
	}
	fmt.Println(p.Dialect, "|", p.Title)
	for i, ph := range p.Phases() {
		fmt.Printf("%s [%s] %q %v unstated=%v soft=%v ext=%v par=%v st=%s est=%v tasks=%d crit=%d lvl=%d\n   files=%+v gates=%+v setup=%q script=%d commit=%q empty=%v pos=%v fp=%s\n", ph.ID, ph.Label, ph.Name, ph.DependsOn, ph.Unstated, ph.SoftDeps, ph.External, ph.Parallel, ph.Status, ph.Estimate, len(ph.Tasks), len(ph.Criteria), p.Level(i), ph.Files, ph.Gates, ph.Setup, len(ph.Script), ph.Commit, ph.AllowEmpty, ph.Pos, ph.Fingerprint[:8])
	}
	for _, n := range p.Notes {
		fmt.Println("  ", n.Code, n.Pos, n.Message, n.Hint)
	}
	if m := os.Getenv("MARK"); m != "" {
		out, err := markdown.Mark(src, p, m, "done")
		fmt.Println(string(out), err)
	}
}
