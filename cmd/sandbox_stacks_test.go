package cmd

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"autobuild/internal/sandbox"
)

const (
	stacksPage   = "../docs/security.md"
	stacksBegins = "<!-- stacks: go test ./cmd -run TestStacksTable -update -->\n"
	stacksEnds   = "<!-- end of stacks -->"
)

// stack is a project, and the gate that judges it within the sandbox.
type stack struct {
	name   string   // with the version that was tried
	needs  []string // programs on PATH, or files
	files  map[string]string
	before string // a shell command outside the sandbox, in the repository
	gate   string
	what   string // the gate in words
	denied string // what the sandbox denies, below the home directory; empty: the gate passes
	env    []string
}

const (
	javaClass = "public class One { public static int one() { return 1; } }\n"
	headless  = "chromium --headless --no-sandbox --disable-gpu --dump-dom "
	database  = `set -e
bin=$(pg_config --bindir 2>/dev/null || ls -d /usr/lib/postgresql/*/bin | tail -1)
as=; if [ "$(id -u)" = 0 ]; then chmod 711 "$TMPDIR"; as='setpriv --reuid=postgres --regid=postgres --clear-groups'; fi
mkdir "$TMPDIR/db"; if [ -n "$as" ]; then chown postgres "$TMPDIR/db"; fi
cd "$TMPDIR/db"; export PGHOST=$TMPDIR/db PGUSER=postgres
$as "$bin/initdb" -D data -U postgres -A trust > initdb.log
$as "$bin/pg_ctl" -D data -w -l server.log -o "-k $PGHOST -c listen_addresses=" start > pg_ctl.log
$as "$bin/psql" -c 'create table t (n int)' -c 'insert into t values (1)' -c 'select n from t'
$as "$bin/pg_ctl" -D data -w -m fast stop
`
)

func stacks() []stack {
	python := map[string]string{
		"one.py":      "def one():\n    return 1\n",
		"test_one.py": "import one, tempfile\n\ndef test_one(tmp_path):\n    (tmp_path / 'a').write_text('a')\n    tempfile.mkdtemp()\n    assert one.one() == 1\n",
	}
	rust := map[string]string{
		"Cargo.toml": "[package]\nname = \"one\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
		"src/lib.rs": "pub fn one() -> i32 { 1 }\n#[test]\nfn is_one() { assert_eq!(one(), 1) }\n",
		"Cargo.lock": "version = 3\n\n[[package]]\nname = \"one\"\nversion = \"0.1.0\"\n", ".gitignore": "/target\n",
	}
	golang := map[string]string{
		"go.mod": "module example.com/one\n\ngo 1.24\n", "one.go": "package one\n\nfunc One() int { return 1 }\n",
		"one_test.go": "package one\n\nimport (\"os\"; \"testing\")\n\nfunc TestOne(t *testing.T) {\n\tif err := os.WriteFile(t.TempDir()+\"/a\", nil, 0o600); One() != 1 || err != nil {\n\t\tt.Fatal(err)\n\t}\n}\n",
	}
	node := map[string]string{
		"package.json":     `{"name":"one","version":"1.0.0","dependencies":{"dep":"file:./dep"},"scripts":{"test":"node --test"}}` + "\n",
		"dep/package.json": `{"name":"dep","version":"1.0.0"}` + "\n", "dep/index.js": "module.exports = 1\n",
		"one.test.js": "require('node:test')('one', () => require('node:assert').equal(require('dep'), 1))\n",
		".gitignore":  "node_modules/\n",
	}
	java := map[string]string{
		"src/main/java/One.java": javaClass, "build.gradle": "apply plugin: 'java'\n", ".gitignore": "/build\n/.gradle\n/target\n",
		"pom.xml": "<project><modelVersion>4.0.0</modelVersion><groupId>a</groupId><artifactId>a</artifactId><version>1</version>" +
			"<properties><maven.compiler.source>17</maven.compiler.source><maven.compiler.target>17</maven.compiler.target></properties></project>\n",
	}
	text := map[string]string{"note.md": "# A note\n"}
	const compiler = "/usr/share/maven-repo/org/apache/maven/plugins/maven-compiler-plugin/3.10.1"
	return []stack{
		{name: "Go 1.26", needs: []string{"go"}, files: golang, gate: "go test ./... && go vet ./...", what: "`go test`, `go vet`", env: []string{"GOCACHE=" + homed("GOCACHE", ".cache/go-build")}},
		{name: "Cargo 1.95", needs: []string{"cargo"}, files: rust, gate: "cargo test --offline -q", what: "`cargo test`", env: []string{"RUSTUP_HOME=" + homed("RUSTUP_HOME", ".rustup")}},
		{name: "pytest 7.2", needs: []string{"python3", "pytest"}, files: python, gate: "pytest -q", what: "`pytest`, its cache, `tmp_path`"},
		{name: "npm 10, Node 20", needs: []string{"npm", "node"}, files: node, gate: "npm install --offline --no-audit --no-fund && npm test", what: "`npm install`, `npm test`"},
		{name: "npm 10, Node 20", needs: []string{"npm", "node"}, files: node, gate: "npm_config_prefix=$HOME/.global npm install --offline -g ./dep", what: "`npm install -g`", denied: ".global"},
		{name: "pnpm 9", needs: []string{"pnpm", "node"}, files: node, gate: "pnpm install --offline && pnpm test", what: "`pnpm install`, `pnpm test`"},
		{
			name: "Maven 3.8", needs: []string{"mvn", compiler}, files: java, before: "mkdir -p $HOME/.m2 && cp -rL /usr/share/maven-repo $HOME/.m2/repository",
			gate: "mvn -o -B -q org.apache.maven.plugins:maven-compiler-plugin:3.10.1:compile", what: "a plugin of the local repository compiles",
			env: []string{"MAVEN_OPTS=-Duser.home=HOME"},
		},
		{name: "Gradle 4.4", needs: []string{"gradle", "java"}, files: java, gate: "gradle --offline --no-daemon -q build", what: "`gradle build`", env: []string{"GRADLE_USER_HOME=HOME/.gradle"}},
		{name: "Chromium 156", needs: []string{"chromium"}, files: text, gate: headless + `--user-data-dir="$TMPDIR/profile" about:blank`, what: "`--headless --no-sandbox`, a profile in `$TMPDIR`"},
		{name: "PostgreSQL 15", needs: []string{"/usr/lib/postgresql", "setpriv"}, files: text, gate: database, what: "`initdb`, a server and its socket in `$TMPDIR`, `psql`"},
		{name: "Docker's client 28", needs: []string{"docker"}, files: text, gate: "docker --version && docker context ls", what: "`docker context ls`"},
	}
}

// homed is a directory that a variable names, else one below the home directory.
func homed(variable, below string) string {
	if dir := os.Getenv(variable); dir != "" {
		return dir
	}
	home, _ := os.UserHomeDir()
	return filepath.Join(home, below)
}

// TestSandboxStacks lets the gates of real projects run in the sandbox, without a network: each of
// them ends as the table in the documentation says. Where its tools are not there it is skipped.
func TestSandboxStacks(t *testing.T) {
	if testing.Short() {
		t.Skip("builds projects")
	}
	if err := sandbox.Possible(nil)[0].Err; err != nil {
		t.Skipf("this kernel confines no program: %v", err)
	}
	for _, s := range stacks() {
		t.Run(strings.Fields(s.name)[0], func(t *testing.T) {
			t.Parallel()
			for _, name := range s.needs {
				_, err := exec.LookPath(name)
				if filepath.IsAbs(name) {
					_, err = os.Stat(name)
				}
				if err != nil {
					t.Skipf("%s is not there: %v", name, err)
				}
			}
			s.check(t)
		})
	}
}

func (s stack) check(t *testing.T) {
	t.Helper()
	dir, err := os.MkdirTemp("", "st") //nolint:usetesting // short: the path of a socket has a limit
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	c := &client{home: filepath.Join(dir, "home"), repo: filepath.Join(dir, "repo")}
	c.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + c.home, "TMPDIR=" + dir, "LANG=C.UTF-8", "TERM=dumb", "GIT_CONFIG_NOSYSTEM=1",
		"GOPROXY=off", "GOTOOLCHAIN=local", "npm_config_update_notifier=false",
	}
	for _, variable := range s.env {
		c.env = append(c.env, strings.ReplaceAll(variable, "HOME/", c.home+"/"))
		c.env[len(c.env)-1] = strings.ReplaceAll(c.env[len(c.env)-1], "=-Duser.home=HOME", "=-Duser.home="+c.home)
	}
	c.write(t, filepath.Join(c.home, ".gitconfig"), "[user]\n\tname = Test\n\temail = test@example.com\n")
	for name, content := range s.files {
		c.write(t, filepath.Join(c.repo, name), content)
	}
	c.write(t, filepath.Join(c.repo, "plan.md"), "# A note\n\n## Phase 1: Note\n\n- [ ] Write it\n\n```sh\necho note > note.txt\n```\n")
	c.writeJSON(t, filepath.Join(c.repo, "autobuild.yaml"), object{
		"gates": object{"test": s.gate, "lint": false, "format": false, "typecheck": false},
	})
	prepare := "git init -q -b main && git add -A && git commit -q -m start"
	if s.before != "" {
		prepare += " && " + s.before
	}
	do := func(name string, args ...string) (string, int) {
		t.Helper()
		run := exec.CommandContext(t.Context(), name, args...)
		run.Dir, run.Env = c.repo, c.env
		out, err := run.CombinedOutput()
		if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended {
			t.Fatal(err)
		}
		return string(out), run.ProcessState.ExitCode()
	}
	if out, code := do("sh", "-c", prepare); code != 0 {
		t.Fatal(out)
	}
	out, code := do("autobuild", "plan.md", "--agent", "script", "--sandbox", string(sandbox.Landlock), "--commit", "auto", "--progress", "plain")
	logs, _ := filepath.Glob(filepath.Join(c.repo, ".autobuild", "logs", "*"))
	switch {
	case s.denied != "":
		if want := "the sandbox denies writing " + filepath.Join(c.home, s.denied); code == 0 || !strings.Contains(out, want) {
			t.Errorf("exit code %d; it lacks %q:\n%s", code, want, out)
		}
	case code != 0:
		for _, log := range logs {
			raw, _ := os.ReadFile(log)
			out += "\n" + log + ":\n" + string(raw)
		}
		t.Errorf("exit code %d\n%s", code, out)
	}
}

// TestStacksTable holds the documentation to what TestSandboxStacks checks.
func TestStacksTable(t *testing.T) {
	raw, err := os.ReadFile(stacksPage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(raw), stacksBegins)
	shown, after, closed := strings.Cut(rest, stacksEnds)
	if !ok || !closed {
		t.Fatalf("%s has no table of stacks between its markers", stacksPage)
	}
	var b strings.Builder
	b.WriteString("\n| | gate | in the sandbox |\n|---|---|---|\n")
	for _, s := range stacks() {
		result := "works"
		if s.denied != "" {
			result = "is denied: `~/" + s.denied + "`"
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", s.name, s.what, result)
	}
	want := b.String() + "\n"
	if shown == want {
		return
	}
	if !*update {
		t.Fatalf("%s shows another table; -update rewrites it:\n%s", stacksPage, want)
	}
	if err := os.WriteFile(stacksPage, []byte(before+stacksBegins+want+stacksEnds+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
