package referee

import (
	"path"
	"strings"

	"autobuild/internal/lazyregexp"
)

// declared finds the name in a line that declares one: by a keyword, or as a shell function and a
// method without one.
var declared = lazyregexp.New(
	`(?m)^\s*(?:export |default |pub(?:\([^)]*\))? |public |private |protected |static |async |final )*` +
		`(?:(?:func(?:tion)?|def|fn|class|struct|const|let|var|type|interface|trait|enum)\s+(?:\([^)]*\)\s*)?([\pL_$][\pL\pN_$]*)` +
		`|([\pL_][\pL\pN_]*)\s*\(\)\s*\{)`)

// declarations are the names that a text declares.
func declarations(text string) []string {
	var names []string
	for _, match := range declared.FindAllStringSubmatch(text, -1) {
		names = append(names, match[1]+match[2])
	}
	return names
}

// goneNames are declarations and files of the product that the work has no more.
func goneNames(m Classifier, edits []Edit) map[string]bool {
	gone, _ := namesOf(m, edits)
	return gone
}

// namesOf are declarations and files of the product: those that the work has no more, and those
// that it has gained. Without a Classifier every edit is one of the product.
func namesOf(m Classifier, edits []Edit) (gone, gained map[string]bool) {
	was, is := map[string]bool{}, map[string]bool{}
	for _, e := range edits {
		if m != nil && m.Class(e.Path) != Product {
			continue
		}
		stem := strings.TrimSuffix(path.Base(e.Path), path.Ext(e.Path))
		for _, side := range []struct {
			names      map[string]bool
			mode, text string
		}{{was, e.OldMode, e.Old}, {is, e.NewMode, e.New}} {
			if side.mode != "" {
				side.names[stem] = true
			}
			for _, name := range declarations(side.text) {
				side.names[name] = true
			}
		}
	}
	return without(was, is), without(is, was)
}
