package cmd

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"autobuild/failure/knowledge"
	"autobuild/internal/atomicfile"
)

// record is what a phase's state file says.
type record struct {
	Status string `json:"status"`
	Commit struct {
		SHA string `json:"sha"`
	} `json:"commit"`
}

// records reads every phase's state file. Whenever the program is killed, each is whole.
func (s *site) records() map[string]record {
	s.t.Helper()
	all := make(map[string]record)
	for _, id := range sitePhases {
		text := s.read("repo/.autobuild/phases/phase-" + id + ".json")
		if text == "" {
			continue
		}
		var r record
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			s.t.Errorf("phase %s: the state file is no JSON: %v: %q", id, err, text)
		}
		all[id] = r
	}
	return all
}

// calls counts how often the agent was called for each phase.
func (s *site) calls() map[string]int {
	n := make(map[string]int)
	for line := range strings.Lines(s.read("calls")) {
		id, _, _ := strings.Cut(line, " ")
		n[id]++
	}
	return n
}

// moment is what was true when the program ended, however it did.
type moment struct {
	records map[string]record
	calls   map[string]int
}

// now checks the invariants after every ending: no process of the run is left, and every complete
// phase has its commit.
func (s *site) now() moment {
	s.t.Helper()
	s.awaitNoProcess()
	m := moment{s.records(), s.calls()}
	for _, r := range m.records {
		if r.Status == "complete" {
			s.git("cat-file", "-e", r.Commit.SHA+"^{commit}")
		}
	}
	return m
}

// whole checks everything that must hold once a run has completed, after any interruptions. The
// moments are those of earlier endings.
func (s *site) whole(last *started, earlier ...moment) {
	s.t.Helper()
	if last.code != 0 || !strings.Contains(last.text(), "AUTOBUILD COMPLETE") && !strings.Contains(last.text(), "othing to do") {
		s.t.Errorf("the last call ended with %d:\n%s", last.code, last.text())
	}
	s.awaitNoProcess()
	s.wholeState(earlier)
	s.wholeGit()
	s.nothingLeft()
}

func (s *site) wholeState(earlier []moment) {
	s.t.Helper()
	calls, records := s.calls(), s.records()
	for _, id := range sitePhases {
		if records[id].Status != "complete" {
			s.t.Errorf("phase %s is %q", id, records[id].Status)
		}
		for i, m := range earlier {
			if m.records[id].Status == "complete" && m.calls[id] != calls[id] {
				s.t.Errorf("phase %s was complete after ending %d, with %d calls of its agent, and now there are %d", id, i+1, m.calls[id], calls[id])
			}
		}
		// a resume gives a phase its attempts back
		if most := 2 * (len(earlier) + 1); calls[id] > most {
			s.t.Errorf("the agent was called %d times for phase %s; with %d endings before the last it may be %d", calls[id], id, len(earlier), most)
		}
	}
	var result struct {
		Outcome string `json:"outcome"`
		Exit    int    `json:"exit_code"`
	}
	for _, name := range []string{"config.json", "result.json"} {
		if err := json.Unmarshal([]byte(s.read("repo/.autobuild/"+name)), &result); err != nil {
			s.t.Errorf("%s: %v", name, err)
		}
	}
	if result.Outcome != "complete" || result.Exit != 0 {
		s.t.Errorf("result.json says %+v", result)
	}
	s.wholeDiary()
}

// wholeDiary: every line is whole, the numbers never go back, and the last word about each phase is
// that it is complete.
func (s *site) wholeDiary() {
	s.t.Helper()
	seq, last := 0, make(map[string]string)
	for lines := bufio.NewScanner(strings.NewReader(s.read("repo/.autobuild/events.jsonl"))); lines.Scan(); {
		var e struct {
			Seq           int
			Phase, Status string
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			s.t.Errorf("the diary has a line that is no JSON: %v: %q", err, lines.Text())
		}
		if e.Seq != 0 && e.Seq < seq {
			s.t.Errorf("the diary goes back from event %d to %d", seq, e.Seq)
		}
		if seq = max(seq, e.Seq); e.Phase != "" && e.Status != "" {
			last[e.Phase] = e.Status
		}
	}
	for _, id := range sitePhases {
		if last[id] != "complete" {
			s.t.Errorf("the diary leaves phase %s %q", id, last[id])
		}
	}
}

func (s *site) wholeGit() {
	s.t.Helper()
	s.git("fsck", "--strict", "--no-dangling")
	found := make(map[string][]string)
	log := s.git("log", "--format=%H %(trailers:key=Autobuild-Phase,valueonly,separator=%x2C)", "main")
	for line := range strings.Lines(log) {
		if sha, id, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			found[id] = append(found[id], sha)
		}
	}
	for id, r := range s.records() {
		if len(found[id]) != 1 || found[id][0] != r.Commit.SHA {
			s.t.Errorf("phase %s: its file says commit %s, and main holds %v", id, r.Commit.SHA, found[id])
		}
	}
	if len(found) != len(sitePhases) || strings.Count(log, "\n") != len(sitePhases) {
		s.t.Errorf("main holds:\n%s", log)
	}
	if got := s.git("status", "--porcelain"); got != "" && got != "?? "+knowledge.FileName {
		s.t.Errorf("the checkout is not clean:\n%s", got)
	}
	lines := s.read("repo/lines.txt")
	if strings.Count(lines, "three\n") != 1 || strings.Count(lines, "thirty\n") != 1 || strings.Count(s.read("repo/plan.md"), "✅")+strings.Count(s.read("repo/plan.md"), "[x]") == 0 {
		s.t.Errorf("work is missing:\n%s\n%s", lines, s.read("repo/plan.md"))
	}
	if got := s.git("worktree", "list", "--porcelain"); strings.Count(got, "worktree ") != 1 {
		s.t.Errorf("worktrees are left:\n%s", got)
	}
	s.wholeRefs()
}

// wholeRefs: of the run's own, only those that docs/state.md names are left, and no branch but the
// user's.
func (s *site) wholeRefs() {
	s.t.Helper()
	var config struct {
		Run string `json:"run_id"`
	}
	if err := json.Unmarshal([]byte(s.read("repo/.autobuild/config.json")), &config); err != nil || config.Run == "" {
		s.t.Errorf("config.json names no run: %v", err)
	}
	for ref := range strings.FieldsSeq(s.git("for-each-ref", "--format=%(refname)")) {
		own, hidden := strings.CutPrefix(ref, "refs/autobuild/"+config.Run+"/")
		switch {
		case ref == "refs/heads/main", hidden && slices.Contains([]string{"base", "delivered", "line"}, own):
		case s.old && !strings.Contains(ref, config.Run):
		default:
			s.t.Errorf("ref %s is left", ref)
		}
	}
}

// nothingLeft looks for what writers that were killed leave behind. Of git's own, half-written
// objects are for git's own gc.
func (s *site) nothingLeft() {
	s.t.Helper()
	locks := []string{"repo/.git/autobuild.lock", "repo/.git/autobuild-agents.lock"}
	err := filepath.WalkDir(s.path("repo"), func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(s.dir, path)
		switch {
		case err != nil:
			return err
		case strings.HasSuffix(name, ".lock") && !slices.Contains(locks, filepath.ToSlash(name)), atomicfile.IsTemp(d.Name()),
			strings.Contains(filepath.ToSlash(name), "/.autobuild/git/") && strings.HasPrefix(d.Name(), ".autobuild-"):
			s.t.Errorf("%s is left behind", name)
		}
		return nil
	})
	if err != nil {
		s.t.Error(err)
	}
	for _, dir := range []string{"tmp", "home/.cache"} {
		left, err := os.ReadDir(s.path(dir))
		if err != nil {
			s.t.Error(err)
		}
		for _, e := range left {
			if e.Name() != ".keep" {
				s.t.Errorf("%s/%s is left behind", dir, e.Name())
			}
		}
	}
}

// process is one that a site has started.
type process struct {
	pid, parent int
	line        string // its command line, words separated by spaces
}

// alive are the processes with the site's mark in their environment, where the system shows it.
func (s *site) alive() []process {
	var found []process
	names, _ := os.ReadDir("/proc")
	for _, e := range names {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		dir := "/proc/" + e.Name() + "/"
		environ, err := os.ReadFile(dir + "environ")
		if err != nil || !bytes.Contains(append([]byte{0}, environ...), []byte("\x00"+s.mark+"\x00")) {
			continue
		}
		line, _ := os.ReadFile(dir + "cmdline")
		stat, _ := os.ReadFile(dir + "stat")
		_, rest, _ := bytes.Cut(stat, []byte(") "))
		fields := bytes.Fields(rest)
		if len(fields) < 2 || string(fields[0]) == "Z" {
			continue
		}
		parent, _ := strconv.Atoi(string(fields[1]))
		found = append(found, process{pid, parent, string(bytes.ReplaceAll(line, []byte{0}, []byte(" ")))})
	}
	return found
}

// awaitNoProcess waits until no process of the site is alive: the promise is five seconds. A busy
// machine may need longer for the looks, so their number counts too.
func (s *site) awaitNoProcess() {
	s.t.Helper()
	const looks = 500
	began := time.Now()
	for n := 1; ; n++ {
		left := s.alive()
		if len(left) == 0 {
			return
		}
		if took := time.Since(began); n >= looks && took > 5*time.Second {
			s.t.Errorf("still alive %v after the end: %+v", took, left)
			return
		}
		<-time.After(5 * time.Millisecond)
	}
}
