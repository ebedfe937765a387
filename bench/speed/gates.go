package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// gates compares the length of a run in which agents and gates take time with the least that so
// many phases at once allow: the agent and the gate of a phase one after the other, those of phases
// side by side. It counts how often the gate ran, the baseline included.
func (b *bench) gates() error {
	const (
		phases      = 6
		agent, gate = 5 * time.Second, 2 * time.Second
	)
	b.print("### Agents and gates\n\n%d independent phases in git, agents of %v, a gate of %v, as a "+
		"ratio to the least possible after the baseline.\n\n"+
		"| at once | bound, s | batch | eager | runs of the gate |\n|---:|---:|---:|---:|---:|\n",
		phases, agent, gate)
	ran := 0
	fill := func(dir string) error {
		if err := repository(dir, 100, phases); err != nil {
			return err
		}
		return independent(filepath.Join(dir, "repo"), phases, agent, gate)
	}
	for _, jobs := range []int{2, 4} {
		argv := func(schedule string) []string {
			return []string{
				"/bin/sh", "-c", `cd repo && "$@" && cp runs.log ` + filepath.Join(b.dir, "runs"),
				"sh", b.program, "plan.md", "--config", "autobuild.yaml", "--commit=auto", "--progress",
				"quiet", "--allow-unverified", "--schedule", schedule, "-j", strconv.Itoa(jobs),
			}
		}
		got, err := interleave([]program{{argv: argv("batch")}, {argv: argv("eager")}},
			max(1, b.runs/3), fill)
		if err != nil {
			return err
		}
		if data, err := os.ReadFile(filepath.Join(b.dir, "runs")); err == nil {
			ran = bytes.Count(data, []byte("\n"))
		}
		rounds := (phases + jobs - 1) / jobs
		bound := time.Duration(rounds) * (agent + gate)
		b.print("| %d | %.0f |", jobs, bound.Seconds())
		for _, s := range got {
			b.print(" %.2f |", float64(s.wall-gate)/float64(bound))
		}
		b.print(" %d |\n", ran)
	}
	b.print("\n")
	return nil
}

// independent makes the plan of a repository one of phases beside each other, whose agents and gate
// sleep. The gate notes each of its runs in a file that git ignores.
func independent(repo string, phases int, agent, gate time.Duration) error {
	seconds := func(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) }
	runs := filepath.Join(repo, "runs.log")
	for name, text := range map[string]string{
		"plan.md":    make(graph, phases).plan(),
		".gitignore": ".autobuild/\nruns.log\n",
		"work.sh": "sleep " + seconds(agent) +
			"\necho $AUTOBUILD_PHASE_ID >file-$AUTOBUILD_PHASE_ID\n",
		"autobuild.yaml": "agent: node\nagents:\n  node:\n    command: [sh, work.sh]\n    result: exit\n" +
			"gates:\n  test: echo run >>" + runs + " && sleep " + seconds(gate) + "\n",
	} {
		if err := os.WriteFile(filepath.Join(repo, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	git := find("git")
	if err := finish(repo, git, "add", "-A"); err != nil {
		return err
	}
	return finish(repo, git, "commit", "-q", "-m", "plan")
}
