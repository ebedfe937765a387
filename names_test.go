package autobuild_test

import (
	"bufio"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// Exported names and file names are made of words that a reader can look up: in the glossary, in
// Go's standard library, or in testdata/names.txt, which has git's words and the rest with a reason
// for each group.
func TestNames(t *testing.T) {
	t.Parallel()
	known := glossaryWords(t)
	standard := 0
	exportedNames(t, filepath.Join(goroot(t), "src"), func(name, _ string) {
		for _, word := range wordsOf(name) {
			known[word] = true
			standard++
		}
	})
	if standard < 10_000 {
		t.Fatalf("%d words in names of the standard library", standard)
	}
	listed := listedWords(t)
	used, found := map[string]bool{}, 0
	look := func(name, where string) {
		for _, word := range wordsOf(name) {
			found++
			if len(word) < 2 || inflected(word, known) {
				continue
			}
			if !listed[word] {
				t.Errorf("%s: %s has the word %q; use one of docs/glossary.md or of the standard library", where, name, word)
			}
			used[word] = true
		}
	}
	exportedNames(t, ".", look)
	for _, path := range goFiles(t, ".") {
		look(strings.TrimSuffix(filepath.Base(path), ".go"), path)
	}
	if found < 1000 {
		t.Fatalf("%d words in names", found)
	}
	for _, word := range slices.Sorted(maps.Keys(listed)) {
		if !used[word] {
			t.Errorf("testdata/names.txt has %q, which no name needs", word)
		}
	}
}

// goroot is the root of the Go that runs the tests.
func goroot(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// inflected reports whether a word or what it is a form of is known.
func inflected(word string, known map[string]bool) bool {
	if known[word] {
		return true
	}
	for _, ending := range []string{"s", "es", "ed", "d", "ing", "er", "ly"} {
		if stem, ok := strings.CutSuffix(word, ending); ok && (known[stem] || known[stem+"e"]) {
			return true
		}
	}
	return false
}

// glossaryWords are the words of the glossary's terms.
func glossaryWords(t *testing.T) map[string]bool {
	t.Helper()
	page, err := os.ReadFile("docs/glossary.md")
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]bool{}
	for _, row := range regexp.MustCompile(`(?m)^\| ([^|]+) \|`).FindAllStringSubmatch(string(page), -1) {
		for _, word := range wordsOf(row[1]) {
			words[word] = true
		}
	}
	if len(words) < 60 {
		t.Fatalf("%d words in docs/glossary.md", len(words))
	}
	return words
}

// listedWords are those of testdata/names.txt, whose lines are "reason: word word".
func listedWords(t *testing.T) map[string]bool {
	t.Helper()
	f, err := os.Open("testdata/names.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // only read
	words := map[string]bool{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		reason, list, ok := strings.Cut(lines.Text(), ": ")
		if !ok || reason == "" {
			t.Errorf("testdata/names.txt: %q has no reason", lines.Text())
		}
		for word := range strings.FieldsSeq(list) {
			if words[word] {
				t.Errorf("testdata/names.txt has %q twice", word)
			}
			words[word] = true
		}
	}
	return words
}

// wordsOf splits a name at changes of case and at what is no letter: "ParseHTMLPage" is parse,
// html, page.
func wordsOf(name string) []string {
	var words []string
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return !unicode.IsLetter(r) }) {
		letters, start := []rune(part), 0
		for i := 1; i <= len(letters); i++ {
			ends := i == len(letters) || unicode.IsUpper(letters[i]) &&
				(unicode.IsLower(letters[i-1]) || i+1 < len(letters) && unicode.IsLower(letters[i+1]))
			if ends {
				words = append(words, strings.ToLower(string(letters[start:i])))
				start = i
			}
		}
	}
	return words
}

// goFiles are the files of the packages below a folder, tests and what is internal to the standard
// library aside.
func goFiles(t *testing.T, root string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == "testdata" || e.Name() == "vendor" || root != "." && (e.Name() == "internal" || e.Name() == "cmd")):
			return fs.SkipDir
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// exportedNames are those of functions, methods, types, fields, constants and variables.
func exportedNames(t *testing.T, root string, each func(name, where string)) {
	t.Helper()
	for _, path := range goFiles(t, root) {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			continue // a file of the standard library for another version
		}
		name := func(id *ast.Ident) {
			if id.IsExported() {
				each(id.Name, path)
			}
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				name(d.Name)
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					namesOf(spec, name)
				}
			}
		}
	}
}

func namesOf(spec ast.Spec, name func(*ast.Ident)) {
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		for _, id := range spec.Names {
			name(id)
		}
	case *ast.TypeSpec:
		name(spec.Name)
		fields, ok := spec.Type.(*ast.StructType)
		if !ok || !spec.Name.IsExported() {
			return
		}
		for _, field := range fields.Fields.List {
			for _, id := range field.Names {
				name(id)
			}
		}
	}
}
