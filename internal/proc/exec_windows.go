package proc

import "fmt"

// Exec makes this process the program at path, which Windows cannot do.
func Exec(path string, _, _ []string) error {
	return fmt.Errorf("this system cannot start %s in place of autobuild; call it by that name",
		path)
}
