#!/bin/sh
# Runs a plan of this folder in a temporary repository, which is removed at the end. Needs Go and git.
#
#   sh testdata/demo/run.sh          builds a small Go program in seven phases
#   sh testdata/demo/run.sh halt     halts, is mended, and is resumed
#   KEEP=1 sh testdata/demo/run.sh   leaves the repository behind, and says where
set -eu

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
finish() {
	if [ -n "${KEEP:-}" ]; then
		echo "the repository is in $work/repo" >&2
	else
		chmod -R u+w "$work" && rm -rf "$work"
	fi
}
trap finish EXIT
trap 'exit 130' INT TERM

say() { printf '\n$ %s\n' "$*"; }

echo "building autobuild" >&2
(cd "$here/../.." && go build -o "$work/bin/autobuild" ./cmd/autobuild)
PATH="$work/bin:$PATH"
export XDG_CACHE_HOME="$work/cache" GOCACHE="${GOCACHE:-$(go env GOCACHE)}" # clones are removed with the rest
mkdir "$work/repo"
cd "$work/repo"
git init -q
git config user.name "Demo"
git config user.email "demo@example.com"

case "${1:-}" in
"")
	cp "$here/plan.md" plan.md
	git add plan.md
	git commit -q -m "docs: plan a word counter"
	say autobuild plan.md --agent script --commit=auto
	autobuild plan.md --agent script --commit=auto
	say git log --oneline
	git log --oneline
	;;
halt)
	cp "$here/halt.md" plan.md
	git add plan.md
	git commit -q -m "docs: plan a letter"
	say autobuild plan.md --agent script --commit=auto
	code=0
	autobuild plan.md --agent script --commit=auto || code=$?
	echo "(exit code $code)"
	test "$code" -eq 1
	say "echo Ada > name.txt && git add name.txt && git commit -q -m 'docs: name the addressee'"
	echo Ada >name.txt
	git add name.txt
	git commit -q -m "docs: name the addressee"
	say autobuild plan.md --commit=auto --resume
	autobuild plan.md --commit=auto --resume
	say cat letter.txt
	cat letter.txt
	;;
*)
	echo "run.sh: no demo is called $1; say nothing, or halt" >&2
	exit 2
	;;
esac
