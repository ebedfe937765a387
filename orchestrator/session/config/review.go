package config

import (
	"slices"

	"go.yaml.in/yaml/v4"

	"autobuild/internal/text"
	"autobuild/orchestrator/review"
)

// Review says who reviews the work of phases, and of which. The zero Review reviews nothing.
type Review struct {
	Agent  string   `yaml:"agent"`  // empty: another one than the author, where one is installed
	Model  string   `yaml:"model"`  // empty: as configured for the agent
	On     string   `yaml:"on"`     // all, risky or off
	Rounds int      `yaml:"rounds"` // attempts at a phase for which the reviewer is asked; 0: 2
	Paths  []string `yaml:"paths"`  // a phase that changes one of them is risky
	Keep   bool     `yaml:"keep-witnesses"`
	Run    string   `yaml:"run"` // what agent script runs
}

// reviewKeys are its keys.
const reviewKeys = "agent, model, on, rounds, paths, keep-witnesses, run"

// reviewModes are the words of on.
var reviewModes = []string{review.OnAll, review.OnRisky, review.OnOff}

// DefaultRounds is how many attempts at a phase a reviewer reads.
const DefaultRounds = 2

// review reads the key of that name: a mapping, or the word of on alone.
func (r *reader) review(n *yaml.Node) {
	c := &Review{On: review.OnAll, Rounds: DefaultRounds}
	switch {
	case isOff(n):
		c.On = review.OnOff
	case n.Kind == yaml.ScalarNode:
		c.On = n.Value
	case !r.load(n, c, "review", reviewKeys):
		return
	}
	if !slices.Contains(reviewModes, c.On) {
		r.bad(n, text.Suggest(c.On, reviewModes, "write all, risky or off"),
			"review: on is %q", c.On)
	}
	if c.Rounds < 0 || c.Rounds > 10 {
		r.bad(n, "write a number from 1 to 10", "review: rounds is %d", c.Rounds)
	}
	if c.Rounds == 0 {
		c.Rounds = DefaultRounds
	}
	if c.Run != "" && c.Agent != "script" {
		r.bad(n, "write agent: script, or leave run out", "review: run is for agent script")
	}
	if c.Run == "" && c.Agent == "script" {
		r.bad(n, "for example run: sh review.sh", "review: agent script has nothing to run")
	}
	r.c.Review = c
}
