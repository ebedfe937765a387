package referee

import "testing"

// TestUndeclared: a proof needs no run where the base cannot build a test that passes; where the
// base might build it, a run decides.
func TestUndeclared(t *testing.T) {
	const (
		head     = "package calc\n\nimport \"testing\"\n\n"
		external = "package calc_test\n\nimport (\n\t\"testing\"\n\n\t\"example.org/calc\"\n)\n\n"
		mul      = "package calc\n\nfunc Mul(a, b int) int { return a * b }\n"
		test     = "func TestMul(t *testing.T) { _ = Mul(2, 3) }\n"
	)
	base := tree{
		"go.mod": "module example.org/calc\n\ngo 1.24\n", "calc.go": "package calc\n\nfunc Add(a, b int) int { return a + b }\n\ntype Sum struct{ Total int }\n",
		"calc_test.go": head + "func TestAdd(t *testing.T) { _ = Add(1, 2) }\n",
		"lib/go.mod":   "module example.org/lib\n",
		"lib/lib.go":   "package lib\n",
		"sub/sub.go":   "package sub\n\nfunc Old() {}\n",
	}
	passing := func(keys ...string) Outcome {
		o := Outcome{Ran: true, Passed: true, Passing: map[string]bool{}}
		for _, k := range keys {
			o.Passing[k] = true
		}
		return o
	}
	seen := passing(Key(".", "TestMul"), Key("sub", "TestMul"))
	add := func(path, text string) Edit { return change(path, "-", text) }
	for name, tt := range map[string]struct {
		edits []Edit
		now   Outcome
		want  string
	}{
		"a new function":                                {[]Edit{add("mul.go", mul), add("mul_test.go", head+test)}, seen, "Mul"},
		"a new function in a changed file":              {[]Edit{change("calc.go", base["calc.go"], base["calc.go"]+"func Mul(a, b int) int { return a * b }\n"), add("mul_test.go", head+test)}, seen, "Mul"},
		"from outside the package":                      {[]Edit{add("mul.go", mul), add("mul_test.go", external+"func TestMul(t *testing.T) { _ = calc.Mul(2, 3) }\n")}, seen, "Mul"},
		"of another package":                            {[]Edit{add("sub/mul.go", "package sub\n\nfunc New() {}\n"), add("mul_test.go", "package calc\n\nimport (\n\t\"testing\"\n\n\tx \"example.org/calc/sub\"\n)\n\nfunc TestMul(t *testing.T) { x.New() }\n")}, seen, "New"},
		"a new package":                                 {[]Edit{add("sub/more/m.go", "package more\n\nfunc Mul() {}\n"), add("sub/more/m_test.go", "package more\n\nimport \"testing\"\n\nfunc TestMul(t *testing.T) { Mul() }\n")}, passing(Key("sub/more", "TestMul")), "Mul"},
		"the test was not seen passing":                 {[]Edit{add("mul.go", mul), add("mul_test.go", head+test)}, passing(Key(".", "TestAdd")), ""},
		"the runner names no test":                      {[]Edit{add("mul.go", mul), add("mul_test.go", head+test)}, Outcome{Ran: true, Passed: true}, ""},
		"the base declares it":                          {[]Edit{change("calc.go", base["calc.go"], base["calc.go"]+"\n// more\n"), add("mul_test.go", head+"func TestMul(t *testing.T) { _ = Add(2, 3) }\n")}, seen, ""},
		"a test declares it too":                        {[]Edit{add("mul.go", mul), add("mul_test.go", head+test), add("help_test.go", "package calc\n\nfunc Mul(a, b int) int { return 0 }\n")}, seen, ""},
		"it is a variable of the test":                  {[]Edit{add("mul.go", mul), add("mul_test.go", head+"func TestMul(t *testing.T) { Mul := 1; _ = Mul }\n")}, seen, ""},
		"it is a field of a literal":                    {[]Edit{add("mul.go", "package calc\n\ntype Total int\n"), add("mul_test.go", head+"func TestMul(t *testing.T) { _ = Sum{Total: 1} }\n")}, seen, ""},
		"it is a method":                                {[]Edit{add("mul.go", "package calc\n\nfunc (Sum) Mul() {}\n"), add("mul_test.go", head+"func TestMul(t *testing.T) { Sum{}.Mul() }\n")}, seen, ""},
		"it is a name of the language":                  {[]Edit{add("mul.go", "package calc\n\nfunc len(int) int { return 0 }\n"), add("mul_test.go", head+"func TestMul(t *testing.T) { _ = len(\"\") }\n")}, seen, ""},
		"the test imports with a dot":                   {[]Edit{add("mul.go", mul), add("mul_test.go", "package calc\n\nimport (\n\t. \"strings\"\n\t\"testing\"\n)\n\nfunc TestMul(t *testing.T) { _ = Mul(2, 3); _ = ToUpper(\"\") }\n")}, seen, ""},
		"a name of the same letters elsewhere":          {[]Edit{add("sub/mul.go", "package sub\n\nfunc Mul() {}\n"), add("mul_test.go", head+test)}, seen, ""},
		"a file of the base does not parse":             {[]Edit{add("mul.go", mul), add("bad_test.go", "package calc\n\nfunc {"), add("mul_test.go", head+test)}, seen, ""},
		"only product code":                             {[]Edit{add("mul.go", mul)}, seen, ""},
		"an import of a name that only a tool declares": {[]Edit{add("gen.go", "//go:build ignore\n\npackage main\n\nfunc strings() {}\n"), add("mul_test.go", "package calc\n\nimport (\n\t\"strings\"\n\t\"testing\"\n)\n\nfunc TestMul(t *testing.T) { _ = strings.ToUpper(\"\") }\n")}, seen, ""},
		"a package of documentation":                    {[]Edit{add("doc.go", "package documentation\n\nfunc strings() {}\n"), add("mul_test.go", "package calc\n\nimport (\n\t\"strings\"\n\t\"testing\"\n)\n\nfunc TestMul(t *testing.T) { _ = strings.ToUpper(\"\") }\n")}, seen, ""},
		"a test of another system":                      {[]Edit{add("mul_windows.go", mul), add("mul_windows_test.go", head+test), add("mul_linux_test.go", head+"func TestMul(t *testing.T) { _ = Add(1, 2) }\n")}, seen, ""},
		"a test behind a tag":                           {[]Edit{add("mul.go", mul), add("mul_test.go", "//go:build slow\n\n"+head+test), add("other_test.go", "//go:build !slow\n\n"+head+"func TestMul(t *testing.T) { _ = Add(1, 2) }\n")}, seen, ""},
		"a tool beside a package":                       {[]Edit{add("sub/gen.go", "//go:build ignore\n\npackage rand\n\nfunc Int() {}\n"), add("mul_test.go", "package calc\n\nimport (\n\t\"math/rand\"\n\t\"testing\"\n\n\t\"example.org/calc/sub\"\n)\n\nfunc TestMul(t *testing.T) { sub.Old(); _ = rand.Int() }\n")}, seen, ""},
		"another module of the tree":                    {[]Edit{add("lib/mul.go", "package lib\n\nfunc New() {}\n"), add("mul_test.go", "package calc\n\nimport (\n\t\"testing\"\n\n\t\"example.org/lib\"\n)\n\nfunc TestMul(t *testing.T) { lib.New() }\n")}, seen, ""},
		"a new module in the tree":                      {[]Edit{add("sub/go.mod", "module example.org/calc/sub\n"), add("sub/mul.go", "package sub\n\nfunc New() {}\n"), add("mul_test.go", "package calc\n\nimport (\n\t\"testing\"\n\n\t\"example.org/calc/sub\"\n)\n\nfunc TestMul(t *testing.T) { sub.New() }\n")}, seen, ""},
		"code that a gate may generate":                 {[]Edit{add("mul.go", "// Code generated by gen. DO NOT EDIT.\n\n"+mul), add("mul_test.go", head+test)}, seen, ""},
		"names within the test":                         {[]Edit{add("mul.go", mul), add("mul_test.go", head+"type stack[T any] struct{ of []T }\n\nfunc (s *stack[Mul]) push(m Mul) { s.of = append(s.of, m) }\n\nfunc id[Mul any](m Mul) Mul { return m }\n\nfunc TestMul(t *testing.T) {\nMul:\n\tfor range 2 {\n\t\tbreak Mul\n\t}\n\tvar f func(Mul int) (Sub int)\n\ttype x interface{ Mul(Mul int) }\n\t_ = struct{ Mul int `Mul:\"Mul\"` }{Mul: 1}\n\t_, _ = f, id[int]\n}\n")}, seen, ""},
		"a variable that is called as a package":        {[]Edit{add("sub/mul.go", "package sub\n\nfunc New() {}\n"), add("mul_test.go", "package calc\n\nimport (\n\t\"testing\"\n\n\t\"example.org/calc/sub\"\n)\n\nfunc TestMul(t *testing.T) { sub.Old(); for _, sub := range []interface{ New() }{} { sub.New() } }\n")}, seen, ""},
		"a test of another processor":                   {[]Edit{add("mul.go", mul), add("mul_arm64_test.go", head+test), add("mul_amd64_test.go", head+"func TestMul(t *testing.T) { _ = Add(1, 2) }\n")}, seen, ""},
		"a test that a tag leaves out":                  {[]Edit{add("mul.go", mul), add("mul_test.go", "//go:build !slow\n\n"+head+test), add("other_test.go", "//go:build slow\n\n"+head+"func TestMul(t *testing.T) { _ = Add(1, 2) }\n")}, seen, ""},
		"a module begins":                               {[]Edit{add("new/go.mod", "module example.org/new\n"), add("new/mul.go", "package new\n\nfunc Mul() {}\n"), add("new/mul_test.go", "package new\n\nimport \"testing\"\n\nfunc TestMul(t *testing.T) { Mul() }\n")}, passing(Key("new", "TestMul")), "Mul"},
		"the runner names no package":                   {[]Edit{add("mul.go", mul), add("mul_test.go", head+test)}, passing(Key("", "TestMul")), ""},
		"a file that is never built":                    {[]Edit{add("_gen.go", "package calc\n\nfunc strings() {}\n"), add("mul_test.go", "package calc\n\nimport (\n\t\"strings\"\n\t\"testing\"\n)\n\nfunc TestMul(t *testing.T) { _ = strings.ToUpper(\"\") }\n")}, seen, ""},
		"a passing row of the test":                     {[]Edit{add("mul.go", mul), add("mul_test.go", head+test)}, passing(Key(".", "TestMul/two")), "Mul"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := NewMap(base, gates(goGates...)).Undeclared(tt.edits, tt.now); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
