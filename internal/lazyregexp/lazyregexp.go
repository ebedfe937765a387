// Package lazyregexp compiles a regular expression when it is first used. A package variable of
// this type costs nothing when the program starts; one of regexp.MustCompile is paid by every call
// of the program, --version included. Go's own internal/lazyregexp does the same.
package lazyregexp

import (
	"os"
	"regexp"
	"strings"
	"sync"
)

// Regexp is a regular expression in RE2 syntax that is compiled once, at its first use. Its methods
// are those of regexp.Regexp and are safe for concurrent use.
type Regexp struct {
	expression string
	once       sync.Once
	compiled   *regexp.Regexp
	prefixes   *prefixes
}

// inTest makes New compile at once in test binaries, so that a wrong expression fails every test of
// its package.
var inTest = strings.HasSuffix(strings.TrimSuffix(os.Args[0], ".exe"), ".test")

// New returns a regular expression that panics at its first use if it cannot be compiled; in a test
// binary it panics here.
func New(expression string) *Regexp {
	r := &Regexp{expression: expression}
	if inTest {
		r.get()
	}
	return r
}

func (r *Regexp) get() *regexp.Regexp {
	r.once.Do(func() {
		r.compiled = regexp.MustCompile(r.expression)
		r.prefixes = newPrefixes(r.expression)
	})
	return r.compiled
}

// may reports whether s may hold a match. It is false for most lines of a document, long before
// regexp would know.
func (r *Regexp) may(s string) bool {
	r.get()
	return r.prefixes == nil || r.prefixes.in(s)
}

// String returns the expression without compiling it.
func (r *Regexp) String() string { return r.expression }

// FindAllStringSubmatch is regexp.Regexp.FindAllStringSubmatch.
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	if !r.may(s) {
		return nil
	}
	return r.get().FindAllStringSubmatch(s, n)
}

// FindString is regexp.Regexp.FindString.
func (r *Regexp) FindString(s string) string {
	if !r.may(s) {
		return ""
	}
	return r.get().FindString(s)
}

// FindStringIndex is regexp.Regexp.FindStringIndex.
func (r *Regexp) FindStringIndex(s string) []int {
	if !r.may(s) {
		return nil
	}
	return r.get().FindStringIndex(s)
}

// FindStringSubmatch is regexp.Regexp.FindStringSubmatch.
func (r *Regexp) FindStringSubmatch(s string) []string {
	if !r.may(s) {
		return nil
	}
	return r.get().FindStringSubmatch(s)
}

// FindStringSubmatchIndex is regexp.Regexp.FindStringSubmatchIndex.
func (r *Regexp) FindStringSubmatchIndex(s string) []int {
	if !r.may(s) {
		return nil
	}
	return r.get().FindStringSubmatchIndex(s)
}

// FindSubmatch is regexp.Regexp.FindSubmatch.
func (r *Regexp) FindSubmatch(b []byte) [][]byte { return r.get().FindSubmatch(b) }

// MatchString is regexp.Regexp.MatchString.
func (r *Regexp) MatchString(s string) bool { return r.may(s) && r.get().MatchString(s) }

// ReplaceAllFunc is regexp.Regexp.ReplaceAllFunc.
func (r *Regexp) ReplaceAllFunc(b []byte, with func([]byte) []byte) []byte {
	return r.get().ReplaceAllFunc(b, with)
}

// ReplaceAllString is regexp.Regexp.ReplaceAllString.
func (r *Regexp) ReplaceAllString(s, with string) string {
	if !r.may(s) {
		return s
	}
	return r.get().ReplaceAllString(s, with)
}

// ReplaceAllStringFunc is regexp.Regexp.ReplaceAllStringFunc.
func (r *Regexp) ReplaceAllStringFunc(s string, with func(string) string) string {
	if !r.may(s) {
		return s
	}
	return r.get().ReplaceAllStringFunc(s, with)
}

// FindAllString is regexp.Regexp.FindAllString.
func (r *Regexp) FindAllString(s string, n int) []string {
	if !r.may(s) {
		return nil
	}
	return r.get().FindAllString(s, n)
}

// FindAllStringIndex is regexp.Regexp.FindAllStringIndex.
func (r *Regexp) FindAllStringIndex(s string, n int) [][]int {
	if !r.may(s) {
		return nil
	}
	return r.get().FindAllStringIndex(s, n)
}

// FindAllStringSubmatchIndex is regexp.Regexp.FindAllStringSubmatchIndex.
func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	if !r.may(s) {
		return nil
	}
	return r.get().FindAllStringSubmatchIndex(s, n)
}

// Split is regexp.Regexp.Split.
func (r *Regexp) Split(s string, n int) []string { return r.get().Split(s, n) }

// FindAllSubmatch is regexp.Regexp.FindAllSubmatch.
func (r *Regexp) FindAllSubmatch(b []byte, n int) [][][]byte {
	return r.get().FindAllSubmatch(b, n)
}

// SubexpNames is regexp.Regexp.SubexpNames.
func (r *Regexp) SubexpNames() []string { return r.get().SubexpNames() }
