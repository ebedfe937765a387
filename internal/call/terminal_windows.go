package call

import (
	"errors"

	"golang.org/x/sys/windows"
)

// ReaderGone reports whether a write failed because nobody reads any more.
func ReaderGone(err error) bool {
	return errors.Is(err, windows.ERROR_NO_DATA) || errors.Is(err, windows.ERROR_BROKEN_PIPE)
}

// legacy reports whether a console prints escape sequences instead of obeying them. One that can
// obey is told to: a program starts in one that does not.
func legacy(fd uintptr) bool {
	console := windows.Handle(fd)
	var mode uint32
	if windows.GetConsoleMode(console, &mode) != nil || mode&windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING != 0 {
		return false
	}
	return windows.SetConsoleMode(console, mode|windows.ENABLE_PROCESSED_OUTPUT|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) != nil
}
