#!/bin/sh
# Runs the demo plan on a dev server and two workers, kills one of the workers in the middle, and
# shows that the same commits come out as on one machine. Needs go and git, and the program temporal
# on PATH, in Go's bin directory or in ~/.cache/autobuild-ci/bin. Everything is made in a temporary directory.
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
port=${PORT:-17234}
PATH=$work/bin:$HOME/.cache/autobuild-ci/bin:$PATH:$(go env GOPATH)/bin
server=
workers=
cleanup() {
	for pid in $workers $server; do
		kill -TERM "$pid" 2>/dev/null || :
	done
	for pid in $workers $server; do
		wait "$pid" 2>/dev/null || :
	done
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

command -v temporal >/dev/null || {
	echo "demo: the program temporal is not there; in about 7 minutes it is, by:" >&2
	echo "  go install github.com/temporalio/cli/cmd/temporal@v1.5.1" >&2
	exit 1
}
mkdir "$work/bin"
(cd "$here/.." && go build -o "$work/bin/autobuild" ./cmd/autobuild)
(cd "$here" && go build -o "$work/bin/autobuild-temporal" ./cmd/autobuild-temporal)

# start NAME makes a repository with the demo plan, and its remote.
start() {
	git init -q -b main "$work/$1"
	cp "$here/../testdata/demo/plan.md" "$work/$1/plan.md"
	git -C "$work/$1" add plan.md
	git -C "$work/$1" -c user.name=demo -c user.email=demo@localhost commit -q -m start
	git -C "$work/$1" config user.name demo
	git -C "$work/$1" config user.email demo@localhost
	git clone -q --bare "$work/$1" "$work/$1.git"
	git -C "$work/$1" remote add origin "$work/$1.git"
}

# commits NAME lists what a run has made: messages, and content by its tree.
commits() {
	git -C "$work/$1" log --format='%s' main | sort
	git -C "$work/$1" rev-parse 'main^{tree}'
}

start one
start many
echo "== one machine"
(cd "$work/one" && autobuild plan.md --agent script --commit auto --progress plain >"$work/one.out" 2>&1) || {
	cat "$work/one.out"
	exit 1
}

echo "== a server, two workers"
temporal server start-dev --ip 127.0.0.1 --port "$port" --headless --db-filename "$work/temporal.db" \
	--log-level error >"$work/server.out" 2>&1 &
server=$!
TEMPORAL_ADDRESS=127.0.0.1:$port
TEMPORAL_AUTOBUILD_LEASE=10
export TEMPORAL_ADDRESS TEMPORAL_AUTOBUILD_LEASE
tries=0
until temporal operator namespace describe default --address "$TEMPORAL_ADDRESS" >/dev/null 2>&1; do
	tries=$((tries + 1))
	[ $tries -lt 60 ] || { cat "$work/server.out"; exit 1; }
	sleep 1
done
for n in 1 2; do
	autobuild-temporal worker --repo "$work/many.git" --slots 2 --heartbeat 2s --dir "$work/worker-$n" &
	workers="$workers $!"
done
victim=${workers##* }

echo "== the same plan on them; one is killed"
(cd "$work/many" && autobuild-temporal plan.md --agent script --commit auto --progress plain) &
run=$!
# in the middle: the second batch has begun
tries=0
until ls "$work"/many/.autobuild/logs/phase-0.1.log "$work"/worker-2/*/work/*/ >/dev/null 2>&1; do
	tries=$((tries + 1))
	[ $tries -lt 120 ] || { echo "demo: worker 2 got no work" >&2; break; }
	sleep 0.5
done
kill -KILL "$victim"
echo "== worker $victim was killed"
wait $run

commits one >"$work/one.commits"
commits many >"$work/many.commits"
diff "$work/one.commits" "$work/many.commits"
echo "== the same commits:"
git -C "$work/many" log --oneline main
