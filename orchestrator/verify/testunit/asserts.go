package testunit

import (
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
)

// asserting finds the statements that assert something, in any language but Go. It is matched with
// masked text.
var asserting = lazyregexp.New(
	`(?i)\b(?:(?:assert|expect|should|refute)\w*|must_\w+)\b(?:\s*[!.(]|\s+[^\s=])|` +
		`\b(?:verify\w*|ensure\w*|raises|throws|deepEqual|strictEqual|fail(?:ure)?|check\w*|same\w*|require\.\w+|match_snapshot|parametrize|each|InlineData|CsvSource|ValueSource|TestCase)\(|` +
		`\bt\.(?:is|not|true|false|equal|ok|like)\(|\b(?:EXPECT|ASSERT)_\w+\(`)

// scripted finds the lines of a shell script that assert something.
var scripted = lazyregexp.New(
	`(?:^|[\s;&|!({])(?:\[\[?\s|test\s|grep\s|diff\s|cmp\s|exit\s+[1-9"$]|fail\b|assert\w*|refute\w*|` +
		`stdout\b|stderr\b|exists\b|ok\b|not\s+ok|is\b|like\b|die\b|false\b|return\s+[1-9]|expect\w*|check\w*)|\|\|`)

// matcher is the name of a function whose arguments are expectations.
var matcher = lazyregexp.New(
	`^(?:(?i:(?:assert|expect|should|verify|refute|require|must|fail|throw|raise|equal|contain|match|deep|strict|` +
		`same|parametrize|each|inlinedata|csvsource|valuesource|testcase)\w*|eq\w{0,3}|ne|ok|[gl]te?|that|exactly|like|approx)|(?:to|not|be|have|has|is|close|include)s?(?:[A-Z_]\w*)?|Some|Ok|Err)$`)

// statements lists the assertions of masked[from:to] and the literals that they compare with.
func statements(text, masked string, from, to int) (asserts, values []string) {
	for at := from; at < to; {
		m := asserting.FindStringIndex(masked[at:to])
		if m == nil {
			break
		}
		begin := at + m[0]
		end := statementEnd(masked, at+m[1]-1, to)
		asserts = append(asserts, strings.Join(normalLines(text, masked, begin, end), " "))
		values = append(values, literals(text, masked, begin, end)...)
		at = max(end, at+m[1])
	}
	slices.Sort(values)
	return asserts, values
}

// statementEnd is the end of the line on which all brackets are closed, and on whose next line no
// method is called.
func statementEnd(masked string, from, to int) int {
	depth := 0
	for i := from; i < to; i++ {
		switch masked[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth < 0 {
				return i
			}
		case ';':
			if depth == 0 {
				return i
			}
		case '\n':
			rest := strings.TrimLeft(masked[i:to], " \t\r\n")
			if depth == 0 && !strings.HasPrefix(rest, ".") {
				return i
			}
		}
	}
	return to
}

var (
	lexeme = lazyregexp.New(`[-=]>|[\pL_$][\pL\pN_$]*[?!]?|\d[\pL\pN_.]*|["'` + "`" +
		`]|[<>=!]==?|=~|[<>]|[()\[\]{}]`)
	marked = lazyregexp.New(
		`^(?:true|false|True|False|None|null|nil|undefined|NaN|not|in|is|\w*(?:Error|Exception|Panic))$`)
)

// literals are the strings, numbers and names of values of an assertion that stand in no call but
// of a matcher, and with them the matchers and operators.
func literals(text, masked string, from, to int) []string {
	var values []string
	counts := []bool{true}
	callee := ""
	for at := from; at < to; {
		m := lexeme.FindStringIndex(masked[at:to])
		if m == nil {
			break
		}
		begin, end := at+m[0], at+m[1]
		word, top := masked[begin:end], counts[len(counts)-1]
		adjacent := m[0] == 0 && at > from
		at = end
		switch c := word[0]; {
		case word == "->" || word == "=>":
			callee = ""
		case c == '(' || c == '[' || c == '{':
			counts = append(counts, top && (!adjacent || callee == "" || c == '(' &&
				matcher.MatchString(callee)))
			callee = ""
		case c == ')' || c == ']' || c == '}':
			if len(counts) > 1 {
				counts = counts[:len(counts)-1]
			}
			callee = "]"
		case c == '"' || c == '\'' || c == '`':
			end = stringEnd(masked, begin+1, to)
			if top {
				values = append(values, text[begin+1:end])
			}
			at, callee = min(end+1, to), ""
		case c >= '0' && c <= '9' || strings.IndexByte("<>=!", c) >= 0:
			if top {
				values = append(values, word)
			}
			callee = ""
		default:
			callee = strings.TrimRight(word, "!?")
			if top && (marked.MatchString(word) || matcher.MatchString(callee) &&
				!strings.EqualFold(callee, "new")) {
				values = append(values, word)
			}
		}
	}
	return values
}

// stringEnd is where the string ends whose content begins at a place.
func stringEnd(masked string, at, to int) int {
	for at < to && (masked[at] == inside || masked[at] == '\n') {
		at++
	}
	return at
}

// scriptStatements are the lines of a script that assert; each whole line is the expected value.
func scriptStatements(lines []string) (asserts, values []string) {
	for _, line := range lines {
		if line == "exit 0" || line == "exit" {
			break // the rest does not run
		}
		if scripted.MatchString(line) {
			asserts = append(asserts, line)
		}
	}
	return asserts, slices.Sorted(slices.Values(asserts))
}

// wholeFile is a file that is one test.
func wholeFile(file, text string) Unit {
	s := syntaxOf(file, text)
	masked := s.mask(text)
	u := Unit{
		File: file, First: 1, Last: strings.Count(text, "\n") + 1,
		Lines: normalLines(text, masked, 0, len(text)),
	}
	switch {
	case len(s.quotes) == 0: // data: the tests that read it define its meaning
	case s.word:
		u.Asserts, u.Values = scriptStatements(u.Lines)
	default:
		u.Asserts, u.Values = statements(text, masked, 0, len(text))
	}
	u.Shared = len(u.Asserts) == 0
	return u
}
