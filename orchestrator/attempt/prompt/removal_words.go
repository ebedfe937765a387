package prompt

import (
	"path"
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/plan"
)

var (
	removing = lazyregexp.New(
		`(?i)\b(?:remov|delet|drop|revert|undo|undone|replac|rewrit|rewrote|renam|mov(?:e|ing)\b|strip|discard|retir|` +
			`get(?:ting)? rid|roll(?:ing)? back|clean(?:ing)?[ -]?up|extract|inlin|consolidat|supersed|eliminat|entfern|lösch|ersetz|supprim|` +
			`remplac|borrar|sustitu)|删除|移除|替换|削除|置換`)
	sentenceEnd = lazyregexp.New(`[.;:!?。]\s+|\n+`)
	quoted      = lazyregexp.New("`[^`]+`")
	reverting   = lazyregexp.New(`(?i)\b(?:revert(?:s|ed|ing)?|undo(?:es|ing)?|back(?:s|ed|ing)? out|roll(?:s|ed|ing)? back)\b`)
	codeName    = lazyregexp.New(`[a-z\d][A-Z]|[A-Z][a-z]+[A-Z]|_`)
)

// Removes reports whether a phase's section names the file, or a name in what is gone,
// together with a word of removal.
func Removes(p plan.Phase, file string, names []string) bool {
	if slices.ContainsFunc(p.Files.Delete, func(f string) bool { return path.Clean(f) == file }) {
		return true
	}
	text := strings.Join([]string{p.Name, p.Text}, "\n")
	if p.Text == "" {
		for _, task := range p.Tasks {
			text += "\n" + task.Text
		}
	}
	for _, sentence := range sentenceEnd.Split(text, -1) {
		if removing.MatchString(sentence) &&
			(namesFile(sentence, file) || namesCode(sentence, names)) {
			return true
		}
	}
	return false
}

// Reverts reports whether a phase's section reverts another phase by title or label:
// Revert "Add a cache".
func Reverts(p, other plan.Phase) bool {
	title := strings.ToLower(strings.TrimSpace(other.Name))
	for line := range strings.Lines(strings.ToLower(p.Name + "\n" + p.Text)) {
		if reverting.MatchString(line) && (len(title) > 3 && StandsIn(line, title) ||
			StandsIn(line, "phase "+strings.ToLower(other.Label))) {
			return true
		}
	}
	return false
}

// namesFile reports whether a sentence holds the path, its last element, or a folder above it.
func namesFile(sentence, file string) bool {
	names := []string{file, path.Base(file)}
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		names = append(names, dir+"/")
	}
	return slices.ContainsFunc(names, func(name string) bool { return StandsIn(sentence, name) })
}

// StandsIn reports whether a name stands in a text as a whole.
func StandsIn(text, name string) bool {
	edge := func(s string) bool { return s == "" || !nameByte(s[0]) }
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return false
		}
		at, after := from+i, from+i+len(name)
		if (at == 0 || edge(text[at-1:at]) || text[at-1] == '/') &&
			(strings.HasSuffix(name, "/") || edge(text[after:])) {
			return true
		}
		from = at + 1
	}
}

func nameByte(b byte) bool {
	return b == '_' || b == '-' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' &&
		b <= 'Z' || b >= 0x80
}

// namesCode reports whether a sentence holds one of the identifiers, in code quotes or in a
// spelling that prose does not have.
func namesCode(sentence string, names []string) bool {
	inCode := strings.Join(quoted.FindAllString(sentence, -1), " ")
	return slices.ContainsFunc(names, func(name string) bool {
		return StandsIn(inCode, name) || len(name) > 3 && codeName.MatchString(name) &&
			StandsIn(sentence, name)
	})
}
