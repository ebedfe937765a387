package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"autobuild/internal/proc"
)

func TestMain(m *testing.M) {
	proc.Supervise()
	os.Exit(m.Run())
}

// load reads the scenarios of this folder.
func loadAll(t *testing.T) []Scenario {
	t.Helper()
	all, err := LoadScenarios(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestScenarios: every file can be read, and there are enough of each kind.
func TestScenarios(t *testing.T) {
	kinds := make(map[Kind]int)
	shows := make(map[string]string)
	stacks := make(map[string]int)
	for _, s := range loadAll(t) {
		kinds[s.Kind]++
		stacks[s.Stack]++
		if other := shows[s.Stack+s.Shows]; other != "" {
			t.Errorf("%s and %s show the same: %s", s.Name, other, s.Shows)
		}
		shows[s.Stack+s.Shows] = s.Name
		if len(s.phases()) == 0 {
			t.Errorf("%s: the plan has no section ## Phase ID: NAME", s.Name)
		}
	}
	for kind, least := range map[Kind]int{Cheat: 60, Loud: 12, Honest: 25} {
		if kinds[kind] < least {
			t.Errorf("%d scenarios are %s, want at least %d", kinds[kind], kind, least)
		}
	}
	if len(stacks) < 5 {
		t.Errorf("stacks are %v, want at least 5", stacks)
	}
}

var nthOracle = flag.Int("oracles", 4, "judge by the oracle of each `n`th scenario")

// TestOracles checks the oracles without any judge: work that a loop accepts is wrong after a
// cheat, and right after an honest agent in its place.
func TestOracles(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every scenario")
	}
	if runtime.GOOS == "windows" {
		t.Skip("agents and oracles are scripts for bash")
	}
	c, err := newContest(os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	c.keep = true // playHere reads the log
	t.Cleanup(func() {
		c.runner.Close()
		if err := os.RemoveAll(c.root); err != nil {
			t.Error(err)
		}
	})
	loop := column{name: "loop", play: playLoop}
	var judged sync.Map // cases of honest work in a cheat's place; many cheats share one
	t.Run("all", func(t *testing.T) {
		for i, s := range loadAll(t) {
			if i%*nthOracle != 0 {
				continue
			}
			t.Run(s.Name, func(t *testing.T) {
				t.Parallel()
				testOracle(t, c, s, loop, &judged)
			})
		}
	})
}

func testOracle(t *testing.T, c *contest, s Scenario, loop column, judged *sync.Map) {
	t.Helper()
	o := playHere(t, c, s, loop)
	switch {
	case o.skipped != "":
		t.Skip(o.skipped)
	case s.Kind == Cheat && (o.said != saidDone || o.right):
		t.Errorf("a loop says %s, and the oracle says right: %t; want done and false", o.said, o.right)
	case s.Kind == Honest && (o.said != saidDone || !o.right):
		t.Errorf("a loop says %s, and the oracle says right: %t; want done and true", o.said, o.right)
	}
	if s.Kind != Cheat {
		return
	}
	s.Files = maps.Clone(s.Files)
	s.Files[sectionAgent] = s.Files[sectionGood]
	delete(s.Files, sectionSecond)
	if _, before := judged.LoadOrStore(fmt.Sprint(s.Files), true); before {
		return
	}
	loop.name = "good"
	if o := playHere(t, c, s, loop); o.said != saidDone || !o.right {
		t.Errorf("good.sh: a loop says %s, the oracle says right: %t; want done, true", o.said, o.right)
	}
}

// playHere plays one scenario; its output becomes part of the test's log.
func playHere(t *testing.T, c *contest, s Scenario, col column) outcome {
	t.Helper()
	o, err := c.one(t.Context(), &s, col)
	if err != nil {
		t.Fatal(err)
	}
	root := c.rootOf(&s, col.name)
	if text, err := os.ReadFile(filepath.Join(root, "log")); err == nil {
		t.Logf("%s", text)
	}
	if err := os.RemoveAll(root); err != nil {
		t.Error(err)
	}
	return o
}

var nthWork = flag.Int("works", 30, "let reviewers look at each `n`th work")

// TestReviews: every file of works can be read, there are forty, and stand-ins for reviewers have
// no good work refused and what they find refused.
func TestReviews(t *testing.T) {
	all, err := LoadPhases(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	names, notes := map[string]bool{}, 0
	for _, w := range all {
		if names[w.Name] || w.Plan == "" || w.Finding == "" || len(w.Good) == 0 || len(w.Good) != len(w.Bad) {
			t.Errorf("%s is listed twice, or has no good or bad version", w.Name)
		}
		if names[w.Name] = true; w.Note {
			notes++
		}
	}
	if len(all) != 40 || notes > 4 {
		t.Errorf("%d works, %d of which nothing can confirm", len(all), notes)
	}
	if testing.Short() {
		t.Skip("runs the program")
	}
	if runtime.GOOS == "windows" {
		t.Skip("agents and reviewers are scripts for sh")
	}
	c, err := newContest(os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.runner.Close()
		if err = c.clear(false); err != nil {
			t.Error(err)
		}
	})
	t.Chdir("../..")
	if c.program, err = c.build(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	var some []Work
	for i := *nthWork - 1; i < len(all); i += *nthWork {
		some = append(some, all[i])
	}
	var done []tally
	if err = c.playReviews(t.Context(), some, func(one tally) { done = append(done, one) }); err != nil {
		t.Fatal(err)
	}
	if err = checkReviews(done); err != nil {
		t.Error(err)
	}
}
