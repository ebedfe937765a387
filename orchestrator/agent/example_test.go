package agent_test

import (
	"fmt"

	"autobuild/orchestrator/agent"
)

func ExampleSplit() {
	words, err := agent.Split(`my-agent --headless 'be brief'`)
	fmt.Printf("%q %v\n", words, err)
	_, err = agent.Split("my-agent | tee log")
	fmt.Println(err)
	// Output:
	// ["my-agent" "--headless" "be brief"] <nil>
	// autobuild runs no shell, and "|" at column 10 needs one; put the command into a script, or use sh -c '…'
}
