package document

import "strings"

// maxFront bounds the front matter in lines, so that a stray rule at the top does not hide the
// document.
const maxFront = 2000

// Entry is one "key: value" line of a front matter, or of a list in it.
type Entry struct {
	Line   int
	Indent int
	Dash   bool // the line begins a list element
	Key    string
	Value  string // without quotes
	Raw    string
}

// frontLines counts the lines of the front matter, delimiters included. There is one only when the
// first line is a rule, the second a key, and a second rule follows: everything else is a document
// that begins with a rule.
func frontLines(s *Source) int {
	if strings.TrimRight(s.Line(1), " \t") != "---" {
		return 0
	}
	if key, _, ok := keyValue(s.Line(2)); !ok || strings.ContainsAny(key, " #") {
		return 0
	}
	for n := 3; n <= min(s.Count(), maxFront); n++ {
		line := strings.TrimRight(s.Line(n), " \t")
		if line == "---" || line == "..." {
			return n
		}
	}
	return 0
}

// readFront reads front matter line by line. It is no YAML parser on purpose: authors write
// "content: Phase 0: Setup", which YAML refuses and everybody understands.
func readFront(s *Source, lines int) []Entry {
	var entries []Entry
	for n := 2; n < lines; n++ {
		if e, ok := readEntry(s.Line(n), n); ok {
			entries = append(entries, e)
		}
	}
	return entries
}

// readEntry reads line n; ok is false for one that is empty or a comment.
func readEntry(line string, n int) (e Entry, ok bool) {
	rest := strings.TrimLeft(line, " \t")
	if rest == "" || rest[0] == '#' {
		return Entry{}, false
	}
	e = Entry{Line: n, Indent: IndentOf(line)}
	if after, dashed := strings.CutPrefix(rest, "- "); dashed || rest == "-" {
		e.Dash = true
		rest = strings.TrimLeft(after, " ")
	}
	if key, value, ok := keyValue(rest); ok {
		e.Key = key
		rest = value
	}
	e.Raw = rest
	e.Value = unquote(rest)
	return e, true
}

// keyValue splits "key: value" at the first colon that a space or the end follows.
func keyValue(s string) (key, value string, ok bool) {
	for i := range len(s) {
		if s[i] == ':' && (i+1 == len(s) || s[i+1] == ' ') {
			key = strings.Trim(s[:i], " \"'")
			return key, strings.TrimSpace(s[i+1:]), key != "" && len(key) < 60 &&
				!strings.ContainsAny(key[:1], "[{|>#-")
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

// TopEntry is the entry of a key at the margin.
func TopEntry(entries []Entry, key string) (Entry, bool) {
	for _, e := range entries {
		if e.Indent == 0 && !e.Dash && strings.EqualFold(e.Key, key) {
			return e, true
		}
	}
	return Entry{}, false
}

// EntryList is the value of a key at the margin as a list: a flow list, a block list, or one
// scalar.
func EntryList(entries []Entry, key string) (values []string, line int, ok bool) {
	for i, e := range entries {
		if e.Indent != 0 || e.Dash || !strings.EqualFold(e.Key, key) {
			continue
		}
		return listAt(entries, i), e.Line, true
	}
	return nil, 0, false
}

// listAt is the value of entry i as a list.
func listAt(entries []Entry, i int) (values []string) {
	raw := strings.TrimSpace(entries[i].Raw)
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
		return []string{entries[i].Value}
	}
	for _, sub := range entries[i+1:] {
		if !sub.Dash || sub.Indent < entries[i].Indent || sub.Key != "" {
			break
		}
		values = append(values, sub.Value)
	}
	return values
}
