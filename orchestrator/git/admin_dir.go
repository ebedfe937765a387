package git

import (
	"path/filepath"
	"strings"

	"autobuild/internal/safefile"
)

// adminOf finds git's own directory for the worktree at dir, or gives an empty string. Only git's
// list is asked: what lies in the worktree may have been replaced by an agent.
func AdminDir(commonDir, dir string) string {
	admins, err := filepath.Glob(filepath.Join(safefile.EscapeGlob(commonDir), "worktrees", "*", "gitdir"))
	if err != nil {
		return ""
	}
	want := filepath.Join(dir, ".git")
	for _, f := range admins {
		if safefile.SamePath(ReadLink(f), want) {
			return filepath.Dir(f)
		}
	}
	return ""
}

func ReadLink(gitdirFile string) string {
	data, err := safefile.Read(gitdirFile, safefile.Small)
	if err != nil {
		return ""
	}
	return filepath.FromSlash(strings.TrimSuffix(string(data), "\n"))
}

// readHead gives the branch that a worktree's HEAD names.
func HeadOf(admin string) string {
	data, err := safefile.Read(filepath.Join(admin, "HEAD"), safefile.Small)
	if admin == "" || err != nil {
		return ""
	}
	branch, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "ref: ")
	if !ok {
		return ""
	}
	return branch
}

// gitDirOf is the git directory of a repository that lies in a directory, or empty.
func ModuleDir(dir string) string {
	link := filepath.Join(dir, ".git")
	if safefile.IsDir(link) {
		return link
	}
	data, err := safefile.ReadPlain(link, safefile.Small)
	to, ok := strings.CutPrefix(strings.TrimSuffix(string(data), "\n"), "gitdir: ")
	if err != nil || !ok {
		return ""
	}
	if !filepath.IsAbs(to) {
		to = filepath.Join(dir, filepath.FromSlash(to))
	}
	// the user works in a worktree themselves
	if common, err := safefile.ReadPlain(filepath.Join(to, "commondir"), safefile.Small); err == nil {
		to = filepath.Join(to, filepath.FromSlash(strings.TrimSpace(string(common))))
	}
	return to
}
