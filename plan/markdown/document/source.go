package document

import (
	"bytes"
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"autobuild/plan"
)

// maxSize bounds a plan. The largest plans that people write are a thousand times smaller.
const maxSize = 32 << 20

// Source is a text with uniform line ends that remembers where its lines stood in the original
// bytes.
type Source struct {
	Text   string // no byte order mark, every line end is "\n"
	Lines  []int  // offset of each line in text
	starts []int  // offset of the same line in the original bytes
}

// NewSource checks the encoding of a document and evens out its line ends.
func NewSource(src []byte) (*Source, *plan.Problem) {
	if len(src) > maxSize {
		return nil, &plan.Problem{
			Code: "E-TOO-LARGE", Severity: plan.Error,
			Message: fmt.Sprintf("the plan has %d bytes, more than %d", len(src), maxSize),
			Hint:    "split it into several plans",
		}
	}
	if problem := encoding(src); problem != nil {
		return nil, problem
	}
	s := &Source{}
	at := 0
	if bytes.HasPrefix(src, []byte("\ufeff")) {
		at = 3
	}
	if bytes.IndexByte(src, '\r') < 0 {
		s.unix(src, at)
		return s, nil
	}
	var b strings.Builder
	b.Grow(len(src))
	for at < len(src) {
		s.Lines, s.starts = append(s.Lines, b.Len()), append(s.starts, at)
		end := bytes.IndexByte(src[at:], '\n')
		if cr := bytes.IndexByte(src[at:at+length(end, len(src)-at)], '\r'); cr >= 0 {
			end = cr
		}
		if end < 0 {
			b.Write(src[at:])
			break
		}
		b.Write(src[at : at+end])
		b.WriteByte('\n')
		at += end + 1
		if src[at-1] == '\r' && at < len(src) && src[at] == '\n' {
			at++
		}
	}
	if len(s.Lines) == 0 {
		s.Lines, s.starts = []int{0}, []int{at}
	}
	s.Text = b.String()
	return s, nil
}

// unix fills in a source whose line ends are even already.
func (s *Source) unix(src []byte, at int) {
	s.Text = string(src[at:])
	s.Lines = make([]int, 1, strings.Count(s.Text, "\n")+2)
	for k := 0; ; {
		end := strings.IndexByte(s.Text[k:], '\n')
		if end < 0 || k+end+1 == len(s.Text) {
			break
		}
		k += end + 1
		s.Lines = append(s.Lines, k)
	}
	s.starts = s.Lines
	if at > 0 {
		s.starts = make([]int, len(s.Lines))
		for i, k := range s.Lines {
			s.starts[i] = k + at
		}
	}
}

func length(end, rest int) int {
	if end < 0 {
		return rest
	}
	return end
}

// encoding refuses what is not UTF-8 text. The problem names the encoding and the place.
func encoding(src []byte) *plan.Problem {
	refuse := func(at int, message string) *plan.Problem {
		line := 1 + bytes.Count(src[:at], []byte("\n"))
		return &plan.Problem{
			Code: "E-UTF8", Severity: plan.Error,
			Pos:     plan.Pos{Line: line, Col: at - bytes.LastIndexByte(src[:at], '\n')},
			Message: message, Hint: "save the plan as UTF-8",
		}
	}
	if bytes.HasPrefix(src, []byte{0xff, 0xfe}) || bytes.HasPrefix(src, []byte{0xfe, 0xff}) {
		return refuse(0, "the plan is encoded in UTF-16")
	}
	if at := bytes.IndexByte(src, 0); at >= 0 {
		if len(src) >= 4 && bytes.Count(src[:min(len(src), 400)], []byte{0})*3 > min(len(src),
			400) {
			return refuse(at, "the plan seems to be encoded in UTF-16")
		}
		return refuse(at, "the plan holds a NUL byte")
	}
	if utf8.Valid(src) {
		return nil
	}
	for at := 0; at < len(src); {
		r, size := utf8.DecodeRune(src[at:])
		if r == utf8.RuneError && size == 1 {
			return refuse(at, fmt.Sprintf("the plan is not UTF-8: byte 0x%02x", src[at]))
		}
		at += size
	}
	return nil
}

// Count is the number of lines.
func (s *Source) Count() int { return len(s.Lines) }

// Line is the text of line n, from 1, without its end.
func (s *Source) Line(n int) string {
	if n < 1 || n > len(s.Lines) {
		return ""
	}
	end := len(s.Text)
	if n < len(s.Lines) {
		end = s.Lines[n] - 1
	}
	return strings.TrimSuffix(s.Text[s.Lines[n-1]:end], "\n")
}

// Span is the text of the lines from n up to, not including, m.
func (s *Source) Span(n, m int) string {
	n, m = max(n, 1), min(m, len(s.Lines)+1)
	if n >= m {
		return ""
	}
	end := len(s.Text)
	if m <= len(s.Lines) {
		end = s.Lines[m-1]
	}
	return s.Text[s.Lines[n-1]:end]
}

// at is the line that holds an offset of text.
func (s *Source) at(offset int) int {
	return sort.Search(len(s.Lines), func(i int) bool { return s.Lines[i] > offset })
}

// Pos is the place of an offset of text.
func (s *Source) Pos(offset int) plan.Pos {
	line := max(s.at(offset), 1)
	return plan.Pos{Line: line, Col: offset - s.Lines[line-1] + 1}
}

// OriginalOffset is the offset in the original bytes of a place.
func (s *Source) OriginalOffset(p plan.Pos) int { return s.starts[p.Line-1] + p.Col - 1 }
