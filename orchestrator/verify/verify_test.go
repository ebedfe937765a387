package verify_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"autobuild/internal/proc"
	"autobuild/orchestrator/verify"
	"autobuild/state"
)

func TestMain(m *testing.M) {
	proc.Supervise()
	os.Exit(m.Run())
}

// bench is a verifier in a directory, with logs in another.
type bench struct {
	verify.Verifier
	dir, logs string
}

func newBench(t testing.TB) *bench {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the gates here are written for sh")
	}
	b := &bench{dir: t.TempDir(), logs: t.TempDir()}
	b.Verifier = verify.Verifier{Run: &proc.Runner{}, Env: os.Environ(), Log: func(name string) (*os.File, string, error) {
		f, err := os.OpenFile(filepath.Join(b.logs, name), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
		return f, "logs/" + name, err
	}}
	return b
}

func spec(name, command string) state.GateSpec {
	return state.GateSpec{Name: name, Kind: verify.Kind(name), Command: command, Available: true}
}

func TestGatesRunAllInOrder(t *testing.T) {
	b := newBench(t)
	var seen []string
	gates, err := b.Gates(t.Context(), b.dir, "phase-2a.1", []state.GateSpec{
		spec("security", "echo scanned"),
		spec("test", `printf 'Tests:       1 failed, 3 passed, 4 total\n' >&2; exit 1`),
		spec("Lint/Strict", "echo fine; pwd"),
		{Name: "lint", Kind: "lint", Command: "nolint .", Tool: "nolint"},
		spec("format", "exit 0"),
	}, func(g state.Gate) { seen = append(seen, fmt.Sprintf("%s %s", g.Name, g.Status)) })
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"lint not_available", "format ", "format passed", "test ", "test failed",
		"security ", "security passed", "Lint/Strict ", "Lint/Strict passed",
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Error(diff)
	}
	test := gates[2]
	if test.Exit != 1 || test.Count != 4 || test.Failed != 1 || test.Log != "logs/phase-2a.1.test.log" || !strings.Contains(test.Tail, "1 failed") || test.Duration <= 0 {
		t.Errorf("%+v", test)
	}
	if gates[0].Missing != "nolint" || gates[3].Tail != "" {
		t.Errorf("%+v\n%+v", gates[0], gates[3])
	}
	log, err := os.ReadFile(filepath.Join(b.logs, filepath.Base(gates[4].Log)))
	if err != nil {
		t.Fatal(err)
	}
	if dir, _ := filepath.EvalSymlinks(b.dir); string(log) != "fine\n"+dir+"\n" {
		t.Errorf("log %q", log)
	}
}

func TestGateEndings(t *testing.T) {
	b := newBench(t)
	b.Timeout = 300 * time.Millisecond
	run := func(command string) state.Gate {
		t.Helper()
		gates, err := b.Gates(t.Context(), b.dir, "phase-1.1", []state.GateSpec{spec("check", command)}, nil)
		if err != nil || len(gates) != 1 {
			t.Fatalf("%v %v", gates, err)
		}
		return gates[0]
	}
	if g := run("exec sleep 60"); g.Status != state.GateTimeout {
		t.Errorf("a gate that hangs: %+v", g)
	}
	b.Timeout = 5 * time.Minute
	if g := run("nosuchprogram --version"); g.Status != state.GateFailed || g.Exit != 127 || g.Missing != "nosuchprogram" {
		t.Errorf("a tool that is not there: %+v", g)
	}
	if g := run("kill -9 $$"); g.Status != state.GateFailed {
		t.Errorf("a gate that is killed: %+v", g)
	}
	if g := run("read answer"); g.Status != state.GateFailed {
		t.Errorf("a gate that asks: %+v", g)
	}
	if g := run(`test "$CI$NO_COLOR" = "` + os.Getenv("CI") + os.Getenv("NO_COLOR") + `"`); g.Status != state.GatePassed {
		t.Errorf("a gate sees NO_COLOR or CI, which the user has not set: %+v", g)
	}
}

// The log of an earlier landing of the same attempt does not count for this run.
func TestOnlyThisRunIsRead(t *testing.T) {
	b := newBench(t)
	if err := os.WriteFile(filepath.Join(b.logs, "p.test.log"), []byte("Tests:  9 failed, 9 total\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	gates, err := b.Gates(t.Context(), b.dir, "p", []state.GateSpec{spec("test", "echo 'Tests:  1 failed, 1 total'; exit 1")}, nil)
	if err != nil || gates[0].Failed != 1 {
		t.Errorf("%+v %v", gates, err)
	}
}

func TestWithoutLogsTheTailIsRead(t *testing.T) {
	b := newBench(t)
	b.Log = nil
	gates, err := b.Gates(t.Context(), b.dir, "p", []state.GateSpec{spec("lint", "echo src/a.go:3:4: bad thing; exit 1")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := []state.Place{{File: "src/a.go", Line: 3, Col: 4, Message: "bad thing"}}; !slices.Equal(gates[0].Places, want) || gates[0].Log != "" {
		t.Errorf("%+v", gates[0])
	}
}

func TestCancelledGatesAreNoVerdict(t *testing.T) {
	b := newBench(t)
	reason := errors.New("interrupted")
	ctx, cancel := context.WithCancelCause(t.Context())
	gates, err := b.Gates(ctx, b.dir, "p", []state.GateSpec{spec("lint", "true"), spec("test", "exec sleep 60"), spec("more", "true")},
		func(g state.Gate) {
			if g.Name == "test" {
				cancel(reason)
			}
		})
	if !errors.Is(err, reason) || len(gates) != 1 || gates[0].Name != "lint" {
		t.Errorf("%+v, %v", gates, err)
	}
}

func TestMachineryIsNoVerdict(t *testing.T) {
	b := newBench(t)
	full := errors.New("disk full")
	b.Log = func(string) (*os.File, string, error) { return nil, "", full }
	if _, err := b.Gates(t.Context(), b.dir, "p", []state.GateSpec{spec("lint", "true")}, nil); !errors.Is(err, full) {
		t.Errorf("a log that cannot be opened: %v", err)
	}
	b.Log = nil
	gone := filepath.Join(b.dir, "gone")
	_, err := b.Gates(t.Context(), gone, "p", []state.GateSpec{spec("lint", "true")}, nil)
	if _, ok := errors.AsType[*proc.StartError](err); !ok {
		t.Errorf("a directory that is gone: %v", err)
	}
}

func TestSetup(t *testing.T) {
	b := newBench(t)
	failed, err := b.Setup(t.Context(), b.dir, "phase-1.1", []string{"touch a", "echo broken; exit 4", "touch c"})
	if err != nil || failed == nil {
		t.Fatalf("%v %v", failed, err)
	}
	if failed.Name != "setup-2" || failed.Exit != 4 || failed.Tail != "broken\n" || failed.Log != "logs/phase-1.1.setup-2.log" {
		t.Errorf("%+v", failed)
	}
	if _, err = os.Stat(filepath.Join(b.dir, "c")); err == nil {
		t.Error("not stopped at the first failure")
	}
	if failed, err = b.Setup(t.Context(), b.dir, "phase-1.1", []string{"true"}); failed != nil || err != nil {
		t.Errorf("%v %v", failed, err)
	}
}

func TestJUnitReports(t *testing.T) {
	b := newBench(t)
	reports := filepath.Join(b.dir, "target", "surefire-reports")
	if err := os.MkdirAll(reports, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(reports, "TEST-old.xml"), []byte(`<testsuite><testcase name="old"><failure/></testcase></testsuite>`), 0o600); err != nil {
		t.Fatal(err)
	}
	source, err := filepath.Abs("testdata/junit/TEST-shop.CartTest.xml")
	if err != nil {
		t.Fatal(err)
	}
	gates, err := b.Gates(t.Context(), b.dir, "p", []state.GateSpec{spec("test", "cp "+source+` target/surefire-reports/
		echo '[ERROR] Tests run: 4, Failures: 1, Errors: 1, Skipped: 1'; exit 1`)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []state.Test{
		{Name: "shop.CartTest.adds", File: "CartTest.java", Line: 6, Message: "expected: <4> but was: <3>", Expected: "<4>", Received: "<3>"},
		{Name: "shop.CartTest.breaks", File: "CartTest.java", Line: 7, Message: "boom"},
	}
	if g := gates[0]; g.Count != 3 || g.Failed != 2 || !slices.Equal(g.Tests, want) {
		t.Errorf("%+v", g)
	}
}

// The stack of a real Go module, detected, run and read, from a clean tree to a broken one.
func TestGoModule(t *testing.T) {
	b := newBench(t)
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.com/cart\n\ngo 1.24\n")
	write("cart.go", "package cart\n\nfunc Sum(a, b int) int { return a + b }\n")
	write("cart_test.go", "package cart\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) {\n\tif Sum(1, 2) != 3 {\n\t\tt.Error(\"wrong sum\")\n\t}\n}\n")
	specs := verify.Probe(b.dir, b.Env, verify.Detect(b.dir).Gates)
	for _, s := range specs {
		if !s.Available {
			t.Skipf("%s is not installed", s.Tool)
		}
	}
	statuses := func() string {
		t.Helper()
		gates, err := b.Gates(t.Context(), b.dir, "p", specs, nil)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, g := range gates {
			s := fmt.Sprintf("%s %s", g.Name, g.Status)
			for _, x := range g.Tests {
				s += fmt.Sprintf(" %s %s:%d %s", x.Name, x.File, x.Line, x.Message)
			}
			for _, x := range g.Places {
				s += " " + x.File
			}
			out = append(out, s)
		}
		return strings.Join(out, "\n")
	}
	if got, want := statuses(), "lint passed\nformat passed\ntypecheck passed\ntest passed"; got != want {
		t.Errorf("clean:\n%s", got)
	}
	write("cart.go", "package cart\n\nfunc Sum(a, b int) int {   return a - b }\n")
	want := "lint passed\nformat failed cart.go\ntypecheck passed\ntest failed TestSum cart_test.go:7 wrong sum"
	if got := statuses(); got != want {
		t.Errorf("broken:\n%s", got)
	}
}

func Example() {
	gates := verify.Merge(
		// autobuild.yaml
		[]state.GateSpec{{Name: "format", Command: ""}, {Name: "security", Command: "./scan.sh"}},
		// the plan
		[]state.GateSpec{{Name: "test", Command: "make check"}},
		[]state.GateSpec{
			{Name: "format", Command: "gofmt -l .", Source: "go.mod"},
			{Name: "test", Command: "go test ./...", Source: "go.mod"},
			{Name: "lint", Command: "go vet ./...", Source: "go.mod"},
		},
	)
	for _, g := range gates {
		fmt.Printf("%s (%s): %s\n", g.Name, g.Source, g.Command)
	}
	// Output:
	// lint (go.mod): go vet ./...
	// test (plan): make check
	// security (config): ./scan.sh
}
