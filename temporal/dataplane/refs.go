package dataplane

import (
	"fmt"
	"strings"
)

// Line is the branch on the remote to which verified work is added.
func Line(run string) string { return "refs/heads/autobuild/" + run + "/integration" }

// SpecRef holds the plan and the settings of a session.
func SpecRef(run string, session int) string {
	return fmt.Sprintf("refs/autobuild/%s/spec/%d", run, session)
}

// RecordRef holds the whole result of an attempt, by its key. It is made once.
func RecordRef(run, phase, key string) string {
	return fmt.Sprintf("refs/autobuild/%s/record/%s/%s", run, phase, key)
}

// CommandRef holds a command of a user with its words.
func CommandRef(run, commit string) string {
	return fmt.Sprintf("refs/autobuild/%s/command/%s", run, commit)
}

// TailRef holds the end of the log of a phase that is in work.
func TailRef(run, phase string) string {
	return fmt.Sprintf("refs/autobuild/%s/tail/%s", run, phase)
}

// Branch is where an attempt leaves its work. No other work has that name: it has the commit in it.
func Branch(run, phase string, attempt int, commit string) string {
	return fmt.Sprintf("autobuild/%s/%s/%d-%s", run, phase, attempt, commit[:min(12, len(commit))])
}

// Head is the full name of a branch.
func Head(branch string) string { return "refs/heads/" + strings.TrimPrefix(branch, "refs/heads/") }

// RepositoryName is the last element of a URL without its ending, for people who look at
// directories.
func RepositoryName(url string) string {
	name := url[strings.LastIndexAny(strings.TrimRight(url, "/"), "/:")+1:]
	name = strings.TrimSuffix(strings.TrimRight(name, "/"), ".git")
	if name == "" {
		return "repository"
	}
	return name
}
