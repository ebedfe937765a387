package verify

import (
	"encoding/json"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/internal/safefile"
	"autobuild/state"
)

// manifest is what is read of package.json and composer.json. Scripts may be lists in the latter.
type manifest struct {
	PackageManager string         `json:"packageManager"`
	Workspaces     any            `json:"workspaces"`
	Scripts        map[string]any `json:"scripts"`
}

func (m manifest) script(name string) string {
	switch s := m.Scripts[name].(type) {
	case string:
		return strings.TrimSpace(s)
	case []any:
		if len(s) > 0 {
			first, _ := s[0].(string)
			return strings.TrimSpace(first)
		}
	}
	return ""
}

// first is the first of the names for which there is a script.
func (m manifest) first(names ...string) (string, string) {
	for _, n := range names {
		if s := m.script(n); s != "" {
			return n, s
		}
	}
	return "", ""
}

// nodeGates are the script names that mean a gate. One that changes files is none.
var nodeGates = []struct {
	kind  string
	names []string
	fixes []string // scripts that repair what it finds
}{
	{
		state.KindLint,
		[]string{"lint", "lint:check", "eslint"},
		[]string{"lint:fix", "lint-fix", "fix:lint"},
	},
	{
		state.KindFormat,
		[]string{
			"format:check", "format-check", "check:format", "fmt:check", "prettier:check",
			"check-format",
		},
		[]string{"format", "fmt", "format:fix", "format:write", "prettier:fix", "prettier"},
	},
	{
		state.KindTypecheck,
		[]string{"typecheck", "type-check", "check-types", "types:check", "tsc"},
		nil,
	},
	{state.KindTest, []string{"test"}, nil},
}

// noTests matches scripts that test nothing: those of npm init, and constants.
var noTests = lazyregexp.New(`no test specified|^exit 0$|^true$|^:$|^echo\b[^&|;]*$`)

// writes are signs of a script that changes files rather than checking them.
var writes = lazyregexp.New(`--fix\b|--write\b|--watch(?:All)?\b`)

// watches matches runners that watch files unless CI is set.
var watches = lazyregexp.New(`\b(?:react-scripts|craco|react-app-rewired|ng) test\b`)

// inMembers is the command that runs a script in all members of a workspace; empty: no member has
// the script.
func inMembers(f folder, m manifest, pm, script string) string {
	with, without := 0, 0
	for _, at := range workspaceMembers(f, m) {
		var member manifest
		text := folder{filepath.Join(f.dir, filepath.FromSlash(at)), f.root}.text("package.json")
		if json.Unmarshal([]byte(text), &member) != nil {
			continue
		}
		if body := member.script(script); body != "" && !noTests.MatchString(body) &&
			!writes.MatchString(body) {
			with++
		} else {
			without++
		}
	}
	switch {
	case with == 0:
		return ""
	case pm == "pnpm":
		return "pnpm -r run " + script
	case pm == "bun":
		return "bun run --filter '*' " + script
	case pm == "npm":
		return "npm run " + script + " --workspaces --if-present"
	case strings.Contains(f.text("yarn.lock"), "__metadata:"):
		return "yarn workspaces foreach --all run " + script
	case without == 0:
		return "yarn workspaces run " + script
	}
	return "" // yarn 1 fails if a member has no such script
}

// packagesLine matches an entry of the list in pnpm-workspace.yaml.
var packagesLine = lazyregexp.New(`(?m)^\s*-\s*['"]?([^'"#!\s]+)`)

// workspaceMembers are the folders of a workspace's packages.
func workspaceMembers(f folder, m manifest) (members []string) {
	var patterns []string
	list := m.Workspaces
	if object, ok := list.(map[string]any); ok {
		list = object["packages"]
	}
	all, _ := list.([]any)
	for _, p := range all {
		if text, ok := p.(string); ok {
			patterns = append(patterns, text)
		}
	}
	for _, match := range packagesLine.FindAllStringSubmatch(f.text("pnpm-workspace.yaml"), -1) {
		patterns = append(patterns, match[1])
	}
	for _, p := range patterns {
		p = path.Join(strings.ReplaceAll(p, "**", "*"), "package.json")
		found, err := filepath.Glob(filepath.Join(safefile.EscapeGlob(f.dir), filepath.FromSlash(p)))
		if err != nil || !filepath.IsLocal(filepath.FromSlash(p)) {
			continue
		}
		for _, manifest := range found {
			if at, err := filepath.Rel(f.dir, filepath.Dir(manifest)); err == nil {
				members = append(members, filepath.ToSlash(at))
			}
		}
	}
	return members
}

func detectNode(f folder) (string, []state.GateSpec) {
	var m manifest
	text := f.text("package.json")
	if text == "" {
		return "", nil
	}
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return "", nil // not for us to report: the user's own tools do it better
	}
	pm := packageManager(f, m)
	var gates []state.GateSpec
	for _, k := range nodeGates {
		i := slices.IndexFunc(k.names, func(n string) bool {
			s := m.script(n)
			return s != "" && !noTests.MatchString(s) && !writes.MatchString(s)
		})
		if i < 0 {
			if command := inMembers(f, m, pm, k.names[0]); command != "" {
				gates = append(gates, gate(k.kind, command, "", pm, "package.json"))
			}
			continue
		}
		name := k.names[i]
		body := m.script(name)
		run := nodeRun(pm, name)
		if watches.MatchString(body) {
			run = "CI=true " + run
		}
		gates = append(gates, gate(k.kind, run, nodeFix(pm, name, body, m, k.fixes),
			scriptTool(body, pm), "package.json"))
	}
	return "node (" + pm + ")", gates
}

// packageManager is the package manager by lockfile, else by manifest, else that of the parent
// folder, up to the root.
func packageManager(f folder, m manifest) string {
	switch {
	case f.has("pnpm-lock.yaml") != "":
		return "pnpm"
	case f.has("yarn.lock") != "":
		return "yarn"
	case f.has("bun.lockb", "bun.lock") != "":
		return "bun"
	case f.has("package-lock.json", "npm-shrinkwrap.json") != "":
		return "npm"
	}
	if name, _, _ := strings.Cut(m.PackageManager, "@"); slices.Contains([]string{
		"pnpm", "yarn",
		"bun",
	}, name) {
		return name
	}
	if f.dir != f.root && len(f.dir) > len(f.root) {
		above := folder{filepath.Dir(f.dir), f.root}
		var m manifest
		_ = json.Unmarshal([]byte(above.text("package.json")), &m) // unreadable: it names none
		return packageManager(above, m)
	}
	return "npm"
}

func nodeRun(pm, script string) string {
	if script == "test" && pm != "bun" { // bun test is bun's own runner
		return pm + " test"
	}
	return pm + " run " + script
}

// nodeFix is a script of the project that repairs what another finds, or its tool's own way to.
func nodeFix(pm, name, body string, m manifest, fixes []string) string {
	if fix, s := m.first(fixes...); fix != "" && !strings.Contains(s, "--check") {
		return pm + " run " + fix
	}
	switch scriptTool(body, pm) {
	case "eslint":
		if !strings.Contains(body, "&&") {
			return passOn(pm, name, "--fix")
		}
	case "prettier":
		if _, rest, ok := strings.Cut(body, "prettier "); ok && strings.Contains(rest, "--check") &&
			!strings.Contains(rest, "&&") {
			return "npx prettier " + strings.Replace(rest, "--check", "--write", 1)
		}
	case "biome":
		return passOn(pm, name, "--write")
	}
	return ""
}

func passOn(pm, script, flag string) string {
	if pm == "npm" {
		return "npm run " + script + " -- " + flag
	}
	return pm + " run " + script + " " + flag
}

// scriptTool is the program that a script starts, past environment settings and launchers.
func scriptTool(body, pm string) string {
	for _, w := range strings.Fields(body) {
		switch {
		case strings.Contains(w, "="),
			slices.Contains([]string{"cross-env", "npx", "dotenv", "--", "exec", "-s", "--silent"},
				w):
			continue
		case strings.ContainsAny(w, `$(){}!|&;<>"'`):
			return pm
		}
		return w
	}
	return pm
}

func detectPHP(f folder) (string, []state.GateSpec) {
	var m manifest
	text := f.text("composer.json")
	if text == "" || json.Unmarshal([]byte(text), &m) != nil {
		return "", nil
	}
	var gates []state.GateSpec
	add := func(kind string, names, fixes []string) {
		name, _ := m.first(names...)
		if name == "" {
			return
		}
		fix, _ := m.first(fixes...)
		if fix != "" {
			fix = "composer run-script " + fix
		}
		gates = append(gates, gate(kind, "composer run-script "+name, fix, "composer",
			"composer.json"))
	}
	add(state.KindLint, []string{"lint", "phpcs", "cs"}, []string{"lint:fix", "phpcbf"})
	add(state.KindFormat, []string{"format:check", "cs:check", "cs-check", "check-style"},
		[]string{"format", "cs:fix", "cs-fix", "fix-style"})
	add(state.KindTypecheck, []string{
		"typecheck", "phpstan", "analyse", "analyze", "stan",
		"psalm",
	}, nil)
	add(state.KindTest, []string{"test", "tests", "phpunit"}, nil)
	if config := f.has("phpunit.xml", "phpunit.xml.dist"); config != "" &&
		!(Stack{Gates: kinds(gates)}).has(state.KindTest) {
		gates = append(gates, gate(state.KindTest, "vendor/bin/phpunit", "", "vendor/bin/phpunit",
			config))
	}
	return "php", gates
}

// kinds fills in the kinds of gates that are named by them.
func kinds(gates []state.GateSpec) []state.GateSpec {
	for i := range gates {
		gates[i].Kind = Kind(gates[i].Name)
	}
	return gates
}
