package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"autobuild/integrations"
	"autobuild/internal/atomicfile"
	"autobuild/internal/proc"
	"autobuild/internal/safefile"
	"autobuild/internal/text"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/config"
)

// integrating writes the command that coding agents offer for autobuild.
type integrating struct {
	*app
	hosts   []string
	account bool // for everything of one user, rather than for this project
	dryRun  bool
	now     time.Time
}

// run writes what each agent needs. All names are checked before anything is written.
func (g *integrating) run(ctx context.Context) error {
	base, err := g.base(ctx)
	if err != nil {
		return err
	}
	for _, name := range g.hosts {
		if _, ok := integrations.Files(name, g.account); !ok {
			return call.Usage(fmt.Sprintf("--for: there is no command for %q", name),
				text.Suggest(name, integrations.Names(), config.SeeHelp))
		}
	}
	if !g.dryRun {
		if err := os.MkdirAll(base, 0o755); err != nil {
			return fmt.Errorf("the folder %s cannot be made: %w; make it by hand, or correct HOME",
				base, err)
		}
	}
	for _, name := range g.hosts {
		files, _ := integrations.Files(name, g.account)
		for _, f := range files {
			if err := g.place(base, f); err != nil {
				return err
			}
		}
		g.Print(fmt.Sprintf("next, in %s: %s\n", name, integrations.Call(name)))
	}
	return nil
}

// base is the folder below which the files go: the project's, or the user's home.
func (g *integrating) base(ctx context.Context) (string, error) {
	if g.account {
		home := g.Environ.Home()
		if !filepath.IsAbs(home) {
			return "", call.Usage("--user: there is no home directory", "set HOME")
		}
		return home, nil
	}
	p, err := g.OpenProject(ctx, &proc.Runner{}, nil)
	if err != nil {
		return "", err
	}
	return p.Root, nil
}

// place writes one file. One that is there and says something else is kept beside it.
func (g *integrating) place(base string, f integrations.File) error {
	shown := g.Shown(filepath.Join(base, filepath.FromSlash(f.Path)))
	if g.dryRun {
		g.Print("would write " + shown + ":\n\n" + f.Text + "\n")
		return nil
	}
	fail := func(err error) error {
		return fmt.Errorf(
			"writing %s: %w; make it possible to write there, and call autobuild init again", shown,
			err)
	}
	dir, err := os.OpenRoot(base) // a link that leads elsewhere is not followed
	if err != nil {
		return fail(err)
	}
	defer func() { _ = dir.Close() }() // only held
	old, err := safefile.ReadIn(dir, f.Path, safefile.Large)
	switch {
	case err == nil && string(old) == f.Text:
		g.Print(shown + " is up to date\n")
		return nil
	case err == nil:
		kept := f.Path + "." + g.now.UTC().Format("20060102-150405") + ".bak"
		if err = atomicfile.Write(dir, kept, old, 0o644); err != nil {
			return fail(err)
		}
		g.Print("kept what was there as " + g.Shown(filepath.Join(base, filepath.FromSlash(kept))) +
			"\n")
	case !errors.Is(err, fs.ErrNotExist):
		return fail(err)
	}
	if err := dir.MkdirAll(path.Dir(f.Path), 0o755); err != nil {
		return fail(err)
	}
	if err := atomicfile.Write(dir, f.Path, []byte(f.Text), 0o644); err != nil {
		return fail(err)
	}
	g.Print("wrote " + shown + "\n")
	return nil
}
