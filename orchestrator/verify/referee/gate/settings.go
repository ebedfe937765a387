package gate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
	"go.yaml.in/yaml/v4"

	"autobuild/internal/lazyregexp"
)

// errForm says that a text is not what its file's name promises.
var errForm = errors.New("it cannot be read")

// settings are the values of a settings file by their keys, the parts of a key joined by a dot. A
// list is one value, its elements sorted where their order means nothing.
type settings map[string]any

// readSettings reads a file by its name; errForm where its form is none of those that are known, or
// is broken.
func readSettings(file, text string) (settings, error) {
	var doc any
	switch base := path.Base(file); {
	case strings.TrimSpace(text) == "":
		return settings{}, nil
	case slices.Contains([]string{".json", ".jsonc", ".json5"}, path.Ext(base)),
		slices.Contains([]string{
			".eslintrc", ".prettierrc", ".babelrc", ".swcrc", ".mocharc",
			".nycrc", ".c8rc",
		}, base) && strings.HasPrefix(strings.TrimSpace(text), "{"):
		if json.Unmarshal([]byte(plainJSON(text)), &doc) != nil {
			return nil, errForm
		}
	case path.Ext(base) == ".toml", base == "config" && path.Base(DirOf(file)) == ".cargo":
		var table map[string]any
		if _, err := toml.Decode(text, &table); err != nil {
			return nil, errForm
		}
		doc = table
	case slices.Contains([]string{".yml", ".yaml"}, path.Ext(base)),
		slices.Contains([]string{".eslintrc", ".prettierrc"}, base), base == ".yamllint":
		if yaml.Unmarshal([]byte(text), &doc) != nil {
			return nil, errForm
		}
	case slices.Contains([]string{".ini", ".cfg"}, path.Ext(base)), slices.Contains([]string{
		".coveragerc", ".flake8", ".pylintrc", "pylintrc", ".isort.cfg", ".editorconfig", ".bandit",
		".pycodestyle", ".pydocstyle", ".style.yapf", ".npmrc",
	}, base):
		return iniSettings(text), nil
	default:
		return nil, errForm
	}
	out := settings{}
	out.flatten("", doc)
	return out, nil
}

// ToolSettings are the texts that a pyproject.toml sets for tools, those that make the package
// aside: they name the product.
func ToolSettings(text string) []string {
	var doc struct{ Tool map[string]any }
	if _, err := toml.Decode(text, &doc); err != nil {
		return nil
	}
	for _, packager := range []string{"setuptools", "poetry", "flit", "hatch", "pdm", "uv"} {
		delete(doc.Tool, packager)
	}
	return StringsOf(doc.Tool)
}

func iniSettings(text string) settings {
	out := settings{}
	for _, s := range parseINI(text) {
		for _, key := range s.keys {
			var v any = s.values[key]
			if lines := strings.Split(s.values[key], "\n"); len(lines) > 1 {
				var list []any
				for _, l := range lines {
					list = append(list, l)
				}
				v = list
			}
			out[join(s.name, key)] = v
		}
	}
	return out
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "." + b
}

func (s settings) flatten(key string, v any) {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 && key != "" {
			s[key] = map[string]any{}
		}
		for k, x := range v {
			s.flatten(join(key, k), x)
		}
	case map[any]any:
		for k, x := range v {
			s.flatten(join(key, fmt.Sprint(k)), x)
		}
	case []map[string]any:
		var list []any
		for _, x := range v {
			list = append(list, x)
		}
		s[key] = list
	default:
		s[key] = v
	}
}

var (
	jsonComment = lazyregexp.New(`"(?:[^"\\]|\\.)*"|//[^\n]*|(?s:/\*.*?\*/)`)
	jsonComma   = lazyregexp.New(`"(?:[^"\\]|\\.)*"|,\s*[}\]]`)
)

// plainJSON is JSON without the comments and last commas that settings files may have.
func plainJSON(text string) string {
	text = jsonComment.ReplaceAllStringFunc(strings.TrimPrefix(text, "\ufeff"),
		func(s string) string {
			if s[0] == '"' {
				return s
			}
			return " "
		})
	return jsonComma.ReplaceAllStringFunc(text, func(s string) string {
		if s[0] == '"' {
			return s
		}
		return s[len(s)-1:]
	})
}

// Shown is a value in one line.
func Shown(v any) string {
	switch v := v.(type) {
	case nil:
		return "(nothing)"
	case string:
		return Clip(v)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return Clip(fmt.Sprint(v))
	}
	return Clip(b.String())
}

func same(a, b any) bool { return Shown(a) == Shown(b) && fmt.Sprint(a) == fmt.Sprint(b) }

// KeyChange is a key of a settings file whose value changed.
type KeyChange struct {
	Key      string
	Old, New any
	Harmless bool // not weaker, and that is sure
}

// differences are the keys that changed, sorted.
func differences(old, now settings) []KeyChange {
	var out []KeyChange
	for key := range old {
		if !same(old[key], now[key]) {
			out = append(out, KeyChange{Key: key, Old: old[key], New: now[key]})
		}
	}
	for key := range now {
		if _, ok := old[key]; !ok {
			out = append(out, KeyChange{Key: key, New: now[key]})
		}
	}
	for i := range out {
		out[i].Harmless = stronger(out[i])
	}
	slices.SortFunc(out, func(a, b KeyChange) int { return strings.Compare(a.Key, b.Key) })
	return out
}

var (
	// atLeast are keys whose larger value demands more; atMost those whose smaller one does.
	atLeast = lazyregexp.New(
		`(?i)(?:^|[.:_-])(?:fail_under|fail-under|branches|functions|lines|statements|thresholds?|min\w*|coverage|cov-fail-under|min-?coverage|score|errorLevel|level)$`)
	atMost = lazyregexp.New(`(?i)(?:^|[.:_-])(?:max[\w-]*|line[-_]length|complexity)$`)
	// strictKey is a switch that makes a tool demand more.
	strictKey = lazyregexp.New(
		`(?i)(?:^|[.:_-])(?:strict\w*|xfail_strict|noImplicit\w+|noUnused\w+|noUnchecked\w+|noFallthrough\w+|noPropertyAccess\w+|` +
			`exactOptional\w+|useUnknownInCatch\w+|checkJs|forceConsistent\w+|isolatedModules|disallow_\w+|warn_\w+|check_untyped_defs|extra_checks|no_implicit_\w+|check-\w+|failOn\w+|` +
			`forbidOnly|errorOn\w*|reportUnusedDisableDirectives|overflow-checks|debug-assertions|branch|fail-on-\w+|enable-all|doctest|fail_on_\w+)$`)
	// moreList is a list whose additional elements demand more; lessList one whose missing elements
	// do.
	moreList = lazyregexp.New(
		`(?i)(?:^|[.:_-])(?:enable|enabled|select|extend-select|extend_select|linters|formatters|rules|testpaths|testMatch|` +
			`include|roots|members|source|markers|filterwarnings|enable_error_code|plugins-enabled|projects|packages|checks)$`)
	lessList = lazyregexp.New(
		`(?i)(?:^|[.:_-])(?:ignore\w*|exclude\w*|disable\w*|omit|extend-ignore|extend_ignore|per-file-ignores|skip\w*|testPathIgnorePatterns|` +
			`coveragePathIgnorePatterns|modulePathIgnorePatterns|norecursedirs|exclude-\w+|disable_error_code|exclude_lines)$`)
	ruleKey = lazyregexp.New(`(?:^|\.)rules\.[^.]*`)
	// neutralKey steers what a compiler writes, not what it accepts.
	neutralKey = lazyregexp.New(
		`^compilerOptions\.(?:target|lib|jsx\w*|outDir|declaration\w*|sourceMap|inlineSources|incremental|composite|tsBuildInfoFile|removeComments|` +
			`esModuleInterop|allowSyntheticDefaultImports|resolveJsonModule|experimentalDecorators|emitDecoratorMetadata|newLine|noEmit|importHelpers|downlevelIteration|verbatimModuleSyntax)$`)
)

// stronger reports whether a change of one key surely demands no less.
func stronger(c KeyChange) bool {
	oldNumber, oldOK := number(c.Old)
	newNumber, newOK := number(c.New)
	oldList, newList := list(c.Old), list(c.New)
	switch {
	case neutralKey.MatchString(c.Key):
		return true
	case ruleKey.MatchString(c.Key) && severity(c.New) >= 0 &&
		(c.Old == nil || severity(c.Old) >= 0):
		return sameOptions(c.Old, c.New) && severity(c.New) > max(severity(c.Old), 0)
	case atLeast.MatchString(c.Key) && newOK && (oldOK || c.Old == nil):
		return newNumber >= oldNumber && newNumber >= 0
	case atMost.MatchString(c.Key) && newOK:
		return oldOK && newNumber <= oldNumber || c.Old == nil
	case strictKey.MatchString(c.Key):
		return truth(c.New) && !truth(c.Old)
	case moreList.MatchString(c.Key) && newList != nil && oldList != nil:
		return contains(newList, oldList) && !anyNegated(newList, oldList)
	case moreList.MatchString(c.Key) && newList != nil && c.Old == nil:
		return strings.HasSuffix(c.Key, "enable") || strings.HasSuffix(c.Key, "markers") ||
			strings.HasSuffix(strings.ReplaceAll(c.Key, "_", "-"), "extend-select")
	case lessList.MatchString(c.Key) && oldList != nil:
		return contains(oldList, newList)
	case lessList.MatchString(c.Key) && c.New == nil:
		return true
	}
	return false
}

func number(v any) (float64, bool) {
	n, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(fmt.Sprint(v)), "%"), 64)
	return n, err == nil && v != nil
}

func truth(v any) bool {
	return slices.Contains([]string{"true", "1", "yes", "on", "error", "always"},
		strings.ToLower(fmt.Sprint(v)))
}

// list is a value as its elements; nil where it is none.
func list(v any) []string {
	switch v := v.(type) {
	case []any:
		out := []string{}
		for _, x := range v {
			out = append(out, Shown(x))
		}
		return out
	case string:
		if strings.ContainsAny(v, ", ") || v != "" && !strings.ContainsAny(v, "=") {
			return strings.FieldsFunc(v, func(c rune) bool {
				return c == ',' || c == ' ' || c == '\n'
			})
		}
	}
	return nil
}

func contains(all, some []string) bool {
	return !slices.ContainsFunc(some, func(s string) bool { return !slices.Contains(all, s) })
}

// anyNegated reports whether an added element takes away: "!x", "ignore::…".
func anyNegated(now, was []string) bool {
	return slices.ContainsFunc(now, func(s string) bool {
		return !slices.Contains(was, s) && (strings.HasPrefix(strings.Trim(s, `"`), "!") ||
			strings.Contains(s, "ignore") || strings.HasPrefix(s, "-"))
	})
}

// severity is the level of a lint rule: 0 off, 1 warning, 2 error; -1 where it is no level.
func severity(v any) int {
	if l, ok := v.([]any); ok && len(l) > 0 {
		v = l[0]
	}
	switch strings.ToLower(fmt.Sprint(v)) {
	case "off", "0", "allow", "false":
		return 0
	case "warn", "1", "warning":
		return 1
	case "error", "2", "deny", "forbid", "true":
		return 2
	}
	return -1
}

func sameOptions(a, b any) bool {
	rest := func(v any) string {
		if l, ok := v.([]any); ok && len(l) > 1 {
			return Shown(l[1:])
		}
		return ""
	}
	return a == nil || rest(a) == rest(b)
}
