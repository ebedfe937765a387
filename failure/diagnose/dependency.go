package diagnose

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"autobuild/failure"
	"autobuild/failure/sign"
	"autobuild/internal/lazyregexp"
)

// dependency is something that is not installed, and the command that installs it.
type dependency struct {
	name    string
	install string
}

// shell are programs that run others: output of one shows that it is installed.
var shell = lazyregexp.New(`^(?:ba|da|z|k)?sh$`)

// findDependency says what a failed gate found not to be installed.
func findDependency(g failure.GateRun) (dependency, bool) {
	if g.NotAvailable {
		return tool(toolOf(g), g), true
	}
	if timedOut(g) {
		return dependency{}, false
	}
	text := failure.Tail(g.Tail, failure.MaxDetails)
	if called := sign.Row(sign.NotInstalled).All(text, 1); len(called) > 0 {
		if strings.Contains(called[0], "/") {
			// a file of the project: no command installs it
			return dependency{}, false
		}
		if g.Exit == 127 || strings.Contains(g.Command, called[0]) || runsScripts(g.Command) {
			return tool(called[0], g), true
		}
	}
	ran := shell.MatchString(toolOf(g)) && strings.TrimSpace(text) != ""
	if g.Exit == 127 && !strings.HasPrefix(sign.FirstWord(g.Command), ".") && !ran {
		return tool(toolOf(g), g), true
	}
	for _, p := range g.Places {
		text += "\n" + failure.Line(p.Message, failure.MaxField)
	}
	for _, t := range g.Tests {
		text += "\n" + failure.Line(t.Message, failure.MaxField)
	}
	for _, s := range sign.Table {
		if s.Type != failure.DependencyMissing || s.Name == sign.NotInstalled {
			continue
		}
		for name, complaint := range s.Matches(text) {
			// its own complaint is no sign of a file
			if own(name, strings.ReplaceAll(text, complaint, ""), g) {
				continue
			}
			d := dependency{name: name}
			if s.Install != nil {
				d.install = s.Install(name, g)
				d.name = renamed(name, d.install)
			}
			return d, true
		}
	}
	return dependency{}, false
}

// own reports whether a module is more likely the plan's own code than a package: a file or
// directory in the output has its name. The phase can write it, so it may try again.
func own(name, text string, g failure.GateRun) bool {
	for _, o := range g.Own {
		if name == o || strings.HasPrefix(name, o+"/") {
			return true
		}
	}
	if strings.Contains(name+"/", "/internal/") { // Go lets no other module import it
		return true
	}
	if strings.Contains(name, "/") && !strings.HasPrefix(name, "@") &&
		!strings.HasPrefix(name, "vendor/") {
		// a Go import path begins with a host
		return !strings.Contains(strings.Split(name, "/")[0], ".")
	}
	if slices.Contains([]string{"src", "lib", "app", "test", "tests"}, name) {
		return true
	}
	for _, p := range g.Places {
		text += "\n" + p.File
	}
	for _, t := range g.Tests {
		text += "\n" + t.File
	}
	re, err := regexp.Compile(`(?:^|[\s/"'(])(?:test_)?` + regexp.QuoteMeta(name) +
		`(?:_test)?(?:\.(?:py|js|jsx|ts|tsx|mjs|cjs|rs):?|/\w)`)
	if err != nil {
		return false
	}
	for l := range strings.Lines(text) {
		if !installed.MatchString(l) && re.MatchString(l) {
			return true
		}
	}
	return false
}

// installed are the folders in which a file's name says nothing about the plan's own code.
var installed = lazyregexp.New(`node_modules/|site-packages/|/\.?venv/|dist-packages/`)

func tool(name string, g failure.GateRun) dependency {
	return dependency{name, sign.Row(sign.NotInstalled).Install(name, g)}
}

// toolOf is the program that a gate's command starts.
func toolOf(g failure.GateRun) string {
	for _, w := range strings.Fields(g.Command) {
		if !strings.Contains(w, "=") && !strings.ContainsAny(w, "()!$\"'`{}") {
			return path.Base(failure.Line(w, failure.MaxField))
		}
	}
	return failure.Line(g.Name, failure.MaxField)
}

// runsScripts reports whether a command runs others that are named elsewhere.
func runsScripts(command string) bool {
	return slices.Contains([]string{
		"npm", "pnpm", "yarn", "bun", "npx", "make", "just", "composer",
		"poetry", "uv",
	}, sign.FirstWord(command))
}

// renamed is the package's own name where the command installs another than the one that was asked
// for.
func renamed(name, install string) string {
	if last := install[strings.LastIndexByte(install, ' ')+1:]; strings.HasPrefix(last, "@types/") {
		return last
	}
	return name
}
