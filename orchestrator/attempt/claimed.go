package attempt

import (
	"os"
	"strings"
)

// missing are those of the claimed files that do not exist in dir, in the order given. A path that
// is absolute and elsewhere, climbs out, or leads out through a symbolic link is missing: it proves
// nothing about the phase's work. Names are as claims have them, with slashes and relative to dir.
func missing(dir string, claimed []string) []string {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return claimed
	}
	defer func() { _ = root.Close() }() // only read from
	var out []string
	for _, name := range claimed {
		if !exists(root, dir, name) {
			out = append(out, name)
		}
	}
	return out
}

func exists(root *os.Root, dir, name string) bool {
	local, ok := inside(dir, strings.TrimSpace(name))
	if !ok {
		return false
	}
	_, err := root.Stat(local)
	return err == nil
}
