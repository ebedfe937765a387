package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"autobuild/internal/lazyregexp"
)

// bareScript is what git alone needs for the work of a run: for each phase a worktree, a commit, a
// merge and the removal of the worktree.
const bareScript = `set -eu
n=$1
git branch -q line
for i in $(seq 1 "$n"); do
	git worktree add -q ../tree -b "phase-$i" line
	echo "$i" >"../tree/file-$i"
	git -C ../tree add -A
	git -C ../tree commit -q -m "phase $i"
	tree=$(git merge-tree --write-tree line "phase-$i")
	commit=$(git commit-tree "$tree" -p line -m "phase $i")
	git update-ref refs/heads/line "$commit"
	git worktree remove --force ../tree
	git branch -q -D "phase-$i"
done
git merge -q --ff-only line
`

// repository makes a repository of so many files in dir/repo, with a plan of that many phases.
func repository(dir string, files, phases int) error {
	repo := filepath.Join(dir, "repo")
	for i := range files {
		folder := filepath.Join(repo, "src", strconv.Itoa(i/100))
		if i%100 == 0 {
			if err := os.MkdirAll(folder, 0o700); err != nil {
				return err
			}
		}
		if err := os.WriteFile(filepath.Join(folder, strconv.Itoa(i)+".txt"),
			[]byte("content "+strconv.Itoa(i)+"\n"), 0o600); err != nil {
			return err
		}
	}
	if err := chain(phases).write(repo, "sh", "work.sh"); err != nil {
		return err
	}
	for name, text := range map[string]string{
		"work.sh":    "echo $AUTOBUILD_PHASE_ID >file-$AUTOBUILD_PHASE_ID\n",
		".gitignore": ".autobuild/\n", "bare.sh": bareScript,
	} {
		if err := os.WriteFile(filepath.Join(repo, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	git := find("git")
	if git == "" {
		return errors.New("git is not on PATH")
	}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"},
		{"config", "user.name", "Test"},
		{"config", "user.email", "test@example.com"},
		{"config", "gc.auto", "0"},
		{"add", "-A"},
		{"commit", "-q", "-m", "base"},
	} {
		if err := finish(repo, append([]string{git}, args...)...); err != nil {
			return err
		}
	}
	return nil
}

// git compares runs in repositories with the git commands alone.
func (b *bench) git() error {
	const phases = 20
	b.print(
		"### A run in git\n\n%d phases one after the other, each in a worktree, merged and "+
			"delivered; gates off.\n\n"+
			"| files | git alone, s | autobuild, s | ratio |\n|---:|---:|---:|---:|\n", phases)
	for _, files := range []int{500, 20_000} {
		inRepo := func(argv ...string) []string {
			return append([]string{"/bin/sh", "-c", `cd repo && exec "$@"`, "sh"}, argv...)
		}
		got, err := interleave([]program{
			{argv: inRepo("sh", "bare.sh", strconv.Itoa(phases))},
			{argv: inRepo(b.inGit()...)},
		}, max(1, b.runs/2), func(dir string) error { return repository(dir, files, phases) })
		if err != nil {
			return err
		}
		b.print("| %d | %.2f | %.2f | %.2f |\n", files, got[0].wall.Seconds(),
			got[1].wall.Seconds(), float64(got[1].wall)/float64(got[0].wall))
	}
	b.print("\n")
	return nil
}

// inGit are the arguments of a run with worktrees.
func (b *bench) inGit() []string {
	return []string{
		b.program, "plan.md", "--config", "autobuild.yaml", "--allow-unverified", "--baseline",
		"off", "--commit=auto",
		"--progress", "plain", "-j", "1",
	}
}

// call is a system call in the output of strace; an unfinished one is counted where it begins.
var call = lazyregexp.New(
	`(?m)^\d+ +(execve|fsync|fdatasync|syncfs|rename|renameat|renameat2|openat)\(`)

// counted are the groups of system calls that a table shows.
var counted = []struct {
	name  string
	calls []string
}{
	{"processes", []string{"execve"}},
	{"fsync", []string{"fsync", "fdatasync", "syncfs"}},
	{"renames", []string{"rename", "renameat", "renameat2"}},
	{"opens", []string{"openat"}},
}

// counts are the system calls of a phase: the difference between a long and a short run, divided by
// the phases between them, so that start and end do not count.
func (b *bench) counts() error {
	const short, long = 3, 23
	b.print("### System calls of a phase\n\n")
	if find("strace") == "" {
		b.print("strace is not on PATH: processes, fsync and renames were not counted.\n\n")
		return nil
	}
	b.print("Counted by strace, all children included.\n\n|")
	for _, c := range counted {
		b.print(" | %s", c.name)
	}
	b.print(" |\n|---|%s\n", strings.Repeat("---:|", len(counted)))
	for _, kind := range []struct {
		name string
		fill func(dir string, phases int) error
		argv []string
	}{
		{"without git", func(dir string, phases int) error {
			return chain(phases).write(dir, "/bin/true")
		}, b.plain("-j", "1")},
		{
			"in git", func(dir string, phases int) error { return repository(dir, 100, phases) },
			b.inGit(),
		},
	} {
		var sums [2]map[string]int
		for i, phases := range []int{short, long} {
			var err error
			if sums[i], err = traced(kind.argv,
				func(dir string) error { return kind.fill(dir, phases) }); err != nil {
				return err
			}
		}
		b.print("| %s |", kind.name)
		for _, c := range counted {
			n := 0
			for _, name := range c.calls {
				n += sums[1][name] - sums[0][name]
			}
			b.print(" %.1f |", float64(n)/(long-short))
		}
		b.print("\n")
	}
	b.print("\n")
	return nil
}

// traced runs a program under strace and counts its system calls, all children included.
func traced(argv []string, fill func(dir string) error) (map[string]int, error) {
	dir, err := os.MkdirTemp("", "speed-traced-")
	if err != nil {
		return nil, err
	}
	defer removeAll(dir) //nolint:errcheck // in the system's temporary directory
	if err = fill(dir); err != nil {
		return nil, err
	}
	at := dir
	if info, serr := os.Stat(filepath.Join(dir, "repo")); serr == nil && info.IsDir() {
		at = filepath.Join(dir, "repo")
	}
	trace := filepath.Join(dir, "trace")
	_, err = measure(program{argv: append([]string{
		find("strace"), "-f", "-qq", "-o", trace, "-e",
		"trace=execve,fsync,fdatasync,syncfs,rename,renameat,renameat2,openat",
	}, argv...)}, at)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(trace)
	if err != nil {
		return nil, err
	}
	sums := make(map[string]int)
	for _, m := range call.FindAllSubmatch(text, -1) {
		sums[string(m[1])]++
	}
	if sums["execve"] == 0 {
		return nil, fmt.Errorf("strace wrote no calls: %.200s", text)
	}
	return sums, nil
}
