package diagnose_test

import (
	"testing"

	"autobuild/failure"
	"autobuild/failure/diagnose"
)

func TestDependencyMissing(t *testing.T) {
	for _, c := range []struct {
		name, kind, command, tail string
		exit                      int
		pkg, install              string // empty pkg: it is something else
	}{
		{"shell", "lint", "eslint src", "sh: 1: eslint: not found\n", 127, "eslint", "npm install -D eslint"},
		{"bash", "test", "pytest", "bash: line 1: pytest: command not found\n", 127, "pytest", "python -m pip install pytest"},
		{"busybox", "test", "frobnicate", "sh: frobnicate: not found\n", 127, "frobnicate", ""},
		{"silent 127", "lint", "GOFLAGS=-v golangci-lint run", "", 127, "golangci-lint", "go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@latest"},
		{"npm script", "lint", "pnpm run lint", "> eslint src\nsh: 1: eslint: not found\n", 1, "eslint", "pnpm add -D eslint"},
		{"make", "test", "make test", "pytest -q\nmake: pytest: No such file or directory\nmake: *** [Makefile:3: test] Error 127\n", 2, "pytest", "python -m pip install pytest"},
		{"script", "test", "./check.sh ruff", "./check.sh: line 3: ruff: command not found\n", 1, "ruff", "python -m pip install ruff"},
		{"npm ls", "test", "npm test", "npm ERR! missing: @types/jest@^29, required by shop@1.0.0\n", 1, "@types/jest", "npm install -D @types/jest"},
		{"node", "test", "npm test", "Error: Cannot find module 'express'\nRequire stack:\n- /home/dev/shop/server.js\n", 1, "express", "npm install express"},
		{"node, scoped", "test", "yarn test", "Cannot find package '@scope/pkg' imported from /home/dev/shop/a.mjs\n", 1, "@scope/pkg", "yarn add @scope/pkg"},
		{"types", "typecheck", "npm run typecheck", "error TS7016: Could not find a declaration file for module 'pg'.\n", 2, "@types/pg", "npm install -D @types/pg"},
		{"types of a test runner", "typecheck", "npx tsc", "error TS2688: Cannot find type definition file for 'jest'.\n", 2, "@types/jest", "npm install -D @types/jest"},
		{"go", "typecheck", "go build ./...", "a.go:3:8: no required module provides package github.com/google/uuid; to add it:\n", 1, "github.com/google/uuid", "go get github.com/google/uuid"},
		{"python", "test", "uv run pytest", "E   ModuleNotFoundError: No module named 'requests'\n", 2, "requests", "uv add --dev requests"},
		{"python -m", "test", "python3 -m pytest", "/usr/bin/python3: No module named pytest\n", 1, "pytest", "python -m pip install pytest"},
		{"cargo tool", "lint", "cargo clippy", "error: no such command: `clippy`\n", 101, "clippy", "rustup component add clippy"},
		{"crate", "typecheck", "cargo check", "error[E0463]: can't find crate for `serde`\n", 101, "serde", "cargo add serde"},
		{"bundler", "test", "bundle exec rspec", "Could not find rspec-3.13.0 in locally installed gems\n", 7, "rspec", "bundle install"},
		{"composer", "test", "composer test", "require(vendor/autoload.php): Failed to open stream\n", 255, "vendor/autoload.php", "composer install"},
		{"maven", "test", "mvn test", "Could not find artifact com.example:lib:jar:1.0 in central\n", 1, "com.example:lib:jar:1.0", ""},

		{"relative", "test", "npm test", "Error: Cannot find module './auth'\n", 1, "", ""},
		{"alias", "typecheck", "npx tsc", "error TS2307: Cannot find module '@/auth' or its corresponding type declarations.\n", 2, "", ""},
		{"own python module", "test", "pytest", "tests/test_cart.py:1: in <module>\nE   ModuleNotFoundError: No module named 'cart'\n", 2, "", ""},
		{"own python submodule", "test", "pytest", "E   ModuleNotFoundError: No module named 'shop.cart'\n", 2, "", ""},
		{"own go package", "typecheck", "go build ./...", "a.go:3:8: package shop/cart is not in std\n", 1, "", ""},
		{"a test about missing things", "test", "npm test", "Tests: 1 failed\nexpected user: not found\n", 1, "", ""},
		{"an error of the program", "test", "npm test", "NotFoundError: user: not found\n", 1, "", ""},
		{"a tool that the code runs", "test", "go test ./...", "exec: \"convert\": executable file not found in $PATH\n", 1, "", ""},
		{"assertion", "test", "npm test", "AssertionError: 1 != 2\n", 1, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := diagnose.From(gated(gaveUp, of(c.kind, c.command, c.exit, c.tail)))
			if c.pkg == "" {
				if d.Type == failure.DependencyMissing {
					t.Fatalf("taken for a missing %s; another attempt could write it", d.Package)
				}
				return
			}
			if d.Type != failure.DependencyMissing || d.Package != c.pkg || d.FixCommand != c.install {
				t.Errorf("%s %q %q, want %q %q", d.Type, d.Package, d.FixCommand, c.pkg, c.install)
			}
			if want := "Install what is missing: " + c.install; c.install != "" && d.Actions[0] != want {
				t.Errorf("action %q, want %q", d.Actions[0], want)
			}
		})
	}
}

func TestFingerprint(t *testing.T) {
	mark := func(g failure.GateRun, claim *failure.Claim) string {
		return diagnose.From(gated(claim, g)).Fingerprint
	}
	first := mark(authTests(), complete)
	shuffled := authTests()
	shuffled.Tests[0], shuffled.Tests[2] = shuffled.Tests[2], shuffled.Tests[0]
	shuffled.Tests[1].Line, shuffled.Tests[1].Message = 99, "Expected 200, received 403"
	if mark(shuffled, gaveUp) != first {
		t.Error("the same tests failing are another failure when they come in another order, move, or are admitted")
	}
	fewer := authTests()
	fewer.Tests = fewer.Tests[1:]
	if mark(fewer, complete) == first {
		t.Error("other tests failing are the same failure")
	}
	unread := func(tail string) string { return mark(of("test", "make test", 2, tail), gaveUp) }
	same := [][2]string{
		{"error: /tmp/go-build123/b001 failed after 1.2s", "error: /tmp/go-build987/b003 failed after 14s"},
		{"2026-11-21T10:00:00Z fatal: 0x7ffe12 at line 12", "2026-11-22T23:59:59Z fatal: 0xabc at line 9"},
		{"error in build 3f2a9c1d", "error in build 99ab01ff"},
	}
	for _, pair := range same {
		if unread(pair[0]) != unread(pair[1]) {
			t.Errorf("%q and %q are one failure", pair[0], pair[1])
		}
	}
	if unread("error: cannot open a.txt") == unread("error: cannot open b.txt") {
		t.Error("different words are one failure")
	}
	if mark(lint(), gaveUp) == mark(types(), gaveUp) {
		t.Error("different gates are one failure")
	}
}

// The agent of a run that has said its piece is not judged by how it ended.
func TestLateEndingAfterAClaim(t *testing.T) {
	lingering := &failure.AgentRun{Name: "claude", TimedOut: true, After: 30}
	d := diagnose.From(failure.Evidence{Agent: lingering, Claim: complete, Gates: []failure.GateRun{authTests()}})
	if d.Type != failure.VerificationMismatch {
		t.Errorf("%s: %s", d.Type, d.Message)
	}
	d = diagnose.From(failure.Evidence{Agent: lingering, Gates: []failure.GateRun{authTests()}, ParseNote: "no json block"})
	if d.Type != failure.Timeout {
		t.Errorf("without a claim: %s: %s", d.Type, d.Message)
	}
}

// An agent's own word does not reach beyond its phase.
func TestClaimedTypesAreNotBelieved(t *testing.T) {
	for _, typ := range failure.Types() {
		d := diagnose.From(failure.Evidence{Agent: run(), Claim: &failure.Claim{Type: typ, Error: "it says so"}})
		if d.Type != failure.TaskIncomplete && (typ != failure.DependencyMissing || d.Type != typ) {
			t.Errorf("claimed %s: diagnosed %s", typ, d.Type)
		}
	}
}
