package section

import (
	"slices"
	"strings"

	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
)

// message reads the commit message of a section: a heading or label about it, followed by a fence
// or by inline code.
func (u *Unit) message(d *document.Document, all []document.Topic) {
	for _, s := range all {
		if s.Class != document.ClassCommit || u.Commit != "" {
			continue
		}
		for _, f := range d.CodeBlocksIn(s.From, s.To) {
			if u.Commit = CommitText(f.Text); u.Commit != "" {
				break
			}
		}
		if u.Commit != "" {
			continue
		}
		for _, p := range d.ParagraphsIn(s.From, s.To) {
			if found := inline.CodeSpans(p.Raw); len(found) > 0 {
				u.Commit = CommitText(found[0])
				break
			}
		}
	}
	if u.Commit != "" {
		return
	}
	for _, l := range d.LabelsIn(u.From, u.To) {
		if document.ClassOf(l.Name) == document.ClassCommit && conventional(inline.Plain(l.Value)) {
			u.Commit = inline.Plain(l.Value)
			return
		}
	}
}

// CommitText takes the message out of a "git commit -m" command; any other text is the message
// itself.
func CommitText(text string) string {
	text = strings.TrimSpace(text)
	at := strings.Index(text, "git commit")
	if at < 0 {
		if strings.HasPrefix(text, "git ") {
			return ""
		}
		return text
	}
	var parts []string
	rest := text[at:]
	for {
		k := strings.Index(rest, "-m ")
		if k < 0 {
			break
		}
		rest = strings.TrimLeft(rest[k+3:], " ")
		if rest == "" || (rest[0] != '"' && rest[0] != '\'') {
			break
		}
		end := strings.IndexByte(rest[1:], rest[0])
		if end < 0 {
			break
		}
		parts = append(parts, rest[1:1+end])
		rest = rest[end+2:]
	}
	message := strings.Join(parts, "\n\n")
	if strings.Contains(message, "$(") {
		return ""
	}
	return message
}

// conventional reports whether a text begins as conventional commits do: "feat(api): …".
func conventional(s string) bool {
	head, _, found := strings.Cut(s, ":")
	head = strings.TrimSuffix(head, "!")
	kind, _, _ := strings.Cut(head, "(")
	return found && slices.Contains([]string{
		"feat", "fix", "chore", "docs", "test", "tests", "refactor",
		"perf", "build", "ci", "style", "revert",
	}, strings.TrimSpace(kind))
}
