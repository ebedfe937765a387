//go:build linux

package e2e

import (
	"os/exec"
	"path/filepath"
)

// execShell runs a shell line in a directory of the lab.
func execShell(l *lab, dir, line string) string {
	l.t.Helper()
	c := exec.Command("sh", "-ec", line)
	c.Dir, c.Env = filepath.Join(l.dir, dir), l.env
	out, err := c.CombinedOutput()
	if err != nil {
		l.t.Fatalf("%s: %v\n%s", line, err, out)
	}
	return string(out)
}
