// Command autobuild-temporal is autobuild for many machines: the same command line, with phases
// that run on the workers of a Temporal server, and the commands worker and dev.
package main

import (
	"os"

	"autobuild/cmd"

	"autobuild/temporal/client"
	"autobuild/temporal/commands"
)

func main() {
	cmd.Extended(cmd.Extension{Engine: &client.Engine{Environ: os.Environ()}, Commands: commands.All})
}
