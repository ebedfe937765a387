package cmd

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"autobuild/internal/text"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/config"
	"autobuild/plan/markdown"
)

var update = flag.Bool("update", false, "rewrite what the documentation shows from real runs")

// volatile is what differs between two runs of the same plan.
var volatile = []struct {
	pattern *regexp.Regexp
	name    string
}{
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+Z`), "TIME"},
	{regexp.MustCompile(`\b\d{8}-\d{6}-[0-9a-f]{4}\b`), "RUN"},
	{regexp.MustCompile(`\b[0-9a-f]{40}\b`), "COMMIT"},
	{regexp.MustCompile(`\b[0-9a-f]{64}\b`), "DIGEST"},
	{regexp.MustCompile(`\b[0-9a-f]{16}\b`), "KEY"},
	{regexp.MustCompile(`\b\d\d:\d\d:\d\d\b`), "CLOCK"},
	{regexp.MustCompile(`"(duration|elapsed|duration_seconds)": ?[0-9.e+-]+`), `"$1": DURATION`},
	{regexp.MustCompile(`\b[0-9.]+s\b`), "SECONDS"},
	{regexp.MustCompile(`  +[0-9a-f]{7}\b`), "  SHORT"},
	{regexp.MustCompile(`,\s*"memory_kills": ?\{[^}]*\}`), ""}, // of the machine, and absent on some systems
	{regexp.MustCompile(`"autobuild": ?"[^"]*"`), `"autobuild": VERSION`},
	{regexp.MustCompile(`autobuild \d+\.\d+\.\d+[^, ]*`), "autobuild VERSION"},
}

func steady(s string) string {
	for _, v := range volatile {
		s = v.pattern.ReplaceAllString(s, v.name)
	}
	return s
}

// fenceAfter is the content of the first fence behind a marker, with its place in the text.
func fenceAfter(t *testing.T, text, marker string) (content string, from, to int) {
	t.Helper()
	at := strings.Index(text, "<!-- "+marker+" -->")
	if at < 0 {
		t.Fatalf("there is no marker %q", marker)
	}
	open := at + strings.Index(text[at:], "```")
	from = open + strings.IndexByte(text[open:], '\n') + 1
	to = from + strings.Index(text[from-1:], "\n```") // where the closing fence begins
	return text[from:to], from, to
}

// shell runs a command as a reader of the README would, in the root of the repository.
func shell(t *testing.T, command string) (stdout string, code int) {
	t.Helper()
	c := exec.Command("sh", "-c", command)
	c.Dir = ".."
	c.Env = append(c.Environ(), "NO_COLOR=1", "COLUMNS=80", "LC_ALL=C.UTF-8")
	// a hook may run this
	c.Env = slices.DeleteFunc(c.Env, func(e string) bool { return strings.HasPrefix(e, "GIT_") })
	var out, stderr bytes.Buffer
	c.Stdout, c.Stderr = &out, &stderr
	err := c.Run()
	if err != nil && c.ProcessState == nil {
		t.Fatal(err)
	}
	if c.ProcessState.ExitCode() != 0 {
		t.Logf("stderr of %s:\n%s", command, stderr.String())
	}
	return out.String(), c.ProcessState.ExitCode()
}

// The README's first command works, and the screen that it shows is the one that comes.
func TestReadme(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds and runs the demos")
	}
	raw, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	readme := string(raw)
	command, _, _ := fenceAfter(t, readme, "run-command")
	out, code := shell(t, command)
	if code != 0 || !strings.Contains(out, "AUTOBUILD COMPLETE") || !strings.Contains(out, "complete on retry") {
		t.Errorf("%s: exit code %d, and prints\n%s", command, code, out)
	}
	if tests, _, _ := fenceAfter(t, readme, "test-command"); strings.TrimSpace(tests) != "go test -timeout 40m ./..." {
		t.Errorf("the test command is %q", tests)
	}

	out, code = shell(t, "unset NO_COLOR; TMPDIR=/tmp FORCE_COLOR=1 sh testdata/demo/run.sh halt")
	begin, end := strings.Index(out, "╔"), strings.Index(out, "(exit code 1)")
	if code != 0 || begin < 0 || end < 0 {
		t.Fatalf("the halt demo: exit code %d, and prints\n%s", code, out)
	}
	begin = strings.LastIndexByte(out[:begin], '\n') + 1 // the box's colour
	out = demoHome.ReplaceAllString(clonesOf.ReplaceAllString(out, clonesShown), "/home/you/projects/.cache/")
	holdPicture(t, "halt", picture(t, "autobuild plan.md --agent script --commit=auto", out[begin:end]))
	for _, m := range regexp.MustCompile(`\((docs/[^)#]+|integrations/[^)#]+|\.autobuild\.example)(#[^)]*)?\)`).FindAllStringSubmatch(readme, -1) {
		if _, err := os.Stat(filepath.Join("..", filepath.FromSlash(m[1]))); err != nil {
			t.Errorf("the README leads to %s: %v", m[1], err)
		}
	}
}

// The folder of a project's clones has a name of its own on every machine; the pages show one.
var clonesOf = regexp.MustCompile(`build-[0-9a-f]{12}`)

// demoHome is as long as what is shown in its place.
var demoHome = regexp.MustCompile(`/tmp/tmp\.\w{10}/cache/`)

const clonesShown = "build-5d3f1c2a9b7e"

// standIns maps headings of the tutorial to the commands that run in place of its agent.
var standIns = map[string]string{
	"## Phase 1: Program": "echo 'echo \"Hello, $1\"' > greet.sh",
	// nothing at first, as in the page
	"## Phase 2A: Usage":  `test "$AUTOBUILD_ATTEMPT" = 1 || echo 'usage: greet NAME' > USAGE.md`,
	"## Phase 2B: Page":   "{ echo '# greet.sh'; cat AUTHORS 2>/dev/null || true; } > README.md",
	"## Phase 3: Changes": "echo '- greet.sh' > CHANGES.md",
}

// The tutorial's plan can be read without a warning. Its commands, in order and with the script
// agent, end with the exit codes that the page states, and print the phases, the steps and the
// last line of the boxes that it shows.
func TestTutorial(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs a plan twice")
	}
	raw, err := os.ReadFile("../docs/tutorial.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(raw)
	text, at, _ := fenceAfter(t, page, "tutorial-plan")
	p, err := markdown.Parse("plan.md", []byte(text), markdown.Options{})
	if err != nil || len(p.Notes.Warnings()) > 0 {
		t.Fatalf("the plan: %v, %v", err, p)
	}
	for heading, commands := range standIns {
		with := strings.Replace(text, heading+"\n", heading+"\n\n```sh\n"+commands+"\n```\n", 1)
		if with == text {
			t.Errorf("the plan has no %q", heading)
		}
		text = with
	}
	dir := t.TempDir()
	if err = os.WriteFile(filepath.Join(dir, "plan.md"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err = os.WriteFile(filepath.Join(dir, ".gitconfig"), []byte("[user]\n\tname = Demo\n\temail = demo@example.com\n"), 0o600); err != nil {
		t.Fatal(err)
	}

	// one shell, since a reader has one
	var script, want strings.Builder
	steps, saved := regexp.MustCompile(`<!-- tutorial-command: (\d+) -->\n`+"```sh\\n((?s:.*?))```\\n").FindAllStringSubmatchIndex(page, -1), false
	for _, m := range steps {
		if !saved && m[0] > at {
			script.WriteString("cp \"$HOME/plan.md\" .\n")
			saved = true
		}
		script.WriteString(strings.ReplaceAll(page[m[4]:m[5]], "--agent claude", "--agent script") + "echo $? >> \"$HOME/codes\"\n")
		want.WriteString(page[m[2]:m[3]] + "\n")
	}
	if len(steps) < 8 || !saved {
		t.Fatalf("%d commands found", len(steps))
	}
	c := exec.Command("sh", "-c", script.String())
	c.Dir = dir
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir, "GIT_CONFIG_NOSYSTEM=1", "NO_COLOR=1", "COLUMNS=80", "LC_ALL=C.UTF-8", "TERM=xterm"}
	out, err := c.CombinedOutput()
	if err != nil {
		t.Errorf("the commands end with %v", err)
	}
	codes, err := os.ReadFile(filepath.Join(dir, "codes"))
	if diff := cmp.Diff(want.String(), string(codes)); err != nil || diff != "" {
		t.Errorf("exit codes: %v (-page +real):\n%s", err, diff)
	}
	out = clonesOf.ReplaceAll(out, []byte(clonesShown))
	shown := regexp.MustCompile(`(?m)^(║  (Phase |\d\. ).*|  autobuild plan\.md --commit=auto --resume)$`).FindAllString(page, -1)
	for _, line := range shown {
		if !bytes.Contains(out, []byte(line+"\n")) {
			t.Errorf("the program does not print %q", line)
		}
	}
	if len(shown) < 12 {
		t.Errorf("only %d lines of screens found", len(shown))
	}
	if t.Failed() {
		t.Logf("%s", out)
	}
}

// exampleFiles reads a state directory, worktrees and what git must not see left out.
func exampleFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, path)
		switch {
		case err != nil:
			return err
		case rel == "worktrees" || rel == "history":
			return filepath.SkipDir
		case d.IsDir() || rel == ".gitignore" || rel == "autobuild.yaml" || rel == "README.md":
			return nil
		}
		data, err := os.ReadFile(path)
		files[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestExampleDirectory: .autobuild.example holds the files that a real run leaves: the halting
// demo, before its repair.
func TestExampleDirectory(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a demo")
	}
	dir := t.TempDir()
	plan, err := os.ReadFile("../testdata/demo/halt.md")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "plan.md"), plan, 0o644); err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte("[user]\n\tname = Demo\n\temail = demo@example.com\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	// nothing of the environment of these tests
	environ := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1", "COLUMNS=80"}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"-c", "user.name=Demo", "-c", "user.email=demo@example.com", "commit", "-q", "-m", "plan"}} {
		c := exec.Command("git", args...)
		c.Dir, c.Env = dir, environ
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
	var stdout, stderr bytes.Buffer
	a := newApp(&call.Call{Stdout: &stdout, Stderr: &stderr, Environ: environ, Dir: dir})
	if code := a.run([]string{"plan.md", "--agent", "script", "-j", "1"}); code != call.ExitHalted {
		t.Fatalf("exit code %d\n%s%s", code, stdout.String(), stderr.String())
	}
	left := exampleFiles(t, filepath.Join(dir, ".autobuild"))
	maps.DeleteFunc(left, func(name, _ string) bool { return strings.HasPrefix(name, "git/") }) // git describes it
	for name, text := range left {
		left[name] = clonesOf.ReplaceAllString(strings.ReplaceAll(text, home, "/home/you"), clonesShown)
	}
	const example = "../.autobuild.example"
	if *update {
		for name := range exampleFiles(t, example) {
			if err := os.Remove(filepath.Join(example, filepath.FromSlash(name))); err != nil {
				t.Fatal(err)
			}
		}
		for name, text := range left {
			path := filepath.Join(example, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	shown := exampleFiles(t, example)
	for name := range left {
		left[name] = steady(left[name])
	}
	for name := range shown {
		shown[name] = steady(shown[name])
	}
	if diff := cmp.Diff(shown, left); diff != "" {
		t.Errorf("the example is not what a run leaves behind (-shown +real; -update rewrites it):\n%s", diff)
	}
}

// exampleConfig is the annotated configuration that the table of settings makes: settings with
// their defaults, and samples as comments.
func exampleConfig() (example, samples string) {
	var b, sampled strings.Builder
	b.WriteString("# autobuild.yaml is in the root of the repository. Every key is optional. A flag of the same name, and then a\n" +
		"# variable such as AUTOBUILD_MAX_WALL, come before it; ~/.config/autobuild/autobuild.yaml comes after.\n" +
		"# What has no default is shown with a sample, as a comment.\n")
	flags := settingsFlags()
	topic := ""
	for _, s := range config.Table() {
		if s.Where == config.InFlags {
			continue
		}
		if s.Topic != topic {
			topic = s.Topic
			fmt.Fprintf(&b, "\n# -- %s\n", topic)
		}
		b.WriteByte('\n')
		for _, line := range wordwrap(strings.ReplaceAll(s.Help, "`", ""), 98) {
			b.WriteString("# " + line + "\n")
		}
		if s.Sample == "" {
			f := flags.Lookup(s.Name)
			if words, ok := f.Value.(*config.Choice); ok {
				b.WriteString("# One of " + strings.Join(words.Words, ", ") + ".\n")
			}
			fmt.Fprintf(&b, "%s: %s\n", s.Name, defaultOf(f))
			continue
		}
		sampled.WriteString(s.Sample + "\n")
		for line := range strings.SplitSeq(s.Sample, "\n") {
			b.WriteString("# " + line + "\n")
		}
	}
	return b.String(), sampled.String()
}

// defaultOf is the default of a flag, durations without zero parts.
func defaultOf(f *pflag.Flag) string {
	if d, err := time.ParseDuration(f.DefValue); err == nil && f.Value.Type() == "duration" {
		return text.Duration(d)
	}
	return f.DefValue
}

func settingsFlags() *pflag.FlagSet {
	var o config.Options
	o.Bind(pflag.NewFlagSet("run", pflag.ContinueOnError))
	return o.Settings()
}

// wordwrap cuts a text into lines of at most width bytes.
func wordwrap(s string, width int) []string {
	lines := []string{""}
	for _, word := range strings.Fields(s) {
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = word
		case len(*last)+1+len(word) > width:
			lines = append(lines, word)
		default:
			*last += " " + word
		}
	}
	return lines
}

// The annotated configuration and the list of settings come from the table, and can be read.
func TestSettingsPages(t *testing.T) {
	example, samples := exampleConfig()
	for _, content := range []string{example, samples} {
		path := filepath.Join(t.TempDir(), config.Name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := config.Load(path, config.Name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = config.Settle(settingsFlags(), nil, c); err != nil {
			t.Fatal(err)
		}
	}
	checkPage(t, "../.autobuild.example/autobuild.yaml", example)

	const path, from, to = "../docs/configuration.md", "<!-- made from the table of settings -->\n", "<!-- end -->\n"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(page), from)
	_, tail, closed := strings.Cut(rest, to)
	if !found || !closed {
		t.Fatalf("%s has no place for the table of settings", path)
	}
	checkPage(t, path, head+from+settingsTable()+to+tail)
}

// settingsTable lists where each setting may stand.
func settingsTable() string {
	flags := settingsFlags()
	var b strings.Builder
	b.WriteString("\n| setting | default | place | after a resume |\n|---|---|---|---|\n")
	places := map[config.Place]string{
		config.InFlags: "flag", config.InFlags | config.InValues: "flag, variable, key",
		config.InValues: "variable, key", config.InSections: "key",
	}
	for _, s := range config.Table() {
		if s.Topic == "" {
			continue
		}
		plain := ""
		if f := flags.Lookup(s.Name); f != nil {
			plain = strings.Trim(defaultOf(f), "[]")
			if plain == "false" || strings.Trim(plain, "0s") == "" {
				plain = ""
			}
		}
		life := map[config.Life]string{config.Stored: "stored", config.Repeated: "repeated"}[s.Life]
		if s.Where&config.InFlags == 0 && s.Life != config.Stored {
			life = "read again"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", s.Name, plain, places[s.Where], life)
	}
	return b.String() + "\n"
}

// The generated page lists every flag of a run, with what it does. A mention in a sentence or an
// example does not count.
func TestFlagsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	_, run, _ := strings.Cut(string(page), "\n## autobuild\n")
	run, _, _ = strings.Cut(run, "\n## ")
	n := 0
	var o config.Options
	flags := pflag.NewFlagSet("run", pflag.ContinueOnError)
	o.Bind(flags)
	flags.VisitAll(func(f *pflag.Flag) {
		row := regexp.MustCompile(`(?m)^  (?:-\w, )?--` + regexp.QuoteMeta(f.Name) + `(?: \S+)*?\s{2,}[^-\s]`)
		if n++; !f.Hidden && !row.MatchString(run) {
			t.Errorf("docs/cli.md does not list --%s", f.Name)
		}
	})
	if n < 30 {
		t.Errorf("a run has only %d flags", n)
	}
}
