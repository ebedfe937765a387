package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// plain are the arguments of a run without git, gates and checks: what is left is autobuild's own.
func (b *bench) plain(more ...string) []string {
	return append([]string{
		b.program, "plan.md", "--config", "autobuild.yaml", "--isolation", "none",
		"--allow-unverified", "--baseline", "off", "--progress", "plain",
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
