package worktree

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"autobuild/internal/safefile"
	"autobuild/orchestrator/git"
)

// deed is a change outside the worktrees that was ours.
type deed struct {
	paths   []string
	ref, to string
}

// Snapshot is what lies outside the worktrees: refs, the user's checkout and index, and git's configuration. Two of them tell what an
// agent touched that it had no business with.
type Snapshot struct {
	head  string
	refs  map[string]string
	stash string              // the stash's newest entry
	index map[string]string   // what is staged, by path
	files map[string]string   // what differs from the index or is untracked, by path: its stamp
	meta  map[string]metaFile // git's own files, by name
	logs  map[string]bool     // what git has noted of the moves of the user's checkouts; nil where it notes none
	last  string              // the newest entry of the stash's log
	ours  map[string]string   // refs that this process has moved, with where it left them
	mine  map[string]string   // git's own files that were put back, with their digest
	deeds []deed              // all of ours so far
}

// Outside takes a snapshot. Deliveries by Land between two snapshots are not held against anyone.
func (l *Line) Outside(ctx context.Context) (Snapshot, error) {
	give, err := take(ctx, l.hands)
	if err != nil {
		return Snapshot{}, err
	}
	defer give()
	return l.outside(ctx)
}

// outside is Outside for those who hold the hands.
func (l *Line) outside(ctx context.Context) (Snapshot, error) {
	s := Snapshot{index: map[string]string{}, files: map[string]string{}, deeds: slices.Clip(l.own)}
	refs, branch, err := l.repo.RefsAndBranch(ctx, "refs/heads", "refs/tags", "refs/stash", "refs/autobuild")
	if err != nil {
		return Snapshot{}, err
	}
	head := refs[branch]
	if branch == "" {
		if branch, head, err = l.repo.ReadHead(ctx); err != nil {
			return Snapshot{}, err
		}
	}
	s.head, s.refs = cmp.Or(branch, head), refs
	s.stash = s.refs["refs/stash"]
	maps.DeleteFunc(s.refs, func(ref, _ string) bool {
		return ref == "refs/stash" || strings.HasPrefix(ref, l.ref("")) && ref != l.ref("integration")
	})
	if s.refs[l.ref("integration")] == l.tip {
		delete(s.refs, l.ref("integration"))
	}
	if !l.shared {
		if err := l.shareIndex(); err != nil {
			return Snapshot{}, err
		}
		err := l.lookAtCheckout(ctx, head, &s)
		if err != nil && ctx.Err() == nil {
			// The branch may lead to a commit that is not there, which git's list of refs does
			// not show.
			if _, commit, failed := l.repo.ReadHead(ctx); failed == nil && commit == "" {
				err = l.lookAtCheckout(ctx, "", &s)
			}
		}
		if err != nil {
			return Snapshot{}, err
		}
	}
	l.mending.Lock()
	s.mine = maps.Clone(l.putBack)
	l.mending.Unlock()
	s.meta, s.ours = metaOf(l.repo), l.repo.Updated()
	s.logs, s.last = l.movements(), lastLine(filepath.Join(l.repo.CommonDir, "logs", "refs", "stash"))
	return s, nil
}

// lookAtCheckout notes what is staged, and what differs from the index.
func (l *Line) lookAtCheckout(ctx context.Context, head string, s *Snapshot) error {
	o := git.Files{WorkTree: l.repo.Top, Index: filepath.Join(l.repo.GitDir, "index")}
	if head != "" {
		staged, err := l.scratch.DiffIndex(ctx, o, head)
		if err != nil {
			return err
		}
		for _, c := range staged {
			s.index[c.Path] = c.NewMode + " " + c.NewID
		}
	}
	tagged, err := l.scratch.LsFiles(ctx, o, "-t", "-o", "-m", "-d", "--exclude-standard")
	if err != nil {
		return err
	}
	for _, f := range tagged {
		tag, p, _ := strings.Cut(f, " ")
		if (tag != "?" || p != l.plan) && p != l.aside && !l.output(p) { // a plan that git does not track is marked in place
			s.files[p] = stamp(filepath.Join(l.repo.Top, filepath.FromSlash(p)))
		}
	}
	return nil
}

// output reports whether a file of the checkout is one that the program's own output goes to.
func (l *Line) output(path string) bool {
	if len(l.opt.Output) == 0 {
		return false
	}
	info, err := os.Lstat(filepath.Join(l.repo.Top, filepath.FromSlash(path)))
	return err == nil && among(l.opt.Output, info)
}

// stamp is what a file is known by without reading it.
func stamp(path string) string {
	info, err := os.Lstat(path)
	if err != nil {
		return "absent"
	}
	return fmt.Sprintf("%v %d %d", info.Mode(), info.Size(), info.ModTime().UnixNano())
}

// metaOf digests the files by which git can be made to behave differently.
func metaOf(r *git.Repository) map[string]metaFile {
	meta, names := map[string]metaFile{}, metaDirs(r)
	hooks, err := os.ReadDir(filepath.Join(r.CommonDir, "hooks"))
	if err == nil {
		for _, h := range hooks {
			names["hooks/"+h.Name()] = r.CommonDir
		}
	}
	for name, dir := range names {
		if f := readMeta(filepath.Join(dir, filepath.FromSlash(name))); f.digest != "" {
			meta[name] = f
		}
	}
	return meta
}

// metaDirs are those files beside the hooks, by name, with the directory below which each lies.
func metaDirs(r *git.Repository) map[string]string {
	return map[string]string{
		"config": r.CommonDir, "info/attributes": r.CommonDir, "info/exclude": r.CommonDir, "info/grafts": r.CommonDir,
		"objects/info/alternates": r.CommonDir, "config.worktree": r.GitDir, "info/sparse-checkout": r.GitDir,
	}
}

// metaFile is one of git's own files.
type metaFile struct {
	digest string
	path   string
	mode   os.FileMode
	data   []byte // nil where it is too large to be kept, or cannot be read
}

// maxMeta is the size in bytes up to which git's own files are kept in memory to be put back.
const maxMeta = 1 << 20

func readMeta(path string) metaFile {
	info, err := os.Lstat(path)
	if err != nil || info.IsDir() {
		return metaFile{}
	}
	f := metaFile{digest: stamp(path), path: path, mode: info.Mode()}
	if !info.Mode().IsRegular() || info.Size() > maxMeta {
		return f
	}
	data, err := safefile.ReadPlain(path, maxMeta)
	if err != nil {
		f.digest = "unreadable"
		return f
	}
	f.digest, f.data = fmt.Sprintf("%v %x", info.Mode(), sha256.Sum256(data)), data
	return f
}

// Diff says in words, sorted, what was touched between s and later, which must come from the same line. What autobuild did itself in
// between is left out.
func (s Snapshot) Diff(later Snapshot) []string {
	var out []string
	for _, t := range s.Trespasses(later) {
		out = append(out, t.Text)
	}
	return out
}

func verbFor(before, after, created, deleted, changed string) string {
	switch {
	case before == "":
		return created
	case after == "":
		return deleted
	}
	return changed
}

// differing lists the keys whose values differ, without the excused ones, sorted.
func differing(a, b map[string]string, excused map[string]bool) []string {
	var keys []string
	for k, v := range a {
		if w, ok := b[k]; (!ok || w != v) && !excused[k] {
			keys = append(keys, k)
		}
	}
	for k := range b {
		if _, ok := a[k]; !ok && !excused[k] {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return keys
}

// unblock puts back the files of git's that every git would wait for, where a pipe, say, lies in their place, and gives what lay there.
// What it leaves is refused, by name, when the next git is to start.
func (l *Line) unblock(before Snapshot) map[string]metaFile {
	lay := map[string]metaFile{}
	for name, path := range map[string]string{"config": filepath.Join(l.repo.CommonDir, "config"), "HEAD": filepath.Join(l.repo.GitDir, "HEAD")} {
		was, is := before.known(name), readMeta(path)
		if was.data == nil || is.digest == "" || safefile.IsFile(path) || name == "HEAD" && l.moved(before) {
			continue
		}
		if safefile.Replace(path, was.data, was.mode.Perm()) == nil {
			lay[name] = is
		}
	}
	return lay
}

// moved reports whether a checkout of the user's may have gone elsewhere since.
func (l *Line) moved(before Snapshot) bool {
	now := l.movements()
	maps.DeleteFunc(now, func(line string, _ bool) bool { return before.logs[line] || strings.Contains(line, "\tautobuild: ") })
	return before.logs == nil || len(now) > 0
}

// known is what a file of git's was. A HEAD is known by what it named.
func (s Snapshot) known(name string) metaFile {
	if name != "HEAD" {
		return s.meta[name]
	}
	text := s.head + "\n"
	if strings.HasPrefix(s.head, "refs/") {
		text = "ref: " + text
	}
	return metaFile{digest: "a file", mode: 0o644, data: []byte(text)}
}
