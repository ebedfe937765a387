package prepare

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"autobuild/state"
)

func write(t *testing.T, dir string, files map[string]string) string {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		mode := os.FileMode(0o644)
		if strings.HasPrefix(text, "#!") {
			mode = 0o755
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestTurn(t *testing.T) {
	turn := NewTurn("/home/u/app", "/cache/x/app")
	for text, want := range map[string]string{
		"/home/u/app":                 "/cache/x/app",
		"/home/u/app/src:/usr/lib":    "/cache/x/app/src:/usr/lib",
		"-I/home/u/app/include":       "-I/cache/x/app/include",
		"a=/home/u/app;":              "a=/cache/x/app;",
		"/home/u/app2/src":            "/home/u/app2/src",
		"/home/u/app-old":             "/home/u/app-old",
		"/home/u/app.d/x":             "/home/u/app.d/x",
		"see /home/u/app. Or":         "see /cache/x/app. Or",
		"/mnt/home/u/app":             "/mnt/home/u/app",
		"file:///home/u/app/a":        "file:///cache/x/app/a",
		"/home/u/app /home/u/app/bin": "/cache/x/app /cache/x/app/bin",
	} {
		if got := turn.Text(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
	if got := NewTurn("/", "/x").Text("/usr"); got != "/usr" {
		t.Errorf("the root of the file system is turned: %q", got)
	}
}

// What is written lies in the second directory, whatever links the first or the second hold, and
// leads to where it led, or into the second directory.
func TestCopy(t *testing.T) {
	base := t.TempDir()
	from, to, other := filepath.Join(base, "from"), filepath.Join(base, "to"), filepath.Join(base, "other")
	write(t, from, map[string]string{
		"node_modules/a/index.js": "root = '" + from + "/a'",
		"node_modules/.bin/tool":  "#!/bin/sh\nexec " + from + "/node_modules/a/tool",
		"node_modules/a/binary":   "\x00" + from,
		"trap/file":               "x",
		"there":                   "theirs",
	})
	write(t, to, map[string]string{"there": "mine"})
	write(t, other, map[string]string{"file": "outside"})
	for link, target := range map[string]string{
		"node_modules/b": "../packages/b", "node_modules/c": from + "/packages/c", "node_modules/d": "../../other",
	} {
		if err := os.Symlink(target, filepath.Join(from, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(other, filepath.Join(to, "trap")); err != nil {
		t.Fatal(err)
	}
	files, err := Tree(from, "node_modules")
	if err != nil || len(files) < 8 {
		t.Fatalf("%v %v", files, err)
	}
	if err = Copy(t.Context(), from, from, to, append(files, "there")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"node_modules/a/index.js": "root = '" + to + "/a'", "node_modules/a/binary": "\x00" + from, "there": "mine",
		"node_modules/.bin/tool": "#!/bin/sh\nexec " + to + "/node_modules/a/tool",
	} {
		if got, failed := os.ReadFile(filepath.Join(to, name)); failed != nil || string(got) != want {
			t.Errorf("%s: %q %v, want %q", name, got, failed, want)
		}
	}
	for name, want := range map[string]string{
		"node_modules/b": "../packages/b", "node_modules/c": to + "/packages/c", "node_modules/d": filepath.Join(base, "other"),
	} {
		if got, failed := os.Readlink(filepath.Join(to, name)); failed != nil || got != want {
			t.Errorf("%s leads to %q %v, want %q", name, got, failed, want)
		}
	}
	if info, failed := os.Stat(filepath.Join(to, "node_modules/.bin/tool")); failed != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("the program: %v %v", info, failed)
	}
	if err = Copy(t.Context(), from, from, to, []string{"trap/file"}); err == nil {
		t.Error("a link that leads out of the directory was followed")
	}
	if got, _ := os.ReadFile(filepath.Join(other, "file")); string(got) != "outside" {
		t.Errorf("a file outside became %q", got)
	}
}

func TestSteps(t *testing.T) {
	deps := `{"dependencies":{"x":"1"}}`
	for _, tt := range []struct {
		name    string
		files   map[string]string
		folders []string
		want    []string
	}{
		{"nothing", map[string]string{"go.mod": ""}, nil, nil},
		{"npm", map[string]string{"package.json": deps, "package-lock.json": ""}, nil, []string{"npm ci --prefer-offline --no-audit --no-fund"}},
		{"pnpm before npm", map[string]string{"pnpm-lock.yaml": "", "package-lock.json": ""}, nil, []string{"pnpm install --frozen-lockfile --prefer-offline"}},
		{"no lockfile", map[string]string{"package.json": deps}, nil, []string{"npm install --no-package-lock --prefer-offline --no-audit --no-fund"}},
		{"nothing to install", map[string]string{"package.json": `{"scripts":{"test":"node --test"}}`}, nil, nil},
		{"yarn 2", map[string]string{"yarn.lock": "#\n\n__metadata:\n  version: 6\n"}, nil, []string{"yarn install --immutable"}},
		{"two folders", map[string]string{"web app/yarn.lock": "", "api/uv.lock": ""}, []string{"api", "web app"}, []string{
			"cd api && uv sync --frozen", "cd 'web app' && yarn install --frozen-lockfile --prefer-offline --non-interactive",
		}},
		{"a member of a workspace", map[string]string{"pnpm-lock.yaml": "", "a/package.json": deps}, []string{"a"}, []string{"pnpm install --frozen-lockfile --prefer-offline"}},
	} {
		var got []string
		for _, s := range Steps(write(t, t.TempDir(), tt.files), tt.folders) {
			got = append(got, s.In())
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestSplit(t *testing.T) {
	for _, tt := range []struct{ commands, installs string }{
		{"npm ci; npm run build", "npm ci"},
		{"npm run build", ""},
		{"corepack enable; pnpm i; pnpm build; make", "corepack enable; pnpm i"},
		{"yarn; yarn build", "yarn"},
		{"python3 -m venv .venv; .venv/bin/pip install -r requirements.txt", "python3 -m venv .venv; .venv/bin/pip install -r requirements.txt"},
		{"./configure; make", ""},
	} {
		commands := strings.Split(tt.commands, "; ")
		installs, builds := Split(commands)
		if got := strings.Join(installs, "; "); got != tt.installs || !slices.Equal(slices.Concat(installs, builds), commands) {
			t.Errorf("%s: installs %q, builds %q", tt.commands, installs, builds)
		}
	}
}

func TestFindDeclared(t *testing.T) {
	for _, tt := range []struct {
		name    string
		files   map[string]string
		windows bool
		want    string
		vars    int
	}{
		{"none", nil, false, "", 0},
		{"commands", map[string]string{".cursor/worktrees.json": `{"setup-worktree":["npm ci","cp $ROOT_WORKTREE_PATH/.env ."]}`}, false, "npm ci; cp $ROOT_WORKTREE_PATH/.env .", 1},
		{"a script", map[string]string{".cursor/worktrees.json": `{"setup-worktree":["no"],"setup-worktree-unix":"up.sh"}`}, false, "sh .cursor/up.sh", 1},
		{"of the other system", map[string]string{".cursor/worktrees.json": `{"setup-worktree-unix":"up.sh","setup-worktree":["a"]}`}, true, "a", 1},
		{"conductor", map[string]string{"conductor.json": `{"scripts":{"setup":"make deps"}}`}, false, "make deps", 2},
		{"cursor first, but it says nothing", map[string]string{".cursor/worktrees.json": `{"setup-worktree":[]}`, "conductor.json": `{"scripts":{"setup":"x"}}`}, false, "x", 2},
		{"broken", map[string]string{".cursor/worktrees.json": `{"setup`, "conductor.json": `[]`}, false, "", 0},
	} {
		d := FindDeclared(write(t, t.TempDir(), tt.files), tt.windows)
		if got := strings.Join(d.Commands, "; "); got != tt.want || len(d.Vars("/root", "/dir")) != tt.vars {
			t.Errorf("%s: %q %v", tt.name, got, d.Vars("/root", "/dir"))
		}
	}
}

func TestEnv(t *testing.T) {
	root, dir := t.TempDir(), t.TempDir()
	env := []string{"HOME=/home/u", "PATH=" + root + "/bin:/usr/bin", "PYTHONPATH=" + root + "/src", "VIRTUAL_ENV=" + root + "/.venv", "X=" + root + "2"}
	want := []string{"HOME=/home/u", "PATH=" + dir + "/bin:/usr/bin", "PYTHONPATH=" + dir + "/src", "VIRTUAL_ENV=" + dir + "/.venv", "X=" + root + "2"}
	if got := Env(env, root, dir); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	write(t, dir, map[string]string{".venv/pyvenv.cfg": ""})
	got := Env(env, root, dir)
	if !slices.Contains(got, "PATH="+dir+"/.venv/bin:"+dir+"/bin:/usr/bin") || !slices.Contains(got, "VIRTUAL_ENV="+dir+"/.venv") || len(got) != len(env) {
		t.Errorf("with an environment: %q", got)
	}
	if got := Env([]string{"HOME=" + root, "A=" + root + "/x"}, root, dir); !slices.Contains(got, "HOME="+root) || !slices.Contains(got, "A="+root+"/x") {
		t.Errorf("a home that is a checkout: %q", got)
	}
}

// installer runs what it is given by a shell, with the programs in a folder alone.
func installer(t *testing.T, root, bin string) Installer {
	shell := func(ctx context.Context, dir, command string) ([]byte, int) {
		cmd := exec.CommandContext(ctx, "sh", "-c", command)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
		out, _ := cmd.CombinedOutput()
		return out, cmd.ProcessState.ExitCode()
	}
	return Installer{
		Root: root,
		Run: func(ctx context.Context, dir, _ string, commands []string) (*state.Gate, error) {
			for _, c := range commands {
				if out, code := shell(ctx, dir, c); code != 0 {
					return &state.Gate{Command: c, Exit: code, Tail: string(out)}, nil
				}
			}
			return nil, nil
		},
		Output: func(ctx context.Context, dir string, argv []string) ([]byte, bool, error) {
			cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
			cmd.Dir = dir
			out, err := cmd.Output()
			return out, err == nil, nil
		},
		Path: func(name string) string {
			if strings.HasPrefix(name, "python") {
				path, _ := exec.LookPath(name)
				return path
			}
			if path := filepath.Join(bin, name); executable(path) {
				return path
			}
			return ""
		},
	}
}

func TestMake(t *testing.T) {
	root, bin := t.TempDir(), t.TempDir()
	write(t, root, map[string]string{"node_modules/a/x.js": root, "packages/p/node_modules/b/y.js": "y", "packages/p/package.json": "{}"})
	files := map[string]string{"package.json": `{"scripts":{"prepare":"x"},"dependencies":{"a":"1"}}`, "package-lock.json": "{}", "packages/p/package.json": "{}"}

	dir := write(t, t.TempDir(), files)
	made, err := installer(t, root, bin).Make(t.Context(), dir, nil, nil)
	if err != nil || len(made.Failed) > 0 || !strings.Contains(strings.Join(made.Notes, ""), "a copy of the checkout's node_modules is used, because npm is not installed") {
		t.Errorf("without npm: %+v %v", made, err)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "node_modules/a/x.js")); string(got) != dir {
		t.Errorf("the copy holds %q", got)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "packages/p/node_modules/b/y.js")); string(got) != "y" {
		t.Errorf("that of a member holds %q", got)
	}
	if !slices.Equal(made.Rebuild, []string{"npm run prepare"}) {
		t.Errorf("rebuild %q", made.Rebuild)
	}

	write(t, bin, map[string]string{"npm": "#!/bin/sh\nmkdir node_modules && echo fresh >node_modules/x"})
	dir = write(t, t.TempDir(), files)
	if made, err = installer(t, root, bin).Make(t.Context(), dir, nil, nil); err != nil || len(made.Notes)+len(made.Failed) > 0 {
		t.Errorf("with npm: %+v %v", made, err)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "node_modules/.gitignore")); string(got) != "*\n" {
		t.Errorf("what was installed could become somebody's work: %q", got)
	}

	write(t, bin, map[string]string{"npm": "#!/bin/sh\nmkdir -p node_modules/half; echo 'npm error code E404'; echo 'npm error'; echo 'npm error not found'; echo more; exit 3"})
	dir = write(t, t.TempDir(), files)
	made, err = installer(t, t.TempDir(), bin).Make(t.Context(), dir, nil, nil)
	if err != nil || len(made.Failed) != 1 || !strings.Contains(strings.Join(made.Notes, ""), "nothing is installed, because `npm ci --prefer-offline --no-audit --no-fund` failed with exit code 3: npm error code E404; npm error not found") {
		t.Errorf("an install that fails: %+v %v", made, err)
	}
	dir = write(t, t.TempDir(), files)
	if _, err = installer(t, root, bin).Make(t.Context(), dir, nil, nil); err != nil || executable(filepath.Join(dir, "node_modules/half")) {
		t.Errorf("half an install stays: %v", err)
	}
}

// What is installed in place from the checkout is imported from the clone.
func TestPythonInPlace(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	root := write(t, t.TempDir(), map[string]string{"src/calc.py": "where = 'checkout'", "setup.py": ""})
	venv := filepath.Join(root, ".venv")
	if out, failed := exec.CommandContext(t.Context(), python, "-m", "venv", "--without-pip", venv).CombinedOutput(); failed != nil {
		t.Skipf("python3 makes no environment: %s", bytes.TrimSpace(out))
	}
	sites, err := filepath.Glob(filepath.Join(venv, "lib/python*/site-packages"))
	if err != nil || len(sites) != 1 {
		t.Fatal(sites, err)
	}
	write(t, sites[0], map[string]string{"__editable__.calc.pth": filepath.Join(root, "src"), "other.py": "x = 1"})
	write(t, venv, map[string]string{"bin/show": "#!" + venv + "/bin/python\nimport calc, other; print(calc.where)"})

	dir := write(t, t.TempDir(), map[string]string{"src/calc.py": "where = 'clone'", "setup.py": ""})
	made, err := installer(t, root, t.TempDir()).Make(t.Context(), dir, nil, nil)
	if err != nil || len(made.Notes) > 0 {
		t.Fatalf("%+v %v", made, err)
	}
	out, err := exec.CommandContext(t.Context(), filepath.Join(dir, ".venv/bin/show")).CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "clone" {
		t.Errorf("the script of the environment: %s %v", out, err)
	}
}
