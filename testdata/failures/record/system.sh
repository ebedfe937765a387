#!/bin/sh
# The machine itself: disks, rights, memory, time, ports, programs that are killed. Needs root, for mounts of its own.
. "$(dirname "$0")/lib.sh"
N="Node $(node --version | sed 's/^v//')"
P="Python $(/usr/bin/python3 -c 'import platform; print(platform.python_version())')"
V="Go $(go env GOVERSION | sed 's/^go//')"

within() { # a mount of SIZE with OPTIONS around a command, at ./disk
	echo "unshare -m sh -c 'mount -t tmpfs -o size=$1 none disk && mkdir -p disk/a && $2 { $3; }'"
}
project disk
mkdir disk
seen dd-no-space custom "dd to a full disk" "$(within 64k '' 'dd if=/dev/zero of=disk/a/big bs=1k count=200')" -tool "dd if=/dev/zero of=disk/a/big bs=1k count=200"
put write.py <<-X
	with open("disk/a/big", "wb") as f:
	    f.write(b"x" * 200_000)
X
seen python-no-space custom "python that writes to a full disk ($P)" "$(within 64k '' '/usr/bin/python3 write.py')" -tool "python3 write.py"
put write.js <<-X
	require("fs").writeFileSync("disk/a/big", Buffer.alloc(200000));
X
seen node-no-space custom "node that writes to a full disk ($N)" "$(within 64k '' 'node write.js')" -tool "node write.js"
put go.mod <<-X
	module shop

	go 1.26
X
put main.go <<-X
	package main

	func main() { println("built") }
X
seen go-build-no-space build "go build to a full disk ($V)" "$(within 64k '' 'GOFLAGS= go build -o disk/a/shop .')" -tool "go build -o disk/a/shop ."
seen touch-read-only custom "touch on a read-only file system" "$(within 64k 'mount -o remount,ro disk &&' 'touch disk/a/x')" -tool "touch disk/a/x"
seen node-read-only custom "node that writes to a read-only file system ($N)" "$(within 64k 'mount -o remount,ro disk &&' 'node write.js')" -tool "node write.js"

project rights
chmod 755 . && mkdir private && echo x >private/key && chmod 700 private
as() { echo "setpriv --reuid=65534 --regid=65534 --clear-groups $1"; }
seen cat-permission custom "cat of somebody else's file" "$(as 'cat private/key')" -tool "cat private/key"
seen mkdir-permission custom "mkdir in somebody else's folder" "$(as 'mkdir dist')" -tool "mkdir dist"
put read.js <<-X
	require("fs").readFileSync("private/key");
X
put read.py <<-X
	open("private/key").read()
X
chmod 644 read.js read.py
seen node-permission custom "node that reads somebody else's file ($N)" "$(as '/usr/bin/node read.js')" -tool "node read.js"
seen python-permission custom "python that reads somebody else's file ($P)" "$(as '/usr/bin/python3 read.py')" -tool "python3 read.py"

project time
seen timeout-124 test "a test that timeout stops after a second" "timeout 1 sleep 30" -tool "timeout 1 npm test"
seen gate-timed-out test "a gate that autobuild stops at its deadline" "echo starting server; sleep 30" -tool "npm test" -timeout 1s
seen kill-9 test "a gate that is killed, as by a kernel without memory" 'kill -9 $$' -tool "npm test"
seen kill-9-signal test "the same, seen as a signal" 'kill -9 $$' -tool "npm test" -signal
seen kill-term custom "a gate that is asked to end" 'kill -TERM $$' -tool "./scan.sh" -signal
put eat.py <<-X
	b"x" * 10**12
X
seen python-memory-at-once custom "python that asks for a terabyte below ulimit -v ($P)" "ulimit -v 500000; /usr/bin/python3 eat.py" -tool "python3 eat.py"
put main.go <<-X
	package main

	func main() {
		var all [][]byte
		for {
			all = append(all, make([]byte, 1<<26))
		}
	}
X
GOFLAGS='' GO111MODULE=off go build -o eat main.go
seen go-memory custom "a Go program that allocates without end below ulimit -v, without its stacks ($V)" "ulimit -v 800000; ./eat 2>err; code=\$?; head -n 5 err >&2; exit \$code" -tool "./eat"
put port.py <<-X
	import socket
	a = socket.socket()
	a.bind(("127.0.0.1", 38081))
	a.listen()
	b = socket.socket()
	b.bind(("127.0.0.1", 38081))
X
seen python-port-in-use custom "two sockets on one port ($P)" "/usr/bin/python3 port.py" -tool "python3 port.py"
put lock.py <<-X
	import sqlite3
	a = sqlite3.connect("shop.db", isolation_level=None)
	a.execute("create table cart (id)")
	a.execute("begin exclusive")
	sqlite3.connect("shop.db", timeout=0.1).execute("insert into cart values (1)")
X
seen python-database-locked custom "two writers of one database ($P)" "/usr/bin/python3 lock.py" -tool "python3 lock.py"

if command -v docker >/dev/null; then
	D="docker $(docker --version | cut -d' ' -f3 | tr -d ,)"
	seen docker-daemon-down custom "docker build without its daemon ($D)" "DOCKER_HOST=unix://$SCRATCH/no.sock docker ps" -tool "docker ps"
	seen docker-tcp-refused custom "docker of a daemon that is not up ($D)" "DOCKER_HOST=tcp://127.0.0.1:9 docker ps" -tool "docker ps"
fi
seen docker-absent custom "docker where it is not installed" "env -i PATH=$SCRATCH/none /bin/sh -c 'docker build .'" -tool "docker build ."
