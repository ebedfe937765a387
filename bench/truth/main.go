// Command truth is the contest of autobuild with its neighbours: agents that cheat, break in the
// open or work honestly, each in a repository of its own, and an oracle outside that repository
// which says whether the landed work is right. The result of a column is compared with that of its
// oracle, so that a false "done" has a number. The command has no notion of how a column reaches
// its verdict.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"autobuild/internal/proc"
)

// options are the flags of a call.
type options struct {
	dir      string
	program  string
	name     string
	kind     string
	columns  string
	jobs     int
	deadline time.Duration
	keep     bool
	verbose  bool
	write    bool
	check    bool
	each     int
	review   bool
}

func main() {
	proc.Supervise()
	os.Exit(status(os.Args[1:], os.Stdout, os.Environ()))
}

// status carries out one call and returns its exit code.
func status(args []string, out io.Writer, environ []string) int {
	err := run(args, out, environ)
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return 0
	}
	_, _ = fmt.Fprintln(out, "truth:", err)
	return 1
}

func parseFlags(args []string, out io.Writer) (options, error) {
	var o options
	set := flag.NewFlagSet("truth", flag.ContinueOnError)
	set.SetOutput(out)
	set.StringVar(&o.dir, "dir", "bench/truth", "folder with bases/ and scenarios/")
	set.StringVar(&o.program, "autobuild", "", "program to judge (default: built from this module)")
	set.StringVar(&o.name, "run", "", "only scenarios whose name matches this regular expression")
	set.StringVar(&o.kind, "kind", "", "only scenarios of this kind: cheat, loud or honest")
	set.StringVar(&o.columns, "columns", "", "only these columns, comma-separated")
	set.IntVar(&o.jobs, "jobs", runtime.NumCPU(), "scenarios at once")
	set.DurationVar(&o.deadline, "deadline", 3*time.Minute, "limit of one scenario in one column")
	set.BoolVar(&o.keep, "keep", false, "keep the folders of all scenarios")
	set.BoolVar(&o.verbose, "v", false, "print every scenario with its details as it ends")
	set.BoolVar(&o.write, "write", false, "write the tables into bench/truth/README.md and README.md")
	set.BoolVar(&o.check, "check", false, "fail for a wrong verdict that missed.txt does not list")
	set.IntVar(&o.each, "each", 1, "only each `n`th scenario of those that match")
	set.BoolVar(&o.review, "reviews", false, "play works with defects and stand-ins for reviewers instead")
	if err := set.Parse(args); err != nil || o.each > 0 {
		return o, err
	}
	return o, errors.New("-each needs a number above zero")
}

func run(args []string, out io.Writer, environ []string) error {
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(out, format, args...) }
	o, err := parseFlags(args, out)
	if err != nil {
		return err
	}
	if o.review {
		return o.runReviews(environ, say)
	}
	all, err := LoadScenarios(os.DirFS(o.dir))
	if err != nil {
		return err
	}
	chosen, err := choose(all, o)
	if err != nil {
		return err
	}
	if o.write && len(chosen) < len(all) {
		return errors.New("-write needs every scenario; leave out -run, -kind and -each")
	}
	c, err := newContest(environ)
	if err != nil {
		return err
	}
	defer c.runner.Close()
	c.deadline, c.keep = o.deadline, o.keep
	columns, absent, err := c.choose(o.columns)
	if err != nil {
		return err
	}
	for _, line := range absent {
		say("%s\n", line)
	}
	ctx := context.Background()
	if slices.ContainsFunc(columns, func(col column) bool { return col.name == "autobuild" }) {
		if c.program, err = c.build(ctx, o.program); err != nil {
			return err
		}
	}
	begun := c.now()
	result := newTable(chosen, columns)
	err = c.play(ctx, chosen, columns, o.jobs, func(done cell) {
		result.add(done)
		word, good := done.outcome.verdict(done.scenario)
		if o.verbose || !good && done.column == "autobuild" {
			say("%-10s %-10s %-38s %5.1fs %s\n", done.column, word, done.scenario.Name,
				done.outcome.took.Seconds(), done.outcome.detail+done.outcome.skipped)
		}
	})
	if err != nil {
		return err
	}
	say("\n%s\n%s%.0f s\n", result.markdown(), result.summary(), c.now().Sub(begun).Seconds())
	if o.keep {
		say("kept: %s\n", c.root)
	} else if err := os.RemoveAll(c.root); err != nil {
		return err
	}
	return o.finish(result)
}

// runReviews plays works before stand-ins for reviewers.
func (o options) runReviews(environ []string, say func(string, ...any)) error {
	c, err := newContest(environ)
	if err != nil {
		return err
	}
	defer c.runner.Close()
	return errors.Join(o.reviews(context.Background(), c, say), c.clear(o.keep))
}

// clear removes the folder of all places, unless it is kept.
func (c *contest) clear(keep bool) error {
	if keep {
		return nil
	}
	return os.RemoveAll(c.root)
}

// finish writes the pages and compares with the list of what is known to be missed.
func (o options) finish(result *table) error {
	if o.write {
		if err := result.write(filepath.Join(o.dir, "..", "..")); err != nil {
			return err
		}
	}
	if o.check {
		return result.check(filepath.Join(o.dir, "missed.txt"))
	}
	return nil
}

// choose picks scenarios by name and kind.
func choose(all []Scenario, o options) ([]Scenario, error) {
	pattern, err := regexp.Compile(o.name)
	if err != nil {
		return nil, err
	}
	var chosen []Scenario
	for _, s := range all {
		if pattern.MatchString(s.Name) && (o.kind == "" || o.kind == string(s.Kind)) {
			chosen = append(chosen, s)
		}
	}
	if len(chosen) == 0 {
		return nil, errors.New("no scenario matches -run and -kind")
	}
	some := make([]Scenario, 0, len(chosen))
	for i := 0; i < len(chosen); i += o.each {
		some = append(some, chosen[i])
	}
	return some, nil
}

// newContest makes the folder in which all places are.
func newContest(environ []string) (*contest, error) {
	vars := make(map[string]string)
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		vars[name] = value
	}
	root, err := os.MkdirTemp("", "contest-")
	if err != nil {
		return nil, err
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	c := &contest{
		runner: new(proc.Runner), environ: environ, root: root, path: toolFolders(vars["PATH"]),
		deadline: 3 * time.Minute,
		now:      time.Now, goCache: filepath.Join(cache, "go-build"),
		npm: filepath.Join(cache, "autobuild-ci", "truth", "node_modules"),
	}
	if vars["GOCACHE"] != "" {
		c.goCache = vars["GOCACHE"]
	}
	rustup := vars["RUSTUP_HOME"]
	if rustup == "" {
		rustup = filepath.Join(vars["HOME"], ".rustup")
	}
	if _, err := os.Stat(rustup); err == nil {
		c.rustup = rustup
	}
	return c, nil
}

// build makes the program that is judged.
func (c *contest) build(ctx context.Context, program string) (string, error) {
	if program != "" {
		return filepath.Abs(program)
	}
	program = filepath.Join(c.root, "autobuild")
	argv := []string{"go", "build", "-o", program, "./cmd/autobuild"}
	exit, err := c.runner.Run(ctx, proc.Command{Argv: argv, Env: c.environ})
	if err == nil && !exit.OK() {
		err = fmt.Errorf("go build: %s", exit.Tail)
	}
	return program, err
}
