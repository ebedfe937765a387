// Package texttest holds hostile text for the tests of everything that shows foreign text. Its
// pieces are those that broke a screen, a log or a page once, so that each output is tested against
// all of them. It does not know what a package under test does with the text.
package texttest

import (
	"strings"

	"pgregory.net/rapid"
)

// Hostile are pieces that text from outside may be made of.
var Hostile = []string{
	"a", "word", " ", "  ", "\n", "\r\n", "\t", "--commit=auto", "品質", "한국어", "e\u0301", "हिन्दी",
	"ก็ำ", "👩\u200d👩\u200d👧\u200d👦", "👍\U0001f3fd", "⚠\ufe0f",
	"1\ufe0f\u20e3", "🇩🇪", "🚀", "\u202e", "\u2066", "\u200b", "\u00ad", "\x1b[31m", "\x1b[2J",
	"\x1b]0;x\a", "\x1b]52;c;x", "\x1bP", "\u009b1m", "\x9b", "\xff",
	"\x00", "\b", "\a", "\x1b", "::error::x", "##[x]", "##vso[y]", "%0A", "\u1100\u1100\u1161",
	"\U000e0041", "\ue000", strings.Repeat("x", 200), "║", "│", "\u0301",
	"ﷺ", "a\u034f", "\u3000", "\u2028", "\u1160", "\uffff", "𒐫", "ÅÄÖ", "ｆｕｌｌ",
}

// Foreign generates text that is made of hostile pieces and of arbitrary strings.
func Foreign() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		piece := rapid.OneOf(rapid.SampledFrom(Hostile), rapid.String())
		return strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), "")
	})
}
