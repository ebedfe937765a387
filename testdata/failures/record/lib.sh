# What every recorder shares; read with `. "$(dirname "$0")/lib.sh"`.
# A recorder makes small projects that are broken on purpose below $SCRATCH and lets `seen` run the command that fails
# there. It needs the tools of its family and nothing of autobuild's; no test runs it. CORPUS is where the cases go.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
export CORPUS="${CORPUS:-$(dirname "$here")}"
export SCRATCH="${SCRATCH:-${TMPDIR:-/tmp}/failures}"
export LC_ALL=C.UTF-8 NO_COLOR=1 CI=1
unset FORCE_COLOR || true
mkdir -p "$SCRATCH/bin"
GOFLAGS='' GOWORK=off go build -o "$SCRATCH/bin/record" "$here/main.go"

# project NAME starts an empty project and enters it.
project() {
	rm -rf "${SCRATCH:?}/$1"
	mkdir -p "$SCRATCH/$1"
	cd "$SCRATCH/$1"
}

# put FILE writes its standard input to a file of the project.
put() {
	mkdir -p "$(dirname "$1")"
	cat >"$1"
}

# seen NAME KIND HOW COMMAND [FLAG...] records a case; KIND may be - where the input leaves it open.
seen() {
	name=$1 kind=$2 how=$3 command=$4
	shift 4
	[ "$kind" != - ] || kind=
	"$SCRATCH/bin/record" -name "$name" -kind "$kind" -how "$how" "$@" "$command" || echo "$name: not recorded" >&2
}
