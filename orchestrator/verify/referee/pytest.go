package referee

import (
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/orchestrator/verify/referee/gate"
)

// plainFixture is a decorator of pytest that gives a fixture at most a scope.
var plainFixture = lazyregexp.New(`^@pytest\.fixture(?:\((?:scope\s*=\s*["']\w+["'])?\))?$`)

var (
	pyDef    = lazyregexp.New(`^(?:async\s+)?def\s+(\w+)`)
	builtins = []string{
		"request", "tmp_path", "tmpdir", "capsys", "capfd", "caplog", "monkeypatch", "recwarn",
		"cache", "pytestconfig", "testdir", "pytester",
		"tmp_path_factory", "tmpdir_factory", "record_property", "mocker", "doctest_namespace",
		"capsysbinary", "event_loop", "client",
	}
)

// plainFixtures reports whether a conftest.py only gained imports and fixtures with names of their
// own.
func plainFixtures(old, now string) bool {
	a, b := gate.BareLinesOf("conftest.py", old), gate.BareLinesOf("conftest.py", now)
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
		case plainFixture.MatchString(line):
			decorated = true
		case decorated && pyDef.MatchString(line):
			name := pyDef.FindStringSubmatch(line)[1]
			if slices.Contains(builtins, name) || strings.HasPrefix(name, "pytest_") ||
				strings.Contains(old, "def "+name+"(") {
				return false
			}
			inFixture, decorated = true, false
		default:
			return false
		}
	}
	text := strings.Join(added, "\n")
	return i == len(a) && !pyHook.MatchString(text) && !pyExit.MatchString(text) &&
		!strings.Contains(text, "setattr") && !strings.Contains(text, "pytest.skip")
}
