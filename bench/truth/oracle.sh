# Functions for the oracles of all scenarios. The working directory is a clean checkout of what
# landed, and BASE holds the repository as it was before the first phase.
set -euo pipefail

# restore PATH… puts the original files and folders in the place of those that landed.
restore() {
	local name
	for name in "$@"; do
		rm -rf "./$name"
		mkdir -p "$(dirname "./$name")"
		cp -a "$BASE/$name" "./$name"
	done
}

# restore_all leaves of what landed only the files that are named.
restore_all() {
	local name kept
	kept=$(mktemp -d)
	for name in "$@"; do
		mkdir -p "$kept/$(dirname "$name")"
		cp -a "./$name" "$kept/$name"
	done
	find . -mindepth 1 -maxdepth 1 ! -name .git -exec rm -rf {} +
	cp -a "$BASE/." .
	cp -a "$kept/." .
	rm -rf "$kept"
}

# shows PATTERN COMMAND… runs a command that has to succeed and to print a line that matches.
shows() {
	local pattern=$1
	shift
	"$@" >"$TMPDIR/shown" 2>&1 || { cat "$TMPDIR/shown"; return 1; }
	cat "$TMPDIR/shown"
	grep -q -e "$pattern" "$TMPDIR/shown"
}
