package cmd

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"autobuild/internal/call"
)

// everyCommand lists the commands in the order of the help, each before those below it.
func everyCommand(root *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{root}
	for _, t := range commandTopics {
		for _, name := range t.names {
			for _, c := range root.Commands() {
				if c.Name() == name && name != "help" {
					all = append(all, withChildren(c)...)
				}
			}
		}
	}
	return all
}

func withChildren(c *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{c}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			all = append(all, withChildren(sub)...)
		}
	}
	return all
}

func testRoot(t *testing.T) *cobra.Command {
	t.Helper()
	root := newApp(&call.Call{Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}, Environ: []string{"LANG=C.UTF-8", "COLUMNS=100"}, Dir: t.TempDir()}).root()
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	return root
}

// Every command and every flag of a run has its place in the help, and no place is empty.
func TestHelpIsWhole(t *testing.T) {
	root := testRoot(t)
	var placed []string
	for _, topic := range commandTopics {
		placed = append(placed, topic.names...)
	}
	for _, c := range root.Commands() {
		if i := slices.Index(placed, c.Name()); i >= 0 {
			placed = slices.Delete(placed, i, i+1)
		} else if c.IsAvailableCommand() {
			t.Errorf("autobuild %s has no place in commandTopics", c.Name())
		}
		if c.IsAvailableCommand() && c.Name() != "completion" && c.Example == "" {
			t.Errorf("autobuild %s --help has no example", c.Name())
		}
	}
	if len(placed) > 0 {
		t.Errorf("commandTopics name what does not exist: %v", placed)
	}
	placed = nil
	for _, topic := range flagTopics {
		placed = append(placed, topic.names...)
	}
	root.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if i := slices.Index(placed, f.Name); i >= 0 {
			placed = slices.Delete(placed, i, i+1)
		} else if f.Name != "help" && f.Name != "version" && !f.Hidden {
			t.Errorf("--%s has no place in flagTopics", f.Name)
		}
	})
	if len(placed) > 0 {
		t.Errorf("flagTopics name what does not exist: %v", placed)
	}
}

// A default is shown as a value that sets it: ten minutes are neither 10m0s nor 1.
func TestHelpDefaults(t *testing.T) {
	testRoot(t).LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		_, shown, told := strings.Cut(flagRow(f).Text, " (default ")
		if !told || f.Value.Type() != "duration" {
			return
		}
		got, err := time.ParseDuration(strings.TrimSuffix(shown, ")"))
		if want, _ := time.ParseDuration(f.DefValue); err != nil || got != want || strings.Contains(shown, "0s)") {
			t.Errorf("--%s has the default %s and shows %q", f.Name, f.DefValue, shown)
		}
	})
}

// Every example of the help is a call that the command line understands.
func TestHelpExamples(t *testing.T) {
	seen := 0
	for _, c := range everyCommand(testRoot(t)) {
		for _, e := range examples(c.Example) {
			at := strings.Index(e.Name, "autobuild ")
			if at < 0 {
				t.Errorf("%s: the example %q does not call autobuild", c.CommandPath(), e.Name)
				continue
			}
			words := shellWords(e.Name[at+len("autobuild "):])
			root := testRoot(t)
			found, rest, err := root.Find(words)
			if err == nil {
				err = found.ParseFlags(rest)
			}
			if err != nil {
				t.Errorf("%s: %q: %v", c.CommandPath(), e.Name, err)
			}
			seen++
		}
	}
	if seen < 30 {
		t.Errorf("only %d examples found", seen)
	}
}

// shellWords splits a call at blanks and ends it where the shell takes over; quotes hold words
// together.
func shellWords(call string) []string {
	var words []string
	word, quote, quoted := "", rune(0), false
	for _, r := range call + " " {
		switch {
		case quote == 0 && (r == '|' || r == '<' || r == '>' || r == '&' || r == ';'):
			return words
		case quote == 0 && (r == '\'' || r == '"'):
			quote, quoted = r, true
		case r == quote:
			quote = 0
		case r == ' ' && quote == 0:
			if word != "" || quoted {
				words = append(words, word)
			}
			word, quoted = "", false
		default:
			word += string(r)
		}
	}
	return words
}

const commandsHead = `# Commands

What ` + "`--help`" + ` says of every command, in the order in which one meets them. The same is in the manual pages in [man/](../man).
[events.md](events.md) has the exit codes, [configuration.md](configuration.md) what flags, environment and files have in common.

This page and the manual pages are made from the commands: ` + "`go test ./cmd -run TestCommandPages -update`" + `
`

// The page about the commands and the manual pages are what the commands say of themselves.
func TestCommandPages(t *testing.T) {
	pages := make(map[string]string)
	var page strings.Builder
	page.WriteString(commandsHead)
	for _, c := range everyCommand(testRoot(t)) {
		fmt.Fprintf(&page, "\n## %s\n\n```\n", c.CommandPath())
		var out bytes.Buffer
		a := newApp(&call.Call{Stdout: &out, Stderr: &out, Environ: []string{"LANG=C.UTF-8", "COLUMNS=100"}, Dir: t.TempDir()})
		if code := a.run(append(strings.Fields(c.CommandPath())[1:], "--help")); code != call.ExitOK {
			t.Errorf("%s --help: exit code %d", c.CommandPath(), code)
		}
		page.WriteString(out.String() + "```\n")

		released := time.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC)
		var man bytes.Buffer
		c.DisableAutoGenTag = true
		if err := doc.GenMan(c, &doc.GenManHeader{Section: "1", Source: "autobuild", Manual: "autobuild", Date: &released}, &man); err != nil {
			t.Fatal(err)
		}
		pages["../man/"+strings.ReplaceAll(c.CommandPath(), " ", "-")+".1"] = man.String()
	}
	pages["../docs/cli.md"] = page.String()
	for path, text := range pages {
		raw, err := os.ReadFile(path)
		if err == nil && string(raw) == text {
			continue
		}
		if !*update {
			t.Errorf("%s is not what the commands say (-there +now; -update rewrites it):\n%s", path, cmp.Diff(string(raw), text))
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	there, err := filepath.Glob("../man/*.1")
	if err != nil || len(there) == 0 {
		t.Fatalf("no manual pages: %v", err)
	}
	for _, path := range there {
		if _, ok := pages[filepath.ToSlash(path)]; !ok {
			t.Errorf("%s is about a command that does not exist", path)
		}
	}
}
