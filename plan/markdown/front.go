package markdown

import "strings"

// maxFront bounds the front matter in lines, so that a stray rule at the top does not hide the
// document.
const maxFront = 2000

// entry is one "key: value" line of a front matter, or of a list in it.
type entry struct {
	line   int
	indent int
	dash   bool // the line begins a list element
	key    string
	value  string // without quotes
	raw    string
}

// frontLines counts the lines of the front matter, delimiters included. There is one only when the
// first line is a rule, the second a key, and a second rule follows: everything else is a document
// that begins with a rule.
func frontLines(s *source) int {
	if strings.TrimRight(s.line(1), " \t") != "---" {
		return 0
	}
	if key, _, ok := keyValue(s.line(2)); !ok || strings.ContainsAny(key, " #") {
		return 0
	}
	for n := 3; n <= min(s.count(), maxFront); n++ {
		line := strings.TrimRight(s.line(n), " \t")
		if line == "---" || line == "..." {
			return n
		}
	}
	return 0
}

// readFront reads front matter line by line. It is no YAML parser on purpose: authors write
// "content: Phase 0: Setup", which YAML refuses and everybody understands.
func readFront(s *source, lines int) []entry {
	var entries []entry
	for n := 2; n < lines; n++ {
		if e, ok := readEntry(s.line(n), n); ok {
			entries = append(entries, e)
		}
	}
	return entries
}

// readEntry reads line n; ok is false for one that is empty or a comment.
func readEntry(line string, n int) (e entry, ok bool) {
	rest := strings.TrimLeft(line, " \t")
	if rest == "" || rest[0] == '#' {
		return entry{}, false
	}
	e = entry{line: n, indent: indentOf(line)}
	if after, dashed := strings.CutPrefix(rest, "- "); dashed || rest == "-" {
		e.dash = true
		rest = strings.TrimLeft(after, " ")
	}
	if key, value, ok := keyValue(rest); ok {
		e.key = key
		rest = value
	}
	e.raw = rest
	e.value = unquote(rest)
	return e, true
}

// keyValue splits "key: value" at the first colon that a space or the end follows.
func keyValue(s string) (key, value string, ok bool) {
	for i := range len(s) {
		if s[i] == ':' && (i+1 == len(s) || s[i+1] == ' ') {
			key = strings.Trim(s[:i], " \"'")
			return key, strings.TrimSpace(s[i+1:]), key != "" && len(key) < 60 && !strings.ContainsAny(key[:1], "[{|>#-")
		}
	}
	return "", "", false
}

func unquote(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') {
		if end := strings.LastIndexByte(s, s[0]); end > 0 {
			return s[1:end]
		}
	}
	if i := strings.Index(s, " #"); i >= 0 {
		s = s[:i]
	}
	return strings.TrimSpace(s)
}

// top is the entry of a key at the margin.
func top(entries []entry, key string) (entry, bool) {
	for _, e := range entries {
		if e.indent == 0 && !e.dash && strings.EqualFold(e.key, key) {
			return e, true
		}
	}
	return entry{}, false
}

// list is the value of a key at the margin as a list: a flow list, a block list, or one scalar.
func list(entries []entry, key string) (values []string, line int, ok bool) {
	for i, e := range entries {
		if e.indent != 0 || e.dash || !strings.EqualFold(e.key, key) {
			continue
		}
		return listAt(entries, i), e.line, true
	}
	return nil, 0, false
}

// listAt is the value of entry i as a list.
func listAt(entries []entry, i int) (values []string) {
	raw := strings.TrimSpace(entries[i].raw)
	if inner, flow := strings.CutPrefix(raw, "["); flow {
		inner, _, _ = strings.Cut(inner, "]")
		for part := range strings.SplitSeq(inner, ",") {
			if v := unquote(strings.TrimSpace(part)); v != "" {
				values = append(values, v)
			}
		}
		return values
	}
	if raw != "" {
		return []string{entries[i].value}
	}
	for _, sub := range entries[i+1:] {
		if !sub.dash || sub.indent < entries[i].indent || sub.key != "" {
			break
		}
		values = append(values, sub.value)
	}
	return values
}
