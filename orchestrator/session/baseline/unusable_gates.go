package baseline

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/internal/text"
	"autobuild/orchestrator/prepare"
	"autobuild/orchestrator/session/config"
	"autobuild/orchestrator/verify"
	"autobuild/state"
)

// UnusableGatesError says that every gate of a run is blind or fails in any clean clone.
type UnusableGatesError struct{ Reasons []string } // one for each gate

// Error has the reason for each gate.
func (e *UnusableGatesError) Error() string {
	return "no phase was started, because no gate can verify it:\n  " +
		strings.Join(e.Reasons, "\n  ") + "\nto run without verification: --allow-unverified"
}

// unusable finds blind gates, which it removes from the run, and gates that fail in any clean
// clone. notices are the reasons. The error is an *UnusableGatesError if no other gate is left.
func (r *Results) unusable(
	ctx context.Context, specs []state.GateSpec, found verify.Result,
) (notices []string, err error) {
	trees := r.Runner.Space.Trees()
	if trees == nil {
		return nil, nil
	}
	ignored, err := r.Runner.Space.Ignored(ctx)
	if err != nil {
		return nil, err
	}
	content, err := r.Runner.Space.Content(ctx, "")
	if err != nil {
		return nil, err
	}
	base, err := trees.Source(ctx, content)
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the tree
	}
	c := clone{Results: r, ignored: ignored}
	for _, file := range base.Paths() {
		if prepare.Reads(file) && strings.Count(file, "/") <= 1 && !strings.Contains(file, "lock") {
			manifest, _ := base.Read(file)
			c.manifests += strings.ToLower(manifest) + "\n"
		}
	}
	for _, s := range specs {
		var reason string
		if slices.Contains(found.Blind, s.Name) {
			definition, _ := base.Read(s.Source)
			r.Runner.Gates.Blind(s.Name, definition)
			reason = "is blind: it passes although every source file of the product is a syntax error"
		} else if i := slices.IndexFunc(found.Failed,
			func(g state.Gate) bool { return g.Name == s.Name }); i >= 0 {
			reason = c.lacks(found.Failed[i])
		}
		if reason != "" {
			notices = append(notices,
				text.Clean(fmt.Sprintf("gate %s (%s) %s", s.Name, s.Command, reason), 600))
		}
	}
	if len(notices) == len(specs) && !r.Accept && !r.Judged {
		return nil, &UnusableGatesError{notices}
	}
	return notices, nil
}

// clone is what a gate finds in a clean clone of the base.
type clone struct {
	*Results
	ignored   []string // ignored paths of the checkout
	manifests string   // of the base, in lower case
}

// notFound matches a line about a missing file or module.
var notFound = lazyregexp.New(`(?i)no such file|not found|cannot find|can't find|could not find|` +
	`can't open|cannot open|does not exist|ENOENT|no module named|failed to resolve`)

// missingModule matches the messages of Python and Node about a package that is not installed.
var missingModule = lazyregexp.New(
	`No module named '([\w.]+)'|Cannot find (?:module|package) '([^'./][^']*)'`)

// lacks is the reason why a failed gate fails in any clean clone: a file or package is missing that
// no phase creates. Empty: there is no such reason.
func (c clone) lacks(g state.Gate) string {
	output := g.Tail
	for _, t := range g.Tests {
		output += "\n" + t.Message
	}
	for _, p := range g.Places {
		output += "\n" + p.Message
	}
	for line := range strings.Lines(output) {
		if !notFound.MatchString(line) {
			continue
		}
		if i := slices.IndexFunc(c.ignored,
			func(file string) bool { return mentions(line, path.Base(file)) }); i >= 0 {
			return fmt.Sprintf("fails in a clean clone: it needs %s, which git ignores; create it "+
				"by `setup: [%s]` in %s, or add it to .worktreeinclude", c.ignored[i], c.build(),
				config.Name)
		}
	}
	missing := g.Missing
	if m := missingModule.FindStringSubmatch(output); m != nil {
		missing = packageOf(m[1], m[2])
	}
	const remedy = "install it, or add the install command to `setup` in " + config.Name
	switch {
	case missing == "":
		return ""
	case len(c.Prepared.Notes) > 0:
		return fmt.Sprintf("fails in a clean clone: %s is not installed (%s); %s", missing,
			strings.Join(c.Prepared.Notes, "; "), remedy)
	case len(c.Setup) == 0 && c.Runner.Space.Has(path.Join("node_modules", missing),
		path.Join("node_modules", ".bin", missing)):
		return fmt.Sprintf("fails in a clean clone: %s is installed in the checkout only; %s", missing,
			remedy)
	case g.Count <= g.Failed && c.declares(missing): // else some tests run
		return fmt.Sprintf("fails in a clean clone: %s is not installed, and a manifest requires "+
			"it; %s", missing, remedy)
	}
	return ""
}

// packageOf is the package of a module of Python, or else of Node.
func packageOf(python, node string) string {
	if python != "" {
		name, _, _ := strings.Cut(python, ".")
		return name
	}
	parts := strings.Split(node, "/")
	if strings.HasPrefix(node, "@") && len(parts) > 1 {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

// declares reports whether a manifest names a package.
func (c clone) declares(name string) bool {
	dashed := func(s string) string { return strings.ReplaceAll(s, "_", "-") }
	return slices.Contains(strings.FieldsFunc(dashed(c.manifests), func(r rune) bool {
		return strings.ContainsRune(" \t\n\"'[](){}<>=!~;,:", r)
	}), dashed(strings.ToLower(name)))
}

// mentions reports whether a path in a line has an element of this name.
func mentions(line, name string) bool {
	return slices.Contains(strings.FieldsFunc(line, func(r rune) bool {
		return strings.ContainsRune(" \t\r\n\"'`()[]:,;/\\", r)
	}), name)
}

// build is an example of a build command of the project.
func (c clone) build() string {
	for _, g := range c.Gates {
		tool, _, _ := strings.Cut(g.Command, " ")
		if strings.Contains(c.manifests, `"build":`) &&
			slices.Contains([]string{"npm", "pnpm", "yarn", "bun"}, tool) {
			return tool + " run build"
		}
	}
	return "make"
}
