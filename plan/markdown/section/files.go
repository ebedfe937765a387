package section

import (
	"path"
	"slices"
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
)

// FileChanges are the words in front of a path, or in brackets behind it, and the list they mean.
// To touch a file is to modify it, or to create it if need be.
var FileChanges = map[string]string{
	"create": "create", "created": "create", "creates": "create", "new": "create", "add": "create",
	"added": "create", "new file": "create",
	"modify": "modify", "modified": "modify", "update": "modify", "updated": "modify",
	"edit":   "modify",
	"change": "modify", "extend": "modify", "file": "touch", "path": "touch", "location": "touch",
	"create/modify": "touch", "create or modify": "touch", "modify/create": "touch",
	"test": "test", "tests": "test", "test file": "test",
	"delete": "delete", "deleted": "delete", "remove": "delete", "removed": "delete",
}

// scope reads the files that a phase says it is about.
func (u *Unit) scope(d *document.Document, all []document.Topic) {
	for _, s := range all {
		if s.Class != document.ClassFiles {
			continue
		}
		verb := nameVerb(s.Name)
		for _, l := range d.LabelsIn(s.From, s.From+1) {
			if document.ClassOf(l.Name) == document.ClassFiles {
				u.Files = addFiles(u.Files, verb, l.Value)
			}
		}
		end := s.To
		if s.Item < 0 {
			end = listEnd(d, s.From, s.To)
		}
		for _, it := range d.ItemsIn(s.From+1, end) {
			u.Files = addFiles(u.Files, verb, it.Raw)
		}
	}
	for _, l := range d.LabelsIn(u.From, u.To) {
		if verb := FileChanges[l.Name]; verb != "" && l.Value != "" && (l.Bold || l.Item >= 0) &&
			PathLike(firstPath(l.Value)) {
			u.Files = addFiles(u.Files, verb, l.Value)
		}
	}
}

// listEnd is where the list under a label at line from ends: at the first paragraph that is in no
// item.
func listEnd(d *document.Document, from, to int) int {
	seen := false
	for _, p := range d.ParagraphsIn(from+1, to) {
		if p.Item >= 0 {
			seen = true
		} else if seen {
			return p.Line
		}
	}
	return to
}

func nameVerb(name string) string {
	switch {
	case containsAny(name, "create/modify", "create or modify", "create and modify"):
		return "touch"
	case containsAny(name, "create", "new"):
		return "create"
	case containsAny(name, "delete", "remove"):
		return "delete"
	case containsAny(name, "to modify", "to change", "to edit", "to update"):
		return "modify"
	}
	return "touch"
}

// addFiles reads "Create: `a.go`, `b.go`", "`a.go` (new)" or "`a.go` - what for".
func addFiles(f plan.Files, verb, raw string) plan.Files {
	if before, after, found := strings.Cut(raw, ":"); found {
		if v := FileChanges[inline.Words(before)]; v != "" {
			verb, raw = v, after
		}
	}
	if open := strings.LastIndexByte(raw, '('); open >= 0 {
		inner, _, _ := strings.Cut(raw[open+1:], ")")
		if v := FileChanges[inline.Words(inner)]; v != "" {
			verb = v
		}
	}
	paths := inline.CodeSpans(raw)
	if len(paths) == 0 {
		for part := range strings.SplitSeq(inline.Plain(raw), ",") {
			field := strings.Fields(part)
			if len(field) > 0 {
				paths = append(paths, field[0])
			}
		}
	}
	for _, p := range paths {
		if p = CleanPath(p); PathLike(p) {
			f = WithFile(f, verb, p)
		}
	}
	return f
}

// maxFiles bounds the scope of one phase, because each path is compared with all others.
const maxFiles = 5_000

// WithFile adds a path to the list that verb names: "create", "modify", "test" or "delete".
func WithFile(f plan.Files, verb, p string) plan.Files {
	if len(f.Create)+len(f.Modify)+len(f.Test)+len(f.Delete) >= maxFiles {
		return f
	}
	if slices.Contains(f.All(), p) {
		return f
	}
	switch verb {
	case "create":
		f.Create = append(f.Create, p)
	case "test":
		f.Test = append(f.Test, p)
	case "delete":
		f.Delete, f.Existing = append(f.Delete, p), append(f.Existing, p)
	case "modify":
		f.Modify, f.Existing = append(f.Modify, p), append(f.Existing, p)
	default:
		f.Modify = append(f.Modify, p)
	}
	return f
}

func firstPath(raw string) string {
	if found := inline.CodeSpans(raw); len(found) > 0 {
		return CleanPath(found[0])
	}
	if fields := strings.Fields(inline.Plain(raw)); len(fields) > 0 {
		return CleanPath(fields[0])
	}
	return ""
}

// CleanPath takes line numbers and "./" off a path: "src/a.ts:12-20" is "src/a.ts".
func CleanPath(p string) string {
	p = strings.TrimRight(strings.TrimLeft(p, "`\"', "), "`\"'., ")
	if at := strings.LastIndexByte(p, ':'); at > 0 {
		if rest := p[at+1:]; rest == "" || strings.Trim(rest, "0123456789-–,~+L") == "" ||
			strings.HasSuffix(rest, "()") {
			p = p[:at]
		}
	}
	return strings.TrimPrefix(p, "./")
}

// drawn reports whether a text holds the lines of a tree: "├── src/".
func drawn(p string) bool {
	return strings.ContainsFunc(p, func(r rune) bool { return r >= '─' && r <= '╿' })
}

// PathLike reports whether a text is a path within the repository.
func PathLike(p string) bool {
	if p == "" || len(p) > 300 || strings.ContainsAny(p, " \t<>|\"'()=;$&\\") ||
		strings.Contains(p, "://") || drawn(p) {
		return false
	}
	if path.IsAbs(p) || p[0] == '~' || p[0] == '-' || slices.Contains(strings.Split(p, "/"), "..") {
		return false
	}
	base := path.Base(p)
	return strings.Contains(p, "/") || (strings.Contains(strings.Trim(base, "."), ".") &&
		!strings.HasSuffix(base, ".")) ||
		strings.HasPrefix(base, ".") && len(base) > 2 ||
		slices.Contains([]string{
			"Makefile", "Dockerfile", "justfile", "LICENSE", "README", "Procfile",
			"Gemfile",
		}, base)
}
