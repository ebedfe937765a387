package delivery

import (
	"cmp"
	"fmt"
	"strings"

	"autobuild/orchestrator/git"
)

// Script is commits.sh of a run whose work arrives uncommitted. The script compares the checkout
// with what its commits would leave there and stops where they differ: the checkout would show the
// difference as deleted or undone.
type Script struct {
	Base, Tip string // commits of the line
	Delivered string // commit whose content the checkout has
	Run       string // its id
	Root      string // the repository's root, relative to the script; empty: the same directory
	Commits   []ScriptCommit
}

// ScriptCommit is one commit that the script makes: that of a phase, oldest first.
type ScriptCommit struct {
	git.Commit

	Phase, Key string // as in the commit's trailers
	Arrived    bool   // the checkout has it, and all before it
}

// File is a file to be written below the state directory.
type File struct {
	Name string // with slashes
	Exec bool
	Data []byte
}

// Files gives commits.sh and the messages that it reads.
func (s Script) Files() []File {
	var files []File
	var steps strings.Builder
	checked := false
	for _, c := range s.Commits {
		if !c.Arrived && !checked {
			fmt.Fprintf(&steps, "arrived %s %s\n", s.Delivered, s.Tip)
			checked = true
		}
		name := fmt.Sprintf("commits/%03d-%s.txt", len(files)+1, c.Phase)
		files = append(files, File{Name: name, Data: []byte(c.Message)})
		fmt.Fprintf(&steps, "phase '%s' '%s' '%s' '%s'\n", c.Phase, c.ID, name, c.Key)
	}
	script := strings.NewReplacer("{BASE}", s.Base, "{RUN}", s.Run, "{UP}", cmp.Or(s.Root, "."),
		"{STEPS}", steps.String()).Replace(commitsScript)
	return append([]File{{Name: "commits.sh", Exec: true, Data: []byte(script)}}, files...)
}

// commitsScript commits by three-way merges of whole files in an index of its own. Words in it are
// commit ids, safe words and numbers; messages are in files. The user's index follows each commit,
// where it had nothing else for these files.
const commitsScript = `#!/bin/sh
# Makes one commit a phase out of the work that is in the checkout. Safe to run twice: what is committed is passed over.
set -eu
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY
state=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P && echo .)
state=${state%??}
cd -- "$state/{UP}"
index=$state/commits/index
trap 'rm -f -- "$index" "$index.lock"' EXIT

if ! git merge-base --is-ancestor {BASE} HEAD; then
	echo 'commits.sh: this branch does not contain {BASE}, from which the run began; switch to the branch of the run' >&2
	exit 1
fi

# What did not get into the checkout would be committed there as deleted, or as undone.
arrived() {
	rm -f -- "$index"
	GIT_INDEX_FILE=$index git read-tree "$2"
	GIT_INDEX_FILE=$index git update-index -q --refresh >/dev/null || :
	if ! git diff-tree -r -z --no-renames --name-only "$1" "$2" | GIT_INDEX_FILE=$index GIT_LITERAL_PATHSPECS=1 xargs -0 git diff-files --quiet --; then
		echo 'commits.sh: the rest of the work is not in the checkout yet, so it is not committed; bring it in, then run this again:' >&2
		echo "  git diff-tree -p --binary $1 $2 | git apply" >&2
		exit 1
	fi
}

phase() {
	trailer="Autobuild-Phase: $1"
	if [ -n "$4" ]; then
		trailer="Autobuild-Attempt: $4"
	fi
	trailer=$(printf '%s' "$trailer" | sed 's/\./\\./g')
	if [ -n "$(git rev-list --max-count=1 --basic-regexp --all-match --grep="^$trailer\$" --grep='^Autobuild-Run: {RUN}$' {BASE}..HEAD)" ]; then
		echo "phase $1: committed before"
		return
	fi
	before=$(git rev-parse --verify HEAD)
	rm -f -- "$index"
	GIT_INDEX_FILE=$index git read-tree -i -m --aggressive "$2^1" HEAD "$2"
	if [ -n "$(GIT_INDEX_FILE=$index git ls-files -u)" ]; then
		echo "commits.sh: phase $1 and a commit of yours changed the same file; commit the rest by hand" >&2
		exit 1
	fi
	if GIT_INDEX_FILE=$index git diff-index --cached --quiet HEAD --; then
		echo "phase $1: nothing left to commit"
		return
	fi
	GIT_INDEX_FILE=$index git commit -q -F "$state/$3"
	git read-tree -i -m "$before" HEAD || echo "commits.sh: phase $1 is committed; for its files the index keeps what you had staged" >&2
	echo "phase $1: committed"
}

{STEPS}`
