package call

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	xterm "github.com/charmbracelet/x/term"

	"autobuild/orchestrator/agent"
	"autobuild/orchestrator/session/config"
	"autobuild/render/ci"
)

// CalledByAgent reports whether a coding agent reads what this call prints.
func (c *Call) CalledByAgent() bool {
	return slices.ContainsFunc(agent.Marks(),
		func(name string) bool { return c.Environ.Get(name) != "" })
}

// Runner is the CI system whose log this call writes to; empty where there is none that is known.
func (c *Call) Runner() ci.Runner {
	yes := func(name string) bool { return strings.EqualFold(c.Environ.Get(name), "true") }
	switch {
	case yes("GITHUB_ACTIONS"):
		return ci.GitHub
	case yes("GITLAB_CI"):
		return ci.GitLab
	case yes("TF_BUILD"):
		return ci.Azure
	}
	return ""
}

// checkouts are the variables in which runners name the folder that they checked out: annotations
// are relative to it.
var checkouts = map[ci.Runner]string{
	ci.GitHub: "GITHUB_WORKSPACE", ci.GitLab: "CI_PROJECT_DIR",
	ci.Azure: "BUILD_SOURCESDIRECTORY",
}

// Below is where a directory is in the folder that the runner checked out, with slashes; empty
// where it is that folder, or elsewhere.
func (c *Call) Below(dir string) string {
	top := c.Environ.Get(checkouts[c.Runner()])
	if top == "" {
		return ""
	}
	rel, err := filepath.Rel(Physical(top), dir)
	if err != nil || rel == "." || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel)
}

// WantsLive reports whether a run is to be shown by a live screen, and on which terminal. Unless
// the user asks for it, a person has to sit there: CI systems and coding agents may give their
// children a terminal too.
func (c *Call) WantsLive(progress string) (*os.File, bool) {
	file, ok := c.Stderr.(*os.File)
	if !ok || !xterm.IsTerminal(file.Fd()) || !c.Style(file).Cursor {
		return nil, false
	}
	if width, height, err := xterm.GetSize(file.Fd()); err != nil || width == 0 || height == 0 {
		return nil, false
	}
	switch progress {
	case config.ProgressLive:
		return file, true
	case config.ProgressAuto:
		ci := c.Environ.Get("CI")
		return file, (ci == "" || ci == "false") && c.Environ.Get("TERM") != "" && !OnWindows &&
			!c.CalledByAgent()
	}
	return nil, false
}
