//go:build unix

package sandbox_test

import (
	"fmt"
	"strings"

	"autobuild/internal/sandbox"
)

// A sandbox is a command line in front of another.
func ExampleMeans_Command() {
	argv, err := sandbox.Bwrap.Command("/usr/bin/make", []string{"make", "all"}, "/", sandbox.Rights{Write: []string{"/dev/null"}})
	fmt.Println(strings.Join(argv[len(argv)-5:], " "), err)
	// Output: --chdir / -- /usr/bin/make all <nil>
}
