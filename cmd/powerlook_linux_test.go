package cmd

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"autobuild/failure/knowledge"
	"autobuild/state/store"
)

// onTheDisk checks the invariants before a resume: state is whole, every phase that is recorded as
// complete is there with its content, and every ref of the run and of the user leads to a whole
// object. It returns the phases that are complete.
func (p *power) onTheDisk() map[string]bool {
	p.t.Helper()
	complete := make(map[string]bool)
	for id, r := range p.stored() {
		if r.Status != "complete" {
			continue
		}
		complete[id] = true
		switch {
		case p.shared:
			if p.read("repo/"+id+".txt") != "done\n" || !strings.HasSuffix(p.read("repo/big."+id+".txt"), " 20000\n") {
				p.t.Errorf("phase %s is recorded complete, and its files are not whole", id)
			}
		case r.Commit.SHA == "":
			p.t.Errorf("phase %s is recorded complete, without a commit", id)
		default:
			own := "--git-dir=" + p.path("repo/.autobuild/git") // what was not delivered is there alone
			p.wholeCommit("phase "+id, r.Commit.SHA, own)
			if text, err := p.output(own, "show", r.Commit.SHA+":"+id+".txt"); err != nil || text != "done" {
				p.t.Errorf("the commit of phase %s lacks its file: %v: %q", id, err, text)
			}
		}
	}
	if p.read("repo/.autobuild/config.json") != "" {
		if c := p.start("autobuild", nil, "status"); c.wait() != 0 {
			p.t.Errorf("status ends with %d:\n%s", c.code, c.text())
		}
	}
	if p.bare {
		return complete
	}
	refs, err := p.output("for-each-ref", "--format=%(objectname) %(refname)")
	if err != nil || strings.Contains(refs, "warning") {
		p.t.Errorf("refs cannot be listed: %v: %s", err, refs)
	}
	for line := range strings.Lines(refs) {
		id, ref, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name, ok := strings.CutPrefix(ref, "refs/heads/autobuild/"); ok && slices.Contains(sitePhases, name[strings.LastIndexByte(name, '/')+1:]) {
			continue // an agent commits there, and autobuild does not sync that
		}
		p.wholeCommit(ref, id)
	}
	return complete
}

// stored are the phases as the program loads them: of a phase's file that the power cut has left
// older or empty, the diary has the rest.
func (p *power) stored() map[string]record {
	p.t.Helper()
	all := make(map[string]record)
	run, _, err := store.Load(p.path("repo/.autobuild"), nil)
	if errors.Is(err, store.ErrNoRun) {
		return all
	}
	if err != nil {
		p.t.Error(err)
		return all
	}
	for i := range run.Phases {
		r := record{Status: string(run.Phases[i].Status)}
		if c := run.Phases[i].Commit; c != nil {
			r.Commit.SHA = c.SHA
		}
		all[run.Phases[i].ID] = r
	}
	return all
}

// wholeCommit reads everything that a commit leads to.
func (p *power) wholeCommit(what, id string, more ...string) {
	p.t.Helper()
	git := exec.Command("git", append(more, "archive", "--format=tar", id)...)
	git.Dir, git.Env, git.Stdout = p.path("repo"), p.environ(), io.Discard
	var said bytes.Buffer
	git.Stderr = &said
	if err := git.Run(); err != nil {
		p.t.Errorf("%s leads to %.12s, which is not whole: %v: %s", what, id, err, said.Bytes())
	}
}

// goOn is what a person does when the power is back.
func (p *power) goOn(tries int) {
	p.t.Helper()
	if p.shared { // half an attempt belongs to no later one, and is to be taken away
		for _, id := range sitePhases {
			_, err := p.output("cat-file", "-e", "HEAD:"+id+".txt")
			if landed := !p.bare && err == nil; !landed && p.stored()[id].Status != "complete" {
				_, _ = p.output("rm", "-q", "--cached", "--ignore-unmatch", id+".txt", "big."+id+".txt")
				_ = os.Remove(p.path("repo/" + id + ".txt"))
				_ = os.Remove(p.path("repo/big." + id + ".txt"))
			}
		}
		_ = os.Remove(p.path("repo/broken.txt"))
	}
	args := p.callArgs("--resume")
	if run := p.runID(); p.fresh && (run == "" || run == p.oldRun) {
		args = p.callArgs("--fresh")
	}
	var c *started
	for range tries + 1 {
		if c = p.start("autobuild", p.env, args...); c.wait() == 0 {
			break
		}
		if !lockAdvice.MatchString(c.text()) {
			break
		}
		p.t.Logf("a lock of the user's is left:\n%s", c.text())
		p.obey(c.text())
		args = p.callArgs("--resume")
	}
	if c.code != 0 {
		p.t.Errorf("the resume ends with %d:\n%s", c.code, c.text())
	}
	p.awaitNoProcess()
}

func (p *power) runID() string {
	var config struct {
		Run string `json:"run_id"`
	}
	if text := p.read("repo/.autobuild/config.json"); text != "" {
		if err := json.Unmarshal([]byte(text), &config); err != nil {
			p.t.Errorf("config.json: %v: %q", err, text)
		}
	}
	return config.Run
}

// look is what a run has come to.
type look struct {
	files    map[string]string // digests of what is in the checkout
	subjects string            // of the commits on the user's branch
	status   string            // in git's words
}

// look reads it, and checks what must hold by itself.
func (p *power) look() look {
	p.t.Helper()
	l := look{files: make(map[string]string)}
	err := filepath.WalkDir(p.path("repo"), func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(p.path("repo"), path)
		switch {
		case err != nil:
			return err
		case name == ".git" || name == ".autobuild":
			return fs.SkipDir
		case d.IsDir() || name == knowledge.FileName:
			return nil
		}
		data, err := os.ReadFile(path)
		sum := sha256.Sum256(data)
		l.files[name] = hex.EncodeToString(sum[:])
		return err
	})
	if err != nil {
		p.t.Error(err)
	}
	p.wholeState(nil)
	if p.bare {
		return l
	}
	p.nothingLeft()
	subjects := strings.Split(p.git("log", "--format=%s", "main"), "\n")
	slices.Sort(subjects)
	l.subjects = strings.Join(subjects, "\n")
	l.status = strings.ReplaceAll(p.git("status", "--porcelain")+"\n", "?? "+knowledge.FileName+"\n", "")
	p.git("worktree", "list")
	if out, err := p.output("fsck", "--strict", "--full"); err != nil || strings.Contains(out, "error") || strings.Contains(out, "warning") {
		p.t.Errorf("git fsck: %v: %s", err, out)
	}
	p.wholeRefs()
	return l
}

// same compares with what came of the run whose power stayed on.
func (p *power) same(l look) {
	p.t.Helper()
	if !maps.Equal(l.files, p.good.files) {
		p.t.Errorf("the checkout holds\n%v\nwant\n%v", l.files, p.good.files)
	}
	if l.subjects != p.good.subjects {
		p.t.Errorf("main has the commits\n%s\nwant\n%s", l.subjects, p.good.subjects)
	}
	if l.status != p.good.status {
		p.t.Errorf("git status says\n%s\nwant\n%s", l.status, p.good.status)
	}
}
