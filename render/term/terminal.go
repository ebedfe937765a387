package term

import (
	"strconv"
	"strings"

	"autobuild/render"
)

// Terminal holds the known properties of an output.
type Terminal struct {
	TTY     bool
	Columns int                 // of its window; 0 is unknown
	NoColor bool                // the user asked for none by a flag
	Legacy  bool                // a console that prints escape sequences instead of obeying them
	Getenv  func(string) string // nil is an empty environment
}

// StyleFor chooses the Style for a terminal or pipe. NO_COLOR with any value keeps bold and faint,
// as does the flag; FORCE_COLOR and CLICOLOR_FORCE colour a pipe too; a dumb terminal, a legacy
// console and a locale that names another charset than UTF-8 get ASCII; a pipe has 80 columns or
// $COLUMNS.
func StyleFor(t Terminal) render.Style {
	env := t.Getenv
	if env == nil {
		env = func(string) string { return "" }
	}
	dumb := t.Legacy || env("TERM") == "dumb"
	escapes := t.TTY && !dumb
	colour := escapes && env("CLICOLOR") != "0"
	if forced(env("FORCE_COLOR")) || forced(env("CLICOLOR_FORCE")) {
		escapes, colour = true, true
	}
	return render.Style{
		Width:  windowColumns(t, env("COLUMNS")),
		Color:  colour && !t.NoColor && env("NO_COLOR") == "",
		Bold:   escapes,
		Cursor: t.TTY && !dumb,
		Wrap:   t.TTY,
		ASCII:  dumb || !utf8Locale(env),
	}
}

func forced(value string) bool { return value != "" && value != "0" && value != "false" }

func windowColumns(t Terminal, env string) int {
	if t.TTY && t.Columns > 0 {
		return t.Columns
	}
	if n, err := strconv.Atoi(env); err == nil && n > 0 {
		return n
	}
	return 80
}

// utf8Locale uses the first variable that is set, as the C library does. Where none is, the
// terminal is taken for a modern one: containers and graphical sessions often set nothing.
func utf8Locale(env func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := strings.ToLower(env(name)); value != "" {
			return strings.Contains(value, "utf-8") || strings.Contains(value, "utf8")
		}
	}
	return true
}
