package session

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"autobuild/internal/safefile"
	"autobuild/orchestrator"
	"autobuild/orchestrator/agent"
	"autobuild/plan"
	"autobuild/render/ci"
	"autobuild/render/term"
)

// insideAgent reports whether a coding agent reads what this call prints.
func (a *Caller) insideAgent() bool {
	return slices.ContainsFunc(agent.Marks(), func(name string) bool { return a.Environ.Get(name) != "" })
}

// ciRunner is the CI system whose log this call writes to; empty where there is none that is known.
func (a *Caller) ciRunner() ci.Runner {
	yes := func(name string) bool { return strings.EqualFold(a.Environ.Get(name), "true") }
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
var checkouts = map[ci.Runner]string{ci.GitHub: "GITHUB_WORKSPACE", ci.GitLab: "CI_PROJECT_DIR", ci.Azure: "BUILD_SOURCESDIRECTORY"}

// below is where a directory is in the folder that the runner checked out, with slashes; empty
// where it is that folder, or elsewhere.
func (a *Caller) below(dir string) string {
	top := a.Environ.Get(checkouts[a.ciRunner()])
	if top == "" {
		return ""
	}
	if resolved, err := filepath.EvalSymlinks(top); err == nil {
		top = resolved
	}
	rel, err := filepath.Rel(top, dir)
	if err != nil || rel == "." || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return ""
	}
	return filepath.ToSlash(rel)
}

// commandFiles are the files through which a step of GitHub Actions sends commands to its runner,
// such as variables for later steps. Agents and gates must not write in this step's name, so their
// environment lacks these variables.
var commandFiles = []string{"GITHUB_ENV", "GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STATE", "GITHUB_STEP_SUMMARY"}

// lines returns the sink that prints events, in the form for a CI system, an agent or a terminal.
func (s *session) lines() orchestrator.Sink {
	style, dir := s.Style(s.Stderr), s.Shown(s.project.StateDir)
	if s.o.Progress.Value == "auto" {
		switch runner := s.ciRunner(); {
		case s.insideAgent():
			return &term.Terse{W: s.Stderr, Style: style, Dir: dir}
		case runner != "":
			lines := &term.Plain{Style: style, Dir: dir}
			return &ci.Log{
				W: s.Stderr, Runner: runner, Style: style, Dir: dir, Read: s.logTail, Lines: lines.Lines, Below: s.below(s.project.Root),
			}
		}
	}
	return &term.Plain{W: s.Stderr, Style: style, Dir: dir}
}

// markProblems marks the mistakes of a plan for a runner that marks files.
func (a *Caller) markProblems(planPath string, ps plan.Problems) {
	if a.ciRunner() == "" || a.insideAgent() {
		return
	}
	shown := filepath.ToSlash(planPath)
	if top := a.below(filepath.Dir(a.Path(planPath))); top != "" {
		shown = top + "/" + filepath.Base(planPath)
	}
	_, _ = fmt.Fprint(a.Stderr, ci.ProblemMarks(shown, ps, a.ciRunner()))
}

// stepSummary adds a text to the page of a workflow's run.
func (a *Caller) stepSummary(text string) error {
	path := a.Environ.Get("GITHUB_STEP_SUMMARY")
	if a.ciRunner() != ci.GitHub || path == "" {
		return nil
	}
	if info, err := os.Stat(path); err == nil && (!info.Mode().IsRegular() || info.Size()+int64(len(text)) > ci.MaxStepSummary) {
		return fmt.Errorf("%s is full, or no file", path)
	}
	f, err := safefile.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if failed := f.Close(); err == nil {
		err = failed
	}
	return err
}
