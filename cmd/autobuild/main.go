// The number of CPUs is that of the start: to ask for it each second would wake a run that waits.
//
//go:debug updatemaxprocs=0

// Command autobuild runs a markdown plan with coding agents, and believes only what it can check
// itself.
package main

import "autobuild/cmd"

func main() { cmd.Main() }
