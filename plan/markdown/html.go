package markdown

import (
	"regexp"
	"strings"
)

// htmlHeads matches a line that is a heading in HTML, or the title of a part that can be folded.
var htmlHeads = regexp.MustCompile(`(?i)^\s{0,3}(?:<details[^<>]*>\s*)?<(summary|h[1-6])\b[^<>]*>(.*?)(?:</(?:summary|h[1-6])>\s*)?$`)

// verbatim are the tags whose text is no markdown.
var verbatim = []string{"pre", "script", "style", "textarea"}

// html lets the markdown between tags be read. Lines of nothing but tags are hidden, because
// CommonMark takes all that follows them up to an empty line for HTML; a heading in HTML, and the
// summary of a part that can be folded, becomes a heading.
func (m *masker) html(line string, start, n int) {
	trimmed := strings.TrimSpace(line)
	if !strings.HasPrefix(trimmed, "<") || m.code[n] {
		return
	}
	if at := htmlHead(line); at != nil && withoutTags(line[at[4]:at[5]]) != "" {
		level := int(line[at[3]-1] - '0')
		if tag := strings.ToLower(line[at[2]:at[3]]); tag == "summary" {
			level = maxLevel
		}
		m.blank(start, start+at[4])
		m.blank(start+at[5], start+len(line))
		m.out[start] = '#'
		if m.levels == nil {
			m.levels = map[int]int{}
		}
		m.levels[n] = level
		return
	}
	if strings.HasSuffix(trimmed, ">") && withoutTags(trimmed) == "" && !among(verbatim, tagName(trimmed)) {
		m.blank(start, start+len(line))
	}
}

// htmlHead is the match of htmlHeads. Most tags are no headings, and cost no match.
func htmlHead(line string) []int {
	for rest := line; ; {
		at := strings.IndexByte(rest, '<')
		if at < 0 || at+1 >= len(rest) {
			return nil
		}
		rest = rest[at+1:]
		if strings.IndexByte("sShH", rest[0]) >= 0 {
			return htmlHeads.FindStringSubmatchIndex(line)
		}
	}
}

// maxLevel is the deepest level of a heading.
const maxLevel = 6

// tagName is the name of the tag that a text begins with.
func tagName(s string) string {
	s = strings.TrimLeft(s, "</")
	end := 0
	for end < len(s) && alnum(s[end]) {
		end++
	}
	return strings.ToLower(s[:end])
}

// tagAt is the length of the tag that a text begins with, 0 when it begins with none. "<a" and
// "</b>" begin tags, "< 3" and "<-" do not.
func tagAt(s string) int {
	name := strings.TrimPrefix(s[1:], "/")
	if name == "" || name[0]|0x20 < 'a' || name[0]|0x20 > 'z' {
		return 0
	}
	end := strings.IndexByte(s[:min(len(s), 300)], '>')
	if end < 0 || !among(inlineTags, tagName(s)) {
		return 0
	}
	return end + 1
}

// inlineTags are the tags that only dress a text.
var inlineTags = []string{
	"a", "b", "strong", "i", "em", "u", "s", "del", "ins", "code", "kbd", "sub", "sup", "span", "small", "mark", "font",
	"img", "input", "div", "p", "summary", "h1", "h2", "h3", "h4", "h5", "h6", "center",
}
