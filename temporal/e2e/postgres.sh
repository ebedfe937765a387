#!/bin/sh
# Runs the tests of this directory on Temporal's own server with PostgreSQL, instead of the dev
# server: sh temporal/e2e/postgres.sh [-run PATTERN …]. Needs go, the program temporal, and
# PostgreSQL's programs; as root it uses the account postgres. It listens on 127.0.0.1 only, and
# leaves nothing but the server's programs in the cache.
set -eu

version=v1.29.1 # of the dev server temporal v1.5.1
tools=${AUTOBUILD_TEMPORAL_SERVER:-$HOME/.cache/autobuild-ci/bin/temporal-server-$version}

# database NAME SCHEMA makes a database of the server.
database() {
	"$tools/sql" --plugin postgres12 --ep 127.0.0.1 -p "$PGPORT" -u postgres --db "$1" create
	"$tools/sql" --plugin postgres12 --ep 127.0.0.1 -p "$PGPORT" -u postgres --db "$1" setup-schema -v 0.0
	"$tools/sql" --plugin postgres12 --ep 127.0.0.1 -p "$PGPORT" -u postgres --db "$1" \
		update-schema --schema-name "postgresql/v12/$2"
}

# service NAME PORT prints a service of the server with its two ports.
service() {
	printf '  %s:\n    rpc: {grpcPort: %d, membershipPort: %d, bindOnLocalHost: true}\n' "$1" "$2" $(($2 + 1))
}

# datastore STORE DATABASE prints a store of the server.
datastore() {
	printf '    %s:\n      sql: {pluginName: postgres12, databaseName: %s, connectAddr: "127.0.0.1:%d", ' "$1" "$2" "$PGPORT"
	printf 'connectProtocol: tcp, user: postgres, maxConns: 20, maxIdleConns: 20, maxConnLifetime: 1h}\n'
}

# serve PORT becomes a server; a database of its own keeps what an earlier one at the port stored.
serve() {
	name=temporal_$1 dir=$PGDIR/server-$1
	if [ ! -d "$dir" ]; then
		mkdir "$dir"
		find "$PGDIR" -maxdepth 1 -name 'server-*' | wc -l >"$dir/number"
		database "$name" temporal
		database "${name}_seen" visibility
	fi >&2
	inner=$((PGPORT + 10 * $(cat "$dir/number"))) # a test may have more than one server
	{
		printf 'log: {level: error}\npersistence:\n  defaultStore: all\n  visibilityStore: seen\n'
		printf '  numHistoryShards: 4\n  datastores:\n'
		datastore all "$name"
		datastore seen "${name}_seen"
		printf 'global:\n  membership: {maxJoinDuration: 30s, broadcastAddress: 127.0.0.1}\nservices:\n'
		printf '  frontend:\n    rpc: {grpcPort: %d, membershipPort: %d, bindOnLocalHost: true}\n' "$1" $((inner + 1))
		service history $((inner + 2))
		service matching $((inner + 4))
		service worker $((inner + 6))
		printf 'clusterMetadata:\n  failoverVersionIncrement: 10\n  masterClusterName: active\n'
		printf '  currentClusterName: active\n  clusterInformation:\n    active: '
		printf '{enabled: true, initialFailoverVersion: 1, rpcName: frontend, rpcAddress: "127.0.0.1:%d"}\n' "$1"
		printf 'dynamicConfigClient: {filepath: "%s/dynamic.yaml", pollInterval: 60s}\n' "$dir"
	} >"$dir/development.yaml"
	printf 'system.forceSearchAttributesCacheRefreshOnRead:\n- value: true\n' >"$dir/dynamic.yaml"
	(
		until temporal operator namespace create --namespace default --retention 24h \
			--address "127.0.0.1:$1" 2>&1 | grep -qi 'registered\|already'; do sleep 0.5; done
	) >/dev/null 2>&1 &
	exec "$tools/server" --root "$dir" --config . --env development start
}

# postgres PROGRAM ARGUMENT… runs a program of PostgreSQL.
postgres() {
	program=$bin/$1
	shift
	if [ "$(id -u)" = 0 ]; then
		(cd / && runuser -u postgres -- "$program" "$@")
	else
		"$program" "$@"
	fi
}

if [ "${1-}" = serve ]; then
	serve "$2"
fi

bin=$(pg_config --bindir 2>/dev/null || :)
[ -x "$bin/initdb" ] || bin=$(find /usr/lib/postgresql -type d -name bin 2>/dev/null | sort -V | tail -n 1)
[ -x "$bin/initdb" ] || {
	echo "skipped: PostgreSQL is not installed (apt-get install postgresql)"
	exit 0
}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$tools"
[ -x "$tools/server" ] && [ -x "$tools/sql" ] || (
	cd "$tools" # in no module
	GOFLAGS= GOBIN=$tools go install "go.temporal.io/server/cmd/server@$version" "go.temporal.io/server/cmd/tools/sql@$version"
)
PATH=$HOME/.cache/autobuild-ci/bin:$PATH
PGDIR=$(mktemp -d)
PGPORT=$((20000 + $$ % 10 * 1000)) # and those up to the next thousand
AUTOBUILD_TEMPORAL_SERVER=$tools
export PATH PGDIR PGPORT AUTOBUILD_TEMPORAL_SERVER
mkdir "$PGDIR/data"
[ "$(id -u)" != 0 ] || { chmod 711 "$PGDIR" && chown postgres "$PGDIR/data"; }
cleanup() {
	postgres pg_ctl -D "$PGDIR/data" -m immediate stop >/dev/null 2>&1 || :
	rm -rf "$PGDIR"
}
trap cleanup EXIT
trap 'exit 130' INT TERM
postgres initdb -D "$PGDIR/data" -U postgres -A trust >/dev/null
postgres pg_ctl -D "$PGDIR/data" -w -l "$PGDIR/data/log" \
	-o "-p $PGPORT -c listen_addresses=127.0.0.1 -c unix_socket_directories=''" start >/dev/null
echo "$(postgres postgres --version), server $version"
cd "$here"
go test -count=1 -timeout 60m . -v "$@" -args -long -server "$here/postgres.sh"
