package cmd

import (
	"os"
)

// background is always false: consoles have no jobs.
func background(uintptr) bool { return false }

// listenContinue never tells anything.
func listenContinue() (goOn <-chan os.Signal, deaf func()) { return nil, func() {} }
