package gate

import (
	"path"
	"slices"
	"strings"

	shell "mvdan.cc/sh/v3/syntax"
)

// statement is one of a script's commands as text without comments.
func statement(n shell.Node) string {
	var b strings.Builder
	if shell.NewPrinter(shell.Minify(true)).Print(&b, n) != nil {
		return ""
	}
	return strings.TrimSpace(b.String())
}

func commandsOf(f *shell.File) []string {
	var out []string
	for _, s := range f.Stmts {
		s.Comments = nil
		out = append(out, statement(s))
	}
	return out
}

// OtherCommands reports whether two scripts differ in their commands.
func OtherCommands(old, now string) bool {
	a, b := parseShell(old), parseShell(now)
	return a != nil && b != nil && !slices.Equal(commandsOf(a), commandsOf(b))
}

// commandStronger reports whether a command line demands what another did and more: further
// commands joined by &&.
func (r *Reach) commandStronger(old, now string) bool {
	a, b := andList(old), andList(now)
	if a == nil || b == nil {
		return false
	}
	i := 0
	for j, part := range b {
		if i < len(a) && part == a[i] {
			i++
			continue
		}
		if i < len(a) && !r.checks(part) {
			return false // it runs before what was there
		}
		if i >= len(a) && j > 0 && !plainCommand(part) {
			return false
		}
	}
	return i == len(a)
}

// andList are the parts of a && b && c; nil where a command line has another form.
func andList(text string) []string {
	f := parseShell(text)
	if f == nil || len(f.Stmts) != 1 {
		return nil
	}
	var out []string
	var walk func(s *shell.Stmt) bool
	walk = func(s *shell.Stmt) bool {
		if s.Background || s.Coprocess {
			return false
		}
		if b, ok := s.Cmd.(*shell.BinaryCmd); ok && b.Op == shell.AndStmt && !s.Negated &&
			len(s.Redirs) == 0 {
			return walk(b.X) && walk(b.Y)
		}
		out = append(out, statement(s))
		return true
	}
	if !walk(f.Stmts[0]) {
		return nil
	}
	return out
}

// plainCommand reports whether a command is a call of a program without anything that masks how it
// ends.
func plainCommand(text string) bool {
	f := parseShell(text)
	if f == nil || len(f.Stmts) != 1 {
		return false
	}
	s := f.Stmts[0]
	_, ok := s.Cmd.(*shell.CallExpr)
	return ok && !s.Negated && !s.Background
}

// checks reports whether a command only checks: a known tool, a condition, a script of the tests or
// a target, and nothing that writes, exits or redefines.
func (r *Reach) checks(text string) bool {
	f := parseShell(text)
	if f == nil || len(f.Stmts) != 1 {
		return false
	}
	harmless := true
	shell.Walk(f, func(n shell.Node) bool {
		switch n := n.(type) {
		case *shell.Redirect:
			target := ""
			if n.Word != nil {
				target = wordText(n.Word, nil)
			}
			if n.Op != shell.RdrIn && n.Op != shell.Hdoc && n.Op != shell.WordHdoc &&
				n.Op != shell.DplOut && target != "/dev/null" {
				harmless = false
			}
		case *shell.FuncDecl, *shell.DeclClause:
			harmless = false
		case *shell.Stmt:
			if n.Background || n.Negated {
				harmless = false
			}
		case *shell.BinaryCmd:
			if n.Op == shell.OrStmt {
				harmless = false
			}
		case *shell.CallExpr:
			if len(n.Args) == 0 || len(n.Assigns) > 0 || !r.checker(n.Args) {
				harmless = false
			}
		}
		return harmless
	})
	return harmless
}

// mutators are options and words that make a known tool change files or look away.
var mutators = []string{
	"--fix", "--write", "-w", "-u", "--update", "--updateSnapshot", "--update-snapshots", "-e",
	"-c", "--eval", "install", "ci", "i",
	"add", "remove", "clean", "get", "mod", "generate", "publish", "--passWithNoTests", "-i",
	"edit", "env", "-delete", "-exec",
}

func (r *Reach) checker(words []*shell.Word) bool {
	var args []string
	for _, w := range words {
		args = append(args, wordText(w, nil))
	}
	prog := path.Base(args[0])
	if slices.ContainsFunc(args[1:], func(a string) bool { return slices.Contains(mutators, a) }) {
		return slices.Contains([]string{"test", "[", "[[", "grep"}, prog)
	}
	switch {
	case slices.Contains([]string{
		"test", "[", "[[", "grep", "diff", "cmp", "echo", "printf",
		"true", "wc", "cat", "ls", "head", "tail", "sort", "fgrep", "egrep",
	}, prog):
		return true
	case slices.Contains([]string{"npm", "yarn", "pnpm", "make", "just"}, prog):
		return true
	case stackOf(prog) != "" && stackOf(prog) != "shell":
		return !slices.Contains([]string{"pip", "uv", "poetry", "bazel"}, prog)
	case prog == "sh" || prog == "bash" || strings.Contains(args[0], "/"):
		file := args[0]
		if prog == "sh" || prog == "bash" {
			if len(args) < 2 {
				return false
			}
			if args[1] == "-n" {
				return true // it reads, and runs nothing
			}
			file = args[1]
		}
		return r.isTest(strings.TrimPrefix(file, "./"))
	}
	return strings.HasPrefix(prog, "check") || strings.HasPrefix(prog, "assert") ||
		strings.HasPrefix(prog, "expect") || strings.HasPrefix(prog, "run_test")
}

// shellHarmless reports whether a script still demands what it did: the same commands, and between
// them only ones that check.
func (r *Reach) shellHarmless(old, now string) bool {
	a, b := parseShell(old), parseShell(now)
	if a == nil || b == nil || firstLine(old) != firstLine(now) {
		return false
	}
	was, is := commandsOf(a), commandsOf(b)
	if slices.Equal(was, is) {
		return true
	}
	strict := false
	i := 0
	for _, s := range is {
		if i < len(was) && s == was[i] {
			strict = strict || setsErrexit(s)
			i++
			continue
		}
		if !r.checks(s) || !strict && i == len(was) {
			// behind the last command, and without set -e, it would hide how that ended
			return false
		}
		if !strict && i == 0 && len(was) == 0 {
			return false
		}
	}
	return i == len(was)
}

func setsErrexit(s string) bool {
	words := strings.Fields(s)
	if len(words) < 2 || words[0] != "set" {
		return false
	}
	return strings.HasPrefix(words[1], "-") && !strings.HasPrefix(words[1], "--") &&
		strings.Contains(words[1], "e") || slices.Contains(words, "errexit")
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	if strings.HasPrefix(line, "#!") {
		return line
	}
	return ""
}
