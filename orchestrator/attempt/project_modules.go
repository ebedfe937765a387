package attempt

import (
	"io"
	"os"
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/internal/safefile"
)

// Bounds of what is read to know the project's own names.
const (
	maxOwn   = 200     // names
	maxGoMod = 1 << 16 // bytes
)

var goModule = lazyregexp.New(`(?m)^module\s+"?([^\s"]+)`)

// own lists the names by which code of the project itself is imported: the module of its go.mod,
// and the folders and Python files at its top and in src. A missing one is for a phase to write and
// cannot be installed.
func own(dir string) []string {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer func() { _ = root.Close() }() // only read from
	var names []string
	if module := moduleOf(root); module != "" {
		names = append(names, module)
	}
	for _, at := range []string{".", "src"} {
		entries, _ := safefile.ReadDirIn(root, at, 100*maxOwn) // there may be no such folder
		for _, e := range entries {
			name, python := strings.CutSuffix(e.Name(), ".py")
			if (e.IsDir() || python) && !strings.HasPrefix(name, ".") && name != "node_modules" &&
				!slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names[:min(len(names), maxOwn)]
}

// moduleOf is the module that go.mod names. Anything but a plain file, which a pipe would be, is
// not opened.
func moduleOf(root *os.Root) string {
	file, err := safefile.OpenIn(root, "go.mod", os.O_RDONLY, 0)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	// a truncated one is used as far as it goes
	text, _ := io.ReadAll(io.LimitReader(file, maxGoMod))
	if m := goModule.FindSubmatch(text); m != nil {
		return string(m[1])
	}
	return ""
}
