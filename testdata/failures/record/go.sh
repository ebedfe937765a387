#!/bin/sh
# Go: the compiler, vet, tests, gofmt, golangci-lint.
. "$(dirname "$0")/lib.sh"
V="Go $(go env GOVERSION | sed 's/^go//')"
export GOFLAGS='' GOPROXY=off

shop() { # NAME: a module with one package
	project "$1"
	put go.mod <<-X
		module example.com/shop

		go 1.26
	X
	put cart/cart.go <<-X
		package cart

		// Total adds up prices in cents.
		func Total(prices []int) int {
			sum := 0
			for _, p := range prices {
				sum -= p
			}
			return sum
		}
	X
}

shop go-assert
put cart/cart_test.go <<-X
	package cart

	import "testing"

	func TestTotal(t *testing.T) {
		if got := Total([]int{100, 250}); got != 350 {
			t.Errorf("Total = %d, want 350", got)
		}
	}

	func TestEmpty(t *testing.T) {
		if got := Total(nil); got != 0 {
			t.Errorf("Total = %d, want 0", got)
		}
	}
X
seen go-test-assert test "go test ./... with one wrong sum ($V)" "go test ./..."
seen go-test-json test "go test -json of the same ($V)" "go test -json ./..."
seen go-test-verbose test "go test -v of the same ($V)" "go test -v ./..."
seen go-test-guessed - "go test with the kind left open ($V)" "go test ./..."

shop go-sub
put cart/cart_test.go <<-X
	package cart

	import "testing"

	func TestTotal(t *testing.T) {
		for name, c := range map[string]struct {
			in   []int
			want int
		}{"none": {nil, 0}, "two": {[]int{1, 2}, 3}} {
			t.Run(name, func(t *testing.T) {
				if got := Total(c.in); got != c.want {
					t.Fatalf("got %d, want %d", got, c.want)
				}
			})
		}
	}
X
seen go-test-subtest test "a subtest fails ($V)" "go test ./..."

shop go-panic
put cart/cart_test.go <<-X
	package cart

	import "testing"

	func TestFirst(t *testing.T) {
		var prices []int
		if prices[0] != 1 {
			t.Error("no")
		}
	}
X
seen go-test-panic test "a test that reads beyond a slice ($V)" "go test ./..."

shop go-compile
put cart/cart_test.go <<-X
	package cart

	import "testing"

	func TestTotal(t *testing.T) {
		if Sum([]int{1}) != 1 {
			t.Error("no")
		}
	}
X
seen go-test-compile test "a test of a function that does not exist ($V)" "go test ./..."

shop go-build
put cart/cart.go <<-X
	package cart

	func Total(prices []int) int {
		var sum string = 0
		for _, p := range prices {
			sum += p
		}
		return total
	}
X
seen go-build-types typecheck "go build of wrong types and an unknown name ($V)" "go build ./..."

shop go-syntax
put cart/cart.go <<-X
	package cart

	func Total(prices []int) int {
		return 0
	}}
X
seen go-build-syntax typecheck "go build of a stray brace ($V)" "go build ./..."
seen gofmt-syntax format "gofmt -l of a stray brace ($V)" "gofmt -l ."

shop go-module
put cart/cart.go <<-X
	package cart

	import "github.com/google/uuid"

	func ID() string { return uuid.NewString() }
X
seen go-build-module typecheck "go build of a package that go.mod does not name ($V)" "go build ./..."

shop go-own
put go.mod <<-X
	module shop

	go 1.26
X
put cart/cart.go <<-X
	package cart

	import "shop/price"

	func Total() int { return price.Of("x") }
X
seen go-build-own-package typecheck "go build of a package of the module that is not written yet ($V)" "go build ./..."

shop go-vet
put cart/cart.go <<-X
	package cart

	import "fmt"

	func Show(n int) { fmt.Printf("%s\n", n) }
X
seen go-vet-printf lint "go vet of a wrong verb ($V)" "go vet ./..."

shop go-fmt
put cart/cart.go <<-X
	package cart
	func Total( a,b int ) int { return a+b }
X
seen gofmt-unformatted format "gofmt -l as a gate ($V)" 'out=$(gofmt -l .); echo "$out"; test -z "$out"'

shop go-timeout
put cart/cart_test.go <<-X
	package cart

	import (
		"testing"
		"time"
	)

	func TestSlow(t *testing.T) { time.Sleep(time.Minute) }
X
seen go-test-timeout test "go test -timeout 1s of a test that sleeps ($V)" "go test -timeout 1s ./..."

shop go-race
put cart/cart_test.go <<-X
	package cart

	import (
		"sync"
		"testing"
	)

	func TestCount(t *testing.T) {
		n := 0
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() { n++ })
		}
		wg.Wait()
		if n < 0 {
			t.Error(n)
		}
	}
X
seen go-test-race test "go test -race of an unguarded counter ($V)" "go test -race ./..."

shop go-file
put cart/cart_test.go <<-X
	package cart

	import (
		"os"
		"testing"
	)

	func TestGolden(t *testing.T) {
		if _, err := os.ReadFile("testdata/prices.golden"); err != nil {
			t.Fatal(err)
		}
	}
X
seen go-test-missing-file test "a test that reads a file which does not exist ($V)" "go test ./..."

shop go-env
put cart/cart_test.go <<-X
	package cart

	import (
		"os"
		"testing"
	)

	func TestStore(t *testing.T) {
		if os.Getenv("DATABASE_URL") == "" {
			t.Fatal("environment variable DATABASE_URL is not set")
		}
	}
X
DATABASE_URL='' seen go-test-env test "a test that wants DATABASE_URL ($V)" "go test ./..."

shop go-refused
put cart/cart_test.go <<-X
	package cart

	import (
		"net"
		"testing"
	)

	func TestStore(t *testing.T) {
		if _, err := net.Dial("tcp", "127.0.0.1:5432"); err != nil {
			t.Fatal(err)
		}
	}
X
seen go-test-refused test "a test whose database is not up ($V)" "go test ./..."

shop go-proxy
put cart/cart.go <<-X
	package cart

	import "github.com/google/uuid"

	func ID() string { return uuid.NewString() }
X
GOPROXY=http://127.0.0.1:9/ GOFLAGS=-mod=mod GONOSUMDB='*' GOMODCACHE="$SCRATCH/nomods" seen go-mod-proxy-refused setup "go mod download through a proxy that is not up ($V)" "go get github.com/google/uuid@v1.6.0"

shop go-line-429
{
	echo "package cart"
	i=1
	while [ $i -lt 428 ]; do i=$((i + 1)); echo "// line $i"; done
	echo "func Total() int { return missing }"
} >cart/cart.go
seen go-build-line-429 typecheck "go build of an unknown name in line 429 ($V)" "go build ./..."

shop go-outside
put main_test.go <<-X
	package shop

	import (
		"os/exec"
		"testing"
	)

	func TestConvert(t *testing.T) {
		if err := exec.Command("frobnicate", "a").Run(); err != nil {
			t.Fatal(err)
		}
	}
X
seen go-test-exec test "a test that runs a program which is not installed ($V)" "go test ./..."

if command -v golangci-lint >/dev/null; then
	L="golangci-lint $(golangci-lint version --short)"
	shop golangci
	put cart/cart.go <<-X
		package cart

		import "os"

		func Load() {
			os.Remove("a")
			unused := func() {}
			_ = unused
		}

		func helper() int { return 1 }
	X
	seen golangci-findings lint "golangci-lint run of an unchecked error and an unused function ($L)" "golangci-lint run ./..."
	put .golangci.yml <<-X
		version: "2"
		linters: {enable: [nosuchlinter]}
	X
	seen golangci-config lint "golangci-lint with an unknown linter in its configuration ($L)" "golangci-lint run ./..."
fi
