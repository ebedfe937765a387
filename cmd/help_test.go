package cmd

import (
	"bytes"
	"flag"
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

	"autobuild/orchestrator/session/call"
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

// Every command has its place in the help, and no place is empty.
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

What ` + "`--help --all`" + ` says of a run, and ` + "`--help`" + ` of the other commands.
[events.md](events.md) has the exit codes, [configuration.md](configuration.md) what flags, environment and files have in common.

This page is made from the commands: ` + "`go test ./cmd -run TestCommandPages -update`" + `. Manual pages:
` + "`go test ./cmd -run TestManualPages -man DIR`" + `.
`

// manDir is where manual pages are written; a release makes them, the repository has none.
var manDir = flag.String("man", "", "write the manual pages into this directory")

func helpArgs(c *cobra.Command) []string {
	if c.HasParent() {
		return []string{"--help"}
	}
	return []string{"--help", "--all"}
}

// The page about the commands is what the commands say of themselves.
func TestCommandPages(t *testing.T) {
	var page strings.Builder
	page.WriteString(commandsHead)
	for _, c := range everyCommand(testRoot(t)) {
		// run is the same as the command without a name
		if c.Name() == "run" || c.HasParent() && c.Parent().HasParent() || c.Name() == "completion" {
			continue
		}
		fmt.Fprintf(&page, "\n## %s\n\n```\n", c.CommandPath())
		var out bytes.Buffer
		a := newApp(&call.Call{Stdout: &out, Stderr: &out, Environ: []string{"LANG=C.UTF-8", "COLUMNS=100"}, Dir: t.TempDir()})
		if code := a.run(append(strings.Fields(c.CommandPath())[1:], helpArgs(c)...)); code != call.ExitOK {
			t.Errorf("%s --help: exit code %d", c.CommandPath(), code)
		}
		text := out.String()
		if c.HasParent() { // what every command has is said once
			text, _, _ = strings.Cut(text, "\nEverywhere:\n")
		}
		page.WriteString(text + "```\n")
	}
	checkPage(t, "../docs/cli.md", page.String())
}

// checkPage compares a generated page with the file, and rewrites the file with -update.
func checkPage(t *testing.T, path, text string) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err == nil && string(raw) == text {
		return
	}
	if !*update {
		t.Errorf("%s is not what the commands say (-there +now; -update rewrites it):\n%s", path, cmp.Diff(string(raw), text))
		return
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Every command has a manual page that names it.
func TestManualPages(t *testing.T) {
	dir := *manDir
	if dir == "" {
		dir = t.TempDir()
	}
	commands := everyCommand(testRoot(t))
	if len(commands) < 10 {
		t.Fatalf("%d commands", len(commands))
	}
	for _, c := range commands {
		var man bytes.Buffer
		c.DisableAutoGenTag = true
		if err := doc.GenMan(c, &doc.GenManHeader{Section: "1", Source: "autobuild", Manual: "autobuild"}, &man); err != nil {
			t.Fatal(err)
		}
		name := strings.ReplaceAll(c.CommandPath(), " ", "-")
		if !strings.Contains(man.String(), c.Short) {
			t.Errorf("the manual page of %s does not name it:\n%s", name, man.String())
		}
		if err := os.WriteFile(filepath.Join(dir, name+".1"), man.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
