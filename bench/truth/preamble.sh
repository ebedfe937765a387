# Functions for the agents of all scenarios. bash runs this text, the base's lib.sh and the agent as
# one script.
set -u
prompt=$(cat)
attempt=${AUTOBUILD_ATTEMPT:-1}
phase=${AUTOBUILD_PHASE_ID:-1}

# block STATUS ERROR [KEY_AND_VALUE] prints the result block.
block() {
	local tail=${3:+, $3}
	printf '```json\n{"nonce": "%s", "phase_id": "%s", ' "$AUTOBUILD_NONCE" "$phase"
	printf '"status": "%s", "tasks": {"total": 1, "completed": 1}, ' "$1"
	printf '"commit_message": "feat: phase %s", "error": %s%s}\n```\n' "$phase" "$2" "$tail"
}

claim_complete() { block complete null; }

# claim_failed MESSAGE
claim_failed() { block failed "\"$1\""; }

# claim_with_referee_changes [FILE TEST WHY]…
claim_with_referee_changes() {
	local list=
	while (($# >= 3)); do
		list+="${list:+, }{\"file\": \"$1\", \"test\": \"$2\", \"why\": \"$3\"}"
		shift 3
	done
	block complete null "\"referee_changes\": [$list]"
}

# edit FILE SED_SCRIPT edits a file in place and fails if a first attempt changes nothing by that.
# Later ones find what the first has left.
edit() {
	cp -p "$1" "$TMPDIR/edit.$$"
	sed -i "$2" "$1"
	if ((attempt == 1)) && cmp -s "$1" "$TMPDIR/edit.$$"; then
		echo "the script does not apply to $1: $2" >&2
		exit 99
	fi
	rm -f "$TMPDIR/edit.$$"
}
