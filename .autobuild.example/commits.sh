#!/bin/sh
# Makes one commit a phase out of the work that is in the checkout. Safe to run twice: what is committed is passed over.
set -eu
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY
state=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P && echo .)
state=${state%??}
cd -- "$state/.."
index=$state/commits/index
trap 'rm -f -- "$index" "$index.lock"' EXIT

if ! git merge-base --is-ancestor 2e20e4138157592cbcdfdfe255b99d791f83fc56 HEAD; then
	echo 'commits.sh: this branch does not contain 2e20e4138157592cbcdfdfe255b99d791f83fc56, from which the run began; switch to the branch of the run' >&2
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
	if [ -n "$(git rev-list --max-count=1 --basic-regexp --all-match --grep="^$trailer\$" --grep='^Autobuild-Run: 20261127-220033-1f94$' 2e20e4138157592cbcdfdfe255b99d791f83fc56..HEAD)" ]; then
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

phase '1' 'e86cd723a97b426fb55ae1441e5ebacb4057d2cf' 'commits/001-1.txt' '9fd5ad3ffb603aa5'
phase '2b' 'e08a3e5610edcae2a92efe51278bbb378c9acd23' 'commits/002-2b.txt' '9578ff27a3ce98c6'
