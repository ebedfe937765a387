package cmd

import (
	"fmt"
	"os"
	"syscall"

	"autobuild/internal/sandbox"
)

// exitNotStarted is a shell's exit code for a program that exists and cannot be started, so that it
// is not mistaken for the program's own.
const exitNotStarted = 126

// becomeConfined makes this process the program that a sandbox was asked for, if it was started for
// that, and then does not return.
func becomeConfined() {
	if !sandbox.Confined(os.Args) {
		return
	}
	err := sandbox.Enter(os.Args, os.Environ())
	fmt.Fprintf(os.Stderr, "autobuild: %v\n", err)
	syscall.Exit(exitNotStarted)
}
