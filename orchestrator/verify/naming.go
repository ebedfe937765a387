package verify

import (
	"path/filepath"
	"runtime"
	"strings"

	"autobuild/internal/safefile"
	"autobuild/orchestrator/verify/referee"
)

// naming makes test runners print the names of tests that pass, as far as their environment can:
// nothing that changes what runs, or how it ends. Options that the user has stay.
func naming(env []string) []string {
	env = appendOption(env, "PYTEST_ADDOPTS", "-rap", "")
	return appendOption(env, "GOFLAGS", "-v", goFlags(env))
}

// appendOption adds an option to a variable; stored is its value where the environment has none.
func appendOption(env []string, name, option, stored string) []string {
	out := make([]string, 0, len(env)+1)
	value := stored
	for _, e := range env {
		if rest, ok := strings.CutPrefix(e, name+"="); ok {
			value = rest
			continue
		}
		out = append(out, e)
	}
	return append(out, name+"="+strings.TrimSpace(value+" "+option))
}

// goFlags is what go env -w has stored: a variable of the environment would hide it.
func goFlags(env []string) string {
	vars := map[string]string{}
	for _, e := range env {
		name, value, _ := strings.Cut(e, "=")
		vars[name] = value
	}
	file := vars["GOENV"]
	switch {
	case file == "off":
		return ""
	case file != "":
	case vars["XDG_CONFIG_HOME"] != "":
		file = filepath.Join(vars["XDG_CONFIG_HOME"], "go", "env")
	case vars["AppData"] != "":
		file = filepath.Join(vars["AppData"], "go", "env")
	case runtime.GOOS == "darwin":
		file = filepath.Join(vars["HOME"], "Library", "Application Support", "go", "env")
	default:
		file = filepath.Join(vars["HOME"], ".config", "go", "env")
	}
	text, err := safefile.Read(file, referee.MaxRead)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), "GOFLAGS="); ok {
			return value
		}
	}
	return ""
}
