package git

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"autobuild/internal/safefile"
)

// dotGit is the nearest entry of the name .git, in dir or above, and the git directory that it
// leads to. Both are empty where there is none, and an empty directory, as sandboxes leave behind,
// is none.
func dotGit(dir string) (entry, gitDir string) {
	for entry = filepath.Join(dir, ".git"); !safefile.Exists(entry) || safefile.IsDir(entry) && !safefile.Exists(filepath.Join(entry, "objects")); entry = filepath.Join(dir, ".git") {
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

// discoverable refuses what the first git would wait for that looks for the repository of dir.
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
	return regular(filepath.Join(gitDir, "HEAD"), filepath.Join(gitDir, "commondir"), filepath.Join(common, "config"), filepath.Join(gitDir, "config.worktree"))
}

// regular refuses files of git's in whose place something else lies.
func regular(files ...string) error {
	for _, file := range files {
		if safefile.Exists(file) && !safefile.IsFile(file) {
			return &UnusableError{What: "one of git's own files is no file any more", Where: file, Next: "find out what replaced it, and put it back (an index: remove it, then git reset)"}
		}
	}
	return nil
}

// unlooked names, in git's words, the directory from which on it looked no further up: it lies on
// another file system.
var unlooked = regexp.MustCompile(`up to mount point ([^\n]*)\)`)

// unpiped refuses a pipe in the place of the user's own configuration of git, which every git would
// wait for.
func unpiped(environ []string) error {
	for _, path := range accountPaths(environ) {
		if info, err := os.Stat(path); err == nil && info.Mode()&os.ModeNamedPipe != 0 {
			return &UnusableError{What: "your configuration of git is a pipe", Where: path, Next: "find out what replaced it, and put it back, or remove it"}
		}
	}
	return nil
}

// notTaken is why git finds no repository for dir: there is none, or what is there is damaged.
func notTaken(dir, tail string) error {
	entry, _ := dotGit(dir)
	if m := unlooked.FindStringSubmatch(tail); m != nil {
		if rel, err := filepath.Rel(m[1], filepath.Dir(entry)); err != nil || rel == "." || strings.HasPrefix(rel, "..") {
			entry = ""
		}
	}
	if entry == "" {
		return ErrNoRepository
	}
	return &UnusableError{
		What: "git does not take this for a repository: it is damaged, or points to one that is gone", Where: entry,
		Next: "see what git status says there and mend it, or move it out of the way", none: true,
	}
}
