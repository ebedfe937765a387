// Package secret knows how secrets look: by what they begin with, and by what the environment calls
// them. The same list masks what is shown and refuses what would be committed.
package secret

import (
	"net/url"
	"slices"
	"strings"
)

// MinValue is the length in bytes from which a value of a secret variable is one: a shorter value
// is an ordinary word.
const MinValue = 8

// Shape is how a kind of key looks: a prefix at the start of a word, then at least Min characters.
type Shape struct {
	What   string
	Prefix string
	Min    int
	Digit  bool // at least one digit among them: the prefix alone is too common
	Char   func(byte) bool
	Then   string // must stand among them; empty: nothing
	Masked bool   // masked, but no reason by itself to refuse a commit: tests hold such keys
}

// The marks around a private key in PEM (RFC 7468). Between them are lines.
const (
	PEMBegin = "-----BEGIN "
	PEMEnd   = "-----END "
	PEMKind  = "PRIVATE KEY"
	PEMMost  = 16 << 10 // bytes of a key, from mark to mark
)

// Shapes are the kinds of keys, a longer prefix before a shorter one that it begins with.
var Shapes = []Shape{
	{"an Anthropic key", "sk-ant-", 20, true, wordOrDash, "", false},
	{"an API key", "sk-", 20, true, wordOrDash, "", false},
	{"a Stripe key", "sk_live_", 20, false, Word, "", false},
	{"a Stripe key", "rk_live_", 20, false, Word, "", false},
	{"a Stripe key", "whsec_", 20, false, Word, "", false},
	{"a GitHub token", "github_pat_", 20, false, Word, "", false},
	{"a GitHub token", "ghp_", 20, false, Word, "", false},
	{"a GitHub token", "gho_", 20, false, Word, "", false},
	{"a GitHub token", "ghu_", 20, false, Word, "", false},
	{"a GitHub token", "ghs_", 20, false, Word, "", false},
	{"a GitHub token", "ghr_", 20, false, Word, "", false},
	{"a GitLab token", "glpat-", 20, false, wordOrDash, "", false},
	{"a GitLab token", "gldt-", 20, false, wordOrDash, "", false},
	{"a GitLab token", "glrt-", 20, false, wordOrDash, "", false},
	{"a GitLab token", "glcbt-", 20, false, wordOrDash, "", false},
	{"a Google key", "AIza", 35, false, wordOrDash, "", false},
	{"a Google token", "ya29.", 20, false, wordOrDash, "", false},
	{"an npm token", "npm_", 36, false, Word, "", false},
	{"a PyPI token", "pypi-AgE", 50, false, wordOrDash, "", false},
	{"an AWS access key", "AKIA", 16, false, upper, "", false},
	{"an AWS access key", "ASIA", 16, false, upper, "", false},
	{"a Slack token", "xoxa-", 10, false, wordOrDash, "", false},
	{"a Slack token", "xoxb-", 10, false, wordOrDash, "", false},
	{"a Slack token", "xoxe-", 10, false, wordOrDash, "", false},
	{"a Slack token", "xoxp-", 10, false, wordOrDash, "", false},
	{"a Slack token", "xoxr-", 10, false, wordOrDash, "", false},
	{"a Slack token", "xoxs-", 10, false, wordOrDash, "", false},
	{"a Hugging Face token", "hf_", 30, false, Word, "", false},
	{"a Groq key", "gsk_", 40, true, Word, "", false},
	{"an xAI key", "xai-", 40, true, wordOrDash, "", false},
	{"an Amp key", "sgamp_", 20, true, wordOrDash, "", false},
	{"a Cursor key", "crsr_", 20, true, Word, "", false},
	{
		What: "a JSON web token", Prefix: "eyJ", Min: 40, Char: wordDashDot, Then: ".eyJ",
		Masked: true,
	},
}

func upper(b byte) bool { return b >= 'A' && b <= 'Z' || digit(b) }
func digit(b byte) bool { return b >= '0' && b <= '9' }

// Word reports whether a byte is part of a word: a letter, a digit or an underscore.
func Word(b byte) bool { return b >= 'a' && b <= 'z' || upper(b) || b == '_' }

func wordOrDash(b byte) bool { return Word(b) || b == '-' }

func wordDashDot(b byte) bool { return wordOrDash(b) || b == '.' }

// Find returns the first key in a text and what it is; empty where there is none.
func Find(text string) (what, found string) {
	for i := range len(text) {
		if i > 0 && Word(text[i-1]) {
			continue
		}
		for _, s := range Shapes {
			if n := s.Match(text[i:]); n > 0 && !s.Masked {
				return s.What, text[i : i+n]
			}
		}
	}
	return "", ""
}

// Match returns how many bytes at the start of a text are such a key; 0 where they are none.
func (s *Shape) Match(text string) int {
	if !strings.HasPrefix(text, s.Prefix) {
		return 0
	}
	n, digits := len(s.Prefix), !s.Digit
	for n < len(text) && s.Char(text[n]) {
		digits = digits || digit(text[n])
		n++
	}
	if n-len(s.Prefix) < s.Min || !digits || !strings.Contains(text[:n], s.Then) {
		return 0
	}
	return n
}

// Digits reports whether one of the bytes is a digit.
func Digits(b []byte) bool { return slices.ContainsFunc(b, digit) }

// names are parts of the names of variables that hold secrets.
var names = []string{"TOKEN", "KEY", "SECRET", "PASSW", "CREDENTIAL", "OTLP_HEADERS"}

// Values are the secrets of an environment: the values of variables whose names say so, and the
// passwords in addresses that any variable holds.
func Values(environ []string) []string {
	var values []string
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		name = strings.ToUpper(name)
		if len(value) >= MinValue &&
			slices.ContainsFunc(names, func(w string) bool { return strings.Contains(name, w) }) {
			values = append(values, value)
		}
		if !strings.Contains(value, "://") {
			continue
		}
		address, err := url.Parse(value)
		if err != nil || address.User == nil {
			continue
		}
		password, _ := address.User.Password()
		raw := strings.TrimPrefix(address.User.String(), url.User(address.User.Username()).String()+
			":")
		for _, p := range []string{password, raw} {
			if len(p) >= MinValue && !slices.Contains(values, p) {
				values = append(values, p)
			}
		}
	}
	return values
}

// Holds says what secret a text holds: one of the known values, or what looks like a key; empty:
// none.
func Holds(text string, known []string) string {
	for _, v := range known {
		if len(v) >= MinValue && strings.Contains(text, v) {
			return "the value of a secret variable"
		}
	}
	what, _ := Find(text)
	return what
}
