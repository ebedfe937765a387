package proc

import (
	"bytes"
	"slices"
)

const masked = "***"

// undecided is how much of a word is held back until it is known not to be a key.
const undecided = 256

// masker replaces secrets in a stream. It holds back only what may still become a secret, so that
// neither a chunk's border nor a pause shows a part of one.
type masker struct {
	values [][]byte // longest first
	first  [256]bool
	held   []byte
	prev   byte
	eating *shape // inside a key whose end has not arrived
}

// shape is how a kind of key looks: a prefix at the start of a word, then at least min characters.
type shape struct {
	prefix string
	min    int
	digit  bool // at least one digit among them: the prefix alone is too common
	char   func(byte) bool
}

var keyShapes = []shape{
	{"sk-", 20, true, wordOrDash},
	{"ghp_", 20, false, word},
	{"gho_", 20, false, word},
	{"ghu_", 20, false, word},
	{"ghs_", 20, false, word},
	{"ghr_", 20, false, word},
	{"github_pat_", 20, false, word},
	{"AKIA", 16, false, upper},
	{"ASIA", 16, false, upper},
	{"xoxa-", 10, false, wordOrDash},
	{"xoxb-", 10, false, wordOrDash},
	{"xoxe-", 10, false, wordOrDash},
	{"xoxp-", 10, false, wordOrDash},
	{"xoxr-", 10, false, wordOrDash},
	{"xoxs-", 10, false, wordOrDash},
}

func upper(b byte) bool { return b >= 'A' && b <= 'Z' || digit(b) }
func digit(b byte) bool { return b >= '0' && b <= '9' }
func word(b byte) bool  { return b >= 'a' && b <= 'z' || upper(b) || b == '_' }

func wordOrDash(b byte) bool { return word(b) || b == '-' }

// Mask is text without the secrets of this Runner, and without what looks like a key.
func (r *Runner) Mask(text string) string {
	return string(newMasker(r.Secrets).feed(nil, []byte(text), true))
}

func newMasker(secrets []string) *masker {
	m := &masker{prev: '\n'}
	for _, s := range secrets {
		if len(s) >= MinSecret {
			m.values = append(m.values, []byte(s))
			m.first[s[0]] = true
		}
	}
	slices.SortFunc(m.values, func(a, b []byte) int { return len(b) - len(a) })
	for _, s := range keyShapes {
		m.first[s.prefix[0]] = true
	}
	return m
}

// feed appends to dst what of the stream may be shown now.
func (m *masker) feed(dst, src []byte, final bool) []byte {
	buf := src
	if len(m.held) > 0 {
		buf = slices.Concat(m.held, src)
	}
	i := 0
	if m.eating != nil {
		for i < len(buf) && m.eating.char(buf[i]) {
			i++
		}
		if i < len(buf) {
			m.eating = nil
		}
	}
	start := i
	for i < len(buf) {
		if !m.first[buf[i]] {
			i++
			continue
		}
		prev := m.prev
		if i > 0 {
			prev = buf[i-1]
		}
		n, more := m.match(buf[i:], prev, final)
		if more {
			break
		}
		if n == 0 {
			i++
			continue
		}
		dst = append(dst, buf[start:i]...)
		dst = append(dst, masked...)
		i += n
		start = i
	}
	if i > 0 {
		m.prev = buf[i-1]
	}
	dst = append(dst, buf[start:i]...)
	m.held = append(m.held[:0:0], buf[i:]...)
	return dst
}

// match says how many bytes at the start of b are a secret, or that more must arrive to know.
func (m *masker) match(b []byte, prev byte, final bool) (n int, more bool) {
	for _, v := range m.values {
		if bytes.HasPrefix(b, v) {
			return len(v), false
		}
		if !final && len(b) < len(v) && bytes.HasPrefix(v, b) {
			return 0, true
		}
	}
	if word(prev) {
		return 0, false
	}
	for _, s := range keyShapes {
		if n, more = s.match(b, final); n > 0 || more {
			if n == len(b) && !final {
				m.eating = &s
			}
			return n, more
		}
	}
	return 0, false
}

func (s *shape) match(b []byte, final bool) (n int, more bool) {
	if len(b) < len(s.prefix) {
		return 0, !final && string(b) == s.prefix[:len(b)]
	}
	if string(b[:len(s.prefix)]) != s.prefix {
		return 0, false
	}
	n = len(s.prefix)
	digits := !s.digit
	for n < len(b) && s.char(b[n]) {
		digits = digits || n < undecided && digit(b[n])
		n++
	}
	if n-len(s.prefix) >= s.min && digits {
		return n, false
	}
	return 0, !final && n == len(b) && n < undecided
}
