package gate

import (
	"path"
	"slices"
	"strings"
)

// sourceSuffixes are the suffixes of files with program text.
var sourceSuffixes = []string{
	".go", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".py", ".rs", ".java",
	".kt", ".rb", ".php",
	".cs", ".fs", ".c", ".cc", ".cpp", ".h", ".hpp", ".swift", ".scala", ".ex", ".exs", ".vue",
	".svelte", ".lua",
}

// IsSource reports whether a file holds program text, by its suffix.
func IsSource(file string) bool { return slices.Contains(sourceSuffixes, path.Ext(file)) }

// The suffixes of Go, of JavaScript and its dialects, and of Python.
var (
	GoSuffix = []string{".go"}
	JSSuffix = []string{
		".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".vue",
		".svelte",
	}
	PythonSuffix = []string{".py", ".pyi"}
)

// HasSuffix reports whether a file has one of the suffixes.
func HasSuffix(file string, suffixes []string) bool {
	return slices.Contains(suffixes, path.Ext(file))
}

// IsShell reports whether a file is a shell script, by its suffix.
func IsShell(file string) bool {
	return slices.Contains([]string{".sh", ".bash", ".zsh", ".ksh", ".bats", ".t"}, path.Ext(file))
}

// DirOf is path.Dir with "" for the root.
func DirOf(file string) string {
	if i := strings.LastIndexByte(file, '/'); i >= 0 {
		return file[:i]
	}
	return ""
}
