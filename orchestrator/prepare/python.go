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

// Python is an interpreter of the user's and the places of its packages, as Inspect asks for them.
type Python struct {
	Program string   `json:"program"` // absolute
	Prefix  string   `json:"prefix"`
	Scripts []string `json:"scripts"` // the directories of console scripts
	Sites   []string `json:"sites"`   // the directories of packages, in order
}

// Inspect are the arguments that make a Python interpreter print itself as JSON.
var Inspect = []string{"-c", `import json, os, site, sys, sysconfig
sites = [p for p in (sysconfig.get_path("purelib"), sysconfig.get_path("platlib")) if p]
try:
    sites += [site.getusersitepackages()] * bool(site.ENABLE_USER_SITE) + site.getsitepackages()
except Exception:
    pass
sites = [p for p in dict.fromkeys(sites) if os.path.isdir(p)]
print(json.dumps({"program": sys.executable, "prefix": sys.prefix,
                  "scripts": [sysconfig.get_path("scripts")], "sites": sites}))`}

// ReadPython reads what an interpreter has printed of itself.
func ReadPython(printed []byte) (p Python, err error) {
	if err = json.Unmarshal(printed, &p); err != nil || !filepath.IsAbs(p.Program) {
		return Python{}, fmt.Errorf("the Python interpreter did not describe itself: %w", err)
	}
	return p, nil
}

// Reaches reports whether packages of the interpreter are imported from a directory: it, or a file
// by which packages are installed in place, names that directory.
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

// pointers are the files by which Python finds packages elsewhere: .pth files, and the modules of
// setuptools that they import.
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

// MakeVenv are the arguments by which an interpreter makes an environment of the clone's own.
func MakeVenv(dir string) []string {
	return []string{"-m", "venv", "--without-pip", filepath.Join(dir, environments[0])}
}

// Layer puts the packages of the user's interpreter below the environment that MakeVenv has made in
// dir: they are found where they are, and what is installed in place from the checkout is found in
// dir instead, as is the project itself, whose packages lie in own; empty: it has none. Its console
// scripts run by the new environment.
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
		// before the user's packages, of which one may be an older version of the project
		if err = p.put(filepath.Join(site, "00-above.pth"), own+"\n", 0o644); err != nil {
			return err
		}
	}
	// read before the copied files, which may import modules of these places
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

// scripts copies the console scripts of a directory with another first line.
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
