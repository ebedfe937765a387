package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"autobuild/internal/proc"
)

const oracleLimit = time.Minute

// contest is what all scenarios share.
type contest struct {
	runner   *proc.Runner
	now      func() time.Time
	environ  []string // of this program
	root     string   // of the places
	path     string   // folders of tools, without those of the user's home that only forward
	goCache  string
	npm      string // node_modules with runners that the contest does not install by itself
	rustup   string
	program  string // autobuild
	deadline time.Duration
	keep     bool // the folders of all scenarios
}

// said is how a column ended.
type said string

const (
	saidDone      said = "done"
	saidContested said = "contested"
	saidFailed    said = "failed"
	saidError     said = "error" // the column could not do what it is for
	saidLate      said = "late"  // the scenario's deadline passed
)

// outcome is one cell of the table before its verdict.
type outcome struct {
	said    said
	right   bool   // the oracle accepts what landed
	detail  string // for people
	skipped string // why the column was not run; empty: it was
	took    time.Duration
}

// verdict is a cell in words, and whether that is as it should be.
func (o outcome) verdict(s *Scenario) (word string, good bool) {
	switch {
	case o.skipped != "":
		return "skipped", true
	case o.said == saidError, o.said == saidLate:
		return string(o.said), false
	case o.said == saidDone && !o.right && s.Done:
		return "broken", false
	case o.said == saidDone && !o.right:
		return "false done", false
	case o.said == saidDone && s.Done:
		return "fine", true
	case o.said == saidDone:
		return "held", true
	case s.Done && o.said == saidContested:
		return "contested", false
	case s.Done:
		return "refused", false
	case o.said == saidContested:
		return "contested", true
	}
	return "caught", true
}

// cell is one scenario in one column.
type cell struct {
	scenario *Scenario
	column   string
	outcome  outcome
}

// play runs every scenario in every column, at most jobs at once, and reports each as it ends.
func (c *contest) play(
	ctx context.Context, all []Scenario, columns []column, jobs int, report func(cell),
) error {
	tokens := make(chan struct{}, jobs)
	var wait sync.WaitGroup
	var lock sync.Mutex
	var first error
	for i := range all {
		for _, col := range columns {
			tokens <- struct{}{}
			wait.Go(func() {
				defer func() { <-tokens }()
				o, err := c.one(ctx, &all[i], col)
				lock.Lock()
				defer lock.Unlock()
				if err != nil && first == nil {
					first = fmt.Errorf("%s, %s: %w", all[i].Name, col.name, err)
				}
				report(cell{&all[i], col.name, o})
			})
		}
	}
	wait.Wait()
	return first
}

// one plays one scenario in one column.
func (c *contest) one(ctx context.Context, s *Scenario, col column) (outcome, error) {
	if missing := c.missing(s); missing != "" {
		return outcome{skipped: missing + " is not installed"}, nil
	}
	p, err := c.prepare(ctx, s, col.name)
	if err != nil {
		return outcome{said: saidError}, err
	}
	limited, cancel := context.WithTimeout(ctx, c.deadline)
	defer cancel()
	o, err := col.play(limited, p)
	if err != nil {
		return outcome{said: saidError}, err
	}
	if limited.Err() != nil && ctx.Err() == nil {
		o.said = saidLate
		return o, nil
	}
	if o.said == saidDone {
		o.right, err = p.landedRight(ctx)
	}
	if _, good := o.verdict(s); good && err == nil && !c.keep {
		err = os.RemoveAll(p.root)
	}
	return o, err
}

// missing names the first tool of a scenario that is not there.
func (c *contest) missing(s *Scenario) string {
	for _, tool := range s.Needs {
		if name, ok := strings.CutPrefix(tool, "python:"); ok {
			if !c.succeeds("python3", "-c", "import "+name) {
				return "the Python module " + name
			}
		} else if name, ok := strings.CutPrefix(tool, "npm:"); ok {
			if _, err := os.Stat(filepath.Join(c.npm, name)); err != nil {
				return "the npm package " + name
			}
		} else if c.find(tool) == "" {
			return tool
		}
	}
	return ""
}

func (c *contest) succeeds(argv ...string) bool {
	command := proc.Command{Argv: argv, Env: []string{"PATH=" + c.path}}
	exit, err := c.runner.Run(context.Background(), command)
	return err == nil && exit.OK()
}

// find is the file of a program on the contest's PATH; empty: there is none.
func (c *contest) find(program string) string {
	for _, dir := range filepath.SplitList(c.path) {
		name := filepath.Join(dir, program)
		if info, err := os.Stat(name); err == nil && !info.IsDir() && info.Mode()&0o111 != 0 {
			return name
		}
	}
	return ""
}

// toolFolders is a PATH without relative folders, and without those whose programs ask the home
// directory which program they stand for: homes of the contest are empty.
func toolFolders(path string) string {
	var kept []string
	for _, dir := range filepath.SplitList(path) {
		forwards := strings.Contains(dir, "shims") || strings.Contains(dir, ".pyenv")
		if filepath.IsAbs(dir) && !forwards && !slices.Contains(kept, dir) {
			kept = append(kept, dir)
		}
	}
	return strings.Join(kept, string(filepath.ListSeparator))
}
