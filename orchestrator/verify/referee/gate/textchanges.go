package gate

import (
	"path"
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/orchestrator/verify/testunit"
)

// Bare is a text without comments, empty lines and the space at the ends of lines; in languages
// without meaning of indentation, without that too.
func Bare(file, text string) string {
	var b strings.Builder
	for _, line := range BareLinesOf(file, text) {
		b.WriteString(line + "\n")
	}
	return b.String()
}

func bareLines(text string) []string { return BareLinesOf("x.ini", text) }

var (
	slashes = []string{
		".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx", ".go", ".rs",
		".java", ".kt", ".kts", ".gradle", ".cs", ".php", ".jsonc",
	}
	block = lazyregexp.New(`(?s)^\s*/\*.*?\*/`)
)

// BareLinesOf leaves out comments that have a line of their own; others are part of their line, so
// a change of one is unclear.
func BareLinesOf(file, text string) []string {
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
		case !slash && (trimmed[0] == '#' || trimmed[0] == ';') &&
			!strings.HasPrefix(trimmed, "#!"):
		case slash:
			out = append(out, OneSpace(trimmed))
		default:
			out = append(out, strings.TrimRight(line, " \t\n"))
		}
	}
	return out
}

var numberIn = lazyregexp.New(`-?\d+(?:\.\d+)?`)

// onlyRaised reports whether the changed lines of a program of settings differ in thresholds that
// went up.
func onlyRaised(old, now string) bool {
	a, b := BareLinesOf("x.js", old), BareLinesOf("x.js", now)
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		key := strings.Trim(strings.TrimSpace(strings.SplitN(a[i], ":", 2)[0]), `'"`)
		x, y := numberIn.FindAllString(a[i], -1), numberIn.FindAllString(b[i], -1)
		if len(x) != 1 || len(y) != 1 ||
			numberIn.ReplaceAllString(a[i], "#") != numberIn.ReplaceAllString(b[i], "#") {
			return false
		}
		if !stronger(KeyChange{Key: key, Old: x[0], New: y[0]}) {
			return false
		}
	}
	return true
}

var dependencyLine = lazyregexp.New(
	`^\s*(?:</?(?:dependency|dependencies|ItemGroup)>|<(?:groupId|artifactId|version|scope|type)>[^<]*</\w+>|` +
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

var harmlessAttribute = lazyregexp.New(
	`^-?(?:text(?:=auto)?|binary|diff(?:=\w+)?|eol=lf|linguist-[\w-]+(?:=\w+)?)$`)

// PlainAttributes reports whether only attributes were added that leave contents as they are.
func PlainAttributes(old, now string) bool {
	a, b := bareLines(old), bareLines(now)
	if !contains(b, a) {
		return false
	}
	for _, line := range testunit.Missing(b, a) {
		words := strings.Fields(line)
		if slices.ContainsFunc(words[1:],
			func(w string) bool { return !harmlessAttribute.MatchString(w) }) {
			return false
		}
	}
	return true
}

// LineChange gives the first line that changed, as it was and as it is.
func LineChange(old, now string) (was, is string) {
	gone, added := testunit.Changed(strings.Split(old, "\n"), strings.Split(now, "\n"))
	word := func(lines []string) string {
		for _, l := range lines {
			if strings.TrimSpace(l) != "" {
				return Clip(l)
			}
		}
		return "(nothing)"
	}
	return word(gone), word(added)
}

// ChangedLine is the number of the first line that changed; 0: lines are only gone.
func ChangedLine(old, now string) int {
	_, added := testunit.Changed(strings.Split(old, "\n"), strings.Split(now, "\n"))
	for i, line := range strings.Split(now, "\n") {
		if len(added) > 0 && line == added[0] {
			return i + 1
		}
	}
	return 0
}

// KeyLine is the line on which a key's last part stands; 0: none.
func KeyLine(text, key string) int {
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

// Clip is a text in one short line.
func Clip(text string) string {
	text = OneSpace(text)
	if r := []rune(text); len(r) > 80 {
		return string(r[:79]) + "…"
	}
	return text
}
