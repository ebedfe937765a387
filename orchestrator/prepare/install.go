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

// Installer makes clones usable where no setup is configured. Every field is required.
type Installer struct {
	Root string   // the user's checkout
	Env  []string // the user's environment
	// Run runs commands in a clone, and returns the first that failed. Logs have the name. No command
	// is no failure.
	Run func(ctx context.Context, dir, name string, commands []string) (*state.Gate, error)
	// Output is what a program prints; ok is false where it cannot run or fails.
	Output func(ctx context.Context, dir string, argv []string) (printed []byte, ok bool, err error)
	// Path is the absolute path of a program on PATH; empty: there is none.
	Path func(name string) string
}

// Made is what Make did.
type Made struct {
	Rebuild []string      // commands of the install whose result depends on the whole tree
	Notes   []string      // what could not be installed, and what takes its place
	Failed  []*state.Gate // the install commands that failed, whether or not something takes their place
}

// Make installs in a clone at dir what the lockfiles in folders ask for; the root is one of them.
// Where an install is not possible, the checkout's own folder is copied. changed are the slash
// paths of files, of those that Reads reports, that differ from the run's base; nil for the base.
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
		if said := lastLine(failed.Tail); said != "" {
			why += ": " + said
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

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for _, l := range lines { // a package manager's first word of an error is its reason
		if strings.Contains(strings.ToLower(l), "err") {
			return strings.TrimSpace(l)
		}
	}
	return strings.TrimSpace(lines[len(lines)-1])
}

// borrow copies the dependency folders of the checkout that the step would fill: its own, and those
// of workspace members below it.
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
			if err = Copy(ctx, i.Root, dir, files); err != nil {
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

// ignoreAll keeps a folder that was made out of everyone's work, also where the project does not
// ignore it.
func ignoreAll(folder string) error {
	if !safefile.IsDir(folder) || safefile.Exists(filepath.Join(folder, ".gitignore")) {
		return nil
	}
	if err := safefile.Write(filepath.Join(folder, ".gitignore"), []byte("*\n"), 0o644); err != nil {
		return fmt.Errorf("marking what was installed: %w", err)
	}
	return nil
}

// python makes an environment of the clone's own where the user's would import from the checkout,
// or lacks what changed files ask for.
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

// packagesOf is the directory of the packages that a Python project would install; empty: it is none
// that can be installed.
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

// pythonChanges are the lists of requirements among changed files, and whether the description of
// the package is one of them.
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

// isPython reports whether a tree has Python files in its first three levels.
func isPython(dir string) bool {
	return slices.ContainsFunc([]string{"*.py", "*/*.py", "*/*/*.py"}, func(pattern string) bool {
		found, err := filepath.Glob(filepath.Join(safefile.EscapeGlob(dir), pattern))
		return err == nil && slices.ContainsFunc(found,
			func(f string) bool { return !strings.Contains(f, "node_modules") })
	})
}

// interpreter is the Python that the user's tests run by: that of the checkout's environment, else
// the one that pytest runs by, else the first on PATH.
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
