package environ_test

import (
	"fmt"

	"autobuild/internal/environ"
)

func Example() {
	e := environ.Environ{"HOME=/home/ada", "TOKEN=secret", "EDITOR=ed"}
	fmt.Println(e.Get("TOKEN"), e.Home(), e.Allow([]string{"EDITOR"}))
	// Output: secret /home/ada [HOME=/home/ada EDITOR=ed]
}
