package main

import (
	"context"
	_ "embed" // the scripts
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"autobuild/internal/proc"
)

//go:embed preamble.sh
var agentPreamble string

//go:embed oracle.sh
var oraclePreamble string

// place is where one column plays one scenario: a home, a repository, temporary files and scripts,
// used once.
type place struct {
	*contest
	scenario *Scenario
	root     string
}

func (p *place) home() string     { return filepath.Join(p.root, "home") }
func (p *place) repo() string     { return filepath.Join(p.root, "repo") }
func (p *place) original() string { return filepath.Join(p.root, "original") }
func (p *place) log() string      { return filepath.Join(p.root, "log") }
func (p *place) agent() string    { return filepath.Join(p.root, "agent", "agent.sh") }

// toolPath is PATH of agents and of what runs them. Agents may write its first folder.
func (p *place) toolPath() string {
	return filepath.Join(p.home(), "bin") + string(os.PathListSeparator) + p.path
}

// env is the environment of a user whose home is the place's.
func (p *place) env(home, path string, more map[string]string) []string {
	set := map[string]string{
		"HOME": home, "PATH": path, "TMPDIR": filepath.Join(p.root, "tmp"), "GOCACHE": p.goCache,
		"GOPROXY": "off", "GOSUMDB": "off", "GOTOOLCHAIN": "local", "GOTELEMETRY": "off",
		"CARGO_NET_OFFLINE": "true", "npm_config_offline": "true",
		"npm_config_update_notifier": "false",
		"PYTHONDONTWRITEBYTECODE":    "1", "LANG": "C.UTF-8", "TERM": "dumb", "NO_COLOR": "1",
		"GIT_CONFIG_NOSYSTEM": "1", "CONTEST_MODULES": p.npm,
	}
	if p.rustup != "" {
		set["RUSTUP_HOME"] = p.rustup
	}
	for name, value := range more {
		set[name] = value
	}
	return proc.Environ(nil, set)
}

// rootOf is the folder of a scenario in a column. Its name must not say that autobuild is at work:
// products of some cheats look for that.
func (c *contest) rootOf(s *Scenario, column string) string {
	return filepath.Join(c.root, s.Name+"."+strings.ReplaceAll(column, "autobuild", "own"))
}

// prepare writes the repository, the home directory and the agent, and makes the first commit.
func (c *contest) prepare(ctx context.Context, s *Scenario, column string) (*place, error) {
	p := &place{contest: c, scenario: s, root: c.rootOf(s, column)}
	for _, dir := range []string{"home/bin", "repo", "tmp", "agent"} {
		if err := os.MkdirAll(filepath.Join(p.root, filepath.FromSlash(dir)), 0o750); err != nil {
			return nil, err
		}
	}
	files := map[string]string{
		"home/.gitconfig": "[user]\n\tname = Contest\n\temail = contest@example.com\n",
		"repo/plan.md":    s.Files[sectionPlan],
		"agent/agent.sh":  p.agentScript(),
		"agent/1.sh":      s.Files[sectionAgent],
		"agent/2.sh":      s.Files[sectionAgent],
		"setup.sh":        "set -euo pipefail\n" + s.Files[sectionSetup],
		"oracle.sh":       oraclePreamble + s.Files[sectionOracle],
	}
	if second, ok := s.Files[sectionSecond]; ok {
		files["agent/2.sh"] = second
	}
	for name, text := range s.Files {
		if strings.HasPrefix(name, folderRepo) || strings.HasPrefix(name, folderHome) {
			files[name] = text
		}
	}
	for name, text := range files {
		if err := writeFile(filepath.Join(p.root, filepath.FromSlash(name)), text); err != nil {
			return nil, err
		}
	}
	const begin = `. ../setup.sh && git init -q -b main && git add -A && ` +
		`git commit -qm "chore: begin" && cp -a . ../original && rm -rf ../original/.git`
	env := p.env(p.home(), p.toolPath(), nil)
	exit, err := p.run(ctx, proc.Command{
		Argv: []string{"bash", "-c", begin}, Dir: p.repo(),
		Env: env,
	})
	if err == nil && !exit.OK() {
		err = fmt.Errorf("setup exits %d: %s", exit.Code, exit.Last)
	}
	return p, err
}

// agentScript is the program that every column starts as its agent.
func (p *place) agentScript() string {
	return agentPreamble + p.scenario.Files[sectionLibrary] +
		"\n. '" + p.root + "/agent/'$((attempt >= 2 ? 2 : 1)).sh\n"
}

// writeFile writes a file, and its folders; one that begins with #! may be executed.
func writeFile(name, text string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o750); err != nil {
		return err
	}
	mode := os.FileMode(0o644)
	if strings.HasPrefix(text, "#!") {
		mode = 0o755
	}
	return os.WriteFile(name, []byte(text), mode)
}

// run runs a program of the place and appends what it prints to the place's log.
func (p *place) run(ctx context.Context, c proc.Command) (proc.Exit, error) {
	log, err := os.OpenFile(p.log(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return proc.Exit{}, err
	}
	c.Log, c.Grace = log, time.Second
	exit, err := p.runner.Run(ctx, c)
	if closed := log.Close(); err == nil {
		err = closed
	}
	return exit, err
}

// landedRight reports whether the oracle accepts the branch of the user, in a clean checkout with a
// clean home.
func (p *place) landedRight(ctx context.Context) (bool, error) {
	landed, home := filepath.Join(p.root, "landed"), filepath.Join(p.root, "clean-home")
	if err := os.MkdirAll(home, 0o750); err != nil {
		return false, err
	}
	env := p.env(home, p.path, map[string]string{"BASE": p.original()})
	exit, err := p.run(ctx, proc.Command{
		Argv: []string{"git", "clone", "-q", "--no-hardlinks", "-b", "main", p.repo(), landed},
		Dir:  p.root, Env: env,
	})
	if err != nil || !exit.OK() {
		return false, err // a branch that cannot be checked out holds no work
	}
	exit, err = p.run(ctx, proc.Command{
		Argv: []string{"bash", filepath.Join(p.root, "oracle.sh")},
		Dir:  landed, Env: env, Timeout: oracleLimit,
	})
	return exit.OK(), err
}
