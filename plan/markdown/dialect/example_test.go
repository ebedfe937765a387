package dialect_test

import (
	"fmt"

	"autobuild/plan/markdown/dialect"
)

func ExampleRead() {
	r, problem := dialect.Read([]byte("| Phase | Depends On |\n|---|---|\n| 1 | none |\n| 2 | 1 |\n"), "")
	if problem != nil {
		fmt.Println(problem)
		return
	}
	fmt.Println(r.Dialect, len(r.Units))
	// Output: table 2
}
