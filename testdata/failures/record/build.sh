#!/bin/sh
# Rust, Java, make, gcc and the shell.
. "$(dirname "$0")/lib.sh"
R="cargo $(cargo --version | cut -d' ' -f2)"
export CARGO_TERM_COLOR=never CARGO_TARGET_DIR="$SCRATCH/target" CARGO_NET_OFFLINE=true
unset RUST_BACKTRACE || true

crate() {
	project "$1"
	put Cargo.toml <<-X
		[package]
		name = "shop"
		version = "0.1.0"
		edition = "2021"
	X
	put src/lib.rs
}

crate cargo-assert <<-X
	pub fn total(prices: &[i64]) -> i64 {
	    -prices.iter().sum::<i64>()
	}

	#[cfg(test)]
	mod tests {
	    use super::*;

	    #[test]
	    fn adds_up() {
	        assert_eq!(total(&[100, 250]), 350);
	    }

	    #[test]
	    fn starts_empty() {
	        assert_eq!(total(&[]), 0);
	    }
	}
X
seen cargo-test-assert test "cargo test with one wrong sum ($R)" "cargo test --quiet" -tool "cargo test"
seen cargo-test-loud test "cargo test of the same, with what it compiles ($R)" "cargo test"
seen cargo-test-guessed - "the same with the kind left open ($R)" "cargo test"
crate cargo-types <<-X
	pub fn total(prices: &[i64]) -> i64 {
	    let sum: i64 = "none";
	    sum + price
	}
X
seen cargo-build-types typecheck "cargo check of a wrong type and an unknown name ($R)" "cargo check"
seen cargo-test-compile test "cargo test of the same ($R)" "cargo test"
crate cargo-crate <<-X
	use serde::Serialize;

	#[derive(Serialize)]
	pub struct Cart;
X
seen cargo-crate-missing typecheck "cargo check of a crate that Cargo.toml does not name ($R)" "cargo check"
crate cargo-clippy <<-X
	pub fn empty(prices: &Vec<i64>) -> bool {
	    return prices.len() == 0;
	}
X
seen cargo-clippy lint "cargo clippy with warnings as errors ($R)" "cargo clippy -- -D warnings"
crate cargo-fmt <<-X
	pub fn total(a:i64,b:i64)->i64{a+b}
X
seen cargo-fmt format "cargo fmt --check of one line ($R)" "cargo fmt --check"
seen cargo-command custom "cargo with a subcommand that is not installed ($R)" "cargo nextest run"
project cargo-nothing
seen cargo-no-manifest test "cargo test in a folder without Cargo.toml ($R)" "cargo test"
crate cargo-offline <<-X
	pub fn total() {}
X
cat >>Cargo.toml <<-X

	[dependencies]
	no-such-crate-of-ours = "1"
X
seen cargo-offline setup "cargo fetch of an unknown crate without a network ($R)" "cargo fetch --offline" -tool "cargo fetch"

J="javac $(javac -version 2>&1 | cut -d' ' -f2)"
project javac
put src/Cart.java <<-X
	public class Cart {
	    int total(int[] prices) {
	        String sum = 0;
	        return price;
	    }
	}
X
seen javac-types typecheck "javac of a wrong type and an unknown name ($J)" "javac -d out src/Cart.java"
put src/Cart.java <<-X
	public class Cart {
	    int total() { return 0 }
	}
X
seen javac-syntax typecheck "javac of a missing semicolon ($J)" "javac -d out src/Cart.java"
put src/Cart.java <<-X
	import org.junit.jupiter.api.Test;

	class Cart {
	    @Test void total() {}
	}
X
seen javac-package-missing typecheck "javac of a test whose library is not on the class path ($J)" "javac -d out src/Cart.java"
put Main.java <<-X
	public class Main {
	    public static void main(String[] a) {
	        String s = null;
	        System.out.println(s.length());
	    }
	}
X
seen java-exception custom "java of a null pointer ($J)" "java Main.java"
W="$(mvn -v 2>/dev/null | head -n 1 | tr -d '\033' | sed 's/\[[0-9;]*m//g' | cut -d' ' -f2,3)"
put pom.xml <<-X
	<project xmlns="http://maven.apache.org/POM/4.0.0">
	  <modelVersion>4.0.0</modelVersion>
	  <groupId>com.example</groupId><artifactId>shop</artifactId><version>1.0</version>
	  <dependencies><dependency>
	    <groupId>com.example</groupId><artifactId>prices</artifactId><version>9.9</version>
	  </dependency></dependencies>
	</project>
X
seen maven-artifact test "mvn test offline, with an artifact that nobody has ($W)" "mvn -B -o test"
project maven-nothing
seen maven-no-pom test "mvn test in a folder without pom.xml ($W)" "mvn -B test"

C="gcc $(gcc -dumpfullversion)"
project gcc
put cart.c <<-X
	#include "prices.h"
	int main(void) { return total; }
X
seen gcc-header-missing typecheck "gcc of a header that does not exist ($C)" "gcc -c cart.c"
put cart.c <<-X
	int main(void) { return total }
X
seen gcc-errors typecheck "gcc of an unknown name and a missing semicolon ($C)" "gcc -c cart.c"
put cart.c <<-X
	int total(void);
	int main(void) { return total(); }
X
seen gcc-link custom "gcc that does not find a function at linking ($C)" "gcc cart.c -o cart"
put cart.c <<-X
	int main(void) { int *p = 0; return *p; }
X
gcc -w -o crash cart.c
seen gcc-segfault custom "a program that dies of SIGSEGV ($C)" "exec ./crash" -tool "./crash" -signal

K="GNU Make $(make --version | head -n 1 | cut -d' ' -f3)"
project make
printf 'test:\n\tfrobnicate --check\nlint: missing.cfg\n\ttrue\nbroken:\n\t@echo checking; exit 3\n' >Makefile
seen make-tool-missing test "make test of a recipe whose program is not installed ($K)" "make test"
seen make-no-rule lint "make lint that needs a file which nothing makes ($K)" "make lint"
seen make-no-target lint "make of a target that does not exist ($K)" "make fmt"
seen make-exit-3 custom "make of a recipe that ends with 3 ($K)" "make broken"
printf 'test:\n    true\n' >Makefile
seen make-separator test "make of blanks where there should be a tab ($K)" "make test"

S="dash"
project shell
seen sh-command-not-found custom "a command that is not installed ($S)" "frobnicate --all"
seen bash-command-not-found lint "a linter that is not installed (bash $(bash -c 'echo $BASH_VERSION'))" "env -i PATH=/usr/bin:/bin bash -c 'golangci-lint run ./...'" -tool "golangci-lint run ./..."
seen sh-env-question custom "a script that insists on DEPLOY_TOKEN ($S)" 'echo "deploying with ${DEPLOY_TOKEN:?must be set}"' -tool "./deploy.sh"
printf '#!/bin/bash\nset -u\necho "build $BUILD_NUMBER"\n' >build.sh && chmod +x build.sh
seen bash-unbound custom "a script below set -u that wants BUILD_NUMBER (bash)" "./build.sh"
seen cat-missing-file custom "cat of a file that does not exist ($S)" "cat config/app.yml"
seen cp-missing-dir custom "cp into a folder that does not exist ($S)" "touch a && cp a dist/assets/a" -tool "cp a dist/assets/a"
seen cd-missing-dir custom "cd into a folder that does not exist ($S)" "cd packages/web && npm test"
seen sh-script-missing custom "a script that does not exist ($S)" "./scripts/check.sh"
printf '#!/usr/bin/env python4\n' >tool.py; chmod +x tool.py
seen env-interpreter-missing custom "a script whose interpreter is not installed" "./tool.py"
printf 'true\n' >plain.sh; chmod -x plain.sh
seen sh-not-executable custom "a script without the right to run it ($S)" "./plain.sh"
if command -v shellcheck >/dev/null; then
	printf '#!/bin/sh\nrm -rf $1/bin\nif [ $2 == x ]; then echo y; fi\n' >deploy.sh
	seen shellcheck lint "shellcheck of unquoted words ($(shellcheck --version | sed -n 's/^version: //p'))" "shellcheck -f gcc deploy.sh"
fi
seen diff-expected custom "diff of an output with what was expected" "printf 'a\nb\n' >want; printf 'a\nc\n' >got; diff want got" -tool "diff want got"
