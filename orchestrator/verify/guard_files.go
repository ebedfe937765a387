package verify

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/orchestrator/verify/referee"
)

// Sizes in bytes from which a new file is reported: beside code, both are mostly mistakes.
const (
	largeText   = 5 << 20
	largeBinary = 1 << 20
)

// git's modes.
const (
	modeExec = "100755"
	modeFile = "100644"
	modeLink = "120000"
)

// files looks at what kind of files were changed, and which.
func (g *guard) files() {
	for i, c := range g.Changes {
		if c.NewMode == "" {
			continue
		}
		g.size(c)
		g.mode(c)
		g.markers(c, g.diffs[i])
	}
	g.scope()
	g.elsewhere()
}

func (g *guard) size(c Change) {
	binary := strings.IndexByte(c.New[:min(len(c.New), 8000)], 0) >= 0
	switch {
	case c.Size > largeText, binary && c.Size > largeBinary:
		g.add(Objection, RuleSize, c.Path, 0, "%s is large", megabytes(c.Size))
	case c.Unread:
		g.add(Hint, RuleUnread, c.Path, 0, "%s was not searched for secrets: too large",
			megabytes(c.Size))
	}
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/(1<<20)) }

// scripted are files that are run by name, so that a bit for it is nothing new.
var scripted = lazyregexp.New(
	`(?:^|/)(?:bin|scripts?|tools|hack|\.husky|\.githooks)/|\.(?:sh|bash|zsh|py|rb|pl|js|mjs|ts|php|command|bat|ps1)$|(?:^|/)(?:gradlew|mvnw|configure|manage\.py)$`)

// mode looks at links that lead out of the tree, and at files that can now be run although they are
// no scripts.
func (g *guard) mode(c Change) {
	switch {
	case c.NewMode == modeLink && !c.Unread && leadsOut(c.Path, c.New) &&
		(c.OldMode != modeLink || c.Old != c.New):
		g.add(Objection, RuleMode, c.Path, 0, "the link leads out of the tree, to %s",
			g.quote(c.New))
	case c.NewMode != modeExec || c.OldMode == modeExec || scripted.MatchString(c.Path) ||
		strings.HasPrefix(c.New, "#!"):
	case c.OldMode == modeFile:
		g.add(Objection, RuleMode, c.Path, 0, "it was made executable, and is no script")
	default:
		g.add(Objection, RuleMode, c.Path, 0, "it is executable, and no script")
	}
}

// leadsOut reports whether a link is absolute or climbs out of the repository.
func leadsOut(file, target string) bool {
	target = strings.ReplaceAll(target, `\`, "/")
	if path.IsAbs(target) || len(target) > 1 && target[1] == ':' {
		return true
	}
	to := path.Join(path.Dir(file), target)
	return to == ".." || strings.HasPrefix(to, "../")
}

// markers finds the two outer marks of a conflict; one alone, and the middle one, may be a heading.
func (g *guard) markers(c Change, d lineDiff) {
	open, shut := 0, false
	for _, l := range d.added {
		if strings.HasPrefix(l.text, "<<<<<<< ") && open == 0 {
			open = l.n
		}
		shut = shut || strings.HasPrefix(l.text, ">>>>>>> ")
	}
	if open > 0 && shut {
		g.add(Objection, RuleMarkers, c.Path, open, "conflict markers")
	}
}

// follow are files that change with others: locks, sums, snapshots, change logs.
var follow = lazyregexp.New(
	`(?:^|/)(?:go\.(?:mod|sum)|go\.work(?:\.sum)?|package\.json|package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|deno\.lock|Cargo\.(?:toml|lock)|poetry\.lock|uv\.lock|Pipfile(?:\.lock)?|requirements[^/]*\.txt|pyproject\.toml|Gemfile(?:\.lock)?|composer\.(?:json|lock)|packages\.lock\.json|gradle\.lockfile|\.gitignore|CHANGELOG[^/]*|README[^/]*)$|\.snap$|(?:^|/)__snapshots__/|\.golden$`)

// scope names files that the phase's plan does not, where it names any. Tests and files that follow
// others are everybody's.
func (g *guard) scope() {
	if len(g.Declared) == 0 {
		return
	}
	var beyond []string
	for _, c := range g.Changes {
		if !g.declared(c.Path) && !isTest(c.Path) && !follow.MatchString(c.Path) {
			beyond = append(beyond, c.Path)
		}
	}
	slices.Sort(beyond)
	for _, file := range beyond {
		g.add(Objection, RuleScope, file, 0, "the plan does not name it for this phase")
	}
}

// ciFile are workflows and hooks: they run elsewhere, with rights of their own.
var ciFile = lazyregexp.New(
	`^(?:\.github/(?:workflows|actions)/|\.circleci/|\.gitlab-ci\.ya?ml$|\.gitlab/ci/|azure-pipelines[^/]*\.ya?ml$|Jenkinsfile$|\.travis\.ya?ml$|\.buildkite/|\.woodpecker|\.drone\.ya?ml$|bitbucket-pipelines\.ya?ml$|\.husky/|\.githooks/|git-?hooks/|\.?lefthook\.ya?ml$)`)

// elsewhere names workflows and hooks that the plan does not.
func (g *guard) elsewhere() {
	for _, c := range g.Changes {
		if ciFile.MatchString(c.Path) && !g.declared(c.Path) {
			g.add(Objection, RuleCI, c.Path, 0,
				"it runs in CI or as a hook, and the plan does not name it")
		}
	}
}

// isTest reports whether a file is a test by its name or directory.
func isTest(file string) bool { return referee.ByName(file) == referee.Test }
