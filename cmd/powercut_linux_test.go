package cmd

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var (
	powerCuts = flag.Int("power-cuts", 0, "cut the power of a run's disk at `n` instants; needs root and loop devices")
	powerSeed = flag.Uint64("power-seed", 0, "of the instants; 0: by the clock")
)

// powerCase is a run whose power is cut.
type powerCase struct {
	name   string
	args   []string
	env    []string
	before func(p *power) // prepares the disk before the run begins
	first  []string       // the call that is cut; nil: a run
	shared bool           // phases work in the checkout itself
	bare   bool           // there is no git
	fresh  bool           // another run was there, and is set aside
}

// powerRounds are the runs that are made of each case, so that the instants are not all of one.
const powerRounds = 2

func powerCases() []powerCase {
	alone := []string{"ALONE=1"}
	return []powerCase{
		{name: "auto", args: []string{"--commit=auto"}},
		{name: "agents commit", args: []string{"--commit=auto"}, env: []string{"COMMITS=1"}},
		{name: "single", args: []string{"--commit=single"}, env: []string{"COMMITS=1"}},
		{name: "message-only", args: []string{"--commit=message-only"}},
		{name: "shared auto", args: []string{"--commit=auto", "--isolation=none", "--jobs=1"}, env: alone, shared: true},
		{name: "shared single", args: []string{"--commit=single", "--isolation=none", "--jobs=1"}, env: alone, shared: true},
		{name: "no git", args: []string{"--jobs=1"}, env: alone, shared: true, bare: true, before: withoutGit},
		{name: "resume", args: []string{"--commit=auto"}, env: []string{"COMMITS=1"}, before: killedRun, first: []string{"--resume"}},
		{name: "fresh", args: []string{"--commit=auto"}, before: haltedRun, first: []string{"--fresh"}, fresh: true},
	}
}

// power is a site whose repository is on a disk of its own.
type power struct {
	*site
	powerCase
	disk   *disk
	base   string // image before the run
	oldRun string // its id, where a run is set aside
	good   look   // the result of a run without a cut
	steps  int    // of that run; the number differs a little from run to run
}

// The power of a run's disk is cut at random instants, after each record that a phase is complete,
// and after the end. The content that the disk has received is mounted: everything that was
// recorded is there, and the resume comes to the same end as the run without a cut.
func TestPowerCuts(t *testing.T) {
	if *powerCuts == 0 {
		t.Skip("-power-cuts 0: it takes minutes, root and loop devices")
	}
	needDisks(t)
	seed := *powerSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	cases := powerCases()
	var done atomic.Int64
	for i, c := range cases {
		n := *powerCuts/len(cases) + min(1, max(0, *powerCuts%len(cases)-i))
		t.Run(c.name, func(t *testing.T) {
			p := newPower(t, c)
			random := rand.New(rand.NewPCG(seed, uint64(i)))
			for round := range powerRounds {
				done.Add(int64(p.round(random, n/powerRounds+min(1, max(0, n%powerRounds-round)))))
			}
			if t.Failed() {
				t.Logf("the instants again: go test ./cmd -run 'TestPowerCuts/%s' -power-cuts %d -power-seed %d", t.Name(), *powerCuts, seed)
			}
			t.Logf("%d copies were made again, because the disk was written to meanwhile", p.disk.again)
		})
	}
	t.Logf("%d cuts", done.Load())
}

func newPower(t *testing.T, c powerCase) *power {
	t.Helper()
	p := &power{site: newSite(t), powerCase: c}
	p.base = p.path("base.img")
	script := strings.Replace(siteAgent, "case $AUTOBUILD_PHASE_ID in 2a)", `[ -n "$ALONE" ] || case $AUTOBUILD_PHASE_ID in 2a)`, 1)
	script = strings.Replace(script, "fence='", `seq 1 20000 | sed "s/^/$AUTOBUILD_PHASE_ID /" > big.$AUTOBUILD_PHASE_ID.txt
[ -z "$COMMITS" ] || { git add -A && git commit -q -m "my own"; } >/dev/null
fence='`, 1)
	if err := errors.Join(os.WriteFile(p.path("agent.sh"), []byte(script), 0o644), os.Rename(p.path("repo"), p.path("seed")), os.Mkdir(p.path("repo"), 0o755)); err != nil {
		t.Fatal(err)
	}
	p.disk = &disk{t: t, image: p.base, dir: p.path("repo")}
	t.Cleanup(p.disk.unmount)
	p.disk.format()
	if err := os.CopyFS(p.path("repo"), os.DirFS(p.path("seed"))); err != nil {
		t.Fatal(err)
	}
	p.usersOwn()
	if c.before != nil {
		c.before(p)
	}
	p.disk.unmount()

	p.insert(p.base, p.path("work.img"))
	if last := p.begin(func(int, string) { p.steps++ }); last.code != 0 || p.steps == 0 {
		t.Fatalf("with the power on it ends with %d after %d steps:\n%s", last.code, p.steps, last.text())
	}
	if c.first != nil {
		p.goOn(0)
	}
	p.good = p.look()
	p.disk.unmount()
	return p
}

// usersOwn is what the user has in the checkout, in each state that git knows.
func (p *power) usersOwn() {
	p.write("repo/notes.txt", "as committed\n")
	p.git("add", "notes.txt")
	p.git("commit", "-q", "-m", "notes")
	p.write("repo/notes.txt", "changed\n")
	p.write("repo/staged.txt", "staged\n")
	p.git("add", "staged.txt")
	p.write("repo/staged.txt", "staged, and changed since\n")
	p.write("repo/mine.txt", "untracked\n")
}

func (p *power) write(name, text string) {
	p.t.Helper()
	if err := os.WriteFile(p.path(name), []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func withoutGit(p *power) {
	if err := os.RemoveAll(p.path("repo/.git")); err != nil {
		p.t.Fatal(err)
	}
}

// killedRun leaves a run that was killed while two phases were at work.
func killedRun(p *power) {
	c := p.start("autobuild", append([]string{"PACE=0.2"}, p.env...), p.callArgs()...)
	for !strings.Contains(p.agents(), " 2") {
		select {
		case <-c.over:
			p.t.Fatalf("it ended with %d before it was killed:\n%s", c.code, c.text())
		case <-time.After(5 * time.Millisecond):
		}
	}
	_ = c.Process.Kill()
	c.wait()
	p.awaitNoProcess()
}

// haltedRun leaves a run that has failed at its first phase.
func haltedRun(p *power) {
	p.old = true
	p.start("autobuild", nil, "plan.md", "--agent-cmd", "false", "--commit=auto").wait()
	p.oldRun = p.runID()
}

// callArgs are a call of the program that runs the plan.
func (p *power) callArgs(more ...string) []string {
	return append(append([]string{"plan.md", "--agent-cmd", "sh " + p.path("agent.sh")}, p.args...), more...)
}

// insert mounts a copy of an image.
func (p *power) insert(from, as string) {
	p.t.Helper()
	if from != as {
		if err := copySparse(from, as); err != nil {
			p.t.Fatal(err)
		}
	}
	p.disk.image = as
	p.disk.mount()
	p.write("calls", "")
}

var followers atomic.Int64

// begin makes the call that is to be cut, to its end, and asks at each of its steps.
func (p *power) begin(at func(n int, what string)) *started {
	p.t.Helper()
	name := fmt.Sprintf("@autobuild-test-%d-%d", os.Getpid(), followers.Add(1))
	listener, err := net.Listen("unix", name)
	if err != nil {
		p.t.Fatal(err)
	}
	var over sync.WaitGroup
	over.Go(func() {
		conn, err := listener.Accept()
		if err != nil {
			return // it ended without a step
		}
		lines := bufio.NewScanner(conn)
		for n := 1; lines.Scan(); n++ {
			at(n, lines.Text())
			if _, err := conn.Write([]byte{'\n'}); err != nil {
				return
			}
		}
	})
	args := p.callArgs(p.first...)
	if len(p.first) == 1 && !strings.HasPrefix(p.first[0], "-") {
		args = p.first
	}
	c := p.start("autobuild-cut", p.env, append([]string{string(cutAsk), "0", name}, args...)...)
	c.wait()
	_ = listener.Close() // all questions have been answered
	over.Wait()
	return c
}

// cutOff is one instant at which the power was cut.
type cutOff struct {
	image, when string
	ended       bool            // the call had ended well
	said        map[string]bool // phases that were recorded complete before the cut
}

// round makes one run, cuts its power n times, and looks at every cut. It gives the number of cuts.
func (p *power) round(random *rand.Rand, n int) int {
	p.insert(p.base, p.path("work.img"))
	chosen := make(map[int]bool)
	for range n - len(sitePhases) - 1 {
		chosen[1+random.IntN(p.steps)] = true
	}
	var cuts []cutOff
	var mu sync.Mutex
	var late sync.WaitGroup
	said := map[string]bool{}
	take := func(when string, committed, ended bool) {
		mu.Lock()
		defer mu.Unlock()
		known := maps.Clone(said)
		image := p.path(fmt.Sprintf("cut.%d.img", len(cuts)))
		if p.disk.cut(image, committed) {
			cuts = append(cuts, cutOff{image, when, ended, known})
		}
	}
	last := p.begin(func(k int, what string) {
		complete := ""
		if strings.HasPrefix(what, `"after write phases/`) {
			for id, r := range p.records() {
				mu.Lock()
				if r.Status == "complete" && !said[id] {
					said[id], complete = true, id
				}
				mu.Unlock()
			}
		}
		switch {
		case complete != "":
			take(fmt.Sprintf("step %d %s, phase %s is complete", k, what, complete), false, false)
		case !chosen[k]:
		case random.IntN(3) == 0: // in the middle of what follows
			after, committed := time.Duration(random.Int64N(int64(8*time.Millisecond))), random.IntN(2) == 0
			late.Go(func() {
				<-time.After(after)
				take(fmt.Sprintf("%v after step %d %s, committed: %t", after, k, what, committed), committed, false)
			})
		default:
			committed := random.IntN(3) > 0
			take(fmt.Sprintf("step %d %s, committed: %t", k, what, committed), committed, false)
		}
	})
	late.Wait()
	take("after the end", false, last.code == 0)
	p.disk.unmount()
	for _, c := range cuts {
		p.t.Run(fmt.Sprintf("cut %s", strings.TrimSuffix(c.image[strings.LastIndexByte(c.image, '/')+1:], ".img")), func(t *testing.T) {
			p.restore(t, c)
		})
		_ = os.Remove(c.image) // the space matters, not the file
	}
	return len(cuts)
}

// restore brings the disk up again as it was when the power was cut, and goes on from there.
func (p *power) restore(t *testing.T, c cutOff) {
	before := *p.site
	p.t, p.disk.t = t, t
	defer func() { p.t, p.disk.t = before.t, before.t }()
	defer p.disk.unmount()
	defer func() {
		if t.Failed() {
			t.Logf("the power was cut at %s", c.when)
		}
	}()
	p.insert(c.image, c.image)
	complete := p.onTheDisk()
	for id := range c.said {
		if !complete[id] {
			t.Errorf("phase %s had been recorded complete", id)
			complete[id] = true
		}
	}
	if c.ended {
		p.same(p.look())
	}
	p.goOn(4)
	p.same(p.look())
	for id, n := range p.calls() {
		if complete[id] && n > 0 {
			t.Errorf("phase %s was recorded complete, and its agent is called again", id)
		}
	}
}

// output is what a git said, beside its end.
func (p *power) output(args ...string) (string, error) {
	git := exec.Command("git", args...)
	git.Dir, git.Env = p.path("repo"), p.environ()
	out, err := git.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}
