package plantest_test

import (
	"fmt"

	"autobuild/orchestrator/plantest"
)

type ending struct{}

func (ending) Helper()           {}
func (ending) Fatal(args ...any) { panic(fmt.Sprint(args...)) }

func ExampleNew() {
	p := plantest.New(ending{}, "1", "2A: 1", "2B: 1; 3")
	fmt.Println(p.Len(), p.Needs(2), p.At(2).Estimate.Weight)
	// Output: 3 [0] 3
}
