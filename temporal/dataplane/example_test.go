package dataplane_test

import (
	"fmt"

	"autobuild/temporal/dataplane"
)

// The branch of an attempt has the attempt and the commit in its name: nobody else's work is taken
// for it.
func ExampleBranch() {
	fmt.Println(dataplane.Branch("20261123-144535-9e5b", "2a", 1, "12b40a7de97f0c55"))
	fmt.Println(dataplane.Line("20261123-144535-9e5b"))
	// Output:
	// autobuild/20261123-144535-9e5b/2a/1-12b40a7de97f
	// refs/heads/autobuild/20261123-144535-9e5b/integration
}
