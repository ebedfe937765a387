#!/usr/bin/env bash
# One night of a plan in CI, in steps: install, restore, run, save, verdict. Each is called as `nightly.sh STEP` at the root of
# the checkout. What a night leaves behind goes to a folder that the CI system keeps; the next night takes it up again.
#
#   NIGHTLY_PLAN    the plan, from the root of the repository
#   NIGHTLY_ARGS    further flags of autobuild, separated by blanks
#   NIGHTLY_BRANCH  the branch that the work is on, and that is pushed (autobuild-nightly)
#   NIGHTLY_KEPT    the folder that is kept from night to night
#   NIGHTLY_OUT     the folder for what people and tools read afterwards
#   NIGHTLY_FRESH   true: start again instead of going on
#   NIGHTLY_PUSH    false: push nothing
#   NIGHTLY_REMOTE  where to push (origin)
#
# All of them are data: none becomes part of a command's text.
set -euo pipefail

readonly plan=${NIGHTLY_PLAN:?names no plan} branch=${NIGHTLY_BRANCH:-autobuild-nightly} remote=${NIGHTLY_REMOTE:-origin}
readonly kept=${NIGHTLY_KEPT:?names no folder} out=${NIGHTLY_OUT:?names no folder}
PATH=$out/bin:$PATH

say() { printf 'nightly: %s\n' "$*"; }

# install builds the program from the sources that this script belongs to, so that script and program fit each other. A program
# that is there already is used as it is.
install() {
	if command -v autobuild >/dev/null; then
		say "using $(command -v autobuild)"
	else
		mkdir -p "$out/bin"
		go build -C "$(dirname "${BASH_SOURCE[0]}")/../.." -buildvcs=false -o "$out/bin/autobuild" ./cmd/autobuild
	fi
	autobuild version
}

# restore puts the checkout on the branch of the earlier nights, with what has been pushed to the branch that was checked out,
# and unpacks the state.
restore() {
	local start theirs
	start=$(git rev-parse HEAD)
	git config user.name >/dev/null || git config user.name autobuild
	git config user.email >/dev/null || git config user.email autobuild@localhost
	if theirs=$(pushed); then
		git checkout -q -B "$branch" "$theirs"
		if ! git merge -q --no-edit "$start"; then
			git merge --abort
			say "the branch that was checked out conflicts with $branch; going on without what is new there"
		fi
	else
		git checkout -q -B "$branch" "$start"
	fi
	[[ -f $kept/state.tar ]] || { say "nothing is kept from an earlier night"; return; }
	git fetch -q "$kept/work.bundle" 'refs/autobuild/*:refs/autobuild/*' 'refs/heads/autobuild/*:refs/heads/autobuild/*'
	# A night whose push failed has left its work in the bundle alone.
	if git fetch -q "$kept/work.bundle" "refs/heads/$branch" && ! git merge -q --no-edit FETCH_HEAD; then
		git merge --abort
		say "what an earlier night left on $branch conflicts with what was pushed since; it is in work.bundle"
	fi
	tar -xPf "$kept/state.tar"
	autobuild status || true # what is damaged is told by the run
}

# pushed is the branch as the remote has it; it fails where there is none.
pushed() { git fetch -q "$remote" "refs/heads/$branch" 2>/dev/null && git rev-parse FETCH_HEAD; }

# run keeps the exit code for the last step, so that saving comes first.
run() {
	local -a flags=() more
	local code=0
	read -ra more <<<"${NIGHTLY_ARGS:-}"
	if [[ ${NIGHTLY_FRESH:-} == true ]]; then
		flags=(--fresh)
	elif [[ -f .autobuild/config.json ]]; then
		flags=(--resume)
	fi
	mkdir -p "$out"
	autobuild "$plan" --commit=auto --junit "$out/junit.xml" --report "$out/report.html" "${flags[@]}" "${more[@]}" || code=$?
	printf '%d\n' "$code" >"$out/exit-code"
	[[ -z ${GITHUB_OUTPUT:-} ]] || printf 'exit-code=%d\n' "$code" >>"$GITHUB_OUTPUT"
}

# save packs what a resume needs and pushes the branch, never by force. Git's own configuration, which may hold a token, stays here.
save() {
	mkdir -p "$kept" "$out"
	[[ -d .autobuild ]] || { say "there is no state to keep"; return; }
	git bundle create -q "$kept/work.bundle.new" "$branch" --glob=refs/autobuild --branches='autobuild/*'
	# the clones of phases that are not complete lie outside the checkout
	local -a parts=(.autobuild)
	local clones
	clones=$(tail -n 1 .autobuild/git/clones 2>/dev/null) || clones=
	[[ ! -d $clones ]] || parts+=("$clones")
	tar -cPf "$kept/state.tar.new" --exclude=.autobuild/git/config --exclude='*/.git/config' "${parts[@]}"
	mv "$kept/work.bundle.new" "$kept/work.bundle"
	mv "$kept/state.tar.new" "$kept/state.tar"
	cp -R .autobuild/logs .autobuild/events.jsonl .autobuild/result.json "$out/" 2>/dev/null || true # a run that ended early has less
	[[ ${NIGHTLY_PUSH:-true} != false ]] || return 0
	push
}

push() {
	if git push -q "$remote" "refs/heads/$branch:refs/heads/$branch"; then
		say "pushed $branch"
	elif git fetch -q "$remote" "refs/heads/$branch" && git merge -q --no-edit FETCH_HEAD && git push -q "$remote" "refs/heads/$branch:refs/heads/$branch"; then
		say "pushed $branch, together with what somebody had pushed there meanwhile"
	else
		git merge --abort 2>/dev/null || true
		say "$branch could not be pushed; the work is kept, and in work.bundle"
		return 1
	fi
}

# verdict ends the night with the run's own exit code.
verdict() {
	local code
	code=$(cat "$out/exit-code" 2>/dev/null) || code=3
	case $code in
	0) say "complete" ;;
	1) say "halted by a failure: read the summary, mend it on $branch, and the next night goes on" ;;
	4) say "stopped by a limit: the next night goes on" ;;
	5) say "complete, but no gate has verified it" ;;
	*) say "ended with exit code $code" ;;
	esac
	exit "$code"
}

case ${1:-} in
install | restore | run | save | verdict) "$1" ;;
*)
	say "no step is called ${1:-}: install, restore, run, save, verdict" >&2
	exit 2
	;;
esac
