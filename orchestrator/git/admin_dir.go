package git

import (
	"path/filepath"
	"strings"

	"autobuild/internal/safefile"
)

// ReadLink is the path that a file of git's holds in its only line; empty where it cannot be read.
func ReadLink(gitdirFile string) string {
	data, err := safefile.Read(gitdirFile, safefile.Small)
	if err != nil {
		return ""
	}
	return filepath.FromSlash(strings.TrimSuffix(string(data), "\n"))
}

// HeadOf is the branch, a full ref name, of the HEAD in a git directory; empty where it names none.
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

// ModuleDir is the common git directory of the repository that dir is a checkout of, or empty.
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
	if common, err := safefile.ReadPlain(filepath.Join(to, "commondir"),
		safefile.Small); err == nil {
		to = filepath.Join(to, filepath.FromSlash(strings.TrimSpace(string(common))))
	}
	return to
}
