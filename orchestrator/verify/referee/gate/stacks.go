package gate

import (
	"path"
	"strings"
)

// findStacks notes the stacks whose tools gates call, and where a gate calls something unknown,
// those of the tree.
func (r *Reach) findStacks() {
	for tool := range r.Tools {
		if s := stackOf(tool); s != "" {
			r.Stacks[s] = true
		} else if s := stackOf(stripVersion(tool)); s != "" {
			r.Stacks[s] = true
		}
	}
	for file := range r.Files {
		switch {
		case HasSuffix(file, JSSuffix):
			r.Stacks["js"] = true
		case HasSuffix(file, PythonSuffix):
			r.Stacks["py"] = true
		}
	}
	if !r.opaque && len(r.gates) > 0 {
		return
	}
	for p := range r.Paths {
		for _, s := range []struct{ stack, name string }{
			{"go", "go.mod"},
			{"js", "package.json"},
			{"py", "pyproject.toml"},
			{"py", "setup.py"},
			{"py", "setup.cfg"},
			{"rust", "Cargo.toml"},
			{"make", "Makefile"},
			{"just", "justfile"},
			{"java", "pom.xml"},
			{"ruby", "Gemfile"},
			{"php", "composer.json"},
			{"java", "build.gradle"},
		} {
			if path.Base(p) == s.name && !InVendor(p) {
				r.Stacks[s.stack] = true
			}
		}
		if path.Ext(p) == ".py" && r.isTest(p) {
			r.Stacks["py"] = true
		}
	}
}

func stripVersion(tool string) string { return strings.TrimRight(tool, "0123456789.") }
