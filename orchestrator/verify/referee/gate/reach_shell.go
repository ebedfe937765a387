package gate

import (
	"path"
	"strings"

	shell "mvdan.cc/sh/v3/syntax"

	"autobuild/internal/lazyregexp"
)

// unresolved replaces, in a word, a part that only the shell can expand.
const unresolved = '\x00'

var assignment = lazyregexp.New(`^[A-Za-z_]\w*=`)

// parseShell is a script as a tree; nil where it is none.
func parseShell(text string) *shell.File {
	for _, lang := range []shell.LangVariant{shell.LangBash, shell.LangPOSIX} {
		f, err := shell.NewParser(shell.Variant(lang),
			shell.KeepComments(true)).Parse(strings.NewReader(text), "")
		if err == nil {
			return f
		}
	}
	return nil
}

// shell follows the commands of a script or a command line.
func (r *Reach) shell(text string, p place) {
	f := parseShell(text)
	if f == nil {
		r.opaque = true
		r.lines(text, p)
		return
	}
	vars := map[string]string{}
	functions := map[string]bool{}
	shell.Walk(f, func(n shell.Node) bool {
		switch n := n.(type) {
		case *shell.FuncDecl:
			functions[n.Name.Value] = true
		case *shell.WordIter:
			for _, w := range n.Items {
				r.looped(wordText(w, vars), p)
			}
			vars[n.Name.Value] = string(unresolved)
		case *shell.Redirect:
			if (n.Op == shell.RdrIn || n.Op == shell.RdrInOut) && n.Word != nil {
				r.data(wordText(n.Word, vars), p)
			}
		case *shell.DeclClause:
			for _, a := range n.Args {
				r.assign(a, vars, p)
			}
		case *shell.CallExpr:
			for _, a := range n.Assigns {
				r.assign(a, vars, p)
			}
			var args []string
			for _, w := range n.Args {
				args = append(args, wordText(w, vars))
			}
			if len(args) > 0 && !functions[args[0]] {
				p = r.command(args, p)
			}
		}
		return true
	})
}

// command follows one command of a script and gives the place of the next.
func (r *Reach) command(args []string, p place) place {
	switch {
	case args[0] == "cd" || args[0] == "pushd":
		if len(args) > 1 {
			return p.in(r.dir(args[1], p))
		}
	case args[0] == "eval" && len(args) > 1:
		r.loadsAny = r.loadsAny || strings.ContainsRune(strings.Join(args, " "), unresolved)
		r.nested(strings.Join(args[1:], " "), p)
	default:
		r.call(args, p)
	}
	return p
}

// looped takes the files that a loop goes over: scripts are run, others read.
func (r *Reach) looped(word string, p place) {
	for _, f := range r.glob(word, p) {
		text, _ := r.src.Read(f)
		switch {
		case InVendor(f):
		case ShellText(f, text):
			r.script(f, p)
		case !IsSource(f):
			r.add(f, Caller{File: p.from, Data: true}, p.why)
		}
	}
	if strings.ContainsAny(word, "*?[") {
		for _, d := range p.dirs {
			r.Globs[path.Join(d, word)] = strings.ReplaceAll(p.why, string(unresolved), "…")
		}
	}
}

// Data takes a file that a command reads, unless it is program text.
func (r *Reach) data(word string, p place) {
	if f := r.file(word, p); f != "" && !IsSource(f) && !InVendor(f) {
		r.add(f, Caller{File: p.from, Data: true}, p.why)
	}
}

func (r *Reach) nested(text string, p place) {
	if p.depth > maxDepth {
		return
	}
	p.depth++
	r.shell(text, p)
}

// assign notes a variable, and additions to PATH.
func (r *Reach) assign(a *shell.Assign, vars map[string]string, p place) {
	if a.Name == nil || a.Value == nil {
		return
	}
	value := wordText(a.Value, vars)
	vars[a.Name.Value] = value
	switch a.Name.Value {
	case "PATH", "NODE_PATH", "PYTHONPATH", "RUBYLIB", "PERL5LIB":
		for _, dir := range strings.Split(value, ":") {
			dir = strings.TrimPrefix(strings.Trim(dir, string(unresolved)), "/")
			if dir = path.Clean(dir); dir != "." && dir != "" && !strings.HasPrefix(dir, "..") {
				r.search[path.Join(p.dirs[0], dir)] = true
			}
		}
	case "NODE_OPTIONS", "PYTEST_ADDOPTS", "MAKEFLAGS", "GOFLAGS", "BASH_ENV", "ENV",
		"PYTHONSTARTUP":
		r.operands(strings.Fields(value), p)
		r.words([]string{value}, p)
	}
}

// wordText is a word with the known variables expanded; unknown ones stay unresolved.
func wordText(w *shell.Word, vars map[string]string) string {
	var b strings.Builder
	writeParts(&b, w.Parts, vars)
	return b.String()
}

func writeParts(b *strings.Builder, parts []shell.WordPart, vars map[string]string) {
	for _, part := range parts {
		switch x := part.(type) {
		case *shell.Lit:
			b.WriteString(strings.NewReplacer("\\\n", "", `\`, "").Replace(x.Value))
		case *shell.SglQuoted:
			b.WriteString(x.Value)
		case *shell.DblQuoted:
			for _, inner := range x.Parts {
				if lit, ok := inner.(*shell.Lit); ok {
					b.WriteString(strings.NewReplacer("\\\n", "", `\"`, `"`, `\$`,
						"$").Replace(lit.Value))
					continue
				}
				writeParts(b, []shell.WordPart{inner}, vars)
			}
		case *shell.ParamExp:
			name := ""
			if x.Param != nil {
				name = x.Param.Value
			}
			value, ok := vars[name]
			switch {
			case ok && x.Exp == nil && x.Slice == nil && x.Repl == nil:
				b.WriteString(value)
			case x.Exp != nil && x.Exp.Word != nil && strings.Contains(x.Exp.Op.String(), "-"):
				b.WriteString(wordText(x.Exp.Word, vars)) // ${VAR:-default}
			default:
				b.WriteByte(unresolved)
			}
		default:
			b.WriteByte(unresolved)
		}
	}
}

// lines follows text that is no shell script line by line, as far as its words go.
func (r *Reach) lines(text string, p place) {
	for line := range strings.Lines(text) {
		words := strings.FieldsFunc(line,
			func(c rune) bool { return strings.ContainsRune(" \t\r\n;&|()'\"`=<>", c) })
		if len(words) > 0 && !strings.HasPrefix(words[0], "#") {
			r.call(words, p)
		}
	}
}

// shellProgram follows sh -c 'text' and sh FILE.
func (r *Reach) shellProgram(args []string, p place) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "-o" || a == "+o" || a == "-O":
			i++
		case strings.HasPrefix(a, "--rcfile") || a == "--init-file":
			r.operands(args[i:], p)
			i++
		case strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.Contains(a, "c"):
			if i+1 < len(args) {
				r.nested(args[i+1], p)
			}
			return
		case strings.HasPrefix(a, "-") || strings.HasPrefix(a, "+"):
		default:
			if f := r.run(a, p); f != "" {
				r.script(f, p)
			}
			r.shellOperand(a, p)
			return
		}
	}
	r.loadsAny = true // its commands come from another one
}

// shellOperand reads a file without a shell's suffix as a script when a shell is given it.
func (r *Reach) shellOperand(word string, p place) {
	f := r.file(word, p)
	if f == "" || InVendor(f) || IsShell(f) {
		return
	}
	if text, ok := r.src.Read(f); ok && !strings.HasPrefix(text, "#!") && !r.seen["shell "+f] {
		r.seen["shell "+f] = true
		r.nested(text, inScript(f, p))
	}
}
