#!/bin/sh
# Services that refuse, reset, hang and answer with a status, seen by curl, Node, Python, Go and npm.
. "$(dirname "$0")/lib.sh"
export PORT="${PORT:-38090}"
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY all_proxy || true
: >"$SCRATCH/server.log"
node "$here/server.mjs" >"$SCRATCH/server.log" &
server=$!
trap 'kill $server' EXIT
until grep -q listening "$SCRATCH/server.log"; do :; done
at="http://127.0.0.1:$PORT"
C="curl $(curl --version | head -n 1 | cut -d' ' -f2)"
N="Node $(node --version | sed 's/^v//')"
P="Python $(/usr/bin/python3 -c 'import platform; print(platform.python_version())')"
V="Go $(go env GOVERSION | sed 's/^go//')"

project net
seen curl-refused custom "curl of a service that is not up ($C)" "curl -fsS http://127.0.0.1:9/health"
seen curl-reset custom "curl of a server that resets the connection ($C)" "curl -fsS $at/reset"
seen curl-timeout custom "curl that waits a second for an answer ($C)" "curl -fsS --max-time 1 $at/hang"
seen curl-429 custom "curl of a server that answers 429 ($C)" "curl -fsS $at/429"
seen curl-503 custom "curl of a server that answers 503 ($C)" "curl -fsS $at/503"
seen curl-404 custom "curl of a server that answers 404 ($C)" "curl -fsS $at/404"
seen curl-unknown-host custom "curl of a host that no name server knows ($C)" "curl -fsS http://prices.invalid/"

ask() { # PATH: a Node program that insists on an answer
	put ask.mjs <<-X
		const r = await fetch("$at/$1");
		if (!r.ok) throw new Error("GET /$1: " + r.status + " " + r.statusText);
	X
}
ask reset
seen node-reset custom "fetch of a server that resets the connection ($N)" "node ask.mjs"
ask 429
seen node-429 custom "fetch of a server that answers 429 ($N)" "node ask.mjs"
ask 503
seen node-503 custom "fetch of a server that answers 503 ($N)" "node ask.mjs"
ask 500
seen node-500 custom "fetch of a server that answers 500 ($N)" "node ask.mjs"
put refused.mjs <<-X
	await fetch("http://127.0.0.1:5432/health");
X
seen node-refused custom "fetch of a service that is not up ($N)" "node refused.mjs"
put dns.mjs <<-X
	import dns from "node:dns/promises";
	const r = new dns.Resolver({ timeout: 200, tries: 1 });
	dns.setServers(["127.0.0.1:9"]);
	await r.resolve4("prices.example");
X
seen node-dns-refused custom "a look-up with a name server that is not up ($N)" "node dns.mjs"
put again.mjs <<-X
	import net from "node:net";
	const lookup = (host, options, done) => {
	  const e = new Error("getaddrinfo EAI_AGAIN " + host);
	  done(Object.assign(e, { errno: -3001, code: "EAI_AGAIN", syscall: "getaddrinfo", hostname: host }));
	};
	net.connect({ host: "prices.example", port: 80, lookup });
X
seen node-eai-again custom "a name server that asks to try again later, played by a look-up of our own ($N)" "node again.mjs"
put timedout.mjs <<-X
	import http from "node:http";
	const r = http.get("$at/hang", { timeout: 200 }, () => {});
	r.on("timeout", () => r.destroy(Object.assign(new Error("connect ETIMEDOUT 10.0.0.7:443"), { code: "ETIMEDOUT", syscall: "connect" })));
X
seen node-etimedout custom "a connection that takes too long, given up by a timer of our own ($N)" "node timedout.mjs"

put get.py <<-X
	import sys
	import urllib.request
	urllib.request.urlopen("$at/" + sys.argv[1], timeout=1)
X
seen python-429 custom "urllib of a server that answers 429 ($P)" "/usr/bin/python3 get.py 429" -tool "python3 get.py"
seen python-503 custom "urllib of a server that answers 503 ($P)" "/usr/bin/python3 get.py 503" -tool "python3 get.py"
seen python-hang custom "urllib that waits a second for an answer ($P)" "/usr/bin/python3 get.py hang" -tool "python3 get.py"
put reset.py <<-X
	import socket
	s = socket.create_connection(("127.0.0.1", $PORT))
	s.sendall(b"GET /reset HTTP/1.1\r\nHost: a\r\n\r\n")
	s.recv(10)
X
seen python-reset custom "a socket that the other side resets ($P)" "/usr/bin/python3 reset.py" -tool "python3 reset.py"

put go.mod <<-X
	module shop

	go 1.26
X
put main_test.go <<-X
	package shop

	import (
		"io"
		"net"
		"net/http"
		"testing"
		"time"
	)

	func TestReset(t *testing.T) {
		c, err := net.Dial("tcp", "127.0.0.1:$PORT")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(c, "GET /reset HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(c); err != nil {
			t.Fatal(err)
		}
	}

	func TestHang(t *testing.T) {
		c := http.Client{Timeout: 200 * time.Millisecond}
		if _, err := c.Get("$at/hang"); err != nil {
			t.Fatal(err)
		}
	}

	func TestBusy(t *testing.T) {
		r, err := http.Get("$at/503")
		if err != nil {
			t.Fatal(err)
		}
		if r.StatusCode != http.StatusOK {
			t.Fatalf("GET /prices: %s", r.Status)
		}
	}
X
export GOFLAGS=
seen go-test-reset test "a test whose server resets the connection ($V)" "go test -run TestReset ./..." -tool "go test ./..."
seen go-test-deadline test "a test whose server does not answer ($V)" "go test -run TestHang ./..." -tool "go test ./..."
seen go-test-503 test "a test whose server answers 503 ($V)" "go test -run TestBusy ./..." -tool "go test ./..."

put package.json <<-X
	{"name": "shop", "version": "1.0.0", "private": true, "dependencies": {"left-pad": "^1.3.0"}}
X
M="npm $(npm --version 2>/dev/null)"
export npm_config_update_notifier=false npm_config_fund=false npm_config_audit=false npm_config_fetch_retries=0
for status in 429 503 reset; do
	seen "npm-$status" setup "npm install from a registry that answers with $status ($M)" "npm install --registry $at/$status" -tool "npm install"
done
export GIT_CONFIG_GLOBAL=/dev/null GIT_TERMINAL_PROMPT=0
git init -q .
seen git-503 git "git fetch from a server that answers 503 (git $(git --version | cut -d' ' -f3))" "git fetch $at/503" -tool "git fetch origin"
seen git-429 git "git fetch from a server that answers 429" "git fetch $at/429" -tool "git fetch origin"
seen git-reset git "git fetch from a server that resets the connection" "git fetch $at/reset" -tool "git fetch origin"
