package document

import (
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/plan/markdown/inline"
)

// htmlHeads matches a line that is a heading in HTML, or the title of a part that can be folded.
var htmlHeads = lazyregexp.New(
	`(?i)^\s{0,3}(?:<details[^<>]*>\s*)?<(summary|h[1-6])\b[^<>]*>(.*?)(?:</(?:summary|h[1-6])>\s*)?$`)

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
	if at := htmlHead(line); at != nil && inline.WithoutTags(line[at[4]:at[5]]) != "" {
		level := int(line[at[3]-1] - '0')
		if tag := strings.ToLower(line[at[2]:at[3]]); tag == "summary" {
			level = MaxLevel
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
	if strings.HasSuffix(trimmed, ">") && inline.WithoutTags(trimmed) == "" &&
		!slices.Contains(verbatim, inline.TagName(trimmed)) {
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

// MaxLevel is the deepest level of a heading.
const MaxLevel = 6
