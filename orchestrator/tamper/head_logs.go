package tamper

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"autobuild/internal/safefile"
	"autobuild/orchestrator/git"
	"autobuild/orchestrator/worktree"
)

// headLogs are the newest lines of the logs in which git notes where the user's checkouts went:
// those of this one and of worktrees that are not the run's. Nil: git keeps none here.
func headLogs(repo *git.Repository) map[string]bool {
	names := []string{
		filepath.Join(repo.GitDir, "logs", "HEAD"),
		filepath.Join(repo.CommonDir, "logs", "HEAD"),
	}
	if !safefile.Exists(names[0]) {
		return nil
	}
	admins, err := filepath.Glob(filepath.Join(safefile.EscapeGlob(repo.CommonDir), "worktrees",
		"*"))
	if err != nil {
		admins = nil
	}
	for _, admin := range admins {
		if !worktree.Ours(admin) {
			names = append(names, filepath.Join(admin, "logs", "HEAD"))
		}
	}
	lines := map[string]bool{}
	for _, name := range names {
		for line := range strings.Lines(tailOf(name)) {
			lines[line] = true
		}
	}
	return lines
}

// tailOf is the end of a file, at most 64 KiB; empty where it cannot be read.
func tailOf(path string) string {
	const most = 64 << 10
	f, err := safefile.OpenPlain(path, os.O_RDONLY, 0)
	if err != nil {
		return ""
	}
	defer f.Close() //nolint:errcheck // only read
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	if info.Size() > most {
		if _, err = f.Seek(-most, io.SeekEnd); err != nil {
			return ""
		}
	}
	data, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return ""
	}
	return string(data)
}

func lastLine(path string) string {
	text := strings.TrimSuffix(tailOf(path), "\n")
	return text[strings.LastIndexByte(text, '\n')+1:]
}
