#!/bin/sh
# Makes one commit a phase out of the work that is in the checkout. Safe to run twice: what is committed is passed over.
set -eu
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY
state=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P && echo .)
state=${state%??}
cd -- "$state/.."
index=$state/commits/index
trap 'rm -f -- "$index" "$index.lock"' EXIT

if ! git merge-base --is-ancestor 2d18b8133b80eefaeb2964a79e681260630b5f8c HEAD; then
	echo 'commits.sh: this branch does not contain 2d18b8133b80eefaeb2964a79e681260630b5f8c, from which the run began; switch to the branch of the run' >&2
	exit 1
fi

phase() {
	trailer="Autobuild-Phase: $1"
	if [ -n "$4" ]; then
		trailer="Autobuild-Attempt: $4"
	fi
	trailer=$(printf '%s' "$trailer" | sed 's/\./\\./g')
	if [ -n "$(git rev-list --max-count=1 --basic-regexp --all-match --grep="^$trailer\$" --grep='^Autobuild-Run: 20261121-142433-8d52$' 2d18b8133b80eefaeb2964a79e681260630b5f8c..HEAD)" ]; then
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

phase '1' 'e25de12148d2c528a69ae2f8b0f4f02ea0f5b7c0' 'commits/001-1.txt' '145d8c2e61d3fd39'
phase '2b' 'ccfa09621cc59a7e54e0c9540ae08bb7eb546c22' 'commits/002-2b.txt' '487df1b46db61c92'
