package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// plain are the arguments of a run without git, gates and checks: what is left is autobuild's own.
func (b *bench) plain(more ...string) []string {
	return append([]string{
		b.program, "plan.md", "--config", "autobuild.yaml", "--isolation", "none",
		"--allow-unverified", "--baseline", "off", "--progress", "quiet",
	}, more...)
}

// ms is a duration in milliseconds.
func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// size is a number of bytes in MB.
func size(bytes int64) string {
	if bytes == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f", float64(bytes)/1e6)
}

// start compares the start of programs that do next to nothing.
func (b *bench) start() error {
	programs := []program{
		{name: "hello cobra", argv: []string{filepath.Join(b.dir, "cobra")}},
		{name: "hello lipgloss", argv: []string{filepath.Join(b.dir, "lipgloss")}},
		{name: "autobuild version", argv: []string{b.program, "version"}},
	}
	got, err := interleave(programs, 5*b.runs, func(string) error { return nil })
	if err != nil {
		return err
	}
	b.print(
		"### Start\n\n| program | wall, ms | × cobra | × lipgloss | CPU, ms | memory, MB | " +
			"file, MB |\n|---|---:|---:|---:|---:|---:|---:|\n")
	for i, p := range programs {
		info, err := os.Stat(p.argv[0])
		if err != nil {
			return err
		}
		s := got[i]
		b.print("| %s | %.1f | %.2f | %.2f | %.1f | %s | %s |\n", p.name, ms(s.wall),
			float64(s.wall)/float64(got[0].wall), float64(s.wall)/float64(got[1].wall), ms(s.cpu),
			size(s.rss), size(info.Size()))
	}
	b.print("\n")
	return nil
}

// phase compares what a node costs that does nothing.
func (b *bench) phase() error {
	programs := []program{
		{name: "reference", argv: []string{
			filepath.Join(b.dir, "reference"), "-j", "2",
			"graph.json", "/bin/true",
		}},
		{name: "autobuild", argv: b.plain("-j", "2")},
		{name: "autobuild, eager", argv: b.plain("-j", "2", "--schedule", "eager")},
	}
	for _, peer := range []struct {
		name string
		args []string
	}{
		{"make", []string{"-j2", "-s"}},
		{"ninja", []string{"-j2", "--quiet"}},
		{"task", []string{"-C", "2"}},
	} {
		if path := find(peer.name); path != "" {
			programs = append(programs,
				program{name: peer.name, argv: append([]string{path}, peer.args...)})
		}
	}
	b.print(
		"### A phase that does nothing\n\nMilliseconds a phase, two at a time; in brackets the " +
			"ratio to the reference, and the memory of the whole run in MB.\n\n| graph |")
	for _, p := range programs {
		b.print(" %s |", p.name)
	}
	b.print("\n|---|%s\n", strings.Repeat("---:|", len(programs)))
	for _, shape := range []struct {
		name string
		make func(int) graph
	}{{"chain", chain}, {"layered", layered}} {
		for _, n := range b.sizes {
			g := shape.make(n)
			got, err := interleave(programs, b.runsOf(n),
				func(dir string) error { return g.write(dir, "/bin/true") })
			if err != nil {
				return err
			}
			b.print("| %s %d |", shape.name, n)
			for _, s := range got {
				b.print(" %.2f (%.1f; %s) |", ms(s.wall)/float64(n),
					float64(s.wall)/float64(got[0].wall), size(s.rss))
			}
			b.print("\n")
		}
	}
	b.print("\n")
	return nil
}

// runsOf is how often programs run on a graph of n nodes: less often where a run takes long.
func (b *bench) runsOf(n int) int {
	if n >= 5000 {
		return max(1, b.runs/7)
	}
	return b.runs
}

// look compares a look at a stored run with the start alone.
func (b *bench) look() error {
	b.print(
		"### A look at a stored run\n\nMilliseconds; in brackets those over `autobuild " +
			"version`.\n\n| phases | version | status | --resume |\n|---:|---:|---:|---:|\n")
	for _, n := range b.sizes {
		g := layered(n)
		stored, err := os.MkdirTemp("", "speed-stored-")
		if err != nil {
			return err
		}
		err = g.write(stored, "/bin/true")
		if err == nil {
			_, err = measure(program{argv: b.plain("-j", "4")}, stored)
		}
		var all [3][]sample
		for turn := 0; err == nil && turn <= b.runs; turn++ {
			for i, argv := range [][]string{
				{b.program, "version"},
				{b.program, "status"},
				b.plain("--resume"),
			} {
				var s sample
				if s, err = measure(program{argv: argv}, stored); err != nil {
					break
				}
				if turn > 0 {
					all[i] = append(all[i], s)
				}
			}
		}
		if rerr := removeAll(stored); err == nil {
			err = rerr
		}
		if err != nil {
			return err
		}
		start, status, resume := median(all[0]).wall, median(all[1]).wall, median(all[2]).wall
		b.print("| %d | %.1f | %.1f (%.1f) | %.1f (%.1f) |\n", n, ms(start), ms(status),
			ms(status-start), ms(resume), ms(resume-start))
	}
	b.print("\n")
	return nil
}

// night compares the length of a run with the least that its graph allows.
func (b *bench) night() error {
	const phases = 24
	g := layered(phases)
	random := rand.New(rand.NewPCG(2, phases)) // the same durations every time
	durations, lines := make([]time.Duration, phases), make([]string, phases)
	for i := range durations {
		// a log-normal distribution: many short phases, some long ones
		length := min(3000, max(100, int(300*math.Exp(random.NormFloat64()*0.7))))
		durations[i], lines[i] = time.Duration(length)*time.Millisecond, strconv.Itoa(length)
	}
	fill := func(dir string) error {
		if err := os.WriteFile(filepath.Join(dir, "durations"), []byte(strings.Join(lines, "\n")),
			0o600); err != nil {
			return err
		}
		return g.write(dir, filepath.Join(b.dir, "speed"), "node", "durations")
	}
	b.print(
		"### The length of a run\n\n%d phases that sleep 0.1 to 3 s, as a ratio to the least "+
			"that the graph allows.\n\n"+
			"| at once | bound, s | reference | batch | eager |\n|---:|---:|---:|---:|---:|\n",
		phases)
	for _, jobs := range []int{2, 4} {
		j := strconv.Itoa(jobs)
		got, err := interleave([]program{
			{argv: []string{
				filepath.Join(b.dir, "reference"), "-j", j, "graph.json",
				filepath.Join(b.dir, "speed"), "node", "durations",
			}},
			{argv: b.plain("-j", j)},
			{argv: b.plain("-j", j, "--schedule", "eager")},
		}, max(1, b.runs/3), fill)
		if err != nil {
			return err
		}
		bound := g.bound(durations, jobs)
		b.print("| %d | %.1f |", jobs, bound.Seconds())
		for _, s := range got {
			b.print(" %.2f |", float64(s.wall)/float64(bound))
		}
		b.print("\n")
	}
	b.print("\n")
	return nil
}
