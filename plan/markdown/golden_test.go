package markdown_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autobuild/plan"
	"autobuild/plan/markdown"
)

var update = flag.Bool("update", false, "write the golden files anew")

// inputs lists the plans of a directory; none is a failure, because it would prove nothing.
func inputs(t testing.TB, dir string) []string {
	t.Helper()
	var files []string
	for _, ext := range []string{"*.md", "*.json"} {
		found, err := filepath.Glob(filepath.Join("testdata", dir, ext))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) == 0 {
		t.Fatalf("no plans in testdata/%s", dir)
	}
	return files
}

func content(t testing.TB, file string) []byte {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// TestPlans compares everything that is read of a plan of each dialect with what is expected.
func TestPlans(t *testing.T) {
	seen := map[string]bool{}
	for _, file := range inputs(t, "plans") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			p, err := markdown.Parse(filepath.Base(file), content(t, file), markdown.Options{})
			if err != nil {
				t.Fatal(err)
			}
			seen[p.Reading] = true
			golden(t, file+".golden", dump(p))
		})
	}
	for _, name := range markdown.Readings() {
		if !seen[name] {
			t.Errorf("no plan in testdata/plans is read as %s", name)
		}
	}
}

// TestMistakes compares what is said of plans that have mistakes.
func TestMistakes(t *testing.T) {
	for _, file := range inputs(t, "mistakes") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			_, err := markdown.Parse(filepath.Base(file), content(t, file), markdown.Options{})
			problems, ok := errors.AsType[plan.Problems](err)
			if !ok {
				t.Fatalf("want problems, got %v", err)
			}
			golden(t, file+".golden", report(problems))
		})
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(content(t, file)), got); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", file, diff)
	}
}

// report shows problems as a terminal would: the line, and a caret under what is meant.
func report(problems plan.Problems) string {
	var b strings.Builder
	for _, p := range problems {
		fmt.Fprintf(&b, "%s %s %d:%d %s\n", p.Severity, p.Code, p.Pos.Line, p.Pos.Col, p.Message)
		if p.Line != "" {
			fmt.Fprintf(&b, "  | %s\n  | %s%s\n", p.Line, strings.Repeat(" ", max(p.Pos.Col-1, 0)), strings.Repeat("^", max(p.Width, 1)))
		}
		if p.Hint != "" {
			fmt.Fprintf(&b, "  = %s\n", p.Hint)
		}
	}
	return b.String()
}

// dump shows all of a plan.
func dump(p *plan.Plan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %q\n", p.Reading, p.Title)
	for _, phase := range p.Phases() {
		fmt.Fprintf(&b, "\n%s %q %q line %d\n", phase.ID, phase.Label, phase.Name, phase.Pos.Line)
		show := func(name string, value any) {
			if text := fmt.Sprint(value); text != "" && text != "[]" && text != "{ 0}" && text != "{[] [] []}" && text != "{[] [] [] [] []}" && text != "false" {
				fmt.Fprintf(&b, "  %s: %s\n", name, strings.ReplaceAll(text, "\n", "⏎"))
			}
		}
		show("depends on", phase.DependsOn)
		show("unstated", phase.Unstated)
		show("soft", phase.SoftDeps)
		show("external", phase.External)
		show("parallel", phase.Parallel)
		show("status", phase.Status)
		show("estimate", phase.Estimate)
		show("files", phase.Files)
		show("prerequisites", phase.Prerequisites)
		show("setup", phase.Setup)
		show("commit", phase.Commit)
		show("may be empty", phase.AllowEmpty)
		for _, set := range phase.Settings {
			show("setting", fmt.Sprintf("%s = %s at %d:%d", set.Name, set.Value, set.Pos.Line, set.Pos.Col))
		}
		for _, g := range phase.Gates {
			show("gate", fmt.Sprintf("%s = %s at %d:%d", g.Name, g.Command, g.Pos.Line, g.Pos.Col))
		}
		for _, s := range phase.Script {
			show("script", fmt.Sprintf("%q at %d", s.Text, s.Pos.Line))
		}
		for _, t := range phase.Tasks {
			show("task", boxed(t))
		}
		for _, t := range phase.Criteria {
			show("criterion", boxed(t))
		}
	}
	for _, g := range p.Final {
		fmt.Fprintf(&b, "\nfinal gate: %s = %s at %d:%d", g.Name, g.Command, g.Pos.Line, g.Pos.Col)
	}
	if len(p.Final) > 0 {
		b.WriteString("\n")
	}
	if len(p.Notes) > 0 {
		fmt.Fprintf(&b, "\n%s", report(p.Notes))
	}
	return b.String()
}

func boxed(t plan.Task) string {
	mark := " "
	if t.Done {
		mark = "x"
	}
	text := fmt.Sprintf("[%s] %s at %d:%d", mark, t.Text, t.Pos.Line, t.Pos.Col)
	if t.Optional {
		text += " optional"
	}
	if t.Parallel {
		text += " parallel"
	}
	return text
}
