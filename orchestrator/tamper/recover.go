package tamper

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"autobuild/internal/safefile"
	"autobuild/internal/text"
	"autobuild/orchestrator/git"
)

// Hold writes the state outside the worktrees to a file before the first agent starts, and Release
// removes it after the last comparison. If it still exists when the next session begins, that
// comparison is missing: autobuild was killed, and files that its children planted lie where the
// user's git will run them.

// heldName is that file's name on the desk.
const heldName = "held"

// held is the content of that file.
type held struct {
	GitDir string              `json:"git_dir"` // of the checkout from which the run was started
	Meta   map[string]heldMeta `json:"meta"`    // git's own files, by name
	Refs   map[string]string   `json:"refs"`    // branches and tags of the user's
}

type heldMeta struct {
	Digest string      `json:"digest"`
	Mode   fs.FileMode `json:"mode"`
	Data   []byte      `json:"data"` // null where it was too large to be kept
}

// Hold writes down a snapshot of the required state, beyond the life of this process.
func (o *Outside) Hold(s Snapshot) error {
	h := held{GitDir: o.repo.GitDir, Meta: map[string]heldMeta{}, Refs: map[string]string{}}
	for name, m := range s.meta {
		h.Meta[name] = heldMeta{m.digest, m.mode, m.data}
	}
	for ref, id := range s.refs {
		if !git.OwnRef(ref) {
			h.Refs[ref] = id
		}
	}
	o.watchGit(s)
	data, err := json.Marshal(h)
	if err != nil {
		return fmt.Errorf("noting what lies outside the worktrees: %w", err)
	}
	return o.line.Scratch().Write(heldName, data)
}

// Release forgets what Hold wrote, once everything was compared with it.
func (o *Outside) Release() error {
	o.repo.BeforeEachCall(nil)
	return o.line.Scratch().Remove(heldName)
}

// watchGit has git's own configuration compared with a snapshot before each call of git, and put
// back where it makes git do something else: no call runs with what an agent wrote there.
func (o *Outside) watchGit(s Snapshot) {
	o.repo.RemovePipes(filepath.Join(o.stateDir, "breaches"), o.line.Worktrees())
	held := Snapshot{meta: maps.Clone(s.meta)}
	o.repo.BeforeEachCall(func() {
		o.mending.Lock()
		defer o.mending.Unlock()
		for _, t := range held.movedMeta(Snapshot{meta: metaOf(o.repo)}) {
			if t.Breach && t.mend {
				t.putBack(o.writeBack(t))
				o.repo.NoteBreach(t.Text)
			}
		}
	})
}

// RecoverGit compares with the state that an interrupted run held, and describes the differences in
// words. It puts programs that git would start back as in Breaches: the author, an agent or the
// user, can no longer be determined, and only an agent's are dangerous. It reports changed names,
// branches and tags. The caller holds the run's lock and calls it before it uses any data of git's.
func RecoverGit(ctx context.Context, r *git.Repository, stateDir string) ([]string, error) {
	files, err := r.ScratchFiles(heldName)
	if err != nil {
		return nil, fmt.Errorf("looking for a run that was cut off: %w", err)
	}
	var notes []string
	for _, file := range files {
		run := filepath.Base(filepath.Dir(file))
		found, failed := (&Outside{repo: r, runID: run, stateDir: stateDir}).recover(ctx, file)
		if failed != nil {
			return notes, failed
		}
		for _, note := range found {
			notes = append(notes, "since run "+run+" was cut off: "+note)
		}
		if failed = safefile.IgnoreMissing(os.Remove(file)); failed != nil {
			return notes, git.Unusable("git's directory cannot be written", failed)
		}
	}
	note, err := restoreBranch(ctx, r)
	if note != "" {
		notes = append(notes, note)
	}
	return notes, err
}

func (o *Outside) recover(ctx context.Context, file string) ([]string, error) {
	data, err := safefile.ReadPlain(file, safefile.Large)
	if err != nil {
		return nil, git.Unusable("git's directory cannot be read", err)
	}
	var h held
	if err = json.Unmarshal(data, &h); err != nil || !o.isGitDir(h.GitDir) {
		return []string{"what its agents may have changed in git's configuration is not known, " +
			text.Quote(file) + " is damaged"}, nil //nolint:nilerr // that is the answer
	}
	// another checkout may have begun the run
	at := &git.Repository{GitDir: h.GitDir, CommonDir: o.repo.CommonDir}
	before := Snapshot{meta: map[string]metaFile{}}
	for name, m := range h.Meta {
		if path, ok := metaPath(at, name); ok {
			before.meta[name] = metaFile{digest: m.Digest, path: path, mode: m.Mode, data: m.Data}
		}
	}
	var notes []string
	for _, t := range before.movedMeta(Snapshot{meta: metaOf(at)}) {
		switch {
		case t.Breach && t.mend:
			t.putBack(o.writeBack(t))
		case !t.mend && !t.Breach: // an ordinary setting that git notes beside a branch
			continue
		default:
			t.Text += "; it is left as it is now"
		}
		notes = append(notes, t.Text)
	}
	moved, err := o.movedMeanwhile(ctx, h.Refs)
	return append(notes, moved...), err
}

// movedMeanwhile reports branches and tags that are not where they were, unless the log of a
// checkout explains the move.
func (o *Outside) movedMeanwhile(ctx context.Context, before map[string]string) ([]string, error) {
	logs := headLogs(o.repo)
	if logs == nil {
		return nil, nil
	}
	now, err := o.repo.Refs(ctx, "refs/heads", "refs/tags")
	if err != nil {
		return nil, err
	}
	var notes []string
	for _, ref := range differing(before, now, nil) {
		was, is := before[ref], now[ref]
		known := false
		for line := range logs {
			known = known || is != "" && strings.Contains(line, " "+is+" ")
		}
		if was != "" && !known {
			notes = append(notes, fmt.Sprintf("%s %s; it was at %s, and is left as it is now",
				text.Quote(strings.TrimPrefix(ref, "refs/")),
				verbFor(was, is, "", "was deleted", "was moved"), was))
		}
	}
	return notes, nil
}

// isGitDir reports whether dir is the git directory of a checkout of this repository: the file that
// names it may have been edited.
func (o *Outside) isGitDir(dir string) bool {
	return dir == o.repo.GitDir || dir == o.repo.CommonDir ||
		filepath.Dir(dir) == filepath.Join(o.repo.CommonDir, "worktrees")
}
