//go:build unix

package proc_test

import (
	"context"
	"fmt"
	"os"

	"autobuild/internal/proc"
)

// A program that uses a Runner calls proc.Supervise first thing in main; here TestMain does.
func ExampleRunner_Run() {
	r := new(proc.Runner)
	defer r.Close()
	exit, err := r.Run(context.Background(), proc.Command{
		Argv: []string{"sh", "-c", "echo working; sleep 1000 & exit 3"},
		Env:  proc.Environ(os.Environ(), map[string]string{"AUTOBUILD_PHASE_ID": "2a"}),
	})
	fmt.Println(exit.Ended, exit.Code, exit.Last, err)
	// Output: exited 3 working <nil>
}

func ExampleEscape() {
	fmt.Println(proc.Escape("\x1b]0;owned\x07 ✅"))
	// Output: \x1b]0;owned\x07 ✅
}

func ExampleClean() {
	fmt.Println(proc.Clean("\x1b[32m  ok \x1b[0m  all 47 tests   pass\n", 14))
	// Output: ok all 47 tes…
}
