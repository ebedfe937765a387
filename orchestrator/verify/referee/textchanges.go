package referee

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// bare is a text without comments, empty lines and the space at the ends of lines; in languages
// without meaning of indentation, without that too.
func bare(file, text string) string {
	var b strings.Builder
	for _, line := range bareLinesOf(file, text) {
		b.WriteString(line + "\n")
	}
	return b.String()
}

func bareLines(text string) []string { return bareLinesOf("x.ini", text) }

var (
	slashes = []string{".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx", ".go", ".rs", ".java", ".kt", ".kts", ".gradle", ".cs", ".php", ".jsonc"}
	block   = regexp.MustCompile(`(?s)^\s*/\*.*?\*/`)
)

// bareLinesOf leaves out comments that have a line of their own; others are part of their line, so
// a change of one is unclear.
func bareLinesOf(file, text string) []string {
	slash := slices.Contains(slashes, path.Ext(file))
	var out []string
	inBlock := false
	for line := range strings.Lines(strings.ReplaceAll(text, "\r\n", "\n")) {
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "":
		case inBlock:
			inBlock = !strings.HasSuffix(trimmed, "*/")
			if i := strings.Index(trimmed, "*/"); i >= 0 && i+2 < len(trimmed) {
				inBlock = false
				out = append(out, trimmed[i+2:])
			}
		case slash && strings.HasPrefix(trimmed, "//") && !strings.HasPrefix(trimmed, "//go:"):
		case slash && strings.HasPrefix(trimmed, "/*") && !strings.Contains(trimmed, "*/"):
			inBlock = true
		case slash && block.MatchString(trimmed) && block.ReplaceAllString(trimmed, "") == "":
		case !slash && (trimmed[0] == '#' || trimmed[0] == ';') && !strings.HasPrefix(trimmed, "#!"):
		case slash:
			out = append(out, oneSpace(trimmed))
		default:
			out = append(out, strings.TrimRight(line, " \t\n"))
		}
	}
	return out
}

var numberIn = regexp.MustCompile(`-?\d+(?:\.\d+)?`)

// onlyRaised reports whether the changed lines of a program of settings differ in thresholds that
// went up.
func onlyRaised(old, now string) bool {
	a, b := bareLinesOf("x.js", old), bareLinesOf("x.js", now)
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		key := strings.Trim(strings.TrimSpace(strings.SplitN(a[i], ":", 2)[0]), `'"`)
		x, y := numberIn.FindAllString(a[i], -1), numberIn.FindAllString(b[i], -1)
		if len(x) != 1 || len(y) != 1 || numberIn.ReplaceAllString(a[i], "#") != numberIn.ReplaceAllString(b[i], "#") {
			return false
		}
		if !stronger(keyChange{key: key, old: x[0], new: y[0]}) {
			return false
		}
	}
	return true
}

var dependencyLine = regexp.MustCompile(`^\s*(?:</?(?:dependency|dependencies|ItemGroup)>|<(?:groupId|artifactId|version|scope|type)>[^<]*</\w+>|` +
	`<(?:PackageReference|ProjectReference|Compile|EmbeddedResource)\b[^>]*/?>|` +
	`(?:implementation|api|compileOnly|runtimeOnly|testImplementation|testRuntimeOnly|annotationProcessor)\s*[("'][^{}]*)\s*$`)

// onlyDependencies reports whether a manifest only gained dependencies.
func onlyDependencies(old, now string) bool {
	a, b := bareLines(old), bareLines(now)
	i := 0
	for _, line := range b {
		if i < len(a) && line == a[i] {
			i++
		} else if !dependencyLine.MatchString(line) {
			return false
		}
	}
	return i == len(a)
}

var harmlessAttribute = regexp.MustCompile(`^-?(?:text(?:=auto)?|binary|diff(?:=\w+)?|eol=lf|linguist-[\w-]+(?:=\w+)?)$`)

// plainAttributes reports whether only attributes were added that leave contents as they are.
func plainAttributes(old, now string) bool {
	a, b := bareLines(old), bareLines(now)
	if !contains(b, a) {
		return false
	}
	for _, line := range missing(b, a) {
		words := strings.Fields(line)
		if slices.ContainsFunc(words[1:], func(w string) bool { return !harmlessAttribute.MatchString(w) }) {
			return false
		}
	}
	return true
}

var (
	pyDef    = regexp.MustCompile(`^(?:async\s+)?def\s+(\w+)`)
	builtins = []string{
		"request", "tmp_path", "tmpdir", "capsys", "capfd", "caplog", "monkeypatch", "recwarn", "cache", "pytestconfig", "testdir", "pytester",
		"tmp_path_factory", "tmpdir_factory", "record_property", "mocker", "doctest_namespace", "capsysbinary", "event_loop", "client",
	}
)

// plainFixtures reports whether a conftest.py only gained imports and fixtures with names of their
// own.
func plainFixtures(old, now string) bool {
	a, b := bareLinesOf("conftest.py", old), bareLinesOf("conftest.py", now)
	i, inFixture, decorated := 0, false, false
	var added []string
	for _, line := range b {
		if i < len(a) && line == a[i] {
			i++
			inFixture, decorated = false, false
			continue
		}
		added = append(added, line)
		top := line[0] != ' ' && line[0] != '\t'
		switch {
		case !top:
			if !inFixture {
				return false
			}
		case strings.HasPrefix(line, "import ") || strings.HasPrefix(line, "from "):
			if decorated {
				return false
			}
			inFixture = false
		case regexp.MustCompile(`^@pytest\.fixture(?:\((?:scope\s*=\s*["']\w+["'])?\))?$`).MatchString(line):
			decorated = true
		case decorated && pyDef.MatchString(line):
			name := pyDef.FindStringSubmatch(line)[1]
			if slices.Contains(builtins, name) || strings.HasPrefix(name, "pytest_") || strings.Contains(old, "def "+name+"(") {
				return false
			}
			inFixture, decorated = true, false
		default:
			return false
		}
	}
	text := strings.Join(added, "\n")
	return i == len(a) && !pyHook.MatchString(text) && !pyExit.MatchString(text) && !strings.Contains(text, "setattr") && !strings.Contains(text, "pytest.skip")
}

// lineChange gives the first line that changed, as it was and as it is.
func lineChange(old, now string) (was, is string) {
	gone, added := changedLines(strings.Split(old, "\n"), strings.Split(now, "\n"))
	word := func(lines []string) string {
		for _, l := range lines {
			if strings.TrimSpace(l) != "" {
				return clip(l)
			}
		}
		return "(nothing)"
	}
	return word(gone), word(added)
}

func changedLine(old, now string) int {
	_, added := changedLines(strings.Split(old, "\n"), strings.Split(now, "\n"))
	for i, line := range strings.Split(now, "\n") {
		if len(added) > 0 && line == added[0] {
			return i + 1
		}
	}
	return 0
}

// keyLine is the line on which a key's last part stands; 0: none.
func keyLine(text, key string) int {
	parts := strings.FieldsFunc(key, func(c rune) bool { return c == '.' || c == ' ' })
	if len(parts) == 0 {
		return 0
	}
	last := parts[len(parts)-1]
	for i, line := range strings.Split(text, "\n") {
		if strings.Contains(line, last) {
			return i + 1
		}
	}
	return 0
}
