//go:build !linux

package cmd

import "github.com/rogpeppe/go-internal/testscript"

// condition refuses everything: file systems are made and limits are set on Linux alone.
func condition(string) (bool, error) { return false, nil }

// mount is what no script gets to here.
func mount(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Fatalf("no file systems are made on this system")
}
