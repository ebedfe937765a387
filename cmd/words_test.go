package cmd

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"autobuild/orchestrator/session/call"
)

// shownCommand is a call of autobuild as documents, screens and messages show it: on an indented
// line, in back-ticks, or behind a colon.
var shownCommand = regexp.MustCompile("(?m)(?:^[ \\t]+(?:\\$ )?|^\\$ |`|: )autobuild ([a-z]+)\\b")

// Every command that a document or a golden screen shows exists and can be pasted.
func TestShownCommandsExist(t *testing.T) {
	known := []string{"help", "plan"} // autobuild plan.md
	root := newApp(&call.Call{Environ: os.Environ(), Dir: t.TempDir()}).root()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		known = append(known, c.Name())
	}
	found := 0
	for _, pattern := range []string{"../README.md", "../docs/*.md", "../render/*/testdata/*.txt", "../failure/diagnose/testdata/diagnoses/*.golden", "../failure/*.go", "../failure/*/*.go", "../state/store/*.go", "../orchestrator/*/*.go"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("nothing to read at %s: %v", pattern, err)
		}
		for _, path := range paths {
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range shownCommand.FindAllSubmatchIndex(raw, -1) {
				word := string(raw[m[2]:m[3]])
				if strings.HasPrefix(string(raw[m[3]:]), ".") || strings.HasPrefix(string(raw[m[3]:]), "/") {
					continue // a plan
				}
				found++
				if !slices.Contains(known, word) && !strings.HasSuffix(path, ".go") {
					t.Errorf("%s shows autobuild %s, which does not exist", path, word)
				}
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d commands found: the pattern is wrong", found)
	}
}
