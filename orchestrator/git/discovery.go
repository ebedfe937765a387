package git

import (
	"os"
	"path/filepath"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/internal/safefile"
)

// dotGit is the nearest .git, in dir or above, and the git directory to which it leads. Both are
// empty where there is none. An empty directory, as sandboxes leave behind, does not count.
func dotGit(dir string) (entry, gitDir string) {
	isGit := func(entry string) bool {
		return safefile.Exists(entry) &&
			(!safefile.IsDir(entry) || safefile.Exists(filepath.Join(entry, "objects")))
	}
	for entry = filepath.Join(dir, ".git"); !isGit(entry); entry = filepath.Join(dir, ".git") {
		above := filepath.Dir(dir)
		if above == dir {
			return "", ""
		}
		dir = above
	}
	gitDir = entry
	if info, err := os.Stat(entry); err != nil || !info.IsDir() {
		gitDir = strings.TrimPrefix(ReadLink(entry), "gitdir: ")
		if !filepath.IsAbs(gitDir) {
			gitDir = filepath.Join(dir, gitDir)
		}
	}
	return entry, gitDir
}

// discoverable refuses a named pipe for which git would wait while it looks for the repository of
// dir.
func discoverable(dir string, environ []string) error {
	if err := unpiped(environ); err != nil {
		return err
	}
	entry, gitDir := dotGit(dir)
	if entry == "" {
		return nil
	}
	common := gitDir
	if to := ReadLink(filepath.Join(gitDir, "commondir")); filepath.IsAbs(to) {
		common = to
	} else if to != "" {
		common = filepath.Join(gitDir, to)
	}
	return regular(
		filepath.Join(gitDir, "HEAD"), filepath.Join(gitDir, "commondir"),
		filepath.Join(common, "config"), filepath.Join(gitDir, "config.worktree"),
	)
}

// regular refuses files of git's that are no regular files.
func regular(files ...string) error {
	for _, file := range files {
		if safefile.Exists(file) && !safefile.IsFile(file) {
			return &UnusableError{
				What: "one of git's own files is no file any more", Where: file,
				Next: "find out what replaced it, and put it back (an index: remove it, then " +
					"git reset)",
			}
		}
	}
	return nil
}

// unlooked matches git's message about the directory above which it did not look, because that is
// another file system.
var unlooked = lazyregexp.New(`up to mount point ([^\n]*)\)`)

// unpiped refuses a named pipe in the place of the user's own configuration.
func unpiped(environ []string) error {
	for _, path := range accountPaths(environ) {
		if info, err := os.Stat(path); err == nil && info.Mode()&os.ModeNamedPipe != 0 {
			return &UnusableError{
				What: "your configuration of git is a pipe", Where: path,
				Next: "find out what replaced it, and put it back, or remove it",
			}
		}
	}
	return nil
}

// notTaken is the error for a dir in which git finds no repository: there is none, or it is
// damaged.
func notTaken(dir, tail string) error {
	entry, _ := dotGit(dir)
	if m := unlooked.FindStringSubmatch(tail); m != nil {
		if rel, err := filepath.Rel(m[1], filepath.Dir(entry)); err != nil || rel == "." ||
			strings.HasPrefix(rel, "..") {
			entry = ""
		}
	}
	if entry == "" {
		return ErrNoRepository
	}
	return &UnusableError{
		What: "git does not take this for a repository: it is damaged, or points to one that " +
			"is gone",
		Where: entry,
		Next:  "see what git status says there and mend it, or move it out of the way", none: true,
	}
}
