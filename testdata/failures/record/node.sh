#!/bin/sh
# Node: npm, tsc, eslint, prettier, jest, vitest, mocha, node itself. MODULES is a node_modules folder that holds them.
. "$(dirname "$0")/lib.sh"
: "${MODULES:?a node_modules folder with typescript, eslint, prettier, jest, vitest and mocha}"
version() { node -p "require('$MODULES/$1/package.json').version"; }
N="Node $(node --version | sed 's/^v//'), npm $(npm --version 2>/dev/null)"
export npm_config_update_notifier=false npm_config_fund=false npm_config_audit=false

web() { # NAME SCRIPTS: a package that finds the tools
	project "$1"
	put package.json <<-X
		{"name": "shop", "version": "1.0.0", "private": true, "scripts": {${2:-}}}
	X
	ln -s "$MODULES" node_modules
}

# npm itself
web npm-script '"test": "node --test"'
seen npm-missing-script lint "npm run of a script that package.json does not have ($N)" "npm run lint"
project npm-nothing
seen npm-no-package test "npm test in a folder without package.json ($N)" "npm test"
web npm-tool '"lint": "stylelint src"'
seen npm-tool-missing lint "npm run lint, whose tool is not installed ($N)" "npm run lint"
seen npm-tool-missing-guessed - "the same with the kind left open ($N)" "npm run lint"
project npm-lock
put package.json <<-X
	{"name": "shop", "version": "1.0.0", "private": true, "dependencies": {"left-pad": "^1.3.0"}}
X
seen npm-ci-no-lock setup "npm ci without a lock file, without the help that follows ($N)" "npm ci 2>../err; code=\$?; head -n 6 ../err >&2; exit \$code" -tool "npm ci"
seen npm-registry-refused setup "npm install from a registry that is not up ($N)" "npm install --registry http://127.0.0.1:9/ --fetch-retries=0" -tool "npm install"
seen npm-registry-unknown setup "npm install from a host that no name server knows ($N)" "npm install --registry http://packages.invalid/ --fetch-retries=0" -tool "npm install"
project npm-resolve
mkdir a b c
put a/package.json <<-X
	{"name": "a", "version": "1.0.0", "peerDependencies": {"c": "^2.0.0"}}
X
put c/package.json <<-X
	{"name": "c", "version": "1.0.0"}
X
(cd a && npm pack --silent >/dev/null 2>&1 && cd ../c && npm pack --silent >/dev/null 2>&1)
put package.json <<-X
	{"name": "shop", "version": "1.0.0", "private": true, "dependencies": {"a": "file:a/a-1.0.0.tgz", "c": "file:c/c-1.0.0.tgz"}}
X
seen npm-eresolve setup "npm install of two packages that do not go together ($N)" "npm install --offline" -tool "npm install"
project npm-json
put package.json <<-X
	{"name": "shop",, "version": "1.0.0"}
X
seen npm-package-json test "npm test with a package.json that is no JSON ($N)" "npm test"

# node
web node-type
put app.js <<-X
	const cart = { items: null };
	console.log(cart.items.length);
X
seen node-typeerror custom "node of a program that reads a property of null ($N)" "node app.js"
put broken.js <<-X
	function total(prices {
	  return 0;
	}
X
seen node-syntaxerror custom "node of a program with a missing parenthesis ($N)" "node broken.js"
put need.js <<-X
	const express = require("express");
	express().listen(3000);
X
seen node-module-missing custom "node of a program whose package is not installed ($N)" "node need.js"
put esm.mjs <<-X
	import pg from "pg";
	new pg.Client();
X
seen node-package-missing custom "node of a module whose package is not installed ($N)" "node esm.mjs"
put near.js <<-X
	const auth = require("./auth");
	auth();
X
seen node-own-module-missing custom "node of a program whose own module is not written yet ($N)" "node near.js"
put read.js <<-X
	require("fs").readFileSync("config/settings.json", "utf8");
X
seen node-enoent custom "node of a program that reads a file which does not exist ($N)" "node read.js"
put env.js <<-X
	if (!process.env.STRIPE_KEY) throw new Error("Missing required environment variable: STRIPE_KEY");
X
STRIPE_KEY='' seen node-env custom "node of a program that wants STRIPE_KEY ($N)" "node env.js"
put port.js <<-X
	const http = require("http");
	http.createServer().listen(38080, "127.0.0.1", () => http.createServer().listen(38080, "127.0.0.1"));
X
seen node-port-in-use custom "two servers on one port ($N)" "node port.js"
put heap.js <<-X
	const all = [];
	for (;;) all.push(new Array(1e6).fill(1.5));
X
seen node-heap custom "node that fills its heap of 32 MB ($N)" "node --max-old-space-size=32 heap.js"

# node --test
web node-test '"test": "node --test"'
put cart.test.js <<-X
	const test = require("node:test");
	const assert = require("node:assert");
	test("adds up", () => assert.strictEqual(1 + 1, 3));
	test("starts empty", () => assert.strictEqual(0, 0));
X
seen node-test-assert test "npm test of node --test with one wrong sum ($N)" "npm test"
put cart.test.js <<-X
	const test = require("node:test");
	const { connect } = require("node:net");
	test("asks the store", (t, done) => { connect(5432, "127.0.0.1").on("error", done); });
X
seen node-test-refused test "a test whose service is not up ($N)" "npm test"

# tsc
T="TypeScript $(version typescript)"
ts() {
	web "$1" '"typecheck": "tsc --noEmit", "build": "tsc"'
	put tsconfig.json <<-X
		{"compilerOptions": {"strict": true, "noEmit": true, "target": "es2022", "module": "nodenext", "moduleResolution": "nodenext", "types": []}, "include": ["src"]}
	X
}
ts tsc-types
put src/cart.ts <<-X
	export function total(prices: number[]): number {
	  return prices.join();
	}
	total(["1"]);
X
seen tsc-types typecheck "tsc of two wrong types ($T)" "npx tsc --noEmit"
seen tsc-npm typecheck "the same by npm run typecheck ($T)" "npm run typecheck"
PATH="$MODULES/.bin:$PATH" seen tsc-guessed - "the same with the kind left open ($T)" "tsc --noEmit"
ts tsc-module
put src/db.ts <<-X
	import { Client } from "pg";
	export const db = new Client();
X
seen tsc-module-missing typecheck "tsc of a package that is not installed ($T)" "npx tsc --noEmit"
ts tsc-own
put src/app.ts <<-X
	import { sign } from "./auth.js";
	export const token = sign("x");
X
seen tsc-own-module-missing typecheck "tsc of a module of the project that is not written yet ($T)" "npx tsc --noEmit"
ts tsc-jest
put src/cart.test.ts <<-X
	describe("cart", () => {
	  it("adds up", () => {});
	});
X
seen tsc-types-missing typecheck "tsc of a test whose runner's types are not installed ($T)" "npx tsc --noEmit"
ts tsc-syntax
put src/cart.ts <<-X
	export const total = (prices: number[] => 0;
X
seen tsc-syntax typecheck "tsc of a missing parenthesis ($T)" "npx tsc --noEmit"
ts tsc-429
{
	i=1
	while [ $i -lt 429 ]; do echo "// $i"; i=$((i + 1)); done
	echo 'export const total: number = "none";'
} >src.ts
mkdir -p src && mv src.ts src/cart.ts
seen tsc-line-429 typecheck "tsc of a wrong type in line 429 ($T)" "npx tsc --noEmit"

# eslint, prettier
E="ESLint $(version eslint)"
web eslint '"lint": "eslint src"'
put eslint.config.js <<-X
	module.exports = [{ rules: { "no-unused-vars": "error", "prefer-const": "error", "eqeqeq": "warn" } }];
X
put src/cart.js <<-X
	let total = 0;
	function add(price) {
	  if (price == 1) return 2;
	}
X
seen eslint-findings lint "eslint of unused names ($E)" "npx eslint src"
seen eslint-npm lint "the same by npm run lint ($E)" "npm run lint"
put src/cart.js <<-X
	let total = = 0;
X
seen eslint-syntax lint "eslint of a program that does not parse ($E)" "npx eslint src"
rm eslint.config.js
seen eslint-no-config lint "eslint without a configuration ($E)" "npx eslint src"
put eslint.config.js <<-X
	module.exports = [...require("@acme/eslint-config")];
X
seen eslint-config-missing lint "eslint whose shared configuration is not installed ($E)" "npx eslint src"
P="Prettier $(version prettier)"
web prettier
put src/cart.js <<-X
	const   total = (a,b)=>a+b
X
put src/good.js <<-X
	const a = 1;
X
seen prettier-unformatted format "prettier --check of one bad file ($P)" "npx prettier --check src"
put src/cart.js <<-X
	const total = (a =>
X
seen prettier-syntax format "prettier --check of a program that does not parse ($P)" "npx prettier --check src"

# jest
J="Jest $(version jest)"
web jest '"test": "jest"'
put auth.test.js <<-X
	const validateToken = () => null;
	describe("auth", () => {
	  test("validateToken", () => { expect(validateToken("x")).toEqual({ id: 1 }); });
	  test("refreshToken", () => { expect(401).toBe(200); });
	  test("handleExpired", () => { throw new TypeError("expired is not a function"); });
	  test("empty", () => {});
	});
X
seen jest-three-failing test "npm test of jest with three failing tests of four ($J)" "npm test"
put auth.test.js <<-X
	test("hangs", (done) => {}, 200);
X
seen jest-timeout test "a jest test that never calls done ($J)" "npx jest"
put auth.test.js <<-X
	const stripe = require("stripe");
	test("pays", () => stripe());
X
seen jest-module-missing test "jest of a package that is not installed ($J)" "npx jest"
put auth.test.js <<-X
	test("pays", () => { expect(1).toBe(2) );
X
seen jest-syntaxerror test "jest of a test that does not parse ($J)" "npx jest"
rm auth.test.js
seen jest-no-tests test "jest that finds no tests ($J)" "npx jest"

# vitest, mocha
V="Vitest $(version vitest)"
web vitest '"test": "vitest run"'
put cart.test.js <<-X
	import { describe, expect, it } from "vitest";
	describe("cart", () => {
	  it("adds up", () => { expect([1, 2].length).toBe(3); });
	  it("starts empty", () => { expect(0).toBe(0); });
	});
X
seen vitest-assert test "vitest run with one wrong sum ($V)" "npx vitest run"
put cart.test.js <<-X
	import { it } from "vitest";
	import { sign } from "jsonwebtoken";
	it("signs", () => sign({}, "x"));
X
seen vitest-package-missing test "vitest of a package that is not installed ($V)" "npx vitest run"
M="Mocha $(version mocha)"
web mocha
put test/cart.test.js <<-X
	const assert = require("assert");
	describe("cart", () => {
	  it("adds up", () => assert.strictEqual(1 + 1, 3));
	  it("starts empty", () => assert.ok(true));
	});
X
seen mocha-assert test "mocha with one wrong sum ($M)" "npx mocha"
put test/cart.test.js <<-X
	const assert = require("assert");
	describe("many", () => {
	  for (let i = 0; i < 1503; i++) it("case " + i, () => {});
	  it("the last one", () => assert.strictEqual(1, 2));
	});
X
seen mocha-1503-passing test "mocha with 1503 tests that pass and one that fails ($M)" "npx mocha --reporter dot"
