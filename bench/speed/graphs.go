package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A graph is a list of nodes; each has the numbers of the nodes that it depends on.
type graph [][]int

// chain is n nodes one after the other.
func chain(n int) graph {
	g := make(graph, n)
	for i := 1; i < n; i++ {
		g[i] = []int{i - 1}
	}
	return g
}

// layered is n nodes in about sqrt(n) layers; each depends on up to three nodes of the layer
// before.
func layered(n int) graph {
	random := rand.New(rand.NewPCG(1, uint64(n))) // the same graph every time
	width := max(1, int(math.Sqrt(float64(n))))
	g := make(graph, n)
	for i := width; i < n; i++ {
		first := (i/width - 1) * width
		for _, at := range random.Perm(width)[:min(3, width)] {
			g[i] = append(g[i], first+at)
		}
		slices.Sort(g[i])
	}
	return g
}

// write makes a directory with the graph for every program: plan.md and autobuild.yaml, graph.json,
// Makefile, build.ninja and Taskfile.yml. Each node runs command, whose words have no spaces, with
// the number of the node from 1; an agent of autobuild finds that in AUTOBUILD_PHASE_ID.
func (g graph) write(dir string, command ...string) error {
	data, err := json.Marshal(g)
	if err != nil {
		return err
	}
	var makefile, ninja, tasks strings.Builder
	makefile.WriteString(".PHONY: all" + g.names(" n") + "\nall:" + g.names(" n") + "\n")
	ninja.WriteString("rule run\n  command = $cmd\n")
	tasks.WriteString("version: '3'\nsilent: true\ntasks:\n  default:\n    deps: [" +
		strings.TrimPrefix(g.names(", n"), ", ") + "]\n")
	for node, on := range g {
		names := make([]string, len(on))
		for i, d := range on {
			names[i] = "n" + strconv.Itoa(d)
		}
		line := strings.Join(command, " ") + " " + strconv.Itoa(node+1)
		fmt.Fprintf(&makefile, "n%d: %s\n\t@%s\n", node, strings.Join(names, " "), line)
		fmt.Fprintf(&ninja, "build n%d: run | %s\n  cmd = %s\n", node, strings.Join(names, " "),
			line)
		fmt.Fprintf(&tasks, "  n%d:\n    deps: [%s]\n    run: once\n    cmds: [%q]\n", node,
			strings.Join(names, ", "), line)
	}
	for name, text := range map[string]string{
		"graph.json": string(data), "plan.md": g.plan(),
		"autobuild.yaml": "agent: node\nagents:\n  node:\n    command: [" + strings.Join(command,
			", ") + "]\n    result: exit\nallow-empty: true\nguard: off\n",
		"Makefile": makefile.String(), "build.ninja": ninja.String(),
		"Taskfile.yml": tasks.String(),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// names are those of all nodes, each with the same text before its number.
func (g graph) names(before string) string {
	var b strings.Builder
	for node := range g {
		b.WriteString(before + strconv.Itoa(node))
	}
	return b.String()
}

// plan is the graph as a plan with a table and a section for each phase.
func (g graph) plan() string {
	var b strings.Builder
	b.WriteString("# Plan\n\n| Phase | Name | Depends On | Status |\n|---|---|---|---|\n")
	for node, on := range g {
		needs := make([]string, len(on))
		for i, d := range on {
			needs[i] = strconv.Itoa(d + 1)
		}
		fmt.Fprintf(&b, "| %d | node %d | %s | Pending |\n", node+1, node+1,
			cmp.Or(strings.Join(needs, ", "), "-"))
	}
	for node := range g {
		fmt.Fprintf(&b, "\n## Phase %d: node %d\n\n- [ ] run the node\n", node+1, node+1)
	}
	return b.String()
}
