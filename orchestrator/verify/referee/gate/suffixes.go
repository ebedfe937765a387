package gate

import (
	"path"
	"slices"
	"strings"
)

// sourceSuffixes are the suffixes of files with program text.
var sourceSuffixes = []string{
	".go", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".py", ".rs", ".java", ".kt", ".rb", ".php",
	".cs", ".fs", ".c", ".cc", ".cpp", ".h", ".hpp", ".swift", ".scala", ".ex", ".exs", ".vue", ".svelte", ".lua",
}

func IsSource(file string) bool { return slices.Contains(sourceSuffixes, path.Ext(file)) }

var (
	GoSuffix     = []string{".go"}
	JSSuffix     = []string{".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".vue", ".svelte"}
	PythonSuffix = []string{".py", ".pyi"}
)

func HasSuffix(file string, suffixes []string) bool { return slices.Contains(suffixes, path.Ext(file)) }

func IsShell(file string) bool {
	return slices.Contains([]string{".sh", ".bash", ".zsh", ".ksh", ".bats", ".t"}, path.Ext(file))
}

// dirOf is path.Dir with "" for the root.
func DirOf(file string) string {
	if i := strings.LastIndexByte(file, '/'); i >= 0 {
		return file[:i]
	}
	return ""
}
