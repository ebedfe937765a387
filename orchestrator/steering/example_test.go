package steering_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"autobuild/orchestrator"
	"autobuild/orchestrator/steering"
)

func ExampleAsk() {
	dir, _ := os.MkdirTemp("", "state-")
	defer os.RemoveAll(dir) //nolint:errcheck // it is in the folder for temporary files
	ended := func() bool { return false }
	_, err := steering.Ask(context.Background(), dir,
		orchestrator.Command{Kind: orchestrator.PauseRun}, ended)
	fmt.Println(errors.Is(err, steering.ErrEnded))
	// Output: true
}
