package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"autobuild/internal/environ"
	"autobuild/internal/proc"
)

// matrix runs projects below a folder.
type matrix struct {
	root      string
	runner    *proc.Runner
	autobuild string // path of the program
}

// play creates a project and runs its plan.
func (m matrix) play(ctx context.Context, p project) row {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	r := row{project: p, got: map[string]string{}}
	for _, program := range p.needs {
		if !environ.Environ(os.Environ()).LookPath(m.root, program) {
			r.skipped = program + " is not installed"
			return r
		}
	}
	dir := filepath.Join(m.root, p.name, p.name)
	err := m.make(ctx, p, dir)
	if err != nil {
		r.skipped = "it could not be made: " + err.Error()
		return r
	}
	if r.got, err = m.result(ctx, p, dir, m.shell(ctx, dir, m.env(ctx, p), p.env+" '"+m.autobuild+
		"' plan.md --commit auto --jobs 2 --keep-going >run.log 2>&1")); err != nil {
		r.got = map[string]string{"honest": err.Error()}
	}
	return r
}

// make writes the files, runs the script +make, and commits.
func (m matrix) make(ctx context.Context, p project, dir string) error {
	if err := os.RemoveAll(filepath.Dir(dir)); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(m.root, p.name, "home"), 0o750); err != nil {
		return err
	}
	for _, f := range p.files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o750); err != nil {
			return err
		}
		if err := os.WriteFile(name, f.Data, 0o600); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "plan.md"), []byte(p.plan()), 0o600); err != nil {
		return err
	}
	for _, command := range []string{
		"git init -q -b main", p.scripts["make"],
		"echo run.log >>.git/info/exclude && git add -A && git commit -q -m start",
	} {
		if err := m.shell(ctx, dir, m.env(ctx, p), command); err != nil {
			return err
		}
	}
	return nil
}

// plan has a phase of each kind. Phases that change the same manifests depend on each other.
func (p project) plan() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n| Phase | Depends On |\n|---|---|\n", p.name)
	before := "-"
	for n, kind := range kinds {
		if p.scripts[kind] == "" {
			continue
		}
		if kind == "broken" {
			fmt.Fprintf(&b, "| %d | - |\n", n+1)
			continue
		}
		fmt.Fprintf(&b, "| %d | %s |\n", n+1, before)
		before = fmt.Sprint(n + 1)
	}
	for n, kind := range kinds {
		if p.scripts[kind] == "" {
			continue
		}
		says := p.says[kind]
		if says == "" {
			says = map[string]string{
				"honest": "Extend the product.", "broken": "Tidy up.",
				"dependency": "Add a dependency and use it.",
				"update":     "Update the dependencies and the versions of tools.",
			}[kind]
		}
		fmt.Fprintf(&b, "\n## Phase %d: %s\n\n- [ ] %s\n\n```sh\n%s```\n", n+1, kind, says, p.scripts[kind])
	}
	return b.String()
}

// env is the environment of a project, with an empty home directory.
func (m matrix) env(ctx context.Context, p project) []string {
	set := map[string]string{
		"HOME": filepath.Join(m.root, p.name, "home"), "XDG_CACHE_HOME": "", "VIRTUAL_ENV": "",
		"GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "User", "GIT_AUTHOR_EMAIL": "user@example.com",
		"GIT_COMMITTER_NAME": "User", "GIT_COMMITTER_EMAIL": "user@example.com",
		"npm_config_fund": "false", "npm_config_update_notifier": "false",
	}
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH", "CARGO_HOME", "RUSTUP_HOME"} {
		if place := m.toolHome(ctx, name); os.Getenv(name) == "" && place != "" {
			set[name] = place
		}
	}
	return proc.Environ(os.Environ(), set)
}

// toolHome is the directory of a compiler's caches or toolchains, by the variable that names it.
func (m matrix) toolHome(ctx context.Context, name string) string {
	if strings.HasPrefix(name, "GO") {
		out, _, err := m.runner.Output(ctx, proc.Command{
			Argv: []string{"go", "env", name}, Dir: m.root, Env: os.Environ(),
		}, 0)
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(out))
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	place := filepath.Join(home, "."+strings.ToLower(strings.TrimSuffix(name, "_HOME")))
	if _, err = os.Stat(place); err != nil {
		return ""
	}
	return place
}

// shell runs a script. The error has the end of its output.
func (m matrix) shell(ctx context.Context, dir string, env []string, script string) error {
	if script == "" {
		return nil
	}
	e, err := m.runner.Run(ctx, proc.Command{
		Argv: []string{"sh", "-ec", script}, Dir: dir, Env: env, Timeout: timeout,
	})
	if err != nil {
		return err
	}
	if !e.OK() {
		lines := strings.Split(strings.TrimSpace(e.Tail), "\n")
		return fmt.Errorf("exit code %d: %s", e.Code, strings.Join(lines[max(0, len(lines)-3):], " / "))
	}
	return nil
}

// result maps each phase to its status, or to its verdict if it is complete and not verified.
func (m matrix) result(
	ctx context.Context, p project, dir string, ran error,
) (map[string]string, error) {
	out, _, err := m.runner.Output(ctx, proc.Command{
		Argv: []string{m.autobuild, "status", "--json"}, Dir: dir, Env: m.env(ctx, p),
	}, 0) // its exit code is the run's
	var s struct {
		Phases []struct{ Name, Status, Verdict string }
	}
	if err = errors.Join(err, json.Unmarshal(out, &s)); err != nil || len(s.Phases) == 0 {
		return nil, errors.Join(errors.New("no phase ran"), ran, err)
	}
	got := map[string]string{}
	for _, phase := range s.Phases {
		got[phase.Name] = phase.Status
		if phase.Status == "complete" && phase.Verdict != "verified" {
			got[phase.Name] = phase.Verdict
		}
	}
	return got, nil
}
