package section

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
)

// ShellNames are the info words of fences that hold commands.
var ShellNames = []string{"sh", "bash", "shell", "zsh", "console", ""}

// Commands reads the gates, the setup and the script of a section. A sh block is part of the script
// unless something else has claimed it.
func (u *Unit) Commands(d *document.Document, all []document.Topic) {
	for _, f := range d.CodeBlocksIn(u.From, u.To) {
		info, _, _ := strings.Cut(f.Info, " ")
		c := document.ClassAt(all, f.Line)
		switch {
		case c == document.ClassGates && slices.Contains(ShellNames, info) && (f.Info != "sh" ||
			!gatesStated(d, u.From, f.Line)):
			u.Gates = append(u.Gates, BlockGates(f)...)
		case c == document.ClassSetup && slices.Contains(ShellNames, info):
			if text := strings.TrimSpace(f.Text); text != "" {
				u.Setup = append(u.Setup, text)
			}
		case c == document.ClassCommit:
		case info == "sh" && f.Info == "sh":
			u.Script = append(u.Script,
				plan.Block{Text: f.Text, Pos: plan.Pos{Line: f.From, Col: 1}})
		}
	}
	for _, s := range all {
		switch s.Class {
		case document.ClassGates, document.ClassVerify:
			u.Gates = append(u.Gates, ListGates(d, s)...)
		case document.ClassSetup:
			for _, it := range d.ItemsIn(s.From, s.To) {
				if found := inline.CodeSpans(it.Raw); len(found) == 1 &&
					strings.Trim(it.Raw, "` ") == found[0] {
					u.Setup = append(u.Setup, found[0])
				}
			}
		}
	}
	u.Gates = NameGates(u.Gates)
}

// gatesStated reports whether the last label before a line, in a section that begins at from,
// states its gates itself: "**Gates:** `make test`". A block behind it is work.
func gatesStated(d *document.Document, from, line int) bool {
	labels := d.LabelsIn(from, line)
	if len(labels) == 0 {
		return false
	}
	last := labels[len(labels)-1]
	_, ok := OnlyCommand(last.Value)
	return ok && last.Item < 0 && document.ClassOf(last.Name) == document.ClassGates &&
		d.HeadingAbove(last.Line).Line == d.HeadingAbove(line).Line
}

// NameGates gives gates without a name one, and each a name of its own: test, test-2. The same
// command is one gate.
func NameGates(gates []plan.Gate) []plan.Gate {
	var out []plan.Gate
	for _, g := range gates {
		if g.Name == "" {
			g.Name = gateName(g.Command)
		}
		same := func(o plan.Gate) bool { return o.Command == g.Command }
		if slices.ContainsFunc(out, same) {
			continue
		}
		taken := func(o plan.Gate) bool { return o.Name == g.Name }
		for n, name := 2, g.Name; slices.ContainsFunc(out, taken); n++ {
			g.Name = fmt.Sprintf("%s-%d", name, n)
		}
		out = append(out, g)
	}
	return out
}

// ListGates reads list items that are nothing but a label and a command, or a command: "- Lint:
// `make lint`". A sentence that mentions a command is not one, nor is a command that is meant to
// fail.
func ListGates(d *document.Document, s document.Topic) []plan.Gate {
	var gates []plan.Gate
	for _, l := range d.LabelsIn(s.From, s.From+1) {
		if document.ClassOf(l.Name) != s.Class || l.Value == "" {
			continue
		}
		if command, ok := OnlyCommand(l.Value); ok {
			gates = append(gates, plan.Gate{Command: command, Pos: d.Pos(l.Offset)})
		}
	}
	for _, it := range d.ItemsIn(s.From, s.To) {
		name, rest := "", it.Raw
		if labels := document.LineLabels(it.Raw); len(labels) == 1 {
			name, rest = labels[0].Name, labels[0].Value
		}
		if command, ok := OnlyCommand(rest); ok &&
			(name != "" || s.Class == document.ClassGates || CommandLike(command)) &&
			name != "expected" {
			gates = append(gates, plan.Gate{
				Name: strings.TrimSuffix(name, " command"), Command: command,
				Pos: d.Pos(it.Offset),
			})
		}
	}
	return gates
}

// OnlyCommand is the code span that a text consists of; words such as "passes" may follow it.
func OnlyCommand(raw string) (command string, ok bool) {
	raw = strings.TrimSpace(raw)
	found := inline.CodeSpans(raw)
	if len(found) != 1 || !strings.HasPrefix(raw, "`") {
		return "", false
	}
	rest := strings.Trim(raw[inline.CodeSpanSize(raw):], " .;,")
	switch strings.ToLower(rest) {
	case "", "passes", "pass", "succeeds", "is clean", "is green", "must pass", "exits 0":
		return found[0], true
	}
	return "", false
}

// CommandLike reports whether a lone code span looks like a command and not like a name.
func CommandLike(s string) bool {
	return strings.ContainsAny(s, " ") && !strings.ContainsAny(s[:1], "<{[(\"'#")
}

// BlockGates reads a fence of commands: one gate a line, or one for the whole block where its lines
// only make sense together.
func BlockGates(f document.CodeBlock) []plan.Gate {
	pos := plan.Pos{Line: f.From, Col: 1}
	if together(f.Text) {
		return []plan.Gate{{Command: "set -e\n" + strings.TrimSpace(f.Text), Pos: pos}}
	}
	var gates []plan.Gate
	line := f.From
	for text := range strings.Lines(f.Text) {
		command := strings.TrimSpace(text)
		command = strings.TrimSpace(strings.TrimPrefix(command, "$ "))
		if command != "" && !strings.HasPrefix(command, "#") {
			gates = append(gates, plan.Gate{
				Command: uncommented(command),
				Pos:     plan.Pos{Line: line, Col: 1},
			})
		}
		line++
	}
	return gates
}

// uncommented cuts a remark off a command where it cannot be part of it.
func uncommented(command string) string {
	if at := strings.Index(command, "  #"); at > 0 && !strings.ContainsAny(command[:at], "'\"") {
		return strings.TrimSpace(command[:at])
	}
	return command
}

// together reports whether the lines of a block depend on each other.
func together(text string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		first, _, _ := strings.Cut(line, " ")
		switch first {
		case "cd", "export", "if", "for", "while", "case", "set", "source", ".", "pushd", "then",
			"do",
			"function", "until":
			return true
		}
		name, _, assigns := strings.Cut(first, "=")
		if strings.HasSuffix(line, "\\") || strings.Contains(line, "<<") ||
			strings.HasSuffix(line, "{") ||
			strings.HasSuffix(line, "|") ||
			strings.HasSuffix(line, "&&") || (assigns && name != "" && first == line) {
			return true
		}
	}
	return false
}

// gateName names a gate that the plan does not name, by what its command does.
func gateName(command string) string {
	w := " " + inline.Words(command) + " "
	switch {
	case containsAny(w, "lint", "clippy", " vet ", "ruff check", "flake8", "rubocop"):
		return "lint"
	case containsAny(w, "typecheck", "type-check", " tsc ", "mypy", "pyright"):
		return "typecheck"
	case containsAny(w, "fmt", "format", "prettier", " black "):
		return "format"
	case containsAny(w, "test", "pytest", "jest", "spec"):
		return "test"
	case containsAny(w, "build", "compile"):
		return "build"
	}
	return programName(command)
}

var (
	plainWord = lazyregexp.New(`^[A-Za-z0-9_][A-Za-z0-9_.:+-]*$`)
	launcher  = lazyregexp.New(
		`^(?:npm|pnpm|yarn|bun|npx|deno|poetry|uv|bundle|composer|mix|just|make|task|go|cargo|python3?|node|sh|bash)$`)
)

// programName is the program that a command calls first, and for a launcher what it launches: "npm
// run smoke" is smoke, "false 2>&1 | tail" is false. A command that names no program is called
// check.
func programName(command string) string {
	text := strings.TrimLeft(strings.TrimPrefix(command, "set -e\n"), " \t\n({!")
	var found []string
	for _, word := range strings.FieldsFunc(text[:untilOperator(text)],
		func(r rune) bool { return r == ' ' || r == '\t' }) {
		name, _, assigns := strings.Cut(word, "=")
		word = strings.TrimRight(path.Base(word), ")}")
		switch {
		case assigns && plainWord.MatchString(name) && len(found) == 0,
			strings.HasPrefix(word, "-"):
		case !plainWord.MatchString(word):
			return strings.Join(found, " ")
		case len(found) == 1 && launcher.MatchString(found[0]) && (word == "run" || word == "exec"):
			found = nil
		default:
			found = append(found, word)
		}
		if len(found) == 2 {
			break
		}
	}
	if len(found) == 0 {
		return "check"
	}
	return strings.Join(found, " ")
}

// untilOperator is where a command ends or is redirected.
func untilOperator(text string) int {
	end := strings.IndexAny(text, ";|&<>\n\"'`$()")
	if end < 0 {
		return len(text)
	}
	for end > 0 && (text[end] == '<' || text[end] == '>') && text[end-1] >= '0' &&
		text[end-1] <= '9' {
		end-- // the number of what is redirected
	}
	return end
}
