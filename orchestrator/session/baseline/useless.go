package baseline

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"autobuild/internal/config"
	"autobuild/internal/lazyregexp"
	"autobuild/internal/text"
	"autobuild/orchestrator/prepare"
	"autobuild/orchestrator/verify"
	"autobuild/state"
)

// UselessError says that a run has gates, and that none of them can judge a phase.
type UselessError struct{ Reasons []string }

// Error names each gate with the reason, and how to go on.
func (e *UselessError) Error() string {
	return "no gate here can judge the work of a phase, so none was started:\n  " +
		strings.Join(e.Reasons, "\n  ") + "\n--allow-unverified starts it all the same"
}

// useless finds the gates that cannot judge: those that do not see the product, which are left out
// from now on, and those that cannot work in a clean clone. It is an error where no other is left.
func (r *Results) useless(
	ctx context.Context, specs []state.GateSpec, found verify.Result,
) (notices []string, err error) {
	ignored, err := r.Runner.Space.Ignored(ctx)
	if err != nil {
		return nil, err
	}
	declared, err := r.declared(ctx)
	if err != nil {
		return nil, err
	}
	var reasons []string
	for _, s := range specs {
		if slices.Contains(found.Blind, s.Name) {
			if err = r.leaveOut(ctx, s); err != nil {
				return nil, err
			}
			reasons = append(reasons, fmt.Sprintf("gate %s (%s) is blind: it passes with every "+
				"file of the product replaced by `)(`, so it judges nothing that a phase changes",
				s.Name, s.Command))
			continue
		}
		i := slices.IndexFunc(found.Failed, func(g state.Gate) bool { return g.Name == s.Name })
		if i < 0 {
			continue
		}
		if why := r.unworkable(found.Failed[i], ignored, declared); why != "" {
			reasons = append(reasons, fmt.Sprintf("gate %s (%s) cannot work in a clean clone: %s",
				s.Name, s.Command, why))
		}
	}
	if len(reasons) == len(specs) && !r.Accept && !r.Judged {
		return nil, &UselessError{reasons}
	}
	for _, reason := range reasons {
		notices = append(notices, text.Clean(reason, 500))
	}
	return notices, nil
}

// leaveOut takes a gate out of the run, as long as what defines it stays.
func (r *Results) leaveOut(ctx context.Context, s state.GateSpec) error {
	content, err := r.Runner.Space.Content(ctx, "")
	if err != nil {
		return err
	}
	source, err := r.Runner.Space.Trees().Source(ctx, content)
	if err != nil {
		return err //nolint:wrapcheck // it names the tree
	}
	defined, _ := source.Read(s.Source)
	r.Runner.Gates.Blind(s.Name, defined)
	return nil
}

// unworkable is why a gate that fails on the base cannot pass in any clean clone: something is
// missing that the checkout has and git ignores, or that could not be installed. Empty: it may be
// for a phase to make.
func (r *Results) unworkable(
	g state.Gate, ignored []string, declared func(name string) bool,
) string {
	said := []string{g.Tail}
	for _, t := range g.Tests {
		said = append(said, t.Message)
	}
	for _, p := range g.Places {
		said = append(said, p.Message)
	}
	all := strings.Join(said, "\n")
	for _, file := range ignored {
		if mentions(all, file) {
			return fmt.Sprintf("it needs %s, which git ignores; make it by `setup:` in %s (such as "+
				"setup: [%s]), or name it in .worktreeinclude", file, config.Name, r.build())
		}
	}
	missing := g.Missing
	if m := missingModule.FindStringSubmatch(all); m != nil {
		missing = packageOf(m[1], m[2])
	}
	if missing == "" {
		return ""
	}
	if len(r.Prepared.Notes) > 0 {
		return fmt.Sprintf("%s is not there (%s); install it by `setup:` in %s", missing,
			strings.Join(r.Prepared.Notes, "; "), config.Name)
	}
	if len(r.Setup) == 0 && r.Runner.Space.Has(path.Join("node_modules", missing),
		path.Join("node_modules", ".bin", missing)) {
		return fmt.Sprintf("%s is not there, and the checkout has it; install it by `setup:` in %s",
			missing, config.Name)
	}
	if g.Count <= g.Failed && declared(missing) { // else some tests run
		return fmt.Sprintf("%s is not installed, and a manifest asks for it; install it, or do so "+
			"by `setup:` in %s", missing, config.Name)
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

// missingModule is what Python and Node say where a package is not installed.
var missingModule = lazyregexp.New(
	`No module named '([\w.]+)'|Cannot find (?:module|package) '([^'./][^']*)'`)

// declared reports whether manifests at the root of the base name a package.
func (r *Results) declared(ctx context.Context) (func(name string) bool, error) {
	content, err := r.Runner.Space.Content(ctx, "")
	if err != nil {
		return nil, err
	}
	trees := r.Runner.Space.Trees()
	if trees == nil {
		return func(string) bool { return false }, nil
	}
	source, err := trees.Source(ctx, content)
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the tree
	}
	var manifests strings.Builder
	for _, file := range source.Paths() {
		if prepare.Reads(file) && strings.Count(file, "/") <= 1 && !strings.Contains(file, "lock") {
			said, _ := source.Read(file)
			manifests.WriteString(said + "\n")
		}
	}
	all := strings.ToLower(strings.ReplaceAll(manifests.String(), "_", "-"))
	return func(name string) bool {
		re, err := regexp.Compile(`(?m)(?:^|[\s"'\[])` +
			regexp.QuoteMeta(strings.ToLower(strings.ReplaceAll(name, "_", "-"))) + `(?:["'\s=<>~!;\[,]|$)`)
		return err == nil && re.MatchString(all)
	}, nil
}

// mentions reports whether words name a path, or one below it.
func mentions(words, file string) bool {
	re, err := regexp.Compile(`(?:^|[\s'"(\x60/])` + regexp.QuoteMeta(path.Base(file)) +
		`(?:/|['")\s:,;\x60]|$)`)
	return err == nil && strings.Contains(words, path.Base(file)) && re.MatchString(words)
}

// build is the command by which the project is built, as an example.
func (r *Results) build() string {
	for _, g := range r.Gates {
		if tool, _, _ := strings.Cut(g.Command, " "); slices.Contains(
			[]string{"npm", "pnpm", "yarn", "bun"}, tool) {
			return tool + " run build"
		}
	}
	return "make"
}
