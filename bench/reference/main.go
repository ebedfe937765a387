// Command reference is the floor of bench/speed: it runs a graph of commands with as little as a
// durable runner needs. Each node gets a file of state that is replaced atomically when it starts
// and when it ends, and its output is read through a pipe. The command has no plan, no retries, no
// supervisor and no checks.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "reference:", err)
		os.Exit(1)
	}
}

// graph is a list of nodes; each has the numbers of the nodes that it depends on.
type graph [][]int

func run(args []string) error {
	set := flag.NewFlagSet("reference", flag.ContinueOnError)
	jobs := set.Int("j", 2, "commands at once")
	dir := set.String("state", "state", "directory for the files of state; it is created")
	if err := set.Parse(args); err != nil {
		return err
	}
	if set.NArg() < 2 || *jobs < 1 {
		return errors.New("usage: reference [-j N] [-state DIR] GRAPH.json COMMAND [ARG...]")
	}
	data, err := os.ReadFile(set.Arg(0))
	if err != nil {
		return err
	}
	var g graph
	if err := json.Unmarshal(data, &g); err != nil {
		return err
	}
	if err := os.MkdirAll(*dir, 0o700); err != nil {
		return err
	}
	return g.run(*jobs, func(node int) error { return attempt(*dir, node, set.Args()[1:]) })
}

// run calls work for every node once, after the nodes that it depends on, with at most jobs calls
// at a time. It returns all errors; no node starts after the first one.
func (g graph) run(jobs int, work func(node int) error) error {
	waits, dependents := make([]int, len(g)), make([][]int, len(g))
	ready := make(chan int, len(g))
	for node, on := range g {
		waits[node] = len(on)
		for _, d := range on {
			dependents[d] = append(dependents[d], node)
		}
		if len(on) == 0 {
			ready <- node
		}
	}
	var mu sync.Mutex
	var all sync.WaitGroup
	var failed []error
	left := len(g)
	for range jobs {
		all.Go(func() {
			for node := range ready {
				err := work(node)
				mu.Lock()
				if left--; err != nil {
					failed = append(failed, err)
				}
				for _, d := range dependents[node] {
					if waits[d]--; waits[d] == 0 && len(failed) == 0 {
						ready <- d
					}
				}
				if left == 0 || len(failed) == 1 && err != nil {
					close(ready)
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return errors.Join(failed...)
}

// attempt runs the command of one node, with its number from 1, between two durable records.
func attempt(dir string, node int, argv []string) error {
	if err := save(dir, node, "running", nil); err != nil {
		return err
	}
	out, err := output(append(slices.Clone(argv), strconv.Itoa(node+1)))
	if err != nil {
		return fmt.Errorf("node %d: %w", node, err)
	}
	return save(dir, node, "complete", out)
}

// output runs a command and returns what it wrote.
func output(argv []string) ([]byte, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close() //nolint:errcheck // only read
	p, err := os.StartProcess(argv[0], argv, &os.ProcAttr{Files: []*os.File{nil, w, w}})
	_ = w.Close() // the child has its own
	if err != nil {
		return nil, err
	}
	out, readErr := io.ReadAll(r)
	end, err := p.Wait()
	if err == nil && !end.Success() {
		err = fmt.Errorf("%s: %s", argv[0], end)
	}
	return out, errors.Join(err, readErr)
}

// save replaces the node's file of state: temporary file, fsync, rename, fsync of the directory.
func save(dir string, node int, status string, output []byte) error {
	data, err := json.Marshal(map[string]any{
		"node": node, "status": status,
		"output": string(output),
	})
	if err != nil {
		return err
	}
	name := filepath.Join(dir, strconv.Itoa(node)+".json")
	f, err := os.Create(name + ".tmp")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err = os.Rename(name+".tmp", name); err != nil {
		return err
	}
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
