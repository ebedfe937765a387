package referee

import (
	"autobuild/internal/lazyregexp"
	"autobuild/orchestrator/verify/referee/gate"
)

// convention is one row of the classification table: files that a name or a directory classifies.
type convention struct {
	shown   string // the patterns as docs/referee.md and check --referee show them
	class   Class
	why     string
	pattern *lazyregexp.Regexp // of the whole path
}

// conventions classify a path by its name alone; the first match wins. Rules on contents (imports,
// commands) are in reach.go and support.go.
var conventions = []convention{
	{
		"node_modules/ vendor/ third_party/ .venv/ site-packages/ bower_components/ Pods/",
		Vendored,
		"other people's code",
		gate.VendorFolder,
	},
	{
		"autobuild.yaml .autobuild/", Gate, "gates of the run",
		lazyregexp.New(`^(?:autobuild\.ya?ml$|\.autobuild/)`),
	},
	{
		"conftest.py pytest.ini .pytest.ini tox.ini noxfile.py .coveragerc", Gate,
		"settings of Python's test runners",
		lazyregexp.New(
			`(?:^|/)(?:conftest\.py|\.?pytest\.ini|tox\.ini|tox\.toml|noxfile\.py|\.coveragerc|` +
				`sitecustomize\.py|usercustomize\.py|\.?pytest\.toml|behave\.ini|nose2?\.cfg|\.noserc)$`),
	},
	{
		"jest.config.* vitest.config.* vite.config.* .mocharc* ava.config.* karma.conf.* " +
			"playwright.config.* " +
			"cypress.config.* babel.config.* .babelrc* .swcrc .nycrc* .c8rc*", Gate,
		"settings of JavaScript's test runners and compilers",
		lazyregexp.New(
			`(?:^|/)(?:(?:jest|vitest|vite|ava|playwright|cypress|babel|wdio|nightwatch|` +
				`web-test-runner|nyc|rollup|webpack)[.-]?(?:[\w-]+\.)?(?:config|workspace|preset|setup|conf|projects)` +
				`\.(?:[cm]?[jt]sx?|json5?|ya?ml)|karma\.conf\.[cm]?[jt]s|\.mocharc[^/]*|\.babelrc[^/]*|\.swcrc|` +
				`\.nycrc[^/]*|\.c8rc[^/]*|\.taprc|\.jasmine\.json|jasmine\.json|\.lintstagedrc[^/]*|bunfig\.toml|` +
				`deno\.jsonc?|node\.config\.json)$`),
	},
	{
		"tsconfig*.json jsconfig.json mypy.ini pyrightconfig.json", Gate,
		"settings of type checkers",
		lazyregexp.New(
			`(?:^|/)(?:[tj]sconfig[^/]*\.json|\.?mypy\.ini|pyrightconfig\.json|pyre_configuration|` +
				`\.flowconfig|phpstan[^/]*\.neon(?:\.dist)?|psalm[^/]*\.xml|sorbet/config)$`),
	},
	{
		".eslintrc* eslint.config.* .prettierrc* biome.json .golangci.* ruff.toml .flake8 " +
			".pylintrc .rubocop.yml " +
			".clippy.toml rustfmt.toml .editorconfig …", Gate, "settings of linters and formatters",
		lazyregexp.New(`(?:^|/)(?:\.eslintrc[^/]*|eslint\.config\.[cm]?[jt]s|\.eslintignore|` +
			`biome\.jsonc?|\.prettierrc[^/]*|prettier\.config\.[cm]?[jt]s|\.prettierignore|` +
			`\.stylelintrc[^/]*|stylelint\.config\.\w+|\.oxlintrc\.json|dprint\.json|` +
			`\.golangci\.(?:ya?ml|toml|json)|revive\.toml|staticcheck\.conf|\.?ruff\.toml|\.flake8|\.?pylintrc|` +
			`\.pylintrc\.toml|\.isort\.cfg|\.bandit|\.style\.yapf|\.pycodestyle|\.pydocstyle|\.yamllint(?:\.ya?ml)?|` +
			`\.?clippy\.toml|\.?rustfmt\.toml|deny\.toml|\.rubocop[^/]*\.yml|\.rspec|\.php-cs-fixer[^/]*\.php|` +
			`phpcs\.xml(?:\.dist)?|phpunit\.xml(?:\.dist)?|checkstyle[^/]*\.xml|detekt\.ya?ml|\.editorconfig|` +
			`\.shellcheckrc|\.markdownlint[^/]*|\.hadolint\.ya?ml|\.?codecov\.ya?ml|` +
			`\.globalconfig|\.runsettings|coverlet\.runsettings|nextest\.toml|tarpaulin\.toml)$`),
	},
	{
		"package.json pyproject.toml setup.cfg go.mod Cargo.toml composer.json pom.xml " +
			"build.gradle* *.csproj",
		Gate, manifestWhy,
		lazyregexp.New(`(?:^|/)(?:package\.json|pyproject\.toml|setup\.cfg|go\.mod|Cargo\.toml|` +
			`composer\.json|pom\.xml|(?:build|settings)\.gradle(?:\.kts)?|gradle\.properties|[^/]+\.[cfv][sb]proj|` +
			`[^/]+\.slnx?|Directory\.(?:Build|Packages)\.(?:props|targets)|global\.json)$`),
	},
	{
		"go.work .cargo/config* rust-toolchain* .npmrc .yarnrc* .nvmrc .tool-versions …", Gate,
		"settings of package managers and toolchains",
		lazyregexp.New(
			`(?:^|/)(?:go\.work|\.cargo/config(?:\.toml)?|rust-toolchain(?:\.toml)?|\.npmrc|` +
				`\.yarnrc(?:\.ya?ml)?|\.pnpmfile\.c?js|pnpm-workspace\.yaml|lerna\.json|turbo\.json|nx\.json|` +
				`project\.json|\.nvmrc|\.node-version|\.python-version|\.ruby-version|\.java-version|\.tool-versions|` +
				`\.?mise\.toml|\.bundle/config|pip\.conf|uv\.toml|Rakefile|gradle/wrapper/[^/]+|\.mvn/.+|nuget\.config)$`),
	},
	{
		"Makefile GNUmakefile *.mk justfile Taskfile.yml", Gate, "targets that gates run",
		lazyregexp.New(`(?:^|/)(?:(?:GNUm|[mM])akefile|[^/]+\.mk|\.?[jJ]ustfile|[^/]+\.just|` +
			`[tT]askfile(?:\.dist)?\.ya?ml)$`),
	},
	{
		".gitattributes .gitmodules", Gate, "what git makes of the files of a tree",
		lazyregexp.New(`(?:^|/)\.git(?:attributes|modules)$`),
	},
	{
		"*_test.go *.test.* *.spec.* test_*.py *_test.py *Test.java *_spec.rb *.bats *.t …", Test,
		testNameWhy,
		lazyregexp.New(
			`(?:^|/)(?:[^/]+_test\.go|[^/]+[._-](?:test|tests|spec|specs|cy|e2e)\.[cm]?[jt]sx?|` +
				`test[._-][^/]+\.[cm]?[jt]sx?|tests?\.[cm]?[jt]sx?|[^/]+\.(?:test|spec)-d\.ts|` +
				`tests?[_-][^/]+\.py|[^/]+_tests?\.py|tests?\.py|[^/]*tests?\.rs|` +
				`[^/]*[a-z0-9](?:Tests?|TestCase|IT|Spec)\.(?:java|kts?|scala|groovy|cs|fs|vb|php|swift)|` +
				`Test[A-Z][^/]*\.(?:java|kt)|[^/]+_(?:spec|test)\.(?:rb|exs|cr|dart|lua|cc|cpp|c)|test_[^/]+\.(?:rb|c|cc|cpp)|` +
				`(?:spec|test|rails)_helper\.rb|[^/]+\.(?:bats|t|snap|txtar|feature|shellspec)|` +
				`(?:[^/]+[._-])?tests?(?:[._-][^/]+)?\.(?:sh|bash|zsh|ksh|ps1))$`),
	},
	{
		"test/ tests/ __tests__/ testdata/ e2e/ __snapshots__/ __mocks__/ src/test/ *.Tests/ …",
		Test,
		"below a test directory, whatever the suffix",
		lazyregexp.New(
			`(?:^|/)(?:tests?|__tests?__|testdata|test[_-](?:data|files|cases|fixtures)|` +
				`(?:unit|integration|functional|acceptance|e2e|smoke|regression|ui|api)[_-]tests?|e2e|` +
				`__snapshots__|__image_snapshots__|__mocks__|__fixtures__|cypress|` +
				`src/(?:test|testFixtures|integrationTest|it|androidTest)|[^/]+\.(?:Unit|Integration)?Tests?|t)/`),
	},
	{
		"spec/ specs/ features/ with a test by name", Test,
		"below a test directory, whatever the suffix",
		nil, // decided by specDirs
	},
}

// specDir is a directory that holds tests in some projects and descriptions of interfaces in
// others.
var specDir = lazyregexp.New(`^((?:.*/)?(?:specs?|features))/`)

const (
	manifestWhy = "manifests: their gate keys alone"
	testNameWhy = "tests by the convention of their language"
)

// fixtureFolder holds data of tests, under any file name: settings there steer no gate.
var fixtureFolder = lazyregexp.New(
	`(?:^|/)(?:testdata|test[_-]data|fixtures?|__fixtures__|goldens?|__snapshots__|txtar)/`)

// byName is the convention that a path falls under, nil for none.
func byName(file string) *convention {
	data := fixtureFolder.MatchString(file)
	for i := range conventions {
		if c := &conventions[i]; c.pattern != nil && (!data || c.class != Gate) &&
			c.pattern.MatchString(file) {
			return c
		}
	}
	return nil
}

// ByName is the class of a path by its name alone; Map.Class also uses contents.
func ByName(file string) Class {
	if c := byName(file); c != nil {
		return c.class
	}
	return Product
}
