package wire_test

import (
	"fmt"

	"autobuild/state"

	"autobuild/temporal/wire"
)

// A phase asks for labels, and workers serve the queues of all sets of theirs.
func ExampleQueueFor() {
	fmt.Println(wire.QueueFor("autobuild-1a2b", "linux, GPU"))
	fmt.Println(wire.Queues("autobuild-1a2b", []string{"gpu"}))
	// Output:
	// autobuild-1a2b.gpu+linux
	// [autobuild-1a2b autobuild-1a2b.gpu]
}

// The statuses of all phases are a few bytes.
func ExampleLetters() {
	run := state.Run{Phases: []state.Phase{
		{Status: state.Complete}, {Status: state.Complete}, {Status: state.Running},
	}}
	fmt.Println(wire.Letters(&run))
	// Output: c2r1
}
