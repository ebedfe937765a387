package markdown_test

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"autobuild/plan"
	"autobuild/plan/markdown"
)

// large is a plan of n phases in the recommended form, about 1 KB a phase.
func large(n int) []byte {
	var b bytes.Buffer
	b.WriteString("# Large\n\n| Phase | Name | Depends On | Parallel With | Estimate | Status |\n|---|---|---|---|---|---|\n")
	for i := 1; i <= n; i++ {
		needs := "none"
		if i > 1 {
			needs = fmt.Sprintf("%d", i/2)
		}
		fmt.Fprintf(&b, "| %d | Part *%d* | %s | - | 3 | ⬜ |\n", i, i, needs)
	}
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "\n## Phase %d: Part *%d*\n\nBuild the **%d**th part with `make part`; see [notes](notes.md).\n\n**Files:**\n- Create: `src/part%d.go`\n\n", i, i, i, i)
		for k := 1; k <= 8; k++ {
			fmt.Fprintf(&b, "- [ ] Do thing %d of part %d, carefully, with `code` and *emphasis* in it\n", k, i)
		}
		fmt.Fprintf(&b, "\n```go\nfunc part%d() {\n\t// a body\n}\n```\n\n### Definition of Done\n\n- [ ] it works\n- [ ] `make test` passes\n", i)
	}
	return b.Bytes()
}

// bare is goldmark itself with the extensions that a plan needs, and a walk that counts boxes and
// rows.
func bare(src []byte) int {
	gm := goldmark.New(goldmark.WithExtensions(extension.Table, extension.TaskList, extension.Strikethrough))
	count := 0
	_ = ast.Walk(gm.Parser().Parse(text.NewReader(src)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering && (n.Kind().String() == "TaskCheckBox" || n.Kind().String() == "TableRow") {
			count++
		}
		return ast.WalkContinue, nil
	})
	return count
}

func BenchmarkParse(b *testing.B) {
	src := large(1000)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := markdown.Parse("large.md", src, markdown.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkGoldmark(b *testing.B) {
	src := large(1000)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		bare(src)
	}
}

// TestLargePlan parses 10,000 phases in 10 MB. Allocation grows linearly: at most 15 times that
// of a tenth.
func TestLargePlan(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine works, slowly under the race detector")
	}
	src := large(10_000)
	var p *plan.Plan
	var err error
	parse := func(src []byte) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		p, err = markdown.Parse("large.md", src, markdown.Options{})
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Fatal(err)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	tenth := parse(large(1000))
	if whole := parse(src); whole > 15*tenth {
		t.Errorf("ten times the phases allocate %d bytes, after %d", whole, tenth)
	}
	if p.Len() != 10_000 || len(p.Batches()) != 14 {
		t.Errorf("%d phases in %d batches", p.Len(), len(p.Batches()))
	}
	if got := len(p.At(9_999).Tasks); got != 8 {
		t.Errorf("the last phase has %d tasks, want 8", got)
	}
	if !strings.Contains(p.At(9_999).Text, "func part10000()") {
		t.Error("the last phase has lost its text")
	}
}

// TestMemory holds the reading of a plan to twice what goldmark alone needs for the same document.
// Time is left to the benchmarks, because machines differ.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine works, slowly under the race detector")
	}
	src := large(1000)
	allocated := func(work func()) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		work()
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	ours := allocated(func() {
		if _, err := markdown.Parse("large.md", src, markdown.Options{}); err != nil {
			t.Fatal(err)
		}
	})
	if theirs := allocated(func() { bare(src) }); ours > 2*theirs {
		t.Errorf("%d bytes, more than twice the %d of goldmark", ours, theirs)
	}
}
