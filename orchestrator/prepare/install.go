package prepare

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"autobuild/internal/safefile"
	"autobuild/state"
)

// Installer installs the dependencies of a clone. Every field is required.
type Installer struct {
	Root string   // the user's checkout
	Env  []string // the user's environment
	// Run runs commands in a clone and returns the first that failed. name begins the names of logs.
	Run func(ctx context.Context, dir, name string, commands []string) (*state.Gate, error)
	// Output is the standard output of a program; ok is false if it did not exit with 0.
	Output func(ctx context.Context, dir string, argv []string) (printed []byte, ok bool, err error)
	// Path is the absolute path of a program on PATH; empty: there is none.
	Path func(name string) string
}

// Made is the result of Make.
type Made struct {
	Rebuild []string      // commands whose result depends on the whole tree
	Notes   []string      // messages about installs that were not possible
	Failed  []*state.Gate // install commands that failed
}

// Make runs the install command of each lockfile in the root of a clone and in folders. If a command
// is missing or fails, Make copies the checkout's dependency folder. changed are the manifests that
// differ from the run's base, as slash paths; nil: the clone is the base.
func (i Installer) Make(
	ctx context.Context, dir string, folders, changed []string,
) (made Made, err error) {
	steps := Steps(dir, folders)
	for _, s := range steps {
		if err = i.step(ctx, dir, s, &made); err != nil {
			return made, err
		}
	}
	if Environment(dir) == "" {
		err = i.python(ctx, dir, changed, &made)
	}
	made.Rebuild = Rebuild(dir, steps)
	return made, err
}

func (i Installer) step(ctx context.Context, dir string, s Step, made *Made) error {
	why := s.Tool + " is not installed"
	if i.Path(s.Tool) != "" {
		failed, err := i.Run(ctx, dir, "install", []string{s.In()})
		if err != nil {
			return err
		}
		if failed == nil {
			return ignoreAll(filepath.Join(dir, filepath.FromSlash(s.Dir), s.Folder))
		}
		made.Failed = append(made.Failed, failed)
		why = fmt.Sprintf("`%s` failed with exit code %d", s.In(), failed.Exit)
		if reason := firstErrors(failed.Tail); reason != "" {
			why += ": " + reason
		}
	}
	borrowed, err := i.borrow(ctx, dir, s)
	if err != nil {
		return err
	}
	lock := path.Join(s.Dir, s.Lock)
	if borrowed {
		made.Notes = append(made.Notes, fmt.Sprintf("%s: a copy of the checkout's %s is used, because %s",
			lock, path.Join(s.Dir, s.Folder), why))
	} else {
		made.Notes = append(made.Notes, fmt.Sprintf("%s: nothing is installed, because %s", lock, why))
	}
	return nil
}

// firstErrors are the first two lines of an output that name an error; else its first line.
func firstErrors(output string) string {
	var lines []string
	for line := range strings.Lines(strings.TrimSpace(output)) {
		line = strings.Join(strings.Fields(line), " ")
		if strings.Contains(strings.ToLower(line), "err") && len(strings.Fields(line)) > 2 &&
			len(lines) < 2 {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		first, _, _ := strings.Cut(strings.TrimSpace(output), "\n")
		return first
	}
	return strings.Join(lines, "; ")
}

// borrow copies the dependency folders of the checkout: the step's own, and those of workspace
// members below it.
func (i Installer) borrow(ctx context.Context, dir string, s Step) (found bool, err error) {
	for _, at := range []string{"", "*", "*/*"} {
		pattern := filepath.Join(safefile.EscapeGlob(i.Root), filepath.FromSlash(s.Dir), at, s.Folder)
		folders, err := filepath.Glob(pattern)
		if err != nil {
			return false, fmt.Errorf("looking for %s: %w", s.Folder, err)
		}
		for _, folder := range folders {
			rel, err := filepath.Rel(i.Root, folder)
			if err != nil {
				return false, fmt.Errorf("looking for %s: %w", s.Folder, err)
			}
			parent := filepath.Dir(rel)
			inside := strings.Contains(filepath.ToSlash(parent)+"/", s.Folder+"/")
			if inside || !safefile.IsDir(filepath.Join(dir, parent)) {
				continue
			}
			if s.Folder == environments[0] { // layered, rather than copied
				continue
			}
			files, err := Tree(i.Root, filepath.ToSlash(rel))
			if err != nil {
				return false, err
			}
			target := filepath.Join(dir, rel)
			if err = safefile.RemoveAll(target); err != nil { // half an install
				return false, fmt.Errorf("clearing %s: %w", s.Folder, err)
			}
			if err = Copy(ctx, i.Root, i.Root, dir, files); err != nil {
				return false, err
			}
			if err = ignoreAll(target); err != nil {
				return false, err
			}
			found = found || len(files) > 0
		}
	}
	return found, nil
}

// ignoreAll makes git ignore a dependency folder, so that it is never part of a phase's changes.
func ignoreAll(folder string) error {
	if !safefile.IsDir(folder) || safefile.Exists(filepath.Join(folder, ".gitignore")) {
		return nil
	}
	if err := safefile.Write(filepath.Join(folder, ".gitignore"), []byte("*\n"), 0o644); err != nil {
		return fmt.Errorf("marking what was installed: %w", err)
	}
	return nil
}

// python creates a virtual environment in the clone if the project is a package, if the user's
// Python imports from the checkout, or if requirements changed.
func (i Installer) python(ctx context.Context, dir string, changed []string, made *Made) error {
	required, packaged := pythonChanges(changed)
	if len(required) == 0 && !packaged && changed != nil && !isPython(dir) || changed == nil && !isPython(dir) {
		return nil
	}
	program := i.interpreter()
	if program == "" {
		return nil
	}
	printed, ok, err := i.Output(ctx, dir, append([]string{program}, Inspect...))
	if err != nil || !ok {
		return err
	}
	p, err := ReadPython(printed)
	if err != nil {
		return err
	}
	if script := i.Path("pytest"); script != "" && Environment(i.Root) == "" {
		p.Scripts = append(p.Scripts, filepath.Dir(script)) // of a distribution, elsewhere
	}
	inPlace, own := p.Reaches(i.Root), packagesOf(dir)
	if !inPlace && len(required) == 0 && own == "" {
		return nil
	}
	if _, ok, err = i.Output(ctx, dir, append([]string{p.Program}, MakeVenv(dir)...)); err != nil {
		return err
	}
	if !ok {
		made.Notes = append(made.Notes, p.Program+" cannot make an environment of the clone's own "+
			"(python -m venv failed), so what it imports from the checkout stays")
		return safefile.RemoveAll(filepath.Join(dir, environments[0]))
	}
	if err = p.Layer(ctx, i.Root, dir, own); err != nil {
		return err
	}
	var commands []string
	python := filepath.Join(environments[0], "bin", "python")
	for _, file := range required {
		commands = append(commands, python+" -m pip install -q --disable-pip-version-check -r "+
			Quoted(file))
	}
	failed, err := i.Run(ctx, dir, "install", commands)
	if err != nil {
		return err
	}
	if failed != nil {
		made.Failed = append(made.Failed, failed)
	}
	if !packaged || !inPlace {
		return nil
	}
	failed, err = i.Run(ctx, dir, "install", []string{python +
		" -m pip install -q --disable-pip-version-check --no-build-isolation -e ."})
	if err == nil && failed != nil {
		made.Notes = append(made.Notes, fmt.Sprintf("`%s` failed with exit code %d; what is new in "+
			"the manifest is not installed", failed.Command, failed.Exit))
	}
	return err
}

// packagesOf is the import root of an installable Python project; empty: it is not installable.
func packagesOf(dir string) string {
	manifest := read(dir, "pyproject.toml")
	if !strings.Contains(manifest, "[project]") && !strings.Contains(manifest, "[tool.poetry]") &&
		!safefile.IsFile(filepath.Join(dir, "setup.py")) {
		return ""
	}
	for _, pattern := range []string{"src/*.py", "src/*/*.py"} {
		found, err := filepath.Glob(filepath.Join(safefile.EscapeGlob(dir), filepath.FromSlash(pattern)))
		if err == nil && len(found) > 0 {
			return filepath.Join(dir, "src")
		}
	}
	return dir
}

// pythonChanges returns the changed requirements files, and whether the package metadata changed.
func pythonChanges(changed []string) (required []string, packaged bool) {
	for _, file := range changed {
		switch {
		case isRequirements(file):
			required = append(required, file)
		case slices.Contains([]string{"pyproject.toml", "setup.py", "setup.cfg"}, file):
			packaged = true
		}
	}
	return required, packaged
}

// isPython reports whether the first three levels of a tree contain Python files.
func isPython(dir string) bool {
	return slices.ContainsFunc([]string{"*.py", "*/*.py", "*/*/*.py"}, func(pattern string) bool {
		found, err := filepath.Glob(filepath.Join(safefile.EscapeGlob(dir), pattern))
		return err == nil && slices.ContainsFunc(found,
			func(f string) bool { return !strings.Contains(f, "node_modules") })
	})
}

// interpreter is the Python of the checkout's virtual environment, else of pytest, else the first
// on PATH.
func (i Installer) interpreter() string {
	if name := Environment(i.Root); name != "" {
		return filepath.Join(i.Root, name, "bin", "python")
	}
	if script := i.Path("pytest"); script != "" {
		first, _, _ := strings.Cut(read(filepath.Dir(script), filepath.Base(script)), "\n")
		program := strings.TrimSpace(strings.TrimPrefix(first, "#!"))
		if filepath.IsAbs(program) && strings.Contains(filepath.Base(program), "python") &&
			executable(program) {
			return program
		}
	}
	for _, name := range []string{"python3", "python"} {
		if program := i.Path(name); program != "" {
			return program
		}
	}
	return ""
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}
