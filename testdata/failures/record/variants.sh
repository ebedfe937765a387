#!/bin/sh
# The same troubles in other words: what other parts of the tools print, and what is easily mistaken for something else.
# Needs root for a port, and MODULES as node.sh does.
. "$(dirname "$0")/lib.sh"
: "${MODULES:?a node_modules folder with typescript, eslint, jest and vitest}"
N="Node $(node --version | sed 's/^v//')"
P="Python $(/usr/bin/python3 -c 'import platform; print(platform.python_version())')"
V="Go $(go env GOVERSION | sed 's/^go//')"
R="cargo $(cargo --version | cut -d' ' -f2)"
G="git $(git --version | cut -d' ' -f3)"
J="javac $(javac -version 2>&1 | cut -d' ' -f2)"
export GOFLAGS='' GOPROXY=off npm_config_update_notifier=false npm_config_fund=false npm_config_audit=false
export PYTHONDONTWRITEBYTECODE=1 COLUMNS=100 CARGO_TERM_COLOR=never CARGO_TARGET_DIR="$SCRATCH/target" CARGO_NET_OFFLINE=true
unset RUST_BACKTRACE || true
py() { seen "$1" custom "$2 ($P)" "/usr/bin/python3 $1.py" -tool "python3 $1.py"; }
js() { seen "$1" custom "$2 ($N)" "node $1.mjs"; }

project words
put python-subprocess.py <<-X
	import subprocess
	subprocess.run(["frobnicate", "--all"])
X
py python-subprocess "a program that starts one which is not installed"
put python-indentation.py <<-X
	def total():
	return 0
X
py python-indentation "a line that is not indented"
put python-json.py <<-X
	import json
	json.loads("{'total': 1}")
X
py python-json "JSON with the wrong quotes"
put python-division.py <<-X
	print(1 / 0)
X
py python-division "a division by zero"
put python-assert.py <<-X
	assert 1 + 1 == 3, "the sum is wrong"
X
py python-assert "an assertion of the program's own"
put python-import-name.py <<-X
	from os import frobnicate
X
py python-import-name "a name that a module of the library does not have"
seen python-no-script custom "python of a script that does not exist ($P)" "/usr/bin/python3 manage.py migrate" -tool "python3 manage.py migrate"
seen pip-refused setup "pip install from an index that is not up" "/usr/bin/env -i PATH=$PATH HOME=$SCRATCH python3 -m pip install --disable-pip-version-check --retries 0 --index-url http://127.0.0.1:9/ left-pad" -tool "pip install left-pad"
seen pytest-no-file test "pytest of a file that does not exist" "/usr/bin/python3 -m pytest -p no:cacheprovider tests/test_nowhere.py" -tool "pytest tests/test_nowhere.py"
put test_cart.py <<-X
	import pytest


	@pytest.mark.parametrize("n", [1, 2, 3])
	def test_even(n):
	    assert n % 2 == 0
X
seen pytest-parametrized test "pytest of three cases of which two fail" "/usr/bin/python3 -m pytest -q --tb=short -p no:cacheprovider" -tool "pytest -q"

put node-reject.mjs <<-X
	await Promise.reject(new Error("the order has no lines"));
X
js node-reject "a promise that is rejected"
put node-reference.mjs <<-X
	console.log(total);
X
js node-reference "a name that nobody declared"
put node-json.mjs <<-X
	JSON.parse("{'total': 1}");
X
js node-json "JSON with the wrong quotes"
put node-spawn.mjs <<-X
	import { spawn } from "node:child_process";
	spawn("frobnicate", ["--all"]);
X
js node-spawn "a program that starts one which is not installed"
put node-notfound.mjs <<-X
	await fetch("http://prices.invalid/");
X
js node-notfound "fetch of a host that no name server knows"
put node-busy.mjs <<-X
	throw Object.assign(new Error("EBUSY: resource busy or locked, unlink 'dist/shop.db'"), { code: "EBUSY" });
X
js node-busy "a file that something else holds, played by an error of our own"
put node-assert.mjs <<-X
	import assert from "node:assert";
	assert.deepStrictEqual({ total: 350 }, { total: -350 });
X
js node-assert "an assertion of the program's own"
ln -s "$MODULES" node_modules
put package.json <<-X
	{"name": "shop", "version": "1.0.0", "private": true, "scripts": {"typecheck": "tsc --noEmit", "build": "rollup -c"}}
X
seen npm-build-tool-missing build "npm run build, whose tool is not installed ($N)" "npm run build"
seen tsc-no-config typecheck "tsc -p of a configuration that does not exist" "npx tsc -p tsconfig.build.json"
put cart.test.js <<-X
	const total = require("./cart");
	test("adds up", () => expect(total([1])).toBe(1));
X
seen jest-own-module-missing test "jest of a module of the project that is not written yet" "npx jest cart.test.js"
put cart.test.js <<-X
	test("looks as before", () => expect({ total: 2 }).toMatchInlineSnapshot('{"total": 1}'));
X
seen jest-snapshot test "jest of a snapshot that differs" "npx jest --ci cart.test.js"
put limiter.test.js <<-X
	describe("rate limiter", () => {
	  test("answers 429 after five requests", () => expect(200).toBe(429));
	});
X
seen jest-rate-limiter test "a wrong assertion in the tests of a rate limiter" "npx jest limiter.test.js"

project gowords
seen go-no-module typecheck "go build without go.mod ($V)" "go build ./..."
put go.mod <<-X
	module shop

	go 1.26
X
put a/a.go <<-X
	package a

	import "os"

	func A() {}
X
seen go-unused-import typecheck "go build of an import that nobody uses ($V)" "go build ./..."
put a/a.go <<-X
	package a

	import _ "shop/b"
X
put b/b.go <<-X
	package b

	import _ "shop/a"
X
seen go-import-cycle typecheck "go build of two packages that import each other ($V)" "go build ./..."
rm -r b
put a/a.go <<-X
	package a
X
put a/a_test.go <<-X
	package a

	import (
		"net/http"
		"net/http/httptest"
		"testing"
	)

	func TestBusy(t *testing.T) {
		w := httptest.NewRecorder()
		w.WriteHeader(http.StatusOK)
		if w.Code != 503 {
			t.Errorf("status = %d, want 503", w.Code)
		}
	}
X
seen go-test-want-503 test "a test that wants 503 and gets 200 ($V)" "go test ./..."
put a/a_test.go <<-X
	package a

	import (
		"net"
		"testing"
	)

	func TestLookup(t *testing.T) {
		if _, err := net.LookupHost("prices.invalid"); err != nil {
			t.Fatal(err)
		}
	}
X
seen go-test-dns test "a test that looks up a host which no name server knows ($V)" "go test ./..."
rm -r a
put main.go <<-X
	package main

	func main() { panic("no orders") }
X
seen go-run-panic custom "go run of a program that panics ($V)" "go run ." -tool "go run ."

project rustwords
put Cargo.toml <<-X
	[package]
	name = "shop"
	version = "0.1.0"
	edition = "2021"
X
put src/lib.rs <<-X
	mod price;
	pub fn total() -> i64 { price::of() }
X
seen cargo-mod-missing typecheck "cargo check of a module whose file is not there ($R)" "cargo check"
put src/lib.rs <<-X
	pub fn take(v: Vec<i64>) -> usize {
	    let w = v;
	    v.len() + w.len()
	}
X
seen cargo-borrow typecheck "cargo check of a value that was moved ($R)" "cargo check"
put src/lib.rs <<-X
	/// \`\`\`
	/// assert_eq!(shop::one(), 2);
	/// \`\`\`
	pub fn one() -> i64 {
	    1
	}
X
seen cargo-doctest test "cargo test of an example that is wrong ($R)" "cargo test"

project javawords
seen javac-no-file typecheck "javac of a file that does not exist ($J)" "javac -d out src/Shop.java"
seen java-no-class custom "java of a class that does not exist" "java -cp out Shop"
put Main.java <<-X
	public class Main {
	    public static void main(String[] a) { int[] all = new int[Integer.MAX_VALUE]; }
	}
X
seen java-memory custom "java that fills its heap of 16 MB" "java -Xmx16m Main.java"

project gitwords
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_TERMINAL_PROMPT=0
export GIT_AUTHOR_NAME=user GIT_AUTHOR_EMAIL=user@example.com GIT_COMMITTER_NAME=user GIT_COMMITTER_EMAIL=user@example.com
git init -q -b main . && git commit -q --allow-empty -m one
seen git-no-remote git "git push without a remote ($G)" "git push origin main"
mkdir -p .git/refs/heads && touch .git/refs/heads/release.lock
seen git-ref-lock git "git branch beside another git that holds the ref ($G)" "git branch release"
rm .git/refs/heads/release.lock
git branch other && git worktree add -q ../gitwords-other other
seen git-worktree-taken git "git worktree add of a branch that is checked out elsewhere ($G)" "git worktree add ../gitwords-more other" -tool "git worktree add ../more other"
rm -rf ../gitwords-other
echo x >x && git add x && git commit -qm x && echo mine >x && git checkout -q -b far HEAD~1 -f 2>/dev/null && echo other >x
seen git-overwritten git "git checkout over files that are not committed ($G)" "git checkout main"

project shellwords
printf 'garbage\n' >tool && chmod +x tool
head -c 64 /dev/zero >binary && chmod +x binary
seen bash-exec-format custom "a program of another machine" "bash -c ./binary" -tool "./binary"
seen cat-directory custom "cat of a folder" "mkdir -p docs && cat docs" -tool "cat docs"
cp /bin/sleep held && ./held 20 &
holder=$!
until [ "$(readlink "/proc/$holder/exe")" = "$PWD/held" ]; do :; done
seen sh-text-busy custom "writing to a program that runs" "echo x >held" -tool "./install.sh"
kill "$holder"
touch lock
flock lock sleep 20 &
holder=$!
until ! flock -n lock true; do :; done
seen flock-held custom "a lock that somebody else holds" "flock -n lock true || { echo 'could not acquire lock: another deployment is running' >&2; exit 1; }" -tool "./deploy.sh"
kill "$holder"
seen bash-tcp-refused custom "bash that opens a connection to a service which is not up" "bash -c 'echo >/dev/tcp/127.0.0.1/5432'" -tool "./wait-for-db.sh"
seen curl-tls custom "curl of TLS at a port that speaks none" "node -e 'require(\"http\").createServer().listen(38091, \"127.0.0.1\", () => { require(\"child_process\").execFile(\"curl\", [\"-fsS\", \"https://127.0.0.1:38091/\"], (e, out, err) => { process.stderr.write(err); process.exit(e.code) }) })'" -tool "curl -fsS https://127.0.0.1:38091/"
seen usage-error custom "a tool that does not know an option" "sort --frobnicate" -tool "sort --frobnicate"
seen test-not-equal test "a shell's own test" "[ 1 = 2 ]" -tool "[ 1 = 2 ]"
seen mv-missing custom "mv of a file that does not exist" "mv dist/app.js public/app.js"
seen tar-missing custom "tar of an archive that does not exist" "tar -xzf release.tar.gz"
seen grep-nothing custom "grep that finds nothing" "echo a >a.txt; grep -q TOTAL a.txt" -tool "grep -q TOTAL report.md"
