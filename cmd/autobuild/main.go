// Command autobuild runs a markdown plan with coding agents, and believes only what it can check
// itself.
package main

import "autobuild/cmd"

func main() { cmd.Main() }
