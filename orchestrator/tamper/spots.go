package tamper

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
)

// takeSpots watches the files, there or not, that steer tools from outside of the work.
func (w *Watch) takeSpots(env map[string]string) {
	w.takeHome(env)
	w.takeVariables(env)
	for _, dir := range w.ancestors() {
		for _, name := range above() {
			w.spot(filepath.Join(dir, filepath.FromSlash(name)), "above the worktrees,")
		}
	}
}

// steering are the files below the user's home that tools read wherever they are started, by tool.
var steering = map[string][]string{
	"autobuild's": {
		".config/autobuild/autobuild.yaml",
		".config/autobuild/accepted-commands.json",
	},
	"npm's configuration":  {".npmrc"},
	"yarn's configuration": {".yarnrc", ".yarnrc.yml", ".yarnrc.yaml"},
	"pnpm's configuration": {
		".pnpmrc", ".config/pnpm/rc", ".config/pnpm/config.yaml",
		"Library/Preferences/pnpm/rc",
	},
	"bun's configuration": {".bunfig.toml"},
	"Node's": {
		".mocharc.js", ".mocharc.cjs", ".mocharc.json", ".mocharc.jsonc",
		".mocharc.yml", ".mocharc.yaml", ".node-version", ".nvmrc", ".babelrc", ".babelrc.json",
		".babelrc.js", ".babelrc.cjs", ".browserslistrc",
	},
	"Node's search path,": {".node_modules", ".node_libraries", "node_modules"},
	"pip's configuration": {
		".config/pip/pip.conf", ".pip/pip.conf",
		"Library/Application Support/pip/pip.conf",
	},
	"Python's": {
		".pytest.ini", ".pydistutils.cfg", ".python-version",
		".pyenv/version", ".coveragerc", ".pylintrc", ".config/pylintrc", ".flake8",
		".config/flake8", ".mypy.ini", ".config/mypy/config", ".ruff.toml",
		".config/ruff/ruff.toml", ".config/ruff/.ruff.toml", ".config/ruff/pyproject.toml",
		".config/black", ".config/uv/uv.toml", ".config/pypoetry/config.toml",
		".config/pycodestyle", ".isort.cfg", ".editorconfig",
	},
	"cargo's configuration": {".cargo/config", ".cargo/config.toml"},
	"Rust's": {
		".rustup/settings.toml", ".rustfmt.toml",
		".config/rustfmt/rustfmt.toml", ".clippy.toml",
	},
	"golangci-lint's": {
		".golangci.yml", ".golangci.yaml", ".golangci.toml",
		".golangci.json",
	},
	"git's configuration": {
		".gitconfig", ".config/git/config", ".config/git/attributes",
		".config/git/ignore",
	},
	"the shell's": {
		".profile", ".bash_profile", ".bash_login", ".bashrc", ".bash_env",
		".zshenv", ".zprofile", ".zshrc", ".zlogin", ".config/fish/config.fish", ".shrc", ".kshrc",
		".mkshrc",
	},
	"ruby's": {
		".gemrc", ".rspec", ".bundle/config", ".irbrc", ".rubocop.yml",
		".config/rubocop/config.yml",
	},
	"the Java tools'": {
		".m2/settings.xml", ".m2/toolchains.xml", ".mavenrc",
		".gradle/gradle.properties", ".gradle/init.gradle", ".gradle/init.gradle.kts",
		".gradle/init.d", ".sbtrc",
	},
	".NET's": {".nuget/NuGet/NuGet.Config", ".config/NuGet/NuGet.Config"},
	"PHP's":  {".composer/config.json", ".config/composer/config.json", ".php.ini"},
	"the version manager's": {
		".tool-versions", ".asdfrc", ".config/mise/config.toml",
		".mise.toml", ".sdkmanrc",
	},
	"the lint configuration": {
		".eslintrc", ".eslintrc.js", ".eslintrc.cjs", ".eslintrc.json",
		".eslintrc.yml", ".eslintrc.yaml", ".prettierrc", ".prettierrc.json", ".prettierrc.yml",
		".prettierrc.yaml", ".prettierrc.js", ".stylelintrc", ".shellcheckrc",
		".config/shellcheckrc",
	},
	"the downloaders'": {".curlrc", ".wgetrc", ".netrc"},
	"make's":           {".makerc", ".gnumakerc"},
}

// takeHome watches the home, and the directories that variables name instead of parts of it.
func (w *Watch) takeHome(env map[string]string) {
	home := env["HOME"]
	if home == "" {
		home = env["USERPROFILE"]
	}
	config := env["XDG_CONFIG_HOME"]
	for what, names := range steering {
		for _, name := range names {
			if filepath.IsAbs(home) {
				w.spot(filepath.Join(home, filepath.FromSlash(name)), what)
			}
			if rest, ok := strings.CutPrefix(name, ".config/"); ok && filepath.IsAbs(config) {
				w.spot(filepath.Join(config, filepath.FromSlash(rest)), what)
			}
		}
	}
	w.spot(goEnv(env, home, config), "Go's environment")
	if cargo := env["CARGO_HOME"]; cargo != "" {
		w.spot(filepath.Join(cargo, "config"), "cargo's configuration")
		w.spot(filepath.Join(cargo, "config.toml"), "cargo's configuration")
	}
	if rustup := env["RUSTUP_HOME"]; rustup != "" {
		w.spot(filepath.Join(rustup, "settings.toml"), "Rust's")
	}
	if zsh := env["ZDOTDIR"]; zsh != "" {
		w.spot(filepath.Join(zsh, ".zshenv"), "the shell's")
	}
	w.takeNPM(env)
}

// goEnv is the file of `go env -w`.
func goEnv(env map[string]string, home, config string) string {
	switch {
	case env["GOENV"] == "off":
		return ""
	case env["GOENV"] != "":
		return env["GOENV"]
	case runtime.GOOS == "darwin":
		return filepath.Join(home, "Library", "Application Support", "go", "env")
	case runtime.GOOS == "windows":
		return filepath.Join(env["AppData"], "go", "env")
	case config != "":
		return filepath.Join(config, "go", "env")
	}
	return filepath.Join(home, ".config", "go", "env")
}

// npmPrefix is the line of an npmrc that says where npm's global files are.
var npmPrefix = lazyregexp.New(`(?m)^\s*prefix\s*=\s*(\S+)\s*$`)

// takeNPM watches npm's configuration for all of a machine's users, and the files that variables
// name instead.
func (w *Watch) takeNPM(env map[string]string) {
	var prefixes []string
	for name, value := range env {
		switch strings.ToLower(name) {
		case "npm_config_userconfig", "npm_config_globalconfig":
			w.spot(value, "npm's configuration")
		case "npm_config_prefix", "prefix":
			prefixes = append(prefixes, value)
		}
	}
	if rc, err := w.config.Load(filepath.Join(env["HOME"], ".npmrc"), maxCopy); err == nil {
		if m := npmPrefix.FindSubmatch(rc); m != nil {
			prefixes = append(prefixes, strings.NewReplacer("${HOME}", env["HOME"], "~/",
				env["HOME"]+"/").Replace(string(m[1])))
		}
	}
	if node := w.find("node"); node != "" {
		prefixes = append(prefixes, filepath.Dir(filepath.Dir(node)))
	}
	for _, prefix := range prefixes {
		if filepath.IsAbs(prefix) {
			w.spot(filepath.Join(prefix, "etc", "npmrc"), "npm's configuration")
			w.spot(filepath.Join(prefix, "lib", "node_modules", "npm", "npmrc"),
				"npm's configuration")
		}
	}
}

// fileFlag finds files that options of tools in a variable name.
var fileFlag = lazyregexp.New(
	`(?:^|\s)(?:--?(?:require|r|import|loader|experimental-loader|overlay|modfile|toolexec)|-include)[= ]\s*("[^"]+"|'[^']+'|\S+)`)

// takeVariables watches the files that variables of the environment make tools read.
func (w *Watch) takeVariables(env map[string]string) {
	for _, name := range []string{
		"BASH_ENV", "ENV", "PYTHONSTARTUP", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM",
		"PIP_CONFIG_FILE", "RUFF_CONFIG", "MYPY_CONFIG_FILE",
		"COVERAGE_RCFILE", "PYLINTRC", "CURL_HOME", "UV_CONFIG_FILE", "NODE_EXTRA_CA_CERTS",
		"GOWORK", "PYTEST_CONFIG", "RUSTC_WRAPPER",
	} {
		w.spot(env[name], "the file that "+name+" names,")
	}
	for _, path := range strings.Fields(env["MAKEFILES"]) {
		w.spot(path, "the file that MAKEFILES names,")
	}
	for _, name := range []string{
		"NODE_OPTIONS", "GOFLAGS", "MAKEFLAGS", "PYTEST_ADDOPTS",
		"RUBYOPT", "PERL5OPT", "JAVA_TOOL_OPTIONS",
	} {
		for _, m := range fileFlag.FindAllStringSubmatch(env[name], -1) {
			w.spot(strings.Trim(m[1], `"'`), "the file that "+name+" names,")
		}
	}
	for _, path := range filepath.SplitList(env["LD_PRELOAD"]) {
		w.spot(path, "the file that LD_PRELOAD names,")
	}
	w.spot("/etc/ld.so.preload", "the loader's")
}

// above are the names of files in a directory above a worktree that tools find on their way up.
func above() []string {
	names := []string{
		"go.work", "go.mod", "node_modules", "package.json", "pytest.ini", ".pytest.ini",
		"pyproject.toml", "tox.ini", "setup.cfg", "conftest.py",
		".cargo/config", ".cargo/config.toml", "Cargo.toml", "tsconfig.json", "jsconfig.json",
		".npmrc", ".yarnrc", ".yarnrc.yml", ".pnp.cjs", ".pnp.js", ".pnp.loader.mjs",
		"pnpm-workspace.yaml", ".pnpmfile.cjs", ".editorconfig", "ruff.toml", ".ruff.toml",
		"mypy.ini", ".mypy.ini", ".flake8", ".pylintrc",
		".coveragerc", ".isort.cfg", "rustfmt.toml", ".rustfmt.toml", "clippy.toml", ".clippy.toml",
		"rust-toolchain", "rust-toolchain.toml",
		".python-version", ".node-version", ".nvmrc", ".tool-versions", ".mise.toml", "mise.toml",
		".envrc", "nx.json", "turbo.json", "lerna.json",
		"biome.json", "biome.jsonc", "deno.json", "deno.jsonc", "bunfig.toml", ".rspec",
		".rubocop.yml", "Gemfile", ".shellcheckrc",
		"Directory.Build.props", "Directory.Build.targets", "global.json", "nuget.config",
		"NuGet.Config", ".mvn/maven.config", ".mvn/jvm.config", ".mvn/extensions.xml",
		"phpunit.xml", "uv.toml",
	}
	endings := []string{
		"", ".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".json", ".jsonc",
		".json5", ".yml", ".yaml", ".toml",
	}
	for _, stem := range []string{
		".eslintrc", "eslint.config", "jest.config", "vitest.config", "vite.config",
		"vitest.workspace", ".mocharc", ".babelrc", "babel.config", ".prettierrc",
		"prettier.config", ".golangci", ".swcrc", "ava.config", ".taprc", ".nycrc", ".c8rc",
		".lintstagedrc", "stylelint.config", ".stylelintrc", "karma.conf",
		"playwright.config", "cypress.config", ".postcssrc", "postcss.config",
	} {
		for _, ending := range endings {
			names = append(names, stem+ending)
		}
	}
	return slices.DeleteFunc(names,
		func(n string) bool {
			return n == "" || strings.HasSuffix(n, ".config") || n == "karma.conf"
		})
}
