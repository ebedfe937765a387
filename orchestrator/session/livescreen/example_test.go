package livescreen_test

import (
	"fmt"
	"os"

	"autobuild/orchestrator/session/livescreen"
)

// Before Start and after Stop, what is written goes to the terminal as it is.
func ExampleScreen_Write() {
	s := &livescreen.Screen{File: os.Stdout}
	_, _ = fmt.Fprintln(s, "reading the plan")
	s.Stop()
	// Output: reading the plan
}
