// Command speed measures what autobuild adds to the work: its start, a phase that does nothing, and
// a run in git. Each table compares
// medians of runs in turns with a floor or a neighbour, so that ratios mean something on any
// machine. The command does not know how autobuild works.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// options are the flags of a call.
type options struct {
	program string
	tables  []string
	sizes   string
	runs    int
	write   string
	module  string
}

func main() {
	os.Exit(status(os.Args[1:], os.Stdout))
}

// status carries out one call and returns its exit code.
func status(args []string, out io.Writer) int {
	err := run(args, out)
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return 0
	}
	_, _ = fmt.Fprintln(out, "speed:", err)
	return 1
}

func run(args []string, out io.Writer) error {
	var o options
	set := flag.NewFlagSet("speed", flag.ContinueOnError)
	set.SetOutput(out)
	set.StringVar(&o.program, "autobuild", "",
		"program to measure (default: built from this module as a release is)")
	set.StringVar(&o.sizes, "sizes", "100,1000,10000", "numbers of phases, separated by commas")
	set.IntVar(&o.runs, "runs", 7, "runs of each program, in turns")
	set.StringVar(&o.write, "write", "",
		"page whose tables between their two marks <!-- speed TABLE --> are replaced")
	set.Usage = func() {
		_, _ = fmt.Fprintf(out, "usage: bench/run [flags] [table...]\ntables: %s; default: all\n",
			strings.Join(names(), ", "))
		set.PrintDefaults()
	}
	set.StringVar(&o.module, "module", ".", "folder of this module")
	if err := set.Parse(args); err != nil {
		return err
	}
	if o.runs < 1 {
		return fmt.Errorf("-runs: %d is no number of runs", o.runs)
	}
	if o.tables = set.Args(); len(o.tables) == 0 {
		o.tables = names()
	}
	for _, name := range o.tables {
		if !slices.Contains(names(), name) {
			return fmt.Errorf("there is no table %q; tables: %s", name, strings.Join(names(), ", "))
		}
	}
	b, err := newBench(o, out)
	if err != nil {
		return err
	}
	defer os.RemoveAll(b.dir) //nolint:errcheck // in the system's temporary directory
	return b.all()
}

// bench has the programs that are compared.
type bench struct {
	options
	out   io.Writer
	dir   string // of the programs that were built
	sizes []int
	page  strings.Builder
}

func newBench(o options, out io.Writer) (*bench, error) {
	b := &bench{options: o, out: out}
	for _, s := range strings.Split(o.sizes, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("-sizes: %q is no number of phases", s)
		}
		b.sizes = append(b.sizes, n)
	}
	var err error
	if b.dir, err = os.MkdirTemp("", "speed-bin-"); err != nil {
		return nil, err
	}
	builds := map[string]string{
		"reference": "./bench/reference", "cobra": "./bench/hello/cobra",
		"lipgloss": "./bench/hello/lipgloss",
	}
	if o.program == "" {
		b.program = filepath.Join(b.dir, "autobuild")
		builds["autobuild"] = "./cmd/autobuild"
	} else if b.program, err = filepath.Abs(o.program); err != nil {
		return nil, err
	}
	golang := find("go")
	if golang == "" {
		return nil, errors.New("go is not on PATH")
	}
	for name, folder := range builds {
		if err := finish(o.module, golang, "build", "-trimpath", "-ldflags", "-s -w", "-o",
			filepath.Join(b.dir, name), folder); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// tables are all tables, in the order of the page.
var tables = []struct {
	name string
	make func(*bench) error
}{
	{"start", (*bench).start},
	{"phase", (*bench).phase},
	{"counts", (*bench).counts},
	{"git", (*bench).git},
}

func names() []string {
	var all []string
	for _, t := range tables {
		all = append(all, t.name)
	}
	return all
}

// all makes the tables that were asked for. Each is written into the page when it is complete, so
// that a call that was stopped can be repeated for the others.
func (b *bench) all() error {
	for _, t := range tables {
		if !slices.Contains(b.tables, t.name) {
			continue
		}
		b.page.Reset()
		began := time.Now()
		if err := t.make(b); err != nil {
			return fmt.Errorf("table %s: %w", t.name, err)
		}
		b.print("%s: %d CPUs, %s/%s, %s; at most %d runs of each, in turns; %s.\n\n", t.name,
			runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), b.runs,
			time.Since(began).Round(time.Second))
		if b.write == "" {
			continue
		}
		if err := b.replace(t.name); err != nil {
			return err
		}
	}
	return nil
}

// print writes to the page and to the screen.
func (b *bench) print(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	b.page.WriteString(text)
	_, _ = io.WriteString(b.out, text) // the page is what counts
}

// markOf encloses the part of a page that a table replaces.
func markOf(table string) string { return "<!-- speed " + table + " -->" }

// replace writes a table into the page.
func (b *bench) replace(table string) error {
	mark := markOf(table)
	data, err := os.ReadFile(b.write)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(data), mark+"\n")
	_, after, also := strings.Cut(rest, mark+"\n")
	if !ok || !also {
		return fmt.Errorf("%s has no two lines %s", b.write, mark)
	}
	return os.WriteFile(b.write,
		[]byte(before+mark+"\n"+strings.TrimSpace(b.page.String())+"\n"+mark+"\n"+after), 0o600)
}
