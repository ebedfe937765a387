package confine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"autobuild/internal/environ"
	"autobuild/internal/safefile"
	"autobuild/internal/sandbox"
)

// cache is a place that a tool fills for all projects, and that is slow to fill again.
type cache struct {
	// the program that uses it, on PATH, or with ./ at the root of the repository; empty: many do
	tool     string
	variable string // that moves it
	inside   string // below the variable's value
	home     string // below the home directory, where the variable is not set
	file     bool   // it is a single file, which only the tool can make
}

// caches are the places beside their worktree that confined programs may write. Places of code that
// tools run by themselves are left out, such as init scripts of Gradle or programs that Cargo
// installed.
func caches() []cache {
	return append(gradle(), []cache{
		{variable: "XDG_CACHE_HOME", home: ".cache"},
		{tool: "go", variable: "GOCACHE", home: ".cache/go-build"},
		{tool: "go", variable: "GOMODCACHE", home: "go/pkg/mod"},
		{tool: "go", variable: "GOPATH", inside: "pkg", home: "go/pkg"},
		{tool: "golangci-lint", variable: "GOLANGCI_LINT_CACHE", home: ".cache/golangci-lint"},
		{tool: "npm", variable: "npm_config_cache", home: ".npm"},
		// pnpm tests for hard links beside its store; if the test fails, it creates another store
		{tool: "pnpm", variable: "XDG_DATA_HOME", inside: "pnpm", home: ".local/share/pnpm"},
		{tool: "pnpm", variable: "XDG_STATE_HOME", inside: "pnpm", home: ".local/state/pnpm"},
		{tool: "yarn", variable: "YARN_CACHE_FOLDER", home: ".cache/yarn"},
		{tool: "yarn", variable: "YARN_GLOBAL_FOLDER", home: ".yarn/berry"},
		{tool: "bun", variable: "BUN_INSTALL_CACHE_DIR", home: ".bun/install/cache"},
		{tool: "deno", variable: "DENO_DIR", home: ".cache/deno"},
		{tool: "pip", variable: "PIP_CACHE_DIR", home: ".cache/pip"},
		{tool: "uv", variable: "UV_CACHE_DIR", home: ".cache/uv"},
		{tool: "cargo", variable: "CARGO_HOME", inside: "registry", home: ".cargo/registry"},
		{tool: "cargo", variable: "CARGO_HOME", inside: "git", home: ".cargo/git"},
		{
			tool: "cargo", variable: "CARGO_HOME", inside: ".package-cache",
			home: ".cargo/.package-cache", file: true,
		},
		{
			tool: "cargo", variable: "CARGO_HOME", inside: ".package-cache-mutate",
			home: ".cargo/.package-cache-mutate", file: true,
		},
		{
			tool: "cargo", variable: "CARGO_HOME", inside: ".global-cache",
			home: ".cargo/.global-cache", file: true,
		},
		{tool: "mvn", home: ".m2/repository"},
		{tool: "./mvnw", home: ".m2/repository"},
		{tool: "./mvnw", home: ".m2/wrapper"},
		{tool: "dotnet", variable: "NUGET_PACKAGES", home: ".nuget/packages"},
		{tool: "dotnet", variable: "XDG_DATA_HOME", inside: "NuGet", home: ".local/share/NuGet"},
		{tool: "composer", variable: "COMPOSER_CACHE_DIR", home: ".cache/composer"},
		{tool: "bundle", home: ".bundle/cache"},
		{tool: "docker", variable: "DOCKER_CONFIG", inside: "buildx", home: ".docker/buildx"},
		{tool: "ccache", variable: "CCACHE_DIR", home: ".cache/ccache"},
	}...)
}

// gradle are the caches of Gradle, of a program on PATH or of a project's own. Its settings lie
// beside them and stay as they are.
func gradle() []cache {
	var all []cache
	for _, tool := range []string{"gradle", "./gradlew"} {
		for _, name := range []string{"caches", "daemon", "native", "wrapper", "workers"} {
			all = append(all, cache{
				tool: tool, variable: "GRADLE_USER_HOME", inside: name, home: ".gradle/" + name,
			})
		}
	}
	return all
}

// place is the path of the cache; empty where no variable names one.
func (c cache) place(env func(string) string) string {
	if c.variable != "" {
		if dir := env(c.variable); filepath.IsAbs(dir) {
			return filepath.Join(dir, filepath.FromSlash(c.inside))
		}
	}
	if home := env("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, filepath.FromSlash(c.home))
	}
	return ""
}

// javaBuilds are files at the root of a repository that is built with a Java virtual machine.
var javaBuilds = []string{
	"pom.xml", "build.gradle", "build.gradle.kts", "build.sbt",
	"settings.gradle", "settings.gradle.kts",
}

const javaOptions = "JAVA_TOOL_OPTIONS"

// Vars are the variables that confined programs get besides: Java ignores TMPDIR, and its tests
// would write to the system's temporary directory.
func (b *Box) Vars(env []string, temporary string) map[string]string {
	java := slices.ContainsFunc(javaBuilds, func(name string) bool {
		_, err := os.Stat(filepath.Join(b.Root, name))
		return err == nil
	})
	options := environ.Environ(env).Get(javaOptions)
	if !java || temporary == "" || strings.Contains(options, "java.io.tmpdir") {
		return nil
	}
	return map[string]string{javaOptions: strings.TrimSpace(options + " -Djava.io.tmpdir=" +
		temporary)}
}

// questions are commands of package managers that print their cache or store directories.
var questions = []struct {
	files []string // asked if the project has one of these at its root
	argv  []string
}{
	{[]string{"pnpm-lock.yaml"}, []string{"pnpm", "store", "path"}},
	{[]string{"package.json"}, []string{"npm", "config", "get", "cache"}},
	{[]string{"yarn.lock"}, []string{"yarn", "cache", "dir"}},
	{[]string{"bun.lock", "bun.lockb"}, []string{"bun", "pm", "cache"}},
	{[]string{"pyproject.toml", "requirements.txt"}, []string{"pip", "cache", "dir"}},
	{[]string{"uv.lock"}, []string{"uv", "cache", "dir"}},
	{[]string{"go.mod", "go.work"}, []string{"go", "env", "GOCACHE", "GOMODCACHE"}},
	{[]string{"composer.lock"}, []string{"composer", "config", "--global", "cache-dir"}},
}

// asked returns the cache and store directories of the project's package managers.
func (b *Box) asked() (places []string) {
	if b.Ask == nil {
		return nil
	}
	answers := make([][]string, len(questions))
	var group sync.WaitGroup
	for i, q := range questions {
		if !slices.ContainsFunc(q.files, func(name string) bool {
			return safefile.IsFile(filepath.Join(b.Root, name))
		}) || !b.Environ.LookPath(b.Dir, q.argv[0]) {
			continue
		}
		group.Go(func() { answers[i] = strings.Split(b.Ask(q.argv), "\n") })
	}
	group.Wait()
	for _, line := range slices.Concat(answers...) {
		place := strings.TrimSpace(line)
		if !filepath.IsAbs(place) || sandbox.Within(place, b.Environ.Home()) ||
			sandbox.Within(place, b.Root) || slices.Contains(places, place) {
			continue // a directory that contains these is no cache
		}
		places = append(places, place)
	}
	return places
}
