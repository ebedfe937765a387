package git

import (
	"strings"

	"autobuild/internal/text"
)

// OwnRef reports whether a ref is one of autobuild's: no other program writes there.
func OwnRef(ref string) bool {
	return strings.HasPrefix(ref, "refs/autobuild/") ||
		strings.HasPrefix(ref, "refs/heads/autobuild/")
}

// ShortRef is the name of a branch for people, quoted where that is needed; of an empty one, words.
func ShortRef(ref string) string {
	if ref == "" {
		return "no branch"
	}
	return text.Quote(strings.TrimPrefix(ref, "refs/heads/"))
}

// commitID is a word that is the full id of an object, by either of git's two hashes, else empty.
func commitID(word string) string {
	if (len(word) == 40 || len(word) == 64) && strings.Trim(word, "0123456789abcdef") == "" {
		return word
	}
	return ""
}
