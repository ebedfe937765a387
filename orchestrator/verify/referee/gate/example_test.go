package gate_test

import (
	"fmt"

	"autobuild/orchestrator/verify/referee/gate"
	"autobuild/state"
)

// tree is a tree of files, by path.
type tree map[string]string

func (t tree) Paths() []string { return []string{"Makefile", "tests/run.sh"} }

func (t tree) Read(path string) (string, bool) {
	text, ok := t[path]
	return text, ok
}

func ExampleFollow() {
	files := tree{"Makefile": "test:\n\tsh tests/run.sh\n", "tests/run.sh": "diff want.txt out.txt\n"}
	reach := gate.Follow(files, []state.GateSpec{{Name: "test", Command: "make test"}}, func(string) bool { return false })
	fmt.Println(reach.Files["tests/run.sh"])
	// Output: test: make test → Makefile:test → sh tests/run.sh
}
