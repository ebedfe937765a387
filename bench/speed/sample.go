package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// sample is what one run of a program took.
type sample struct {
	wall time.Duration
	cpu  time.Duration // user and system, all children that were waited for included
	rss  int64         // bytes: the largest process of the tree
}

// program is one column of a table: a command line, run in a fresh directory each time.
type program struct {
	name string
	argv []string
	// makes the directory fit for the next run, before the clock starts; may be nil
	prepare func(dir string) error
}

// measure runs a program in dir and returns what it took. A program that fails is an error with
// the end of its output.
func measure(p program, dir string) (sample, error) {
	if p.prepare != nil {
		if err := p.prepare(dir); err != nil {
			return sample{}, err
		}
	}
	log, err := os.CreateTemp("", "speed-*.log")
	if err != nil {
		return sample{}, err
	}
	defer os.Remove(log.Name()) //nolint:errcheck // in the system's temporary directory
	defer log.Close()           //nolint:errcheck // its content was read
	null, err := os.Open(os.DevNull)
	if err != nil {
		return sample{}, err
	}
	defer null.Close() //nolint:errcheck // only read
	began := time.Now()
	child, err := os.StartProcess(p.argv[0], p.argv, &os.ProcAttr{
		Dir: dir, Env: environment(), Files: []*os.File{null, log, log},
	})
	if err != nil {
		return sample{}, err
	}
	end, err := child.Wait()
	wall := time.Since(began)
	if err != nil {
		return sample{}, err
	}
	if !end.Success() {
		out, _ := os.ReadFile(log.Name())
		return sample{}, fmt.Errorf("%s in %s: %s\n%s", strings.Join(p.argv, " "), dir, end,
			out[max(0, len(out)-2000):])
	}
	return sample{wall: wall, cpu: end.UserTime() + end.SystemTime(), rss: memory(end)}, nil
}

// environment is that of every program: no colours, no CI, no settings of the caller.
func environment() []string {
	keep := []string{"PATH", "HOME", "USER", "TMPDIR", "GOPATH", "GOCACHE", "GOMODCACHE", "LANG"}
	env := []string{"NO_COLOR=1"}
	for _, e := range os.Environ() {
		if name, _, _ := strings.Cut(e, "="); slices.Contains(keep, name) {
			env = append(env, e)
		}
	}
	return env
}

// interleave runs all programs in turns and returns the medians of each, in the order given. The
// first turn warms caches and is not counted.
func interleave(programs []program, runs int, fill func(dir string) error) ([]sample, error) {
	all := make([][]sample, len(programs))
	for turn := range runs + 1 {
		for i, p := range programs {
			dir, err := os.MkdirTemp("", "speed-")
			if err != nil {
				return nil, err
			}
			s := sample{}
			if err = fill(dir); err == nil {
				s, err = measure(p, dir)
			}
			if rerr := removeAll(dir); err == nil {
				err = rerr
			}
			if err != nil {
				return nil, err
			}
			if turn > 0 {
				all[i] = append(all[i], s)
			}
		}
	}
	medians := make([]sample, len(programs))
	for i, samples := range all {
		medians[i] = median(samples)
	}
	return medians, nil
}

// median takes each figure's own median.
func median(samples []sample) sample {
	middle := func(of func(sample) int64) int64 {
		values := make([]int64, len(samples))
		for i, s := range samples {
			values[i] = of(s)
		}
		slices.Sort(values)
		return values[len(values)/2]
	}
	return sample{
		wall: time.Duration(middle(func(s sample) int64 { return int64(s.wall) })),
		cpu:  time.Duration(middle(func(s sample) int64 { return int64(s.cpu) })),
		rss:  middle(func(s sample) int64 { return s.rss }),
	}
}

// removeAll removes a directory whose files may be read-only.
func removeAll(dir string) error {
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(path, 0o700) //nolint:gosec // a scratch directory
		}
		return nil
	})
	return os.RemoveAll(dir)
}

// finish runs a command to its end; one that fails is an error with what it printed.
func finish(dir string, argv ...string) error {
	_, err := measure(program{argv: argv}, dir)
	return err
}

// find is the path of a program on PATH; empty where it is not installed.
func find(name string) string {
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() &&
			info.Mode()&0o111 != 0 {
			return path
		}
	}
	return ""
}
