package cmd

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"autobuild/internal/call"
	"autobuild/internal/config"
	"autobuild/internal/proc"
	"autobuild/internal/safefile"
	"autobuild/orchestrator/verify"
	"autobuild/orchestrator/verify/referee"
	"autobuild/plan"
	"autobuild/render/term"
)

const refereeFlag = "referee"

// checkReferee prints the class of every file that is no product code, for the gates of the plan in
// the project as it is.
func (a *app) checkReferee(ctx context.Context, p *plan.Plan) error {
	var o config.Options // a configuration is read whole or not at all
	o.Bind(pflag.NewFlagSet("check", pflag.ContinueOnError))
	project, err := a.OpenProject(ctx, &proc.Runner{}, &o)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(project.Root)
	if err != nil {
		return fmt.Errorf("reading the files of the project: %w", err)
	}
	defer root.Close() //nolint:errcheck // read-only
	gates := verify.Merge(project.Config.Gates, nil, verify.Detect(project.Root).Gates)
	judges := term.Judges{Gates: term.JudgeGates("", gates), Mode: o.Referee.Value}
	for _, phase := range p.Phases() {
		own := call.PlanGates(phase)
		gates = append(gates, own...)
		judges.Gates = append(judges.Gates, term.JudgeGates(phase.Label, own)...)
	}
	rows := referee.NewMap(&folderSource{root: root}, gates).Rows()
	for _, class := range []referee.Class{referee.Gate, referee.Test, referee.Vendored} {
		n := len(judges.Files)
		for _, r := range rows {
			if r.Class == class {
				judges.Files = append(judges.Files,
					term.JudgeFile{Class: string(class), Pattern: r.Pattern, Why: r.Why})
			}
		}
		if n == len(judges.Files) {
			judges.Files = append(judges.Files, term.JudgeFile{Class: string(class)})
		}
	}
	a.Print(term.Referee(judges, a.Style(a.Stdout)))
	return nil
}

// folderSource is a directory as a tree: generated files and files of others are left out.
type folderSource struct {
	root  *os.Root
	paths []string
}

var leftOut = []string{
	".git", ".autobuild", "node_modules", ".venv", "venv", "__pycache__",
	"target", ".tox", ".mypy_cache", ".pytest_cache", ".ruff_cache",
}

// Paths are the regular files below the directory, sorted.
func (f *folderSource) Paths() []string {
	if f.paths != nil {
		return f.paths
	}
	f.paths = []string{}
	// A directory that cannot be read has no files.
	_ = fs.WalkDir(os.DirFS(f.root.Name()), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fs.SkipDir
		case d.IsDir() && slices.Contains(leftOut, d.Name()):
			return fs.SkipDir
		case d.Type().IsRegular():
			f.paths = append(f.paths, name)
		}
		return nil
	})
	slices.Sort(f.paths)
	return f.paths
}

// Read is the content of a regular file of at most referee.MaxRead bytes.
func (f *folderSource) Read(name string) (string, bool) {
	info, err := f.root.Lstat(filepath.FromSlash(name))
	if err != nil || !info.Mode().IsRegular() || info.Size() > referee.MaxRead {
		return "", false
	}
	text, err := safefile.ReadIn(f.root, filepath.FromSlash(name), referee.MaxRead)
	return strings.ToValidUTF8(string(text), "\ufffd"), err == nil
}

// Mode is git's mode of a file; empty: there is none.
func (f *folderSource) Mode(name string) string {
	info, err := f.root.Lstat(filepath.FromSlash(name))
	switch {
	case err != nil:
		return ""
	case info.Mode()&0o111 != 0:
		return "100755"
	}
	return "100644"
}
