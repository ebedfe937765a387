package sink

import (
	"autobuild/orchestrator"
	"autobuild/orchestrator/session/call"
	"autobuild/render/ci"
	"autobuild/render/term"
)

// Lines prints events to stderr, in the form for a CI system, an agent or a terminal. progress is
// the word of --progress; project and stateDir are absolute; read returns the end of a log.
func Lines(
	c *call.Call, progress, project, stateDir string, read func(name string) string,
) orchestrator.Sink {
	style, dir := c.Style(c.Stderr), c.Shown(stateDir)
	if progress == "auto" {
		switch runner := c.Runner(); {
		case c.CalledByAgent():
			return &term.Terse{W: c.Stderr, Style: style, Dir: dir}
		case runner != "":
			lines := &term.Plain{Style: style, Dir: dir}
			return &ci.Log{
				W: c.Stderr, Runner: runner, Style: style, Dir: dir, Read: read, Lines: lines.Lines,
				Below: c.Below(project),
			}
		}
	}
	return &term.Plain{W: c.Stderr, Style: style, Dir: dir}
}
