#!/bin/sh
# Makes one commit a phase out of the work that is in the checkout. Safe to run twice: what is committed is passed over.
set -eu
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY
state=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P && echo .)
state=${state%??}
cd -- "$state/.."
index=$state/commits/index
trap 'rm -f -- "$index" "$index.lock"' EXIT

if ! git merge-base --is-ancestor 91e6f799ed92358f18144b639e4c3f01772a8e9c HEAD; then
	echo 'commits.sh: this branch does not contain 91e6f799ed92358f18144b639e4c3f01772a8e9c, from which the run began; switch to the branch of the run' >&2
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
	if [ -n "$(git rev-list --max-count=1 --basic-regexp --all-match --grep="^$trailer\$" --grep='^Autobuild-Run: 20261127-214012-1430$' 91e6f799ed92358f18144b639e4c3f01772a8e9c..HEAD)" ]; then
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

phase '1' '68a58b089babef2a00248c2e5ed4b3aa3f83967c' 'commits/001-1.txt' 'e4ea624dd7e5100c'
phase '2b' 'b9ccad507027f6a5e7300b7d054d166657a2b773' 'commits/002-2b.txt' 'a00ff33a0ba8116e'
