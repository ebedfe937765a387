package verify

import (
	"strings"

	"autobuild/state"
)

func detectGo(f folder) (string, []state.GateSpec) {
	if f.has("go.mod") == "" {
		return "", nil
	}
	lint := gate(KindLint, "go vet ./...", "", "go", "go.mod")
	if config := f.has(".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json"); config != "" {
		lint = gate(KindLint, "golangci-lint run ./...", "golangci-lint run --fix ./...", "golangci-lint", config)
	}
	return "go", []state.GateSpec{
		lint,
		// The plain form, test -z "$(gofmt -l .)", names no file and passes where gofmt is missing.
		gate(KindFormat, `out=$(gofmt -l .) && echo "$out" && test -z "$out"`, "gofmt -w .", "gofmt", "go.mod"),
		gate(KindTypecheck, "go build ./...", "", "go", "go.mod"),
		gate(KindTest, "go test ./...", "", "go", "go.mod"),
	}
}

func detectRust(f folder) (string, []state.GateSpec) {
	if f.has("Cargo.toml") == "" {
		return "", nil
	}
	all := ""
	if strings.Contains(f.text("Cargo.toml"), "[workspace]") {
		all = " --workspace"
	}
	return "rust", []state.GateSpec{
		gate(KindLint, "cargo clippy"+all+" --all-targets -- -D warnings", "cargo clippy"+all+" --fix --allow-dirty --allow-staged", "cargo-clippy", "Cargo.toml"),
		gate(KindFormat, "cargo fmt --all --check", "cargo fmt --all", "rustfmt", "Cargo.toml"),
		gate(KindTypecheck, "cargo check"+all+" --all-targets", "", "cargo", "Cargo.toml"),
		gate(KindTest, "cargo test"+all, "", "cargo", "Cargo.toml"),
	}
}

func detectJava(f folder) (string, []state.GateSpec) {
	if f.has("pom.xml") != "" {
		mvn := "mvn"
		if f.has("mvnw") != "" {
			mvn = "./mvnw"
		}
		pom, run := f.text("pom.xml"), mvn+" -B -ntp "
		var gates []state.GateSpec
		if strings.Contains(pom, "maven-checkstyle-plugin") {
			gates = append(gates, gate(KindLint, run+"checkstyle:check", "", mvn, "pom.xml"))
		}
		if strings.Contains(pom, "spotless-maven-plugin") {
			gates = append(gates, gate(KindFormat, run+"spotless:check", run+"spotless:apply", mvn, "pom.xml"))
		}
		return "java (maven)", append(gates,
			gate(KindTypecheck, run+"test-compile", "", mvn, "pom.xml"),
			gate(KindTest, run+"test", "", mvn, "pom.xml"))
	}
	build := f.has("build.gradle", "build.gradle.kts")
	if build == "" {
		return "", nil
	}
	gradle := "gradle"
	if f.has("gradlew") != "" {
		gradle = "./gradlew"
	}
	text, run := f.text(build), gradle+" --console=plain "
	var gates []state.GateSpec
	if strings.Contains(text, "checkstyle") {
		gates = append(gates, gate(KindLint, run+"checkstyleMain", "", gradle, build))
	}
	if strings.Contains(text, "com.diffplug.spotless") {
		gates = append(gates, gate(KindFormat, run+"spotlessCheck", run+"spotlessApply", gradle, build))
	}
	return "java (gradle)", append(gates,
		gate(KindTypecheck, run+"testClasses", "", gradle, build),
		gate(KindTest, run+"test", "", gradle, build))
}

func detectRuby(f folder) (string, []state.GateSpec) {
	if f.has("Gemfile") == "" {
		return "", nil
	}
	var gates []state.GateSpec
	if config := f.has(".rubocop.yml"); config != "" {
		gates = append(gates, gate(KindLint, "bundle exec rubocop", "bundle exec rubocop -A", "bundle", config))
	}
	switch {
	case f.has(".rspec") != "":
		gates = append(gates, gate(KindTest, "bundle exec rspec", "", "bundle", ".rspec"))
	case f.glob("spec/*_spec.rb", "spec/*/*_spec.rb") != "":
		gates = append(gates, gate(KindTest, "bundle exec rspec", "", "bundle", "spec"))
	case f.has("Rakefile") != "" && f.glob("test/*_test.rb", "test/*/*_test.rb", "test/test_*.rb") != "":
		gates = append(gates, gate(KindTest, "bundle exec rake test", "", "bundle", "Rakefile"))
	}
	return "ruby", gates
}

func detectDotnet(f folder) (string, []state.GateSpec) {
	project := f.glob("*.sln", "*.slnx", "*.csproj", "*.fsproj", "*.vbproj")
	if project == "" {
		return "", nil
	}
	var gates []state.GateSpec
	if config := f.has(".editorconfig"); config != "" {
		gates = append(gates, gate(KindFormat, "dotnet format --verify-no-changes", "dotnet format", "dotnet", config))
	}
	return "dotnet", append(gates,
		gate(KindTypecheck, "dotnet build --nologo", "", "dotnet", project),
		gate(KindTest, "dotnet test --nologo", "", "dotnet", project))
}

// pythonManifests are where a Python project says what it uses.
var pythonManifests = []string{
	"pyproject.toml", "setup.cfg", "tox.ini", "requirements.txt", "requirements-dev.txt", "dev-requirements.txt",
	"requirements_dev.txt", "requirements-test.txt", "Pipfile", "setup.py",
}

func detectPython(f folder) (string, []state.GateSpec) {
	manifest := f.has(append([]string{"pytest.ini", "mypy.ini"}, pythonManifests...)...)
	if manifest == "" {
		return "", nil
	}
	name, run := "python", ""
	switch {
	case f.has("uv.lock") != "":
		name, run = "python (uv)", "uv run "
	case f.has("poetry.lock") != "":
		name, run = "python (poetry)", "poetry run "
	case f.has("Pipfile.lock") != "":
		name, run = "python (pipenv)", "pipenv run "
	}
	var gates []state.GateSpec
	add := func(kind, command, fix, source string) {
		tool, _, _ := strings.Cut(run+command, " ")
		if fix != "" {
			fix = run + fix
		}
		gates = append(gates, gate(kind, run+command, fix, tool, source))
	}
	config := []string{"pyproject.toml"}
	ini := []string{"setup.cfg", "tox.ini"}
	switch {
	case f.has("ruff.toml", ".ruff.toml") != "":
		add(KindLint, "ruff check .", "ruff check --fix .", f.has("ruff.toml", ".ruff.toml"))
	case f.says(config, "[tool.ruff") != "":
		add(KindLint, "ruff check .", "ruff check --fix .", "pyproject.toml")
	case f.has(".flake8") != "":
		add(KindLint, "flake8", "", ".flake8")
	case f.says(ini, "[flake8]") != "":
		add(KindLint, "flake8", "", f.says(ini, "[flake8]"))
	}
	switch {
	case f.says(config, "[tool.black]") != "":
		add(KindFormat, "black --check .", "black .", "pyproject.toml")
	case f.says(config, "[tool.ruff.format]") != "":
		add(KindFormat, "ruff format --check .", "ruff format .", "pyproject.toml")
	}
	switch {
	case f.has("mypy.ini", ".mypy.ini") != "":
		add(KindTypecheck, "mypy .", "", f.has("mypy.ini", ".mypy.ini"))
	case f.says(config, "[tool.mypy]") != "":
		add(KindTypecheck, "mypy .", "", "pyproject.toml")
	case f.says([]string{"setup.cfg"}, "[mypy]") != "":
		add(KindTypecheck, "mypy .", "", "setup.cfg")
	case f.has("pyrightconfig.json") != "":
		add(KindTypecheck, "pyright", "", "pyrightconfig.json")
	case f.says(config, "[tool.pyright]") != "":
		add(KindTypecheck, "pyright", "", "pyproject.toml")
	}
	if source := pytestIn(f); source != "" {
		add(KindTest, "pytest", "", source)
	} else if test := f.glob("test_*.py", "tests/test_*.py", "test/test_*.py"); test != "" {
		command := "python3 -m unittest discover"
		if top, _, nested := strings.Cut(test, "/"); nested {
			command += " -s " + top + " -t ."
			if f.has(top+"/__init__.py") == "" { // without it, top is no package and cannot be below -t
				command = strings.TrimSuffix(command, " -t .")
			}
		}
		add(KindTest, command, "", test)
	}
	return name, gates
}

// pytestIn is the file that says that a project is tested with pytest.
func pytestIn(f folder) string {
	if name := f.has("pytest.ini", "conftest.py", "tests/conftest.py"); name != "" {
		return name
	}
	return f.says(pythonManifests, "pytest")
}
