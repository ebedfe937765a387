package cmd

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"autobuild/orchestrator/session/call"
)

// nightlyPlan has a phase that meets a limit in the first night and fails in the second.
const nightlyPlan = `# Three nights

## Phase 1: One

- [ ] Do it

## Phase 2: Two

**Depends on:** 1

- [ ] Do it

## Phase 3: Three

**Depends on:** 2

- [ ] Do it
`

// nightlyAgent stands in for a coding agent. It records its calls outside of the repository.
const nightlyAgent = `#!/bin/sh
cat > /dev/null
echo "$(cat %[1]s/night) $AUTOBUILD_PHASE_ID" >> %[1]s/calls
case "$(cat %[1]s/night) $AUTOBUILD_PHASE_ID" in
"1 2")
  echo '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":'$(($(date +%%s) + 7200))'}}'
  echo '{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"You have hit your limit"}'
  exit 1 ;;
esac
echo "by night $(cat %[1]s/night)" > $AUTOBUILD_PHASE_ID.txt
echo "{\"nonce\": \"$AUTOBUILD_NONCE\", \"phase_id\": \"$AUTOBUILD_PHASE_ID\", \"status\": \"complete\", \"tasks\": {\"total\": 1, \"completed\": 1}, \"commit_message\": \"feat: phase $AUTOBUILD_PHASE_ID\"}" > $AUTOBUILD_RESULT_FILE
echo '{"type":"result","subtype":"success","is_error":false,"result":"done"}'
`

// ciJob is a CI system as far as a nightly run sees it: every night a new machine with a new clone,
// and what was kept.
type ciJob struct {
	t     *testing.T
	world string            // origin, the agent and what is kept
	tool  string            // this repository
	vars  map[string]string // the variables of the night
}

func newCIJob(t *testing.T) *ciJob {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the steps are for bash")
	}
	tool, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	j := &ciJob{t: t, world: t.TempDir(), tool: tool}
	j.write("bin/claude", fmt.Sprintf(nightlyAgent, j.world), 0o755)
	j.write("seed/plan.md", nightlyPlan, 0o644)
	j.write("seed/autobuild.yaml", "gates:\n  test: test ! -f 2.txt || test -f mended.txt\n", 0o644)
	j.git("seed", "init", "-q", "-b", "main")
	j.git("seed", "add", "-A")
	j.git("seed", "commit", "-q", "-m", "plan")
	j.git(".", "clone", "-q", "--bare", "seed", "origin.git")
	return j
}

func (j *ciJob) path(name string) string { return filepath.Join(j.world, name) }

func (j *ciJob) write(name, text string, mode os.FileMode) {
	j.t.Helper()
	if err := os.MkdirAll(filepath.Dir(j.path(name)), 0o755); err != nil {
		j.t.Fatal(err)
	}
	if err := os.WriteFile(j.path(name), []byte(text), mode); err != nil {
		j.t.Fatal(err)
	}
}

func (j *ciJob) read(name string) string {
	raw, err := os.ReadFile(j.path(name))
	if err != nil {
		return ""
	}
	return string(raw)
}

func (j *ciJob) git(dir string, args ...string) string {
	j.t.Helper()
	c := exec.Command("git", args...)
	c.Dir = j.path(dir)
	c.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + j.world, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com",
	}
	out, err := c.CombinedOutput()
	if err != nil {
		j.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// machine is a new one: nothing is left of the night before but what was kept.
func (j *ciJob) machine(night string) {
	j.t.Helper()
	for _, dir := range []string{"checkout", "temp", "home"} {
		if err := os.RemoveAll(j.path(dir)); err != nil {
			j.t.Fatal(err)
		}
	}
	j.write("night", night, 0o644)
	j.write("temp/summary", "", 0o644)
	j.write("home/.keep", "", 0o644)
	j.git(".", "clone", "-q", "origin.git", "checkout")
	j.vars = map[string]string{
		"PATH": j.path("bin") + ":" + os.Getenv("PATH"), "HOME": j.path("home"), "LANG": "C.UTF-8", "AUTOBUILD_SANDBOX": "off", "CI": "true",
	}
	for _, entry := range goEnv(j.t) {
		name, value, _ := strings.Cut(entry, "=")
		j.vars[name] = value
	}
}

// goEnv is what the Go tool needs where the home directory is another one, and nothing may be
// downloaded.
func goEnv(t *testing.T) []string {
	t.Helper()
	env := []string{"GOFLAGS=-mod=mod", "GOPROXY=off"}
	for _, name := range []string{"GOCACHE", "GOMODCACHE"} {
		out, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		env = append(env, name+"="+strings.TrimSpace(string(out)))
	}
	return env
}

// shell runs a step's script with these variables and no others.
func (j *ciJob) shell(script string, more map[string]string) (out string, code int) {
	j.t.Helper()
	c := exec.Command("bash", "-e", "-o", "pipefail", "-c", script)
	c.Dir = j.path("checkout")
	for _, vars := range []map[string]string{j.vars, more} {
		for k, v := range vars {
			c.Env = append(c.Env, k+"="+v)
		}
	}
	raw, err := c.CombinedOutput()
	if err != nil && c.ProcessState == nil {
		j.t.Fatal(err)
	}
	return string(raw), c.ProcessState.ExitCode()
}

// action is what action.yml says.
type action struct {
	Inputs map[string]struct {
		Default string
	}
	Runs struct {
		Steps []struct {
			Name, ID, If, Uses, Shell, Run string
			Env, With                      map[string]string
		}
	}
}

var expression = regexp.MustCompile(`\$\{\{ *([a-z_.-]+) *\}\}`)

// github carries action.yml out as the runner would: its scripts in bash, its caches as folders.
func (j *ciJob) github(night string, inputs map[string]string) (log string, code int) {
	j.t.Helper()
	raw, err := os.ReadFile("../action.yml")
	if err != nil {
		j.t.Fatal(err)
	}
	var a action
	if err = yaml.Unmarshal(raw, &a); err != nil {
		j.t.Fatal(err)
	}
	j.machine(night)
	program, err := exec.LookPath("autobuild")
	if err != nil {
		j.t.Fatal(err)
	}
	// the action builds its own
	j.vars["PATH"] = strings.ReplaceAll(j.vars["PATH"], filepath.Dir(program)+":", "")
	j.vars["GITHUB_ACTIONS"], j.vars["GITHUB_ACTION_PATH"] = "true", j.tool
	j.vars["GITHUB_OUTPUT"], j.vars["GITHUB_STEP_SUMMARY"] = j.path("temp/output"), j.path("temp/summary")
	expand := func(s string) string {
		return expression.ReplaceAllStringFunc(s, func(e string) string {
			name := expression.FindStringSubmatch(e)[1]
			input, isInput := strings.CutPrefix(name, "inputs.")
			switch {
			case isInput && inputs[input] != "":
				return inputs[input]
			case isInput:
				return a.Inputs[input].Default
			case name == "runner.temp":
				return j.path("temp")
			case name == "github.run_id":
				return night
			case name == "github.run_attempt":
				return "1"
			}
			j.t.Fatalf("action.yml: unknown expression %s", e)
			return ""
		})
	}
	for _, s := range a.Runs.Steps {
		if code != 0 && s.If != "always()" {
			continue
		}
		switch {
		case strings.HasPrefix(s.Uses, "actions/cache/restore@"):
			j.copyDir(j.path("cache"), expand(s.With["path"]))
		case strings.HasPrefix(s.Uses, "actions/cache/save@"):
			j.copyDir(expand(s.With["path"]), j.path("cache"))
		case strings.HasPrefix(s.Uses, "actions/upload-artifact@"):
			if s.With["include-hidden-files"] != "true" {
				j.t.Error("hidden files are left out of the artifact")
			}
		case s.Run != "" && s.Shell == "bash":
			env := make(map[string]string)
			for k, v := range s.Env {
				env[k] = expand(v)
			}
			if strings.Contains(s.Run, "${{") {
				j.t.Errorf("step %s puts an expression into its script", s.Name)
			}
			out, ended := j.shell(s.Run, env)
			log += "== " + s.Name + "\n" + out
			code = max(code, ended)
		default:
			j.t.Fatalf("action.yml: a step that is not understood: %+v", s)
		}
	}
	return log, code
}

func (j *ciJob) copyDir(from, to string) {
	j.t.Helper()
	if _, err := os.Stat(from); err != nil {
		return
	}
	if err := os.RemoveAll(to); err != nil {
		j.t.Fatal(err)
	}
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		j.t.Fatal(err)
	}
}

// Three nights on three machines: stopped by a limit, halted by a failure, repaired and complete.
// Nothing is done twice.
func TestNightlyAction(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds the program")
	}
	j := newCIJob(t)
	inputs := map[string]string{"plan": "plan.md", "args": "--agent=claude --on-limit=stop --max-wall=5m"}
	log, code := j.github("1", inputs)
	j.ended("the night of the limit", log, code, call.ExitStopped, "the next night goes on")
	j.pushed("feat: phase 1")

	log, code = j.github("2", inputs)
	j.ended("the night of the failure", log, code, call.ExitHalted, "halted by a failure")
	if summary := j.read("temp/summary"); !strings.Contains(summary, "Phase 2") || !strings.Contains(log, "::error ") {
		t.Errorf("neither the job's page nor a mark names the phase that failed:\n%s\n%s", summary, log)
	}
	j.git(".", "clone", "-q", "-b", "autobuild-nightly", "origin.git", "desk")
	j.write("desk/mended.txt", "by a person\n", 0o644)
	j.git("desk", "add", "-A")
	j.git("desk", "commit", "-q", "-m", "mend what the gate found")
	j.git("desk", "push", "-q")

	log, code = j.github("3", inputs)
	j.ended("the night after the mend", log, code, call.ExitOK, "complete")
	j.pushed("feat: phase 1", "mend what the gate found", "feat: phase 2", "feat: phase 3")
	for _, name := range []string{"temp/autobuild-out/events.jsonl", "temp/autobuild-out/result.json", "temp/autobuild-out/junit.xml", "temp/autobuild-out/report.html"} {
		if j.read(name) == "" {
			t.Errorf("%s is not there", name)
		}
	}
	if calls := strings.Fields(strings.ReplaceAll(j.read("calls"), " ", ":")); strings.Join(calls[:2], " ") != "1:1 1:2" || strings.Count(j.read("calls"), " 1\n") != 1 {
		t.Errorf("the agent was called for %v", calls)
	}
	if config := j.read("cache/state.tar"); strings.Contains(config, "[remote \"origin\"]") {
		t.Error("git's own configuration is kept, which may hold a token")
	}
}

func (j *ciJob) ended(night, log string, code, want int, says string) {
	j.t.Helper()
	if code != want || !strings.Contains(log, says) {
		j.t.Fatalf("%s: exit code %d, want %d and %q\n%s", night, code, want, says, log)
	}
}

// pushed wants these commits on the remote's branch, in this order, each of them once.
func (j *ciJob) pushed(subjects ...string) {
	j.t.Helper()
	log := j.git("origin.git", "log", "--reverse", "--no-merges", "--format=%s", "autobuild-nightly")
	if want := "plan\n" + strings.Join(subjects, "\n") + "\n"; log != want {
		j.t.Errorf("the branch has\n%swant\n%s", log, want)
	}
}

// The same on GitLab: the scripts of the example job, in their order, over two nights.
func TestNightlyGitLab(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds the program")
	}
	raw, err := os.ReadFile("../integrations/ci/gitlab-ci.yml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Autobuild struct {
			Variables    map[string]string
			BeforeScript []string `yaml:"before_script"`
			Script       []string
			AfterScript  []string `yaml:"after_script"`
			Cache        struct{ Paths []string }
		}
	}
	if err = yaml.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	job := file.Autobuild
	j := newCIJob(t)
	for _, night := range []struct {
		name   string
		want   int
		says   string
		pushed []string
	}{
		{"1", call.ExitStopped, "the next night goes on", []string{"feat: phase 1"}},
		{"2", call.ExitHalted, "halted by a failure", []string{"feat: phase 1"}},
	} {
		j.machine(night.name)
		j.vars["GITLAB_CI"], j.vars["CI_PROJECT_DIR"] = "true", j.path("checkout")
		for k, v := range job.Variables {
			j.vars[k] = strings.ReplaceAll(v, "$CI_PROJECT_DIR", j.path("checkout"))
		}
		j.vars["NIGHTLY_ARGS"] += " --agent=claude --on-limit=stop"
		if err := os.Symlink(j.tool, j.vars["NIGHTLY_TOOL"]); err != nil { // in place of the clone
			t.Fatal(err)
		}
		j.copyDir(j.path("cache"), j.path("checkout/"+job.Cache.Paths[0]))
		log, code := j.shell(strings.Join(append(job.BeforeScript[1:], job.Script...), "\n"), nil)
		after, saved := j.shell(strings.Join(job.AfterScript, "\n"), nil)
		j.copyDir(j.path("checkout/"+job.Cache.Paths[0]), j.path("cache"))
		j.ended("night "+night.name, log+after, code, night.want, night.says)
		if saved != 0 {
			t.Errorf("saving ended with %d\n%s", saved, after)
		}
		j.pushed(night.pushed...)
	}
}
