package verify

import (
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/state"
)

// goFormat prints the files. The short form, test -z "$(gofmt -l .)", does not, and passes if gofmt
// is missing.
const goFormat = `out=$(gofmt -l .) && echo "$out" && test -z "$out"`

func detectGo(f folder) (string, []state.GateSpec) {
	if f.has("go.work") != "" {
		return "go", goWork()
	}
	if f.has("go.mod") == "" {
		return "", nil
	}
	lint := gate(state.KindLint, "go vet ./...", "", "go", "go.mod")
	if config := f.has(".golangci.yml", ".golangci.yaml", ".golangci.toml",
		".golangci.json"); config != "" {
		lint = gate(state.KindLint, "golangci-lint run ./...", "golangci-lint run --fix ./...",
			"golangci-lint", config)
	}
	return "go", []state.GateSpec{
		lint,
		gate(state.KindFormat, goFormat, "gofmt -w .", "gofmt", "go.mod"),
		gate(state.KindTypecheck, "go build ./...", "", "go", "go.mod"),
		gate(state.KindTest, "go test ./...", "", "go", "go.mod"),
	}
}

// goWork are the gates of a workspace; its root need not be a module.
func goWork() []state.GateSpec {
	const all = "$(go list -f '{{.Dir}}/...' -m)"
	return []state.GateSpec{
		gate(state.KindLint, "go vet "+all, "", "go", "go.work"),
		gate(state.KindFormat, goFormat, "gofmt -w .", "gofmt", "go.work"),
		gate(state.KindTest, "go test "+all, "", "go", "go.work"),
	}
}

// detectCMake finds tests of CTest. The build directory is "build" if git ignores it, else it is in
// TMPDIR.
func detectCMake(f folder) (string, []state.GateSpec) {
	const file = "CMakeLists.txt"
	if f.has(file) == "" {
		return "", nil
	}
	files := []string{file}
	for _, pattern := range []string{"test/" + file, "tests/" + file, "*/" + file} {
		if found := f.glob(pattern); found != "" {
			files = append(files, found)
		}
	}
	if f.says(files, "enable_testing", "include(CTest)", "add_test(", "_discover_tests(") == "" {
		return "cmake", nil
	}
	build := `"${TMPDIR:-/tmp}/build"`
	if buildIgnored.MatchString(f.text(".gitignore")) {
		build = "build"
	}
	return "cmake", []state.GateSpec{gate(state.KindTest, "cmake -S . -B "+build+
		" && cmake --build "+build+" && ctest --test-dir "+build+
		" --output-on-failure --no-tests=error", "", "cmake", file)}
}

var buildIgnored = lazyregexp.New(`(?m)^/?build/?\*?$`)

func detectRust(f folder) (string, []state.GateSpec) {
	if f.has("Cargo.toml") == "" {
		return "", nil
	}
	all := ""
	if strings.Contains(f.text("Cargo.toml"), "[workspace]") {
		all = " --workspace"
	}
	return "rust", []state.GateSpec{
		gate(state.KindLint, "cargo clippy"+all+" --all-targets -- -D warnings",
			"cargo clippy"+all+" --fix --allow-dirty --allow-staged", "cargo-clippy", "Cargo.toml"),
		gate(state.KindFormat, "cargo fmt --all --check", "cargo fmt --all", "rustfmt",
			"Cargo.toml"),
		gate(state.KindTypecheck, "cargo check"+all+" --all-targets", "", "cargo", "Cargo.toml"),
		gate(state.KindTest, "cargo test"+all, "", "cargo", "Cargo.toml"),
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
			gates = append(gates, gate(state.KindLint, run+"checkstyle:check", "", mvn, "pom.xml"))
		}
		if strings.Contains(pom, "spotless-maven-plugin") {
			gates = append(gates, gate(state.KindFormat, run+"spotless:check", run+"spotless:apply",
				mvn, "pom.xml"))
		}
		return "java (maven)", append(gates,
			gate(state.KindTypecheck, run+"test-compile", "", mvn, "pom.xml"),
			gate(state.KindTest, run+"test", "", mvn, "pom.xml"))
	}
	build := f.has("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts")
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
		gates = append(gates, gate(state.KindLint, run+"checkstyleMain", "", gradle, build))
	}
	if strings.Contains(text, "com.diffplug.spotless") {
		gates = append(gates, gate(state.KindFormat, run+"spotlessCheck", run+"spotlessApply",
			gradle, build))
	}
	return "java (gradle)", append(gates,
		gate(state.KindTypecheck, run+"testClasses", "", gradle, build),
		gate(state.KindTest, run+"test", "", gradle, build))
}

func detectRuby(f folder) (string, []state.GateSpec) {
	if f.has("Gemfile") == "" {
		return "", nil
	}
	var gates []state.GateSpec
	if config := f.has(".rubocop.yml"); config != "" {
		gates = append(gates, gate(state.KindLint, "bundle exec rubocop", "bundle exec rubocop -A",
			"bundle", config))
	}
	switch {
	case f.has(".rspec") != "":
		gates = append(gates, gate(state.KindTest, "bundle exec rspec", "", "bundle", ".rspec"))
	case f.glob("spec/*_spec.rb", "spec/*/*_spec.rb") != "":
		gates = append(gates, gate(state.KindTest, "bundle exec rspec", "", "bundle", "spec"))
	case f.has("Rakefile") != "" && f.glob("test/*_test.rb", "test/*/*_test.rb",
		"test/test_*.rb") != "":
		gates = append(gates, gate(state.KindTest, "bundle exec rake test", "", "bundle",
			"Rakefile"))
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
		gates = append(gates, gate(state.KindFormat, "dotnet format --verify-no-changes",
			"dotnet format", "dotnet", config))
	}
	return "dotnet", append(gates,
		gate(state.KindTypecheck, "dotnet build --nologo", "", "dotnet", project),
		gate(state.KindTest, "dotnet test --nologo", "", "dotnet", project))
}
