package render

import (
	"cmp"
	"fmt"
	"strings"
)

// LineRange is "lines 3-7", and "it" where the lines are unknown.
func LineRange(lines string) string {
	if lines == "" {
		return "it"
	}
	return "lines " + lines
}

// located is a name with its place behind it.
func located(name, place string) string {
	switch {
	case place == "":
		return name
	case name == "":
		return place
	}
	return name + " (" + place + ")"
}

// FileLine is "file:line", and the file alone where the line is unknown.
func FileLine(file string, line int) string {
	if file == "" || line <= 0 {
		return file
	}
	return fmt.Sprintf("%s:%d", file, line)
}

// InStateDir joins a path of the state directory to the directory's name.
func InStateDir(dir, name string) string {
	return strings.TrimRight(cmp.Or(dir, ".autobuild"), "/") + "/" + name
}

// WorkDir is the directory of an attempt as a person types it from where the state directory is
// dir.
func WorkDir(dir, work string) string {
	if rest, ok := strings.CutPrefix(work, ".autobuild/"); ok {
		return InStateDir(dir, rest)
	}
	return work
}
