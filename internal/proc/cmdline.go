package proc

import (
	"slices"
	"strings"
)

// verbatim is the command line of cmd.exe with a command behind /s /c: the text between the
// outermost quotes is the command, verbatim. The escaping of other programs' arguments would put a
// backslash before each of its quotes, and cmd.exe would take that for part of a word. Empty for
// every other argv.
func verbatim(argv []string) string {
	if len(argv) != 5 || !strings.EqualFold(argv[0], "cmd") ||
		!slices.Equal(argv[1:4], []string{"/d", "/s", "/c"}) {
		return ""
	}
	return `cmd /d /s /c "` + argv[4] + `"`
}
