// Command replay measures how often the referee cries wolf, and how often it is talked into a
// cheat: it treats each commit of a repository that changed existing tests as a phase whose section
// is the commit's message. It writes two tables into bench/truth/README.md between markers; it changes
// nothing else, and it does not know agents.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"autobuild/state"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "replay:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	repo, doc, work string
	limit           int
	gates           bool
	every           int
	timeout         time.Duration
	verbose         bool
}

func run(args []string) (err error) {
	var o options
	flags := flag.NewFlagSet("replay", flag.ContinueOnError)
	flags.StringVar(&o.repo, "repo", ".", "the repository whose history is replayed")
	flags.StringVar(&o.doc, "doc", "",
		"write the tables into this page, between markers; empty: print them")
	flags.StringVar(&o.work, "work", "",
		"directory for the worktree of the referee runs; empty: a temporary one")
	flags.IntVar(&o.limit, "n", 0, "only the newest n commits; 0: all")
	flags.BoolVar(&o.gates, "run", true,
		"make referee runs; false: every changed test counts as failing there")
	flags.IntVar(&o.every, "every", 1, "take only every n-th of the commits in question")
	flags.DurationVar(&o.timeout, "timeout", 3*time.Minute, "of one referee run")
	flags.BoolVar(&o.verbose, "v", false, "print every contested change and every excused cheat")
	if err = flags.Parse(args); err != nil {
		return err
	}
	h, err := openHistory(o.repo)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.close()) }()
	var r *runner
	if o.gates {
		if r, err = newRunner(h, o); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, r.close()) }()
	}
	results, err := replayAll(h, o, r)
	if err != nil {
		return err
	}
	text := tables(results, r != nil)
	if o.doc == "" {
		fmt.Print(text)
		return nil
	}
	return writeBetween(o.doc, text)
}

func newRunner(h *history, o options) (*runner, error) {
	if o.work == "" {
		dir, err := os.MkdirTemp("", "replay")
		if err != nil {
			return nil, fmt.Errorf("make a directory for the worktree: %w", err)
		}
		o.work = filepath.Join(dir, "tree")
	}
	work, err := filepath.Abs(o.work)
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", o.work, err)
	}
	r := &runner{h: h, dir: work, timeout: o.timeout, env: os.Environ()}
	if err = r.open(); err != nil {
		return nil, err
	}
	return r, nil
}

func replayAll(h *history, o options, r *runner) ([]*result, error) {
	commits, err := h.commits(o.limit)
	if err != nil {
		return nil, err
	}
	gates := []state.GateSpec{{
		Name: "test", Kind: "test", Command: "go test ./...",
		Source: "go.mod", Tool: "go", Available: true,
	}}
	var results []*result
	for i, c := range commits {
		res, err := replay(h, c, r, gates, func() bool { return len(results)%max(o.every, 1) == 0 })
		if err != nil {
			return nil, fmt.Errorf("commit %s: %w", c.id, err)
		}
		if res == nil {
			continue
		}
		results = append(results, res)
		if !o.verbose || !res.judged {
			continue
		}
		subject, _, _ := strings.Cut(c.message, "\n")
		fmt.Fprintf(os.Stderr, "%d/%d %s %s: %d contested, %d asked for, %d recorded; ran %t %s\n",
			i+1, len(commits), c.id[:10], subject, len(res.contested), res.asked, res.recorded,
			res.ran, res.failure)
		for _, change := range res.contested {
			fmt.Fprintln(os.Stderr, "  contested", describe(change))
		}
		for _, change := range res.excused[:min(5, len(res.excused))] {
			fmt.Fprintln(os.Stderr, "  excused", describe(change), "—", change.Why)
		}
	}
	return results, nil
}
