// Package autobuild_test holds the house together: which package may import which, and what none of
// them may do. The table below is the picture in docs/architecture.md, compared with what the go
// tool and the parser see. It does not know what any package is for.
package autobuild_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "autobuild"

// arrows says for every package what it may import of ours, and which modules of others. Arrows
// only go down.
var arrows = map[string]struct{ ours, others []string }{
	".":                                  {},
	"plan":                               {ours: []string{"internal/lazyregexp", "internal/text"}},
	"failure":                            {ours: []string{"internal/lazyregexp", "internal/text"}},
	"failure/knowledge":                  {ours: []string{"failure", "internal/lazyregexp", "internal/text"}},
	"internal/secret":                    {},
	"internal/text":                      {ours: []string{"internal/lazyregexp"}, others: []string{"github.com/charmbracelet/x/ansi"}},
	"internal/text/texttest":             {others: []string{"pgregory.net/rapid"}},
	"orchestrator/session/config":        {ours: []string{"failure/policy", "internal/lazyregexp", "orchestrator/session/notify", "internal/proc", "internal/safefile", "internal/sandbox", "internal/secret", "internal/text", "orchestrator", "orchestrator/agent", "orchestrator/review", "orchestrator/verify", "plan", "state"}, others: []string{"github.com/spf13/pflag", "go.yaml.in/yaml/v4"}},
	"orchestrator/session/notify":        {ours: []string{"failure", "internal/proc", "internal/text", "render", "state"}},
	"orchestrator/session/call":          {ours: []string{"failure", "failure/diagnose", "failure/policy", "orchestrator/session/config", "internal/environ", "internal/proc", "internal/safefile", "internal/secret", "internal/text", "orchestrator", "orchestrator/agent", "orchestrator/git", "orchestrator/local", "orchestrator/verify", "orchestrator/worktree", "orchestrator/worktree/delivery", "plan", "plan/markdown", "render", "render/ci", "render/term", "state", "state/store"}, others: []string{"github.com/charmbracelet/x/term", "golang.org/x/sys"}},
	"orchestrator/session/knowledgefile": {ours: []string{"failure", "failure/diagnose", "failure/knowledge", "internal/atomicfile", "orchestrator/session/call", "orchestrator/session/config", "internal/safefile", "internal/text", "orchestrator", "orchestrator/attempt", "plan", "render", "state", "state/store"}},
	"orchestrator/session/livescreen":    {ours: []string{"render", "render/term", "state"}, others: []string{"github.com/charmbracelet/x/term", "golang.org/x/sys"}},
	"cmd/classify":                       {ours: []string{"failure", "failure/diagnose", "internal/lazyregexp", "internal/text", "orchestrator/agent", "orchestrator/verify", "state"}},
	"cmd/doctor":                         {ours: []string{"orchestrator/session/config", "internal/environ", "internal/lazyregexp", "orchestrator/session/preflight", "internal/proc", "internal/safefile", "internal/sandbox", "internal/text", "orchestrator/agent", "orchestrator/git", "orchestrator/session/confine", "orchestrator/verify", "orchestrator/worktree", "render", "state", "state/store"}},
	"internal/environ":                   {},
	"orchestrator/session/preflight":     {ours: []string{"internal/safefile", "internal/text", "render"}, others: []string{"golang.org/x/sys"}},
	"cmd/rewrite":                        {ours: []string{"internal/proc", "internal/safefile", "orchestrator/agent", "orchestrator/verify", "plan", "plan/markdown"}},
	"cmd/serve":                          {ours: []string{"internal/safefile", "internal/text", "orchestrator", "render/html", "state/store"}},
	"internal/proc":                      {ours: []string{"internal/secret"}, others: []string{"golang.org/x/sys"}},
	"internal/safefile":                  {},
	"internal/atomicfile":                {ours: []string{"internal/safefile"}, others: []string{"golang.org/x/sys"}},
	"internal/sandbox":                   {others: []string{"github.com/landlock-lsm/go-landlock", "golang.org/x/sys"}},
	"internal/fakemodel":                 {ours: []string{"internal/lazyregexp"}},
	"internal/lazyregexp":                {},
	"internal/schema":                    {},
	"integrations":                       {},
	"plan/markdown/inline":               {ours: []string{"internal/lazyregexp"}},
	"plan/markdown/document":             {ours: []string{"internal/lazyregexp", "plan", "plan/markdown/inline"}, others: []string{"github.com/yuin/goldmark"}},
	"plan/markdown/section":              {ours: []string{"internal/lazyregexp", "internal/text", "plan", "plan/markdown/document", "plan/markdown/inline"}},
	"plan/markdown":                      {ours: []string{"internal/lazyregexp", "internal/text", "plan", "plan/markdown/document", "plan/markdown/inline", "plan/markdown/section"}},
	"state":                              {ours: []string{"failure", "internal/text", "plan"}},
	"state/store":                        {ours: []string{"failure", "internal/atomicfile", "internal/safefile", "internal/text", "state"}, others: []string{"github.com/go-json-experiment/json", "github.com/gofrs/flock"}},
	"orchestrator":                       {ours: []string{"failure", "failure/policy", "internal/text", "plan", "state"}},
	"orchestrator/local":                 {ours: []string{"orchestrator", "plan", "state"}, others: []string{"golang.org/x/sync"}},
	"orchestrator/plantest":              {ours: []string{"plan"}, others: []string{"pgregory.net/rapid"}},
	"orchestrator/attempt":               {ours: []string{"failure", "failure/diagnose", "internal/lazyregexp", "internal/proc", "internal/safefile", "internal/text", "orchestrator/attempt/prompt", "orchestrator/attempt/result", "orchestrator/prepare", "orchestrator/review", "orchestrator/verify/referee", "plan", "state"}},
	"orchestrator/tamper":                {ours: []string{"internal/atomicfile", "internal/lazyregexp", "internal/safefile", "internal/text", "orchestrator/git", "orchestrator/worktree", "orchestrator/worktree/delivery", "state", "state/store"}, others: []string{"golang.org/x/sys"}},
	"orchestrator/verify":                {ours: []string{"internal/lazyregexp", "internal/proc", "internal/safefile", "internal/secret", "orchestrator/prepare", "orchestrator/verify/output", "orchestrator/verify/referee", "orchestrator/verify/referee/gate", "orchestrator/verify/testunit", "plan", "state"}},
	"orchestrator/verify/testunit":       {ours: []string{"internal/lazyregexp"}},
	"bench/hello/cobra":                  {ours: []string{}, others: []string{"github.com/spf13/cobra"}},
	"bench/hello/lipgloss":               {ours: []string{}, others: []string{"charm.land/lipgloss/v2", "github.com/spf13/cobra"}},
	"bench/reference":                    {ours: []string{}},
	"bench/speed":                        {ours: []string{"internal/lazyregexp"}},
	"orchestrator/prepare":               {ours: []string{"internal/safefile", "state"}, others: []string{"golang.org/x/sync", "golang.org/x/sys"}},
	"bench/projects":                     {ours: []string{"internal/environ", "internal/proc"}, others: []string{"github.com/rogpeppe/go-internal"}},
	"bench/replay":                       {ours: []string{"orchestrator/verify", "orchestrator/verify/referee", "orchestrator/verify/testunit", "state"}},
	"orchestrator/verify/referee":        {ours: []string{"internal/lazyregexp", "orchestrator/verify/referee/gate", "orchestrator/verify/testunit", "state"}},
	"orchestrator/agent":                 {ours: []string{"internal/lazyregexp", "internal/proc", "internal/safefile"}},
	"orchestrator/session":               {ours: []string{"failure", "orchestrator/session/call", "orchestrator/session/config", "internal/forge", "orchestrator/session/knowledgefile", "orchestrator/session/livescreen", "orchestrator/session/notify", "orchestrator/session/preflight", "internal/proc", "internal/safefile", "orchestrator/steering", "internal/text", "orchestrator", "orchestrator/attempt", "orchestrator/git", "orchestrator/local", "orchestrator/prepare", "orchestrator/session/baseline", "orchestrator/session/calls", "orchestrator/session/confine", "orchestrator/session/detach", "orchestrator/session/gates", "orchestrator/session/place", "orchestrator/session/report", "orchestrator/session/resume", "orchestrator/session/roster", "orchestrator/session/sink", "orchestrator/session/spec", "orchestrator/session/workspace", "orchestrator/tamper", "orchestrator/verify", "orchestrator/verify/referee", "plan", "render", "render/term", "state", "state/store"}, others: []string{"golang.org/x/sys"}},
	"orchestrator/session/roster":        {ours: []string{"failure", "failure/policy", "orchestrator/session/call", "orchestrator/session/config", "internal/proc", "internal/safefile", "internal/text", "orchestrator", "orchestrator/agent", "orchestrator/attempt", "orchestrator/review", "orchestrator/session/confine", "plan", "render", "state"}},
	"orchestrator/session/baseline":      {ours: []string{"failure", "orchestrator/session/call", "orchestrator/session/config", "internal/lazyregexp", "internal/safefile", "internal/text", "orchestrator/attempt", "orchestrator/prepare", "orchestrator/session/gates", "orchestrator/verify", "orchestrator/worktree", "plan", "state"}},
	"orchestrator/session/detach":        {ours: []string{"orchestrator/session/call", "orchestrator/session/config", "internal/proc", "internal/text", "orchestrator", "render", "state/store"}},
	"orchestrator/session/gates":         {ours: []string{"orchestrator/session/call", "internal/environ", "internal/proc", "internal/safefile", "internal/text", "orchestrator/attempt", "orchestrator/git", "orchestrator/prepare", "orchestrator/session/workspace", "orchestrator/verify", "orchestrator/verify/referee", "plan", "state"}},
	"orchestrator/session/calls":         {ours: []string{"orchestrator/session/call", "state", "state/store"}},
	"orchestrator/session/place":         {ours: []string{"orchestrator/session/call", "orchestrator/session/config", "internal/environ", "orchestrator/session/preflight", "internal/safefile", "internal/text", "orchestrator/agent", "orchestrator/prepare", "orchestrator/session/baseline", "orchestrator/session/spec", "orchestrator/session/workspace", "orchestrator/shared", "orchestrator/tamper", "orchestrator/worktree", "state", "state/store"}},
	"orchestrator/session/report":        {ours: []string{"internal/atomicfile", "orchestrator/session/call", "orchestrator/session/config", "internal/safefile", "internal/text", "orchestrator/session/calls", "orchestrator/session/sink", "plan", "render", "render/ci", "render/html", "render/term", "state", "state/store"}},
	"orchestrator/session/resume":        {ours: []string{"failure", "failure/policy", "orchestrator/session/call", "internal/text", "orchestrator", "orchestrator/session/calls", "orchestrator/session/spec", "orchestrator/session/workspace", "plan", "render", "state", "state/store"}},
	"orchestrator/session/sink":          {ours: []string{"failure", "internal/atomicfile", "orchestrator/session/call", "internal/safefile", "internal/text", "orchestrator", "orchestrator/session/spec", "orchestrator/session/workspace", "plan", "plan/markdown", "render", "render/ci", "render/term", "state", "state/store"}},
	"orchestrator/session/spec":          {ours: []string{"orchestrator/session/config", "orchestrator", "state"}},
	"orchestrator/attempt/prompt":        {ours: []string{"failure", "internal/lazyregexp", "internal/text", "plan", "state"}},
	"orchestrator/attempt/result":        {ours: []string{"failure", "internal/text", "plan", "state"}},
	"orchestrator/review":                {ours: []string{"internal/lazyregexp", "internal/text", "orchestrator/verify/referee", "plan", "state"}},
	"orchestrator/steering":              {ours: []string{"internal/atomicfile", "internal/safefile", "internal/text", "orchestrator"}, others: []string{"golang.org/x/sys"}},
	"internal/forge":                     {ours: []string{"internal/text"}},
	"orchestrator/session/confine":       {ours: []string{"orchestrator/session/config", "internal/environ", "internal/lazyregexp", "internal/proc", "internal/safefile", "internal/sandbox", "internal/text", "orchestrator/agent", "orchestrator/prepare", "orchestrator/worktree"}, others: []string{"golang.org/x/sys"}},
	"orchestrator/session/workspace":     {ours: []string{"failure", "failure/knowledge", "internal/safefile", "internal/text", "orchestrator", "orchestrator/attempt", "orchestrator/git", "orchestrator/prepare", "orchestrator/shared", "orchestrator/tamper", "orchestrator/verify", "orchestrator/verify/referee", "orchestrator/worktree", "orchestrator/worktree/delivery", "plan", "plan/markdown", "render", "state"}},
	"orchestrator/git":                   {ours: []string{"internal/lazyregexp", "internal/proc", "internal/safefile", "internal/text"}, others: []string{"golang.org/x/sys"}},
	"orchestrator/git/gittest":           {ours: []string{"internal/proc"}},
	"orchestrator/shared":                {ours: []string{"internal/safefile", "internal/text", "orchestrator/git", "orchestrator/worktree"}},
	"orchestrator/worktree/delivery":     {ours: []string{"internal/safefile", "internal/text", "orchestrator/git"}},
	"orchestrator/worktree/removal":      {ours: []string{"internal/lazyregexp", "orchestrator/git"}},
	"orchestrator/worktree":              {ours: []string{"internal/lazyregexp", "internal/proc", "internal/safefile", "internal/text", "orchestrator/git", "orchestrator/worktree/delivery", "orchestrator/worktree/removal"}, others: []string{"golang.org/x/sys"}},
	"render":                             {ours: []string{"failure", "internal/lazyregexp", "internal/text", "plan", "state"}},
	"render/term":                        {ours: []string{"failure", "failure/sign", "internal/text", "plan", "render", "state"}, others: []string{"charm.land/lipgloss/v2", "github.com/charmbracelet/x/ansi"}},
	"render/html":                        {ours: []string{"internal/lazyregexp", "internal/text", "render", "state"}},
	"render/ci":                          {ours: []string{"failure", "internal/lazyregexp", "internal/text", "plan", "render", "state"}},
	"render/rendertest":                  {ours: []string{"failure", "internal/lazyregexp", "internal/text", "plan", "render", "state"}},
	"cmd":                                {ours: []string{"failure", "failure/knowledge", "failure/policy", "integrations", "internal/atomicfile", "orchestrator/session/call", "cmd/classify", "orchestrator/session/config", "cmd/doctor", "orchestrator/session/knowledgefile", "internal/proc", "cmd/rewrite", "internal/safefile", "internal/sandbox", "cmd/serve", "orchestrator/steering", "internal/text", "orchestrator", "orchestrator/agent", "orchestrator/local", "orchestrator/session", "orchestrator/session/calls", "orchestrator/session/report", "orchestrator/session/sink", "orchestrator/verify", "orchestrator/verify/referee", "orchestrator/worktree", "plan", "plan/markdown", "render", "render/html", "render/term", "state", "state/store"}, others: []string{"github.com/charmbracelet/x/term", "github.com/spf13/cobra", "github.com/spf13/pflag"}},
	"cmd/autobuild":                      {ours: []string{"cmd"}},
	"bench/truth":                        {ours: []string{"internal/proc"}, others: []string{"github.com/rogpeppe/go-internal"}},
	"orchestrator/verify/output":         {ours: []string{"internal/lazyregexp", "internal/safefile", "orchestrator/verify/referee", "state"}},
	"orchestrator/verify/referee/gate":   {ours: []string{"internal/lazyregexp", "orchestrator/verify/testunit", "state"}, others: []string{"github.com/BurntSushi/toml", "go.yaml.in/yaml/v4", "mvdan.cc/sh/v3"}},
	"failure/sign":                       {ours: []string{"failure", "internal/lazyregexp"}},
	"failure/diagnose":                   {ours: []string{"failure", "failure/sign", "internal/lazyregexp", "internal/text"}},
	"failure/policy":                     {ours: []string{"failure", "failure/sign", "internal/text"}},
}

// pure packages are those whose whole closure starts no process, reads no markdown and draws
// nothing.
var pure = []string{"orchestrator", "state", "plan", "failure", "failure/sign", "failure/diagnose", "failure/policy", "failure/knowledge"}

// listed is what the go tool says of a package.
type listed struct {
	ImportPath string
	Name       string
	Dir        string
	Standard   bool
	Imports    []string
	Deps       []string
	Module     *struct{ Path string }
}

// listPackages asks the go tool for the whole build and everything that it needs. Other systems
// have files of their own, and so perhaps other arrows.
func listPackages(t *testing.T, goos string) map[string]listed {
	t.Helper()
	list := exec.Command("go", "list", "-deps", "-json=ImportPath,Name,Dir,Standard,Imports,Deps,Module", "./...")
	list.Env = append(os.Environ(), "GOOS="+goos, "GOARCH=amd64", "CGO_ENABLED=0")
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list for %s: %v", goos, err)
	}
	packages := make(map[string]listed)
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		packages[p.ImportPath] = p
	}
	return packages
}

// ours is the path of one of our packages below the module, "." for its root.
func (p listed) ours() (string, bool) {
	if p.ImportPath == module {
		return ".", true
	}
	return strings.CutPrefix(p.ImportPath, module+"/")
}

func TestArrows(t *testing.T) {
	for _, goos := range []string{"linux", "darwin", "windows"} {
		t.Run(goos, func(t *testing.T) {
			t.Parallel()
			packages := listPackages(t, goos)
			found := 0
			for _, p := range packages {
				name, ok := p.ours()
				if !ok {
					continue
				}
				found++
				may, known := arrows[name]
				if !known {
					t.Errorf("package %s has no line in the table of arrows", name)
					continue
				}
				for _, imported := range p.Imports {
					checkArrow(t, name, packages[imported], may.ours, may.others)
				}
			}
			if found < len(arrows) {
				t.Errorf("go list found %d packages of ours; the table has %d", found, len(arrows))
			}
			checkClosures(t, packages)
		})
	}
}

// startsProcesses are the packages that may start processes: one for the program, one for tests.
var startsProcesses = []string{"internal/proc", "orchestrator/git/gittest"}

func checkArrow(t *testing.T, from string, to listed, ours, others []string) {
	t.Helper()
	if to.ImportPath == "os/exec" && !slices.Contains(startsProcesses, from) && !strings.HasPrefix(from, "bench/") {
		t.Errorf("%s imports os/exec; only internal/proc starts processes", from)
	}
	name, isOurs := to.ours()
	switch {
	case to.Standard:
	case isOurs:
		if !slices.Contains(ours, name) && !slices.Contains(ours, "*") {
			t.Errorf("%s imports %s; it may import %s", from, name, list(ours))
		}
	case to.Module == nil:
		t.Errorf("%s imports %q, which is in no module", from, to.ImportPath)
	case !slices.Contains(others, to.Module.Path) && !slices.Contains(others, "*"):
		t.Errorf("%s imports %s of module %s; it may use %s", from, to.ImportPath, to.Module.Path, list(others))
	}
}

func checkClosures(t *testing.T, packages map[string]listed) {
	t.Helper()
	for _, name := range pure {
		p, ok := packages[module+"/"+name]
		if !ok {
			t.Errorf("package %s is gone", name)
		}
		for _, dep := range p.Deps {
			if dep == "os/exec" || strings.HasPrefix(dep, "github.com/yuin/goldmark") || strings.Contains(dep, "lipgloss") {
				t.Errorf("%s needs %s by way of something that it imports", name, dep)
			}
		}
	}
}

func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// forbidden is what only cmd may do: everything else is handed the clock, the environment and the
// streams.
var forbidden = map[string][]string{
	"os":       {"Exit", "Getenv", "LookupEnv", "Environ", "Stdin", "Stdout", "Stderr"},
	"time":     {"Now", "Since", "Until", "Sleep"},
	"fmt":      {"Print", "Printf", "Println"},
	"context":  {"WithValue"},
	"regexp":   {"MustCompile"}, // internal/lazyregexp costs nothing at the start
	"log":      {"*"},
	"log/slog": {"*"},
}

// exceptions are the uses that stand nevertheless: at most one in a package, each with its reason.
// One that nothing needs any more fails.
var exceptions = map[string]string{
	"internal/proc: time.Now":                 "the default of a clock that is a field",
	"orchestrator/local: time.Now":            "the default of a clock that is a field",
	"orchestrator/attempt: time.Now":          "the default of a clock that is a field",
	"orchestrator/agent: time.Now":            "the default of a clock that is a field",
	"state/store: time.Now":                   "the default of a clock that is a field",
	"internal/lazyregexp: regexp.MustCompile": "it is the one that compiles",
	"orchestrator/verify: regexp.MustCompile": "in a function, for a pattern of the user that is too large",
	"internal/proc: os.Exit":                  "the supervisor is a program of its own in the same executable",
	"internal/proc: os.Stderr":                "… and has no other place for its errors",
	"orchestrator/git/gittest: os.Getenv":     "part of tests: git is found on PATH",
	"orchestrator/git/gittest: os.LookupEnv":  "part of tests: a TMPDIR that was chosen is used",
}

var unfinished = regexp.MustCompile(`\b(TODO|FIXME|XXX|HACK)\b`)

// source is one parsed file, with its path from the root, with slashes.
type source struct {
	path string
	text string
	file *ast.File
	fset *token.FileSet
}

func (s source) test() bool { return strings.HasSuffix(s.path, "_test.go") }

// sources parses every Go file of the tree, whatever system it is for.
func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") || strings.HasPrefix(d.Name(), "_")):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go"):
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, text, parser.ParseComments)
		all = append(all, source{filepath.ToSlash(name), string(text), file, fset})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 2 {
		t.Fatal("no source files found")
	}
	return all
}

func TestForbidden(t *testing.T) {
	used := make(map[string]string) // what is excepted → the file that uses it
	for _, s := range sources(t) {
		if s.test() {
			continue
		}
		for _, use := range s.uses() {
			if use != "func init" && slices.ContainsFunc([]string{"cmd/", "bench/", "temporal/"}, func(edge string) bool {
				return strings.HasPrefix(s.path, edge)
			}) && !strings.HasPrefix(s.path, "temporal/workflow/") && !strings.HasPrefix(s.path, "temporal/wire/") {
				continue
			}
			where := path.Dir(s.path) + ": " + use
			if _, ok := exceptions[where]; !ok {
				t.Errorf("%s: %s is only for cmd; take it as a field or an argument", s.path, use)
			} else if used[where] != "" {
				t.Errorf("%s: %s once more; %s has it already", s.path, use, used[where])
			}
			used[where] = s.path
		}
	}
	for _, where := range slices.Sorted(maps.Keys(exceptions)) {
		if used[where] == "" {
			t.Errorf("nothing needs the exception %q any more", where)
		}
	}
}

// uses lists what is forbidden in a file, as "time.Now" or "func init".
func (s source) uses() []string {
	imported := make(map[string]string) // the name in this file → the import path
	for _, spec := range s.file.Imports {
		full, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		name := path.Base(full)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		imported[name] = full
	}
	var uses []string
	ast.Inspect(s.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Name.Name == "init" && n.Recv == nil {
				uses = append(uses, "func init")
			}
		case *ast.SelectorExpr:
			x, ok := n.X.(*ast.Ident)
			if !ok || imported[x.Name] == "" || s.declares(x) {
				return true
			}
			names := forbidden[imported[x.Name]]
			if slices.Contains(names, "*") || slices.Contains(names, n.Sel.Name) {
				uses = append(uses, imported[x.Name]+"."+n.Sel.Name)
			}
		}
		return true
	})
	return uses
}

// declares reports whether x is a variable of this file that is called like a package.
func (source) declares(x *ast.Ident) bool { return x.Obj != nil }

func TestFiles(t *testing.T) {
	for _, s := range sources(t) {
		if s.path == "arrows_test.go" {
			continue // it has to name what it looks for
		}
		for _, comment := range s.file.Comments {
			if word := unfinished.FindString(comment.Text()); word != "" {
				t.Errorf("%s: %s; finish it, or say what is missing where users will read it", s.fset.Position(comment.Pos()), word)
			}
		}
	}
}

func TestPackages(t *testing.T) {
	type facts struct{ doc, found bool }
	packages := make(map[string]facts)
	for _, s := range sources(t) {
		dir := path.Dir(s.path)
		if dir == "." {
			continue
		}
		p := packages[dir]
		if !s.test() {
			p.found = true
			p.doc = p.doc || strings.TrimSpace(s.file.Doc.Text()) != ""
		}
		packages[dir] = p
	}
	for _, dir := range slices.SortedFunc(maps.Keys(packages), cmp.Compare) {
		if p := packages[dir]; p.found && !p.doc {
			t.Errorf("package %s has no package comment", dir)
		}
	}
}
