package proc

import (
	"bytes"
	"slices"
	"strings"

	"autobuild/internal/secret"
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
	eating *secret.Shape // inside a key whose end has not arrived
	// bytes of a private key in PEM that have passed, while its end has not arrived
	inPEM int
}

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
	for _, s := range secret.Shapes {
		m.first[s.Prefix[0]] = true
	}
	m.first[address[0]] = true
	m.first[secret.PEMBegin[0]] = true
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
		for i < len(buf) && m.eating.Char(buf[i]) {
			i++
		}
		if i < len(buf) {
			m.eating = nil
		}
	}
	if m.inPEM > 0 {
		i = m.passPEM(buf, final)
	}
	start := i
	for i < len(buf) && m.inPEM == 0 {
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
		if bytes.HasPrefix(buf[i:i+n], []byte(address)) {
			dst = append(dst, address...)
		}
		dst = append(dst, masked...)
		if bytes.HasPrefix(buf[i:], []byte(secret.PEMBegin)) {
			m.inPEM = 1
			n = m.passPEM(buf[i:], final)
		}
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
	if n, more = matchAddress(b, final); n > 0 || more {
		return n, more
	}
	if n, more = matchPEM(b, final); n > 0 || more {
		return n, more
	}
	if secret.Word(prev) {
		return 0, false
	}
	for i := range secret.Shapes {
		s := &secret.Shapes[i]
		n, waits := matchShape(s, b, final)
		if n > 0 {
			if n == len(b) && !final {
				m.eating = s
			}
			return n, false
		}
		more = more || waits // a shorter prefix may match already
	}
	return 0, more
}

// matchShape is Shape.Match for a stream: more is true while what comes next may make a key of it.
func matchShape(s *secret.Shape, b []byte, final bool) (n int, more bool) {
	if len(b) < len(s.Prefix) {
		return 0, !final && string(b) == s.Prefix[:len(b)]
	}
	if string(b[:len(s.Prefix)]) != s.Prefix {
		return 0, false
	}
	n = len(s.Prefix)
	for n < len(b) && s.Char(b[n]) {
		n++
	}
	if n-len(s.Prefix) >= s.Min && bytes.Contains(b[:min(n, undecided)], []byte(s.Then)) &&
		(!s.Digit || secret.Digits(b[len(s.Prefix):min(n, undecided)])) {
		return n, false
	}
	return 0, !final && n == len(b) && n < undecided
}

// matchPEM says how many bytes at the start of b show that a private key begins.
func matchPEM(b []byte, final bool) (n int, more bool) {
	const begin = secret.PEMBegin
	if !bytes.HasPrefix(b, []byte(begin)) {
		return 0, !final && len(b) < len(begin) && begin[:len(b)] == string(b)
	}
	rest := b[len(begin):]
	line, _, ended := bytes.Cut(rest, []byte("-----"))
	switch {
	case len(line) > 40 || bytes.ContainsAny(line, "\r\n"):
		return 0, false
	case !ended:
		return 0, !final
	case !bytes.Contains(line, []byte(secret.PEMKind)):
		return 0, false
	}
	return len(begin) + len(line), false
}

// passPEM says how much of what arrives belongs to the private key that is passing: up to its last
// mark, and no more than a key may have.
func (m *masker) passPEM(b []byte, final bool) int {
	const end = secret.PEMEnd
	n, ended := len(b), false
	if at := bytes.Index(b, []byte(end)); at >= 0 {
		n, ended = at, true
	} else if !final {
		n = max(0, len(b)-len(end)+1)
	}
	if left := secret.PEMMost - m.inPEM; n > left {
		n, ended = left, true
	}
	if m.inPEM += n; ended || final {
		m.inPEM = 0
	}
	return n
}

// address is how a user and a password follow the scheme in an address.
const address = "://"

// matchAddress says how many bytes at the start of b are "://user:password", without the "@" behind
// it.
func matchAddress(b []byte, final bool) (n int, more bool) {
	if len(b) < len(address) {
		return 0, !final && string(b) == address[:len(b)]
	}
	if string(b[:len(address)]) != address {
		return 0, false
	}
	colon := 0
	for n = len(address); n < len(b) && n < undecided; n++ {
		switch c := b[n]; {
		case c == '@' && colon > 0 && n-colon > 1:
			return n, false
		case c == ':' && colon == 0:
			colon = n
		case c <= ' ' || strings.IndexByte("/@\"'<>`", c) >= 0:
			return 0, false
		}
	}
	return 0, !final && n == len(b) && n < undecided
}
