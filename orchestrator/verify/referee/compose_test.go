package referee

import (
	"encoding/json"
	"strings"
	"testing"
)

// composed is the tree of a referee run: the base with the edits, and the overlays over it.
func composed(t tree, edits []Edit, overlays []Overlay) tree {
	out := tree{}
	for p, text := range t {
		out[p] = text
	}
	for _, e := range edits {
		if e.NewMode == "" {
			delete(out, e.Path)
		} else {
			out[e.Path] = e.New
		}
	}
	return overlaid(t, out, overlays)
}

func overlaid(base, out tree, overlays []Overlay) tree {
	for _, o := range overlays {
		switch {
		case o.Base:
			out[o.Path] = base[o.Path]
		case o.Mode == "":
			delete(out, o.Path)
		default:
			out[o.Path] = o.Content
		}
	}
	return out
}

// TestCompose: product code, dependencies and stricter rules are the work's; tests, gates and
// levers the base's.
func TestCompose(t *testing.T) {
	for _, tt := range []struct {
		name  string
		tree  tree
		run   []string
		edits []Edit
		// path → a text that the file has; "-" where it is not there, "=" where it is the base's
		want  map[string]string
		lacks map[string]string
	}{
		{
			"go", goTree, goGates,
			[]Edit{
				grown(goTree, "calc.go", "func Mul() {}\n"), change("mul.go", "-", "package calc\n"), change("mul_test.go", "-", "package calc\n"),
				change("calc_test.go", goTree["calc_test.go"], "-"), grown(goTree, "go.mod", "require example.org/y v1.0.0\nreplace (\n\texample.org/x => ./x\n)\n"),
				change("go.work", "-", "go 1.24\n"), swap(goTree, "Makefile", "\t$(GO) test", "\techo test"), change("bin/go", "-", "mode:100755 x"),
				swap(goTree, ".golangci.yml", "    - govet\n", "    - govet\n    - revive\n"),
			},
			map[string]string{
				"calc.go": "Mul", "mul.go": "package", "mul_test.go": "-", "calc_test.go": "=", "go.mod": "require example.org/y v1.0.0",
				"go.work": "-", "Makefile": "=", "bin/go": "-", ".golangci.yml": "revive",
			},
			map[string]string{"go.mod": "replace"},
		},
		{
			"go: the base's replace stays",
			tree{"go.mod": "module m\n\nreplace a => ../a\n", "a_test.go": "package m\n"},
			goGates,
			[]Edit{change("go.mod", "module m\n\nreplace a => ../a\n", "module m\n\nrequire b v1.0.0\n")},
			map[string]string{"go.mod": "replace a => ../a"},
			nil,
		},
		{
			"node", nodeTree, nodeGates,
			[]Edit{
				change("package.json", nodeTree["package.json"], strings.NewReplacer("jest --ci", "true", `"jest":"^29.0.0"`, `"jest":"^29.0.0","zod":"^3.0.0"`,
					`"name":"x"`, `"name":"x","exports":{"b":"./b.js","a":"./a.js"},"mocha":{}`, `"start":"node server.js"`, `"start":"node s.js","pretest":"rm x","dev":"nodemon"`).Replace(nodeTree["package.json"])),
				change("lib/b.js", "-", "module.exports = 1\n"), change("lib/b.test.js", "-", "test('b', () => {})\n"), change("jest.config.js", "-", "x"),
			},
			map[string]string{"package.json": `"zod":`, "lib/b.js": "module", "lib/b.test.js": "-", "jest.config.js": "-"},
			map[string]string{"package.json": "pretest"},
		},
		{
			"python", pyTree, pyGates,
			[]Edit{
				change("pyproject.toml", pyTree["pyproject.toml"], strings.NewReplacer(`"requests"`, `"requests", "rich"`, "fail_under = 85", "fail_under = 1").Replace(pyTree["pyproject.toml"])+"\n[project.entry-points.pytest11]\nx = \"y\"\n"),
				change("shop/cart.py", "-", "X = 1\n"), change("pytest.py", "-", ""), grown(pyTree, "conftest.py", "\n\ndef pytest_configure():\n    pass\n"),
				swap(pyTree, "setup.cfg", "88", "300"),
			},
			map[string]string{"pyproject.toml": `"rich"`, "shop/cart.py": "X", "pytest.py": "-", "conftest.py": "=", "setup.cfg": "max-line-length = 88"},
			map[string]string{"pyproject.toml": "pytest11"},
		},
		{
			"rust", rustTree, rustGates,
			[]Edit{
				swap(rustTree, "src/lib.rs", "assert_eq!(add(1, 2), 3);", "let s = \"}\"; assert_eq!(add(1, 2), 4);"),
				change("Cargo.toml", rustTree["Cargo.toml"], strings.NewReplacer("deny", "allow", "serde = \"1\"", "serde = \"2\"").Replace(rustTree["Cargo.toml"])),
			},
			map[string]string{"src/lib.rs": "assert_eq!(add(1, 2), 3);", "Cargo.toml": "serde = \"2\""},
			map[string]string{"src/lib.rs": "4", "Cargo.toml": "allow"},
		},
		{
			"rust: the tests gone", rustTree, rustGates,
			[]Edit{change("src/lib.rs", rustTree["src/lib.rs"], "pub fn add(a: i32, b: i32) -> i32 { a - b }\n")},
			map[string]string{"src/lib.rs": "assert_eq!(add(1, 2), 3);"},
			nil,
		},
		{
			"a manifest that cannot be parsed is the base's", nodeTree, nodeGates,
			[]Edit{change("package.json", nodeTree["package.json"], "{")},
			map[string]string{"package.json": "="},
			nil,
		},
		{
			"product code below a test directory",
			tree{"go.mod": "module m\n", "a.go": "package m\n", "a_test.go": "package m\n"},
			goGates,
			[]Edit{change("internal/test/fake.go", "-", "package test\n"), change("a.go", "package m\n", "package m\nimport \"m/internal/test\"\n"), change("internal/tests/x.go", "-", "package tests\n")},
			map[string]string{"internal/test/fake.go": "package", "internal/tests/x.go": "-"},
			nil,
		},
		{
			"what moved", goTree, goGates,
			[]Edit{change("calc.go", "package calc\n", "-"), change("core/calc.go", "-", "package calc\n")},
			map[string]string{"calc.go": "-", "core/calc.go": "package"},
			nil,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := NewMap(tt.tree, gates(tt.run...))
			got := composed(tt.tree, tt.edits, m.Compose(tt.edits))
			for p, want := range tt.want {
				text, there := got[p]
				switch {
				case want == "-" && there, want != "-" && !there:
					t.Errorf("%s: there: %t, want %q", p, there, want)
				case want == "=" && text != tt.tree[p]:
					t.Errorf("%s is not the base's: %s", p, text)
				case want != "-" && want != "=" && !strings.Contains(text, want):
					t.Errorf("%s lacks %q:\n%s", p, want, text)
				}
			}
			for p, not := range tt.lacks {
				if strings.Contains(got[p], not) {
					t.Errorf("%s has %q:\n%s", p, not, got[p])
				}
			}
			if text, ok := got["package.json"]; ok && got["package.json"] != tt.tree["package.json"] {
				if !json.Valid([]byte(text)) || strings.Index(text, `"b":"./b.js"`) > strings.Index(text, `"a":"./a.js"`) {
					t.Errorf("package.json: %s", text)
				}
			}
			// The run judges with the base's gates: by the same comparison nothing of the gates is
			// left to be decided.
			var left []Edit
			for p, text := range got {
				if old, ok := tt.tree[p]; ok && text != old {
					left = append(left, change(p, old, text))
				} else if !ok {
					left = append(left, change(p, "-", text))
				}
			}
			if changes := m.GateChanges(left); !settled(changes) {
				t.Errorf("open in the referee run's tree: %+v", changes)
			}
		})
	}
}

// TestComposeProof: the work's tests stand in the base's tree with what they need, and its product
// code does not.
func TestComposeProof(t *testing.T) {
	edits := []Edit{
		grown(goTree, "calc.go", "func Mul() {}\n"), change("mul.go", "-", "package calc\n"), change("mul_test.go", "-", "package calc // test\n"),
		change("calc_test.go", goTree["calc_test.go"], "-"), grown(goTree, "go.mod", "require example.org/y v1.0.0\n"), change("testdata/x.json", "-", "{}"),
		swap(goTree, "Makefile", "-race", "-v"),
	}
	m := NewMap(goTree, gates(goGates...))
	base := tree{}
	for p, text := range goTree {
		base[p] = text
	}
	got := overlaid(goTree, base, m.ComposeProof(edits))
	for p, want := range map[string]string{"calc.go": "package calc\n", "mul_test.go": "package calc // test\n", "testdata/x.json": "{}", "Makefile": goTree["Makefile"]} {
		if got[p] != want {
			t.Errorf("%s: %q, want %q", p, got[p], want)
		}
	}
	if _, there := got["mul.go"]; there || !strings.Contains(got["go.mod"], "example.org/y") {
		t.Errorf("product code is there, or the requirement is not: %v", got.Paths())
	}
	if _, there := got["calc_test.go"]; there {
		t.Error("a test that the work deleted would be there twice where it moved")
	}
	if o := m.ComposeProof(edits[:2]); o != nil {
		t.Errorf("no test was touched: %+v", o)
	}
	rust := NewMap(rustTree, gates(rustGates...))
	o := rust.ComposeProof([]Edit{change("src/lib.rs", rustTree["src/lib.rs"], strings.NewReplacer("a + b }", "a + b }\npub fn mul() {}", "3);", "3); mul();").Replace(rustTree["src/lib.rs"]))})
	if len(o) != 1 || strings.Contains(o[0].Content, "pub fn mul") || !strings.Contains(o[0].Content, "3); mul();") {
		t.Errorf("inline tests: %+v", o)
	}
}

// TestNeeded: the referee run is left out only where names show that all tests of the base still
// pass and nothing that steers changed.
func TestNeeded(t *testing.T) {
	seen := func(names ...string) Outcome {
		o := Outcome{Ran: true, Passed: true, Passing: map[string]bool{}}
		for _, n := range names {
			o.Passing[Key("", n)] = true
		}
		return o
	}
	both := seen("TestAdd")
	for _, tt := range []struct {
		name        string
		tree        tree
		run         []string
		edit        Edit
		before, now Outcome
		want        bool
	}{
		{"product code", goTree, goGates, grown(goTree, "calc.go", "\n"), both, both, false},
		{"a new test", goTree, goGates, change("b_test.go", "-", "package calc\n\nimport \"testing\"\n\nfunc TestB(t *testing.T) {}\n"), both, both, true},
		{"a test behind the others", goTree, goGates, grown(goTree, "calc_test.go", "\nfunc TestB(t *testing.T) {\n\tif Add(2, 2) != 4 {\n\t\tt.Fatal()\n\t}\n}\n"), both, both, true},
		{"a test with a return", goTree, goGates, swap(goTree, "calc_test.go", "{\n\tif", "{\n\treturn\n\tif"), both, both, true},
		{"a test deleted", goTree, goGates, change("calc_test.go", goTree["calc_test.go"], "-"), both, seen(), true},
		{"a name not seen", goTree, goGates, grown(goTree, "calc.go", "\n"), both, seen("TestB"), true},
		{"no names", goTree, goGates, change("b_test.go", "-", "package calc\n"), Outcome{}, Outcome{}, true},
		{"no names and product code", goTree, goGates, grown(goTree, "calc.go", "\n"), Outcome{}, Outcome{}, false},
		{"TestMain", goTree, goGates, change("b_test.go", "-", "package calc\n\nfunc TestMain(m *testing.M) {}\n"), both, both, true},
		{"a gate", goTree, goGates, swap(goTree, "Makefile", "-race", ""), both, both, true},
		{"a comment in a gate", goTree, goGates, grown(goTree, "Makefile", "# end\n"), both, both, false},
		{"a dependency", goTree, goGates, grown(goTree, "go.mod", "require example.org/y v1.0.0\n"), both, both, false},
		{"a lever", goTree, goGates, change("go.work", "-", ""), both, both, true},
		{"a fixture", goTree, goGates, change("testdata/new.json", "-", "{}"), both, both, false},
		{"inline tests changed", rustTree, rustGates, swap(rustTree, "src/lib.rs", "3);", "4);"), both, both, true},
		{"code beside inline tests", rustTree, rustGates, swap(rustTree, "src/lib.rs", "a + b }", "b + a }"), both, both, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			why := NewMap(tt.tree, gates(tt.run...)).Needed([]Edit{tt.edit}, tt.before, tt.now)
			if (why != "") != tt.want {
				t.Errorf("needed because %q, want %t", why, tt.want)
			}
		})
	}
}
