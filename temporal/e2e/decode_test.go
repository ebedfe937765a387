//go:build linux

package e2e

import (
	"encoding/base64"
	"unicode/utf8"
)

// decoded is a word of base64 as text.
func decoded(word []byte) ([]byte, bool) {
	if len(word) < 8 {
		return nil, false
	}
	text, err := base64.StdEncoding.DecodeString(string(word))
	return text, err == nil && utf8.Valid(text)
}
