package prepare

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"autobuild/internal/safefile"
)

// Python describes a Python interpreter.
type Python struct {
	Program string   `json:"program"` // absolute
	Prefix  string   `json:"prefix"`
	Scripts []string `json:"scripts"` // the directories of console scripts
	Sites   []string `json:"sites"`   // the directories of packages, in order
}

// Inspect are the arguments with which an interpreter prints its Python as JSON.
var Inspect = []string{"-c", `import json, os, site, sys, sysconfig
sites = [p for p in (sysconfig.get_path("purelib"), sysconfig.get_path("platlib")) if p]
try:
    sites += [site.getusersitepackages()] * bool(site.ENABLE_USER_SITE) + site.getsitepackages()
except Exception:
    pass
sites = [p for p in dict.fromkeys(sites) if os.path.isdir(p)]
print(json.dumps({"program": sys.executable, "prefix": sys.prefix,
                  "scripts": [sysconfig.get_path("scripts")], "sites": sites}))`}

// ReadPython reads the output of Inspect.
func ReadPython(printed []byte) (p Python, err error) {
	if err = json.Unmarshal(printed, &p); err != nil || !filepath.IsAbs(p.Program) {
		return Python{}, fmt.Errorf("the Python interpreter did not describe itself: %w", err)
	}
	return p, nil
}

// Reaches reports whether the interpreter lies in a directory, or imports from it by an editable
// install.
func (p Python) Reaches(dir string) bool {
	if within(dir, p.Prefix) {
		return true
	}
	turn := NewTurn(dir, dir+"\x00")
	return slices.ContainsFunc(p.pointers(), func(file string) bool {
		text := read(filepath.Dir(file), filepath.Base(file))
		return turn.Text(text) != text
	})
}

// pointers are the .pth files of the interpreter, and the finders of setuptools that they import.
func (p Python) pointers() (files []string) {
	for _, site := range p.Sites {
		entries, err := os.ReadDir(site)
		if err != nil {
			continue
		}
		for _, e := range entries {
			name := e.Name()
			if strings.HasSuffix(name, ".pth") || strings.HasSuffix(name, ".egg-link") ||
				strings.HasPrefix(name, "__editable__") && strings.HasSuffix(name, ".py") {
				files = append(files, filepath.Join(site, name))
			}
		}
	}
	return files
}

// MakeVenv are the arguments with which an interpreter creates a virtual environment in dir.
func MakeVenv(dir string) []string {
	return []string{"-m", "venv", "--without-pip", filepath.Join(dir, environments[0])}
}

// Layer makes the packages of p importable from the virtual environment in dir, after own, the
// import root of the project (empty: none). Editable installs that refer to root refer to dir
// instead. Console scripts are copied and run by the virtual environment.
func (p Python) Layer(ctx context.Context, root, dir, own string) error {
	venv := filepath.Join(dir, environments[0])
	found, err := filepath.Glob(filepath.Join(safefile.EscapeGlob(venv), "lib", "python*",
		"site-packages"))
	if err != nil || len(found) == 0 {
		return fmt.Errorf("layering a Python environment: %s has no site-packages", venv)
	}
	turn, site := NewTurn(root, dir), found[0]
	for _, file := range p.pointers() {
		text := turn.Text(read(filepath.Dir(file), filepath.Base(file)))
		if err = p.put(filepath.Join(site, filepath.Base(file)), text, 0o644); err != nil {
			return err
		}
	}
	if own != "" {
		// sys.path needs it first: an older version of the project may be installed
		if err = p.put(filepath.Join(site, "00-above.pth"), own+"\n", 0o644); err != nil {
			return err
		}
	}
	// processed before the copied .pth files, which may import from these directories
	if err = p.put(filepath.Join(site, "00-below.pth"), strings.Join(p.Sites, "\n")+"\n",
		0o644); err != nil {
		return err
	}
	if err = p.put(filepath.Join(venv, ".gitignore"), "*\n", 0o644); err != nil {
		return err
	}
	for _, from := range p.Scripts {
		if err = p.scripts(ctx, from, filepath.Join(venv, "bin")); err != nil {
			return err
		}
	}
	return nil
}

// scripts copies the console scripts of a directory with a new shebang.
func (p Python) scripts(ctx context.Context, from, bin string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return nil //nolint:nilerr // an interpreter without scripts has none to copy
	}
	for _, e := range entries {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		info, err := e.Info()
		if err != nil || info.Mode()&fs.ModeType != 0 || info.Size() > maxTurned ||
			info.Mode()&0o111 == 0 {
			continue
		}
		first, rest, _ := strings.Cut(read(from, e.Name()), "\n")
		if !strings.HasPrefix(first, "#!") || !strings.Contains(first, "python") {
			continue
		}
		text := "#!" + filepath.Join(bin, "python") + "\n" + rest
		if err = p.put(filepath.Join(bin, e.Name()), text, 0o755); err != nil {
			return err
		}
	}
	return nil
}

func (p Python) put(path, text string, mode fs.FileMode) error {
	if safefile.Exists(path) {
		return nil
	}
	if err := safefile.Write(path, []byte(text), mode); err != nil {
		return fmt.Errorf("layering a Python environment: %w", err)
	}
	return nil
}
