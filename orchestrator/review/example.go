package review

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/internal/text"
	"autobuild/orchestrator/verify/referee"
	"autobuild/state"
)

// plainWords are the words that may stand beside an example. A word that is not among them could be
// a condition, so that the statement is left to a person.
var plainWords = strings.Fields(`a an the of and this that it its is are be must should shall will
	does now then still so also as to on in exactly simply always
	run runs running call calls calling execute executes executing command function invocation
	print prints printed printing return returns returned returning give gives given yield yields
	equal equals evaluate evaluates show shows write writes produce produces answer answers say says
	output outputs result results value number string text line stdout standard
	exit exits exited status code with`)

// saying are the words of which one stands between a call and what it gives.
var saying = strings.Fields(`print prints printed return returns returned give gives given yield
	yields is are equal equals evaluates show shows write writes produce produces answer answers say
	says exit exits exited output outputs result results status`)

// exitWords make the literal after a call its exit status.
var exitWords = []string{"exit", "exits", "exited", "status"}

// sample is a call of the plan with what it has to give.
type sample struct {
	call, expected string
	exit           bool // expected is the exit status
}

// samples are the examples that a statement gives without a condition: code spans, each followed by
// its value, and plain words between.
func samples(u unit) []sample {
	var found []sample
	var call string
	exit, says := false, false
	if !u.plain() {
		return nil
	}
	for _, t := range tokens(u.text) {
		switch {
		case t.kind == 'p' && !strings.ContainsAny(t.text, ".,:;=→>-()✓*"):
			return nil
		case t.kind == 'p':
			says = says || strings.ContainsAny(t.text, "=→")
		case t.kind == 'w' && !slices.Contains(plainWords, t.text):
			return nil
		case t.kind == 'w':
			exit = exit || call != "" && slices.Contains(exitWords, t.text)
			says = says || call != "" && slices.Contains(saying, t.text)
		case call == "" && t.kind == 's':
			call, exit, says = squeeze(t.text), false, false
		case call == "" || !says:
			return nil
		default:
			found = append(found, sample{call: call, expected: t.text, exit: exit})
			call = ""
		}
	}
	if call != "" {
		return nil
	}
	return found
}

// example is the experiment for a quoted statement of the plan that says what a call gives:
// autobuild makes that call itself, alone and after the examples that stand before it. Nothing of
// it is the reviewer's but the choice.
func (c Case) example(f state.Finding) (Experiment, string) {
	if f.Criterion == "" || f.Call == "" {
		return Experiment{}, ""
	}
	u, at, why := c.quoted(f.Criterion)
	if why != "" {
		return Experiment{}, why
	}
	own := samples(u)
	i := slices.IndexFunc(own, func(s sample) bool {
		return s.call == squeeze(f.Call) && (f.Expected == "" || s.expected == f.Expected)
	})
	if i < 0 {
		return Experiment{}, "its criterion does not say without a condition what `" +
			text.Clip(f.Call, 80) + "` gives"
	}
	wanted := own[i]
	p, why := c.program(wanted, f.File)
	if why != "" {
		return Experiment{}, why
	}
	var before []string
	if p.commands {
		for _, u := range units(c.Phase)[:at] {
			before = append(before, calls(samples(u))...)
		}
		before = append(before, calls(own[:i])...)
	}
	x := Experiment{Ground: state.GroundExample, Runs: []Run{p.run("example", nil)}}
	x.Runs = append(x.Runs, p.run("example-again", before))
	for n := range x.Runs {
		x.Runs[n].Check = func(g state.Gate) string { return c.differs(g, wanted, f.File) }
	}
	return x, ""
}

func calls(all []sample) []string {
	var out []string
	for _, s := range all {
		out = append(out, s.call)
	}
	return out
}

// marker frames what a call prints: a gate's output is kept only where the gate fails, and its
// beginning may be cut off.
const marker = "autobuild: the example"

var ended = lazyregexp.New(`(?s)` + marker + ` begins\n(.*?)\n?` + marker + ` ended with (\d+)`)

// Output is what an experiment printed, without autobuild's own lines.
func Output(tail string) string {
	if m := ended.FindStringSubmatch(tail); m != nil {
		return strings.TrimSpace(m[1]) + "\n(exit status " + m[2] + ")"
	}
	return strings.TrimSpace(tail)
}

// differs returns why a call does not contradict the plan's example; empty: it does.
func (c Case) differs(g state.Gate, wanted sample, place string) string {
	m := ended.FindStringSubmatch(g.Tail)
	if m != nil {
		m[1] = valuesOf(m[1])
	}
	if g.Status != state.GateFailed || m == nil {
		return "the plan's example could not be run to its end"
	}
	out, status := m[1], m[2]
	if status == "126" || status == "127" {
		return "the plan's example could not be started"
	}
	if wanted.exit {
		if status == wanted.expected {
			return "the plan's example exits with " + status + ", as it should"
		}
		if _, err := strconv.Atoi(wanted.expected); err != nil {
			return "the plan's example names no exit status"
		}
		if status != "0" && unready.MatchString(out) {
			return "the plan's example lacks something that is not the phase's"
		}
		return ""
	}
	switch {
	case strings.Contains(out, equalMark), holds(out, wanted.expected):
		return "the plan's example holds: it gives " + text.Clip(wanted.expected, 80)
	case status != "0" && (unready.MatchString(out) || !traced(out, place)):
		return "the plan's example failed before it gave anything"
	}
	return ""
}

// equalMark is printed where the language itself finds a value equal to the expected one.
const equalMark = "autobuild: equal"

// valueMark begins the lines of a value where a test runner prints others.
const valueMark = "autobuild: value "

// valuesOf are the lines of a value, where they are marked, else the whole output.
func valuesOf(out string) string {
	var b strings.Builder
	for line := range strings.Lines(out) {
		if value, ok := strings.CutPrefix(line, valueMark); ok {
			b.WriteString(value)
		}
	}
	if b.Len() == 0 {
		return out
	}
	return b.String()
}

// unready are the words of programs that lack something that the phase need not have made.
var unready = lazyregexp.New(`(?i)no such file|not found|cannot find|could not find|enoent|` +
	`permission denied|no module named|modulenotfound|connection|not built|usage:|unknown command`)

// traced reports whether an output names a line of a file.
func traced(out, file string) bool {
	at := strings.Index(out, path.Base(file))
	if at < 0 {
		return false
	}
	return lineAfter.MatchString(out[at+len(path.Base(file)):])
}

var lineAfter = lazyregexp.New(`^(?::|", line |: line )\d+`)

// holds reports whether an output gives a value, in any of the spellings of languages.
func holds(out, expected string) bool {
	n, err := strconv.ParseFloat(expected, 64)
	if err == nil {
		return slices.ContainsFunc(numbers.FindAllString(out, -1), func(word string) bool {
			m, err := strconv.ParseFloat(word, 64)
			return err == nil && math.Abs(m-n) < 1e-9
		})
	}
	if slices.ContainsFunc(spellings(expected),
		func(want string) bool { return find(out, want, apart) }) {
		return true
	}
	bare := strings.NewReplacer(" ", "", "\t", "", `"`, "'", "\n", "")
	return strings.ContainsAny(expected, "[{(") &&
		strings.Contains(bare.Replace(out), bare.Replace(expected))
}

var numbers = lazyregexp.New(`-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?`)

// apart reports whether a part of s is no piece of a longer word.
func apart(s string, from, to int) bool {
	word := func(b byte) bool {
		return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
	}
	return (from == 0 || !word(s[from-1]) || !word(s[from])) &&
		(to == len(s) || !word(s[to]) || !word(s[to-1]))
}

// spellings are the ways in which languages print a value.
func spellings(v string) []string {
	all := []string{strings.TrimSpace(v), strings.Trim(strings.TrimSpace(v), `"'`)}
	for _, same := range [][]string{
		{"null", "None", "nil", "undefined"}, {"true", "True"}, {"false", "False"},
	} {
		if slices.ContainsFunc(same, func(s string) bool { return strings.EqualFold(s, all[0]) }) {
			all = append(all, same...)
		}
	}
	all = append(all, strings.ReplaceAll(all[0], `"`, `'`), strings.ReplaceAll(all[0], `'`, `"`))
	return all
}

// program makes a call.
type program struct {
	put      []referee.Overlay
	command  string
	commands bool // the call is a command line, and so are the plan's other examples
}

var expression = lazyregexp.New(`^[A-Za-z_$][\w.$]*\(.*\)$`)

// program is how a call of the plan is made: a command line runs as it stands, an expression is
// evaluated in the file that the finding names.
func (c Case) program(wanted sample, place string) (program, string) {
	call := wanted.call
	if !expression.MatchString(call) {
		return c.commandLine(call)
	}
	name, _, _ := strings.Cut(call, "(")
	_, name, _ = cutLast(name)
	if e := c.edit(place); !holdsWord(e.New, name) {
		return program{}, "its place does not hold " + text.Clip(name, 60)
	}
	dir, base := path.Split(place)
	file := func(name, content string) []referee.Overlay {
		return []referee.Overlay{{Path: name, Mode: "100644", Content: content}}
	}
	stem := strings.TrimSuffix(base, path.Ext(base))
	switch path.Ext(base) {
	case ".py":
		return program{
			put: file("autobuild_example.py", fmt.Sprintf(pythonExample, path.Clean(dir),
				strings.ReplaceAll(strings.TrimSuffix(place, ".py"), "/", "."), stem, stem, call, wanted.expected)),
			command: "python3 autobuild_example.py",
		}, ""
	case ".js", ".mjs", ".cjs":
		return program{
			put: file("autobuild_example.mjs", fmt.Sprintf(nodeExample, "./"+place, stem, call,
				wanted.expected)),
			command: "node autobuild_example.mjs",
		}, ""
	case ".go":
		pkg := goPackage.FindStringSubmatch(c.edit(place).New)
		if pkg == nil || !goLiteral.MatchString(wanted.expected) {
			return program{}, "its expected value is no literal that autobuild could compare"
		}
		return program{
			put: file(dir+"autobuild_example_test.go", fmt.Sprintf(goExample, pkg[1],
				strings.TrimPrefix(call, pkg[1]+"."))),
			command: "go test -count=1 -v -run '^TestAutobuildExample$' ./" + path.Clean(dir),
		}, ""
	}
	return program{}, "autobuild cannot evaluate an expression of " + text.Clip(base, 60)
}

var goLiteral = lazyregexp.New(`^(?:-?[\d.]+|"[^"]*"|true|false|nil)$`)

var goPackage = lazyregexp.New(`(?m)^package (\w+)`)

func cutLast(name string) (before, after string, found bool) {
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		return name[:i], name[i+1:], true
	}
	return "", name, false
}

const pythonExample = `import importlib, sys
sys.path[:0] = [".", %q]
try:
    m = importlib.import_module(%q)
except ImportError:
    m = importlib.import_module(%q)
names = dict(vars(m))
names.setdefault(%q, m)
v = eval(%q, names)
print(v)
print(repr(v))
try:
    want = eval(%q, names)
    if v == want or list(v) == list(want):
        print("` + equalMark + `")
except Exception:
    pass
`

const nodeExample = `import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { inspect, isDeepStrictEqual } from "node:util";
const m = await import(pathToFileURL(resolve(%[1]q)).href);
const d = m.default;
const all = { ...(d && typeof d === "object" ? d : {}), ...m };
if (typeof d === "function" && d.name) all[d.name] = d;
delete all.default;
if (!(%[2]q in all)) all[%[2]q] = { ...all };
const names = Object.keys(all).filter((n) => /^[A-Za-z_$][\w$]*$/.test(n));
const value = (text) => new Function(...names, "return (" + text + ")")(...names.map((n) => all[n]));
const v = await value(%[3]q);
console.log(inspect(v));
console.log(JSON.stringify(v));
if (Object(v) !== v) console.log(String(v));
try {
  if (isDeepStrictEqual(v, value(%[4]q))) console.log("` + equalMark + `");
} catch {}
`

const goExample = `package %s

import (
	"fmt"
	"testing"
)

func autobuildShow(values ...any) {
	for _, v := range values {
		fmt.Printf("` + valueMark + `%%v %%#v\n", v, v)
	}
}

func TestAutobuildExample(*testing.T) { autobuildShow(%s) }
`

var pathLike = lazyregexp.New(`^[\w.-]*(?:/[\w.-]+)+$|^[\w-]+\.[A-Za-z]\w{0,4}$`)

// commandLine is a command of the plan as it stands. It has to call a file of the work, and must
// not need a file that is not part of it.
func (c Case) commandLine(call string) (program, string) {
	uses := strings.HasPrefix(call, "go run ")
	for _, word := range strings.Fields(call) {
		word = strings.Trim(word, `"';|&()`)
		if !pathLike.MatchString(word) || strings.HasPrefix(call, "go run ") {
			continue
		}
		if !c.made(path.Clean(word)) {
			return program{}, "its example needs " + text.Clip(word, 60) +
				", which is no file of the work"
		}
		uses = true
	}
	if !uses {
		return program{}, "its example calls no file of the work"
	}
	return program{command: call, commands: true}, ""
}

// run makes the call after others, and prints what it gives and how it ended. It always fails.
func (p program) run(name string, before []string) Run {
	var b strings.Builder
	for _, call := range before {
		fmt.Fprintf(&b, "( %s\n) >/dev/null 2>&1 </dev/null\n", call)
	}
	fmt.Fprintf(&b, "echo %q\n( %s\n) 2>&1 </dev/null\nprintf '\\n%s ended with %%d\\n' $?\nexit 1\n",
		marker+" begins", p.command, marker)
	return Run{Name: name, Puts: p.put, Command: b.String()}
}
