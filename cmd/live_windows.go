package cmd

import (
	"os"

	"golang.org/x/sys/windows"
)

// background is always false: consoles have no jobs.
func background(uintptr) bool { return false }

// listenContinue never tells anything.
func listenContinue() (goOn <-chan os.Signal, deaf func()) { return nil, func() {} }

// legacy reports whether a console prints escape sequences instead of obeying them. One that can obey is told to: a program starts in one
// that does not.
func legacy(fd uintptr) bool {
	console := windows.Handle(fd)
	var mode uint32
	if windows.GetConsoleMode(console, &mode) != nil || mode&windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING != 0 {
		return false
	}
	return windows.SetConsoleMode(console, mode|windows.ENABLE_PROCESSED_OUTPUT|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) != nil
}
