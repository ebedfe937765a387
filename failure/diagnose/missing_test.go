package diagnose_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autobuild/failure"
	"autobuild/failure/diagnose"
)

// Programs say in many ways that a file does not exist. A module that is named by a relative path
// is no file.
func TestMissingFile(t *testing.T) {
	for text, want := range map[string]string{
		"cat: docs/CLAUDE.md: No such file or directory":                                      "docs/CLAUDE.md",
		"ls: cannot access 'dist/app': No such file or directory":                             "dist/app",
		"head: cannot open 'a.txt' for reading: No such file or directory":                    "a.txt",
		"sh: 0: cannot open build.sh: No such file":                                           "build.sh",
		"bash: ./run.sh: No such file or directory":                                           "run.sh",
		"sh: 1: ./scripts/check.sh: not found":                                                "scripts/check.sh",
		"sh: 1: cd: can't cd to packages/web":                                                 "packages/web",
		"Error: ENOENT: no such file or directory, open 'config/shop.json'":                   "config/shop.json",
		"FileNotFoundError: [Errno 2] No such file or directory: 'a/b.toml'":                  "a/b.toml",
		"python3: can't open file '/home/user/app/x.py': [Errno 2] No such file or directory": "/home/user/app/x.py",
		"panic: open testdata/prices.golden: no such file or directory":                       "testdata/prices.golden",
		"No such file or directory @ rb_sysopen - db/seeds.rb (Errno::ENOENT)":                "db/seeds.rb",
		"java.io.FileNotFoundException: conf/a.xml (No such file or directory)":               "conf/a.xml",
		"error TS5083: Cannot read file 'tsconfig.base.json'.":                                "tsconfig.base.json",
		"fatal error: prices.h: No such file or directory":                                    "prices.h",
		"error: pathspec 'docs/x.md' did not match any file(s) known to git":                  "docs/x.md",
		"make: *** No rule to make target 'lib/a.c', needed by 'a.o'.  Stop.":                 "lib/a.c",
		"Could not open input file: artisan.php":                                              "artisan.php",
		"error: could not find `Cargo.toml` in `/home/user/app` or any parent directory":      "Cargo.toml",
		"Error: File not found - CLAUDE.md is named in the plan":                              "CLAUDE.md",
		"cat: /home/me/shop/.autobuild/worktrees/2a/docs/X.md: No such file or directory":     "docs/X.md",

		"Error: Cannot find module './auth'":                         "",
		"NotFoundError: user: not found":                             "",
		"the page https://shop.example/a.html was not there":         "",
		"AssertionError: expected 'a.txt: No such file' to be empty": "",
		"config.database is missing":                                 "",
	} {
		e := fails(text)
		got := diagnose.NotFound(e)
		if want == "" && len(got) > 0 || want != "" && !slices.Contains(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A wrong path is named together with what may be meant, in the message, in the guidance and in
// what to do.
func TestDidYouMean(t *testing.T) {
	near := map[string][]string{"docs/CLAUDE.md": {"docs/AGENTS.md", "AGENTS.md"}, "src/auth.ts": {"src/api/auth.ts"}}
	for name, e := range map[string]failure.Evidence{
		"a gate's":   fails("cat: docs/CLAUDE.md: No such file or directory"),
		"an agent's": says("File not found: docs/CLAUDE.md"),
	} {
		plain := diagnose.From(e).Fingerprint
		e.Near = near
		d := diagnose.From(e)
		const ask = "docs/CLAUDE.md does not exist; did you mean docs/AGENTS.md?"
		if !strings.Contains(d.Message, "did you mean docs/AGENTS.md?") || !strings.HasPrefix(d.Actions[0], ask) || !strings.Contains(d.Guidance, "docs/AGENTS.md") {
			t.Errorf("%s: %s\n%s\n%s", name, d.Message, d.Actions[0], d.Guidance)
		}
		if diff := cmp.Diff([]string{"docs/AGENTS.md", "AGENTS.md"}, d.Near); diff != "" || !slices.Contains(d.Files, "docs/CLAUDE.md") {
			t.Errorf("%s: files %q, near: %s", name, d.Files, diff)
		}
		if d.Fingerprint != plain {
			t.Errorf("%s: what may be meant makes it another failure", name)
		}
	}
	d := diagnose.From(failure.Evidence{Agent: run(), Claim: complete, Missing: []string{"src/auth.ts"}, Near: near})
	if d.Message != "claimed complete, but 1 claimed file does not exist: src/auth.ts; did you mean src/api/auth.ts?" {
		t.Error(d.Message)
	}
}

func TestMissingVariable(t *testing.T) {
	for text, want := range map[string]string{
		"Error: DATABASE_URL is not set":                             "DATABASE_URL",
		"Missing required environment variable: STRIPE_KEY":          "STRIPE_KEY",
		"Missing environment variable: `OPENAI_API_KEY`.":            "OPENAI_API_KEY",
		"environment variable API_TOKEN not set":                     "API_TOKEN",
		"./build.sh: line 3: BUILD_NUMBER: unbound variable":         "BUILD_NUMBER",
		"sh: 1: DEPLOY_TOKEN: must be set":                           "DEPLOY_TOKEN",
		"sh: 2: PORT: parameter not set":                             "PORT",
		"KeyError: 'DATABASE_URL'":                                   "DATABASE_URL",
		"    url = os.environ[\"REDIS_URL\"]\nKeyError: 'REDIS_URL'": "REDIS_URL",
		"KeyError: 'sum'":                                            "",
		"the total is not set":                                       "",
	} {
		d := diagnose.From(fails(text))
		if d.Variable != want {
			t.Errorf("%q: %q, want %q", text, d.Variable, want)
		}
		if want != "" && (d.Category != failure.Prerequisite || !strings.HasPrefix(d.Actions[0], "Set "+want+" ")) {
			t.Errorf("%q: %s, %q", text, d.Category, d.Actions[0])
		}
	}
}

// The install command is given only where a guess would not mislead.
func TestInstallCommands(t *testing.T) {
	for command, want := range map[string]string{
		"jq . a.json":         "sudo apt-get install -y jq",
		"psql -c x":           "sudo apt-get install -y postgresql-client",
		"shellcheck a.sh":     "sudo apt-get install -y shellcheck",
		"pnpm test":           "npm install -g pnpm",
		"poetry run pytest":   "pipx install poetry",
		"ruff check":          "python -m pip install ruff",
		"golangci-lint run":   "go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@latest",
		"bundle exec rubocop": "sudo apt-get install -y ruby-bundler",
		"acme-scan":           "",
	} {
		d := diagnose.From(gated(gaveUp, failure.GateRun{Name: "x", Kind: "custom", Command: command, NotAvailable: true}))
		if d.Type != failure.DependencyMissing || d.FixCommand != want {
			t.Errorf("%q: %s %q, want %q", command, d.Type, d.FixCommand, want)
		}
	}
}
