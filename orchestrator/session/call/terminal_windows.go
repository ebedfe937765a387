package call

import (
	"errors"

	"golang.org/x/sys/windows"
)

// ReaderGone reports whether a write failed because the reader has closed its end.
func ReaderGone(err error) bool {
	return errors.Is(err, windows.ERROR_NO_DATA) || errors.Is(err, windows.ERROR_BROKEN_PIPE)
}

// legacy reports whether a console prints escape sequences instead of obeying them. It switches a
// console that can obey them to do so: that is not the default.
func legacy(fd uintptr) bool {
	console := windows.Handle(fd)
	var mode uint32
	if windows.GetConsoleMode(console, &mode) != nil ||
		mode&windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING != 0 {
		return false
	}
	return windows.SetConsoleMode(console,
		mode|windows.ENABLE_PROCESSED_OUTPUT|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) != nil
}
