// Package confine decides what confined programs of a run may write: their worktree, temporary
// files, caches, the places of agents and of the settings. A Box finds the shared places once and
// adds those of each command when it starts. It does not know how a sandbox keeps a program within
// them.
package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"autobuild/internal/environ"
	"autobuild/internal/proc"
	"autobuild/internal/safefile"
	"autobuild/internal/sandbox"
	"autobuild/internal/text"
	"autobuild/orchestrator/agent"
	"autobuild/orchestrator/prepare"
	"autobuild/orchestrator/session/config"
)

// Box is the sandbox of a run.
type Box struct {
	Means   sandbox.Means
	Root    string // of the project
	Dir     string // of the call: where programs with a path are looked for
	GitDir  string // of the project; empty without git
	RunDir  string // of the run's own repository
	Environ environ.Environ
	Write   []string // places that the settings name
	Free    bool     // the user's own commands are not confined
	Rooms   string   // how the temporary directories of the run begin; empty: it has none
	// Clones is the folder of all clones; a program may write its own clone only
	Clones string
	// Ask runs a package manager in the project and returns its output; empty: it failed. nil: no
	// package manager is asked
	Ask func(argv []string) string

	shared []string // caches and Write, as absolute paths
}

// Prepare finds the places that every confined program may write. It makes missing caches, because
// their tools cannot make them in the sandbox.
func (b *Box) Prepare() error {
	for _, c := range caches() {
		tool := c.tool
		if strings.HasPrefix(tool, "./") {
			tool = filepath.Join(b.Root, tool)
		}
		place := c.place(b.Environ.Get)
		if place == "" || tool != "" && !b.Environ.LookPath(b.Dir, tool) {
			continue
		}
		if !c.file {
			_ = os.MkdirAll(place, 0o755) // the tool reports a failure better
		}
		b.shared = append(b.shared, b.beside(place)...)
	}
	for _, place := range b.asked() {
		_ = os.MkdirAll(place, 0o755) // the tool reports a failure better
		b.shared = append(b.shared, b.beside(place)...)
	}
	for _, w := range b.Write {
		place := w
		if rest, ok := strings.CutPrefix(w, "~"); ok && (rest == "" || rest[0] == '/') {
			place = filepath.Join(b.Environ.Get("HOME"), rest)
		}
		if !filepath.IsAbs(place) {
			place = filepath.Join(b.Root, place)
		}
		if _, err := os.Stat(place); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf(
				"sandbox.write names %s, which does not exist; make it, or take it out of %s",
				text.Clean(w, 200), config.Name)
		}
		b.shared = append(b.shared, place)
	}
	return nil
}

// beside returns a directory, or, if it contains clones, its entries other than clones: a sandbox
// rule for a directory applies to everything below it.
func (b *Box) beside(place string) []string {
	if b.Clones == "" || !sandbox.Within(safefile.Resolved(place), safefile.Resolved(b.Clones)) {
		return []string{place}
	}
	entries, err := os.ReadDir(place)
	if err != nil {
		return nil
	}
	var places []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), clonesPrefix) {
			places = append(places, filepath.Join(place, e.Name()))
		}
	}
	return places
}

// clonesPrefix begins the folder names of all projects' clones.
const clonesPrefix = "build-"

// Command is the command line that starts a program confined: see proc.Runner.Confine.
func (b *Box) Command(program string, c proc.Command) ([]string, error) {
	if b.Free && (c.Own || boxed(program)) {
		return c.Argv, nil
	}
	env := environ.Environ(c.Env).Get
	places := slices.Concat(b.shared, []string{c.Dir}, b.temporary(env), agentPlaces(program, env))
	r := sandbox.Rights{Write: places}
	if c.Hide != "" && !sandbox.Within(safefile.Resolved(c.Hide), safefile.Resolved(env("HOME"))) {
		r.Hide, r.Show = safefile.Resolved(c.Hide), b.shown(c.Hide)
	}
	return b.Means.Command(program, nested(program, c.Argv), c.Dir, r)
}

// shown are the places in the hidden checkout that a program in a clone still reads: git's
// directory, where the objects are, and Python environments, which are layered, not copied.
func (b *Box) shown(checkout string) []string {
	var places []string
	if b.GitDir != "" {
		places = append(places, safefile.Resolved(b.GitDir), safefile.Resolved(b.RunDir))
	}
	folders := []string{checkout}
	entries, _ := os.ReadDir(checkout)
	for _, e := range entries {
		if e.IsDir() {
			folders = append(folders, filepath.Join(checkout, e.Name()))
		}
	}
	for _, at := range folders {
		if venv := prepare.Environment(at); venv != "" {
			places = append(places, safefile.Resolved(filepath.Join(at, venv)))
		}
	}
	return places
}

// Protects reports whether a file is outside of all shared writable places of the run.
func (b *Box) Protects(path string) bool {
	return !slices.ContainsFunc(b.shared, func(place string) bool {
		return sandbox.Within(safefile.Resolved(place), safefile.Resolved(path))
	})
}

// Path moves the folders of PATH that confined programs may write to the end, so that a program
// there cannot shadow another one.
func (b *Box) Path(value string) string {
	folders, last := filepath.SplitList(value), map[bool]int{false: 1}
	slices.SortStableFunc(folders, func(x, y string) int { return last[b.Protects(x)] - last[b.Protects(y)] })
	return strings.Join(folders, string(filepath.ListSeparator))
}

// ofProgram is the agent whose program this is; exact is false for an adapter of its name
// (codex-acp).
func ofProgram(program string) (about agent.About, exact, known bool) {
	base := filepath.Base(program)
	for _, name := range agent.Names() {
		about, _ = agent.AboutOf(name)
		if exact = base == about.Program; exact || about.Program != "" && strings.HasPrefix(base, about.Program+"-") {
			return about, exact, true
		}
	}
	return agent.About{}, false, false
}

// boxed reports whether a program always starts its own sandbox, as adapters of some agents do.
// Such a program fails inside another sandbox.
func boxed(program string) bool {
	about, exact, _ := ofProgram(program)
	return about.Own != "" && !exact
}

// nested leaves out an agent's own sandbox: the kernel refuses a sandbox within one, and every
// command of the agent would fail. Only confined commands are changed, so that no agent runs
// without both.
func nested(program string, argv []string) []string {
	out := slices.Clone(argv)
	if about, exact, _ := ofProgram(program); exact && slices.Contains(out, about.Own) {
		out[slices.Index(out, about.Own)] = about.Bare
	}
	return out
}

// temporary are the places of one attempt, without those of the system.
func (b *Box) temporary(env func(string) string) []string {
	var places []string
	for _, name := range []string{"TMPDIR", "TMP", "TEMP", "TEST_TMPDIR"} {
		if dir := env(name); filepath.IsAbs(dir) && dir != b.Environ.Get(name) &&
			dir != os.TempDir() {
			places = append(places, dir)
		}
	}
	if file := env("AUTOBUILD_RESULT_FILE"); filepath.IsAbs(file) {
		places = append(places, filepath.Dir(file))
	}
	return places
}

// baseHomes are the variables of the XDG Base Directory Specification.
var baseHomes = []agent.Home{
	{Below: ".config", Variable: "XDG_CONFIG_HOME"},
	{Below: ".cache", Variable: "XDG_CACHE_HOME"},
	{Below: ".local/share", Variable: "XDG_DATA_HOME"},
	{Below: ".local/state", Variable: "XDG_STATE_HOME"},
}

// agentPlaces lists the directories below the home directory that an agent, or an adapter of its
// name (codex-acp), writes to. An unknown program gets the directories that have its name.
func agentPlaces(program string, env func(string) string) []string {
	var places []string
	about, _, known := ofProgram(program)
	for _, below := range about.Write {
		if place := movedHome(below, slices.Concat(about.Homes, baseHomes), env); place != "" {
			_ = os.MkdirAll(place, 0o700) // the agent reports a failure better
			places = append(places, place)
		}
	}
	for _, below := range []string{".", ".config/", ".local/share/", ".local/state/"} {
		place := movedHome(below+filepath.Base(program), baseHomes, env)
		if !known && safefile.IsDir(place) {
			places = append(places, place)
		}
	}
	return places
}

// movedHome is a place below the home directory, or where a variable has moved it.
func movedHome(below string, homes []agent.Home, env func(string) string) string {
	for _, h := range homes {
		dir := env(h.Variable)
		rest, ok := strings.CutPrefix(below, h.Below)
		if ok && filepath.IsAbs(dir) && (rest == "" || rest[0] == '/') {
			return filepath.Join(dir, h.Within, filepath.FromSlash(rest))
		}
	}
	if home := env("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, filepath.FromSlash(below))
	}
	return ""
}
