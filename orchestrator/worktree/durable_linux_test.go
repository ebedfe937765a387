package worktree_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"autobuild/orchestrator/git/gittest"
)

// disk is a repository as a power cut would leave it, by the system calls so far.
type disk struct {
	objects bool // written and not flushed
	files   bool // of the user's checkout, likewise
	// the ref that takes over from a line that goes has moved, and its folder is not on the disk
	line   bool
	branch bool // the user's has moved, and its folder is not on the disk
	moves  int  // of the line
	goes   int  // lines that went
}

var (
	gitCall  = regexp.MustCompile(`^(\d+) +execve\("[^"]*git", \[(.*)\]`)
	traced   = regexp.MustCompile(`^(\d+) +(\w+)\((.*)`)
	gitFiles = regexp.MustCompile(`"(/[^"]*/(?:\.git|\.autobuild/git))/([^"]*)"`)
	gitDir   = regexp.MustCompile(`<(/[^>]*/(?:\.git|\.autobuild/git))/(refs/[^>]*)>`)
)

// The objects of a ref are on the disk before the ref moves there, and a ref that takes over before
// the one that goes: between the last object that is written and the line, or the user's branch,
// that moves is a flush of the file system, seen in the system calls. The same holds for the files
// of a delivery and the ref that records it. A power cut in between loses the phase's end, never
// its commit.
func TestFlushedBeforeTheLineMoves(t *testing.T) {
	t.Parallel()
	log := gittest.Calls(t, "^(TestOnePhase|TestUserCommitsMeanwhile|TestTouchedFilesAndSplitIndex)$/^(auto|single)_resumed_true$",
		"execve,syncfs,fsync,rename,renameat,renameat2,link,linkat,unlink,unlinkat")
	disks, theirs := map[string]*disk{}, map[string]bool{}
	at := func(git string) *disk {
		if disks[git] == nil {
			disks[git] = &disk{}
		}
		return disks[git]
	}
	for line := range bytes.Lines(log) {
		call := string(line)
		if m := gitCall.FindStringSubmatch(call); m != nil {
			theirs[m[1]] = strings.HasPrefix(m[2], `"git", "commit"`)
			if strings.Contains(m[2], `"read-tree", "-m", "-u"`) {
				for _, d := range disks { // tests run one after the other
					d.files = true
				}
			}
			continue
		}
		m := traced.FindStringSubmatch(call)
		if m == nil || theirs[m[1]] {
			continue
		}
		if m[2] == "syncfs" {
			for _, d := range disks {
				d.objects, d.files, d.line, d.branch = false, false, false, false
			}
			continue
		}
		if f := gitDir.FindStringSubmatch(m[3]); m[2] == "fsync" && f != nil {
			d := at(f[1])
			d.line = d.line && !strings.HasPrefix(f[2], "refs/autobuild/")
			d.branch = d.branch && f[2] != "refs/heads"
			continue
		}
		if files := gitFiles.FindAllStringSubmatch(m[3], -1); len(files) > 0 && m[2] != "fsync" {
			last := files[len(files)-1]
			at(last[1]).call(t, m[2], last[2], call)
		}
	}
	moves, goes := 0, 0
	for git, d := range disks {
		if moves, goes = moves+d.moves, goes+d.goes; d.branch {
			t.Errorf("%s: the user's branch has moved, and its name is not on the disk at the end", git)
		}
	}
	if moves < 10 || goes < 3 {
		t.Errorf("the lines moved %d times and %d of them went: too few for a proof", moves, goes)
	}
}

// call is one rename, link or removal of a file in git's directory.
func (d *disk) call(t *testing.T, what, name, call string) {
	t.Helper()
	isLine := strings.HasPrefix(name, "refs/heads/autobuild/") && strings.HasSuffix(name, "/integration")
	switch {
	case strings.HasPrefix(what, "unlink") && isLine:
		if d.goes++; d.line {
			t.Errorf("the line goes before what takes over is on the disk: %s", call)
		}
	case strings.HasPrefix(what, "unlink"):
	case strings.HasPrefix(name, "objects/info/"):
	case strings.HasPrefix(name, "objects/"):
		d.objects = true
	case isLine:
		if d.objects && d.moves > 0 { // the first time it is made, at a commit that the user has
			t.Errorf("the line moves to what has not been flushed: %s", call)
		}
		d.moves++
	case name == "refs/heads/main":
		if d.objects || d.files {
			t.Errorf("the user's branch moves to what has not been flushed (objects %t, files %t): %s", d.objects, d.files, call)
		}
		d.branch = true
	case strings.HasPrefix(name, "refs/autobuild/") && strings.HasSuffix(name, "/delivered") && d.files:
		t.Errorf("it says delivered, and the files have not been flushed: %s", call)
	case strings.HasPrefix(name, "refs/autobuild/") && strings.HasSuffix(name, "/line"):
		d.line = true
	}
}
