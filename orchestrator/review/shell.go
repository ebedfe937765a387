package review

import (
	"path"
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/internal/text"
)

// builtins are the commands of a shell witness beside the project's own programs.
var builtins = []string{
	"test", "[", "echo", "printf", "exit", "set", "true", "false", ":", "expr", "return", "shift",
}

// interpreters run a file of the project, or its tests.
var interpreters = []string{"sh", "bash", "dash", "python3", "python", "node", "go", "ruby", "perl"}

// operators are those of test that compare texts and numbers, not files.
var operators = []string{
	"-n", "-z", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-a", "-o", "-1",
}

var (
	keywords   = strings.Fields("if then else elif fi while until do done ! { } local")
	assignment = lazyregexp.New(`^[A-Za-z_]\w*=`)
	quietly    = lazyregexp.New(`\d?>&\d|&?\d?>\s*/dev/null`)
	variables  = lazyregexp.New(`\$\{?(\w+|.)`)
	assigned   = lazyregexp.New(`(?m)\b([A-Za-z_]\w*)=|\bfor\s+(\w+)\s+in\b`)
)

// shellUse reads a shell witness: the words that it hands to the project's programs, and why it is
// none that can be used: it may run the project and compare, and do nothing else.
func (c Case) shellUse(script, own string) (used []string, why string) {
	script = quietly.ReplaceAllString(code(".sh").comments(script), " ")
	if strings.ContainsAny(script, "<>*~`") || strings.Contains(script, "$$") {
		return nil, "its witness reads or writes files, or lists them"
	}
	made := map[string]bool{"?": true, "(": true}
	for _, m := range assigned.FindAllStringSubmatch(script, -1) {
		made[m[1]+m[2]] = true
	}
	for _, m := range variables.FindAllStringSubmatch(script, -1) {
		if !made[m[1]] {
			return nil, "its witness uses the variable " + text.Clip(m[1], 40) +
				", which it does not set"
		}
	}
	for _, words := range commands(script) {
		more, why := c.shellCommand(words, own)
		if why != "" {
			return nil, why
		}
		used = append(used, more...)
	}
	return used, ""
}

// shellCommand looks at one command of a witness.
func (c Case) shellCommand(words []string, own string) (used []string, why string) {
	for len(words) > 0 && (slices.Contains(keywords, words[0]) || assignment.MatchString(words[0])) {
		words = words[1:]
	}
	if len(words) == 0 {
		return nil, ""
	}
	name, args := words[0], words[1:]
	switch {
	case name == "for" || name == "in":
		return nil, ""
	case name == "test" || name == "[":
		for _, a := range args {
			if strings.HasPrefix(a, "-") && len(a) > 1 && !slices.Contains(operators, a) &&
				!numbers.MatchString(a) {
				return nil, "its witness looks at files with " + text.Clip(a, 20)
			}
		}
		return nil, ""
	case slices.Contains(builtins, name):
		return nil, ""
	case slices.Contains(interpreters, name):
		return c.interpreted(name, args, own)
	case path.Clean(name) == own:
		return nil, ""
	case strings.Contains(name, "/") && c.there(name):
		return append(subject(name, args), args...), ""
	}
	return nil, "its witness calls " + text.Clip(name, 40) +
		", which is neither a program of the project nor needed to compare"
}

// interpreted looks at the call of an interpreter.
func (c Case) interpreted(name string, args []string, own string) (used []string, why string) {
	for i, a := range args {
		switch {
		case name == "go" && i == 0 && (a == "test" || a == "run"):
			return goArgs(args[1:]), ""
		case a == "-m" && i+1 < len(args) && (args[i+1] == "unittest" || args[i+1] == "pytest"):
			return nil, ""
		case slices.Contains([]string{"--test", "-q", "-v", "-x", "-B"}, a):
		case strings.HasPrefix(a, "-"):
			return nil, "its witness calls " + name + " with " + text.Clip(a, 20)
		case path.Clean(a) == own:
			return nil, ""
		case c.there(a):
			return append(subject(a, args[i+1:]), args[i+1:]...), ""
		default:
			return nil, "its witness runs " + text.Clip(a, 60) + ", which is no file of the base"
		}
	}
	return nil, "its witness starts " + name + " without a file"
}

// goArgs are the words that a program of Go gets; tests get none.
func goArgs(args []string) []string {
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		return args[1:]
	}
	return nil
}

// subject is what a call of a program is about: its words, where it has any, else the program.
func subject(program string, args []string) []string {
	if slices.ContainsFunc(args, func(a string) bool { return wordy.MatchString(a) }) {
		return nil
	}
	base := path.Base(program)
	return []string{base, strings.TrimSuffix(base, path.Ext(base))}
}

var wordy = lazyregexp.New(`^-{0,2}\pL{3}`)

// nest is a script, or a substitution in it, as it is split.
type nest struct {
	words []string
	word  strings.Builder
	has   bool // a word has begun
	quote byte
}

// add adds to the word, which may stay empty.
func (n *nest) add(text string) {
	n.word.WriteString(text)
	n.has = true
}

// flush ends the word.
func (n *nest) flush() {
	if n.has {
		n.words = append(n.words, n.word.String())
	}
	n.word.Reset()
	n.has = false
}

// end ends the command and appends it.
func (n *nest) end(all [][]string) [][]string {
	if n.flush(); len(n.words) > 0 {
		all = append(all, n.words)
	}
	n.words = nil
	return all
}

// commands splits a script into its simple commands, those of substitutions included, each into its
// words without quotes.
func commands(script string) [][]string {
	var all [][]string
	stack := []*nest{{}}
	for i := 0; i < len(script); i++ {
		n, b := stack[len(stack)-1], script[i]
		switch {
		case n.quote == '\'' && b != '\'':
			n.add(string(b))
		case b == '\'' && n.quote != '"':
			n.quote ^= '\''
			n.add("")
		case b == '\\' && i+1 < len(script):
			i++
			n.add(string(script[i]))
		case b == '(' && (n.quote == 0 || i > 0 && script[i-1] == '$'):
			stack = append(stack, &nest{})
		case b == ')' && n.quote == 0 && len(stack) > 1:
			all = n.end(all)
			stack = stack[:len(stack)-1]
			stack[len(stack)-1].has = true
		case b == '"':
			n.quote ^= '"'
			n.add("")
		case n.quote == '"':
			n.add(string(b))
		case strings.IndexByte(";|&\n", b) >= 0:
			all = n.end(all)
		case b == ' ' || b == '\t':
			n.flush()
		default:
			n.add(string(b))
		}
	}
	for _, n := range stack {
		all = n.end(all)
	}
	return all
}

// comments is a script without its comments; strings stay.
func (l *language) comments(script string) string {
	var out []string
	for line := range strings.Lines(script) {
		if !strings.HasPrefix(strings.TrimSpace(line), l.comment) {
			out = append(out, line)
		}
	}
	return strings.Join(out, "")
}
