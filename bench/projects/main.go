// Command projects runs autobuild, without configuration, on small ordinary projects: package
// managers, workspaces, Python environments and builds. Each plan has an honest phase, one that
// breaks the product, one that adds a dependency and one that updates versions. A wrong verdict is
// an error. A project is skipped, with the reason, if its tools are missing or cannot be fetched.
// With -doc it writes its table into a page between markers.
package main

import (
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"autobuild/internal/proc"
)

//go:embed projects
var stored embed.FS

// timeout bounds one project: the installs of its tools and two runs.
const timeout = 10 * time.Minute

func main() {
	proc.Supervise()
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "projects:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) (err error) {
	flags := flag.NewFlagSet("projects", flag.ContinueOnError)
	names := flags.String("only", "", "names of projects, separated by commas; empty: all")
	keep := flags.String("keep", "", "folder in which the projects are left; empty: a temporary one")
	doc := flags.String("doc", "", "page that gets the table, between <!-- projects --> markers")
	binary := flags.String("autobuild", "", "the program; empty: it is built")
	if err = flags.Parse(args); err != nil {
		return err
	}
	projects, err := load(stored, *names)
	if err != nil {
		return err
	}
	root := *keep
	if root == "" {
		if root, err = os.MkdirTemp("", "projects-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(root)) }()
	}
	runner := &proc.Runner{}
	defer runner.Close()
	m := matrix{root: root, runner: runner, autobuild: *binary}
	if m.autobuild == "" {
		m.autobuild = filepath.Join(root, "bin", "autobuild")
		if err = m.shell(ctx, ".", os.Environ(), "go build -o '"+m.autobuild+"' ./cmd/autobuild"); err != nil {
			return err
		}
	}
	var rows []row
	wrong := 0
	for _, p := range projects {
		r := m.play(ctx, p)
		fmt.Println(r)
		rows = append(rows, r)
		wrong += r.wrong()
	}
	if *doc != "" {
		err = write(*doc, rows)
	}
	if wrong > 0 {
		err = errors.Join(err, fmt.Errorf("%d wrong verdicts", wrong))
	}
	if slices.IndexFunc(rows, func(r row) bool { return r.skipped == "" }) < 0 {
		err = errors.Join(err, errors.New("no project could be run"))
	}
	return err
}

// kinds are the phases of every project, in the order in which they run.
var kinds = []string{"honest", "broken", "dependency", "update"}

// project is a txtar file in folder projects. Sections are files of the project; section +make is
// the script that installs dependencies before the first commit, and +KIND that of a phase.
type project struct {
	name, about string
	needs       []string // programs
	env         string   // a setting of the shell that starts the run
	files       []txtar.File
	scripts     map[string]string
	says        map[string]string // text of a phase's task
}

func load(dir embed.FS, only string) (projects []project, err error) {
	entries, err := dir.ReadDir("projects")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), ".txtar")
		if only != "" && !slices.Contains(strings.Split(only, ","), name) {
			continue
		}
		data, err := dir.ReadFile(path.Join("projects", e.Name()))
		if err != nil {
			return nil, err
		}
		p := project{name: name, scripts: map[string]string{}, says: map[string]string{}}
		a := txtar.Parse(data)
		for line := range strings.Lines(string(a.Comment)) {
			key, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
			switch {
			case ok && key == "needs":
				p.needs = strings.Fields(value)
			case ok && key == "env":
				p.env = value
			case ok && slices.Contains(kinds, key):
				p.says[key] = value
			case p.about == "":
				p.about = strings.TrimSpace(line)
			default:
				return nil, fmt.Errorf("%s: unknown line %q", e.Name(), line)
			}
		}
		for _, f := range a.Files {
			if kind, ok := strings.CutPrefix(f.Name, "+"); ok {
				p.scripts[kind] = string(f.Data)
			} else {
				p.files = append(p.files, f)
			}
		}
		if p.about == "" || len(p.files) == 0 || p.scripts["honest"] == "" || p.scripts["broken"] == "" {
			return nil, fmt.Errorf("%s: it needs a line about it, files, +honest and +broken", e.Name())
		}
		projects = append(projects, p)
	}
	if len(projects) == 0 {
		return nil, errors.New("there is no such project")
	}
	return projects, nil
}

// row is the result of a project.
type row struct {
	project
	skipped string            // why it was not run
	got     map[string]string // result of each phase
}

// wanted is the correct result of a phase.
func wanted(kind string) string {
	if kind == "broken" {
		return "failed"
	}
	return "complete"
}

func (r row) wrong() (n int) {
	if r.skipped != "" {
		return 0
	}
	for _, kind := range kinds {
		if r.scripts[kind] != "" && r.got[kind] != wanted(kind) {
			n++
		}
	}
	return n
}

// String is the row in the table.
func (r row) String() string {
	if r.skipped != "" {
		return fmt.Sprintf("| %s | skipped: %s ||||", r.about, r.skipped)
	}
	line := "| " + r.about + " |"
	for _, kind := range kinds {
		word := r.got[kind]
		switch {
		case r.scripts[kind] == "":
			word = "—"
		case word != wanted(kind):
			word = "**" + word + "**"
		}
		line += " " + word + " |"
	}
	return line
}

const marker = "<!-- projects -->"

// write replaces the table in a page.
func write(page string, rows []row) error {
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	parts := strings.SplitN(string(text), marker, 3)
	if len(parts) != 3 {
		return fmt.Errorf("%s has no two markers %s", page, marker)
	}
	table := "\n| project | honest | broken | adds a dependency | updates a version |\n|---|---|---|---|---|\n"
	for _, r := range rows {
		table += r.String() + "\n"
	}
	return os.WriteFile(page, []byte(parts[0]+marker+table+marker+parts[2]), 0o600)
}
