package store

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestMain lets the test binary play the other process.
func TestMain(m *testing.M) {
	if what := os.Getenv("STORE_TEST_CHILD"); what != "" {
		os.Exit(child(what, os.Getenv("STORE_TEST_DIR")))
	}
	os.Exit(m.Run())
}

// child is another autobuild, or an agent of one.
func child(what, dir string) int {
	switch what {
	case "agent": // lives on with the agents' lock that it inherited
		fmt.Println("working")
		_, _ = io.Copy(io.Discard, os.Stdin)
		return 0
	case "transition":
		return transition(dir)
	case "moves":
		return moves(dir)
	}
	d, err := Open(dir, "", Holder{PID: os.Getpid(), Host: "elsewhere", Started: at(0), RunID: "r7", Plan: "PLAN.md"}, nil)
	if err != nil {
		fmt.Println(err)
		return 3
	}
	fmt.Println("held")
	_, _ = io.Copy(io.Discard, os.Stdin)
	if err := d.Close(); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// golden compares with testdata/name, or writes it.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; run with -update if that is meant\ngot:\n%s\nwant:\n%s", name, got, want)
	}
}
