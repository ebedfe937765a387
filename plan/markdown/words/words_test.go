package words

import "testing"

// TestRelationalKnowsEveryWord holds the quick look at a line to the words that are read in it: a
// verb that it does not know would never be read.
func TestRelationalKnowsEveryWord(t *testing.T) {
	for _, list := range [][]string{NeedWords, postverbs, freely, beside, before} {
		for _, word := range list {
			if !HasRelation(word+" 1") || !HasRelation("é "+word+" 1") {
				t.Errorf("%q is not seen in a line", word)
			}
		}
	}
	for _, word := range afters {
		if !HasRelation("begins "+word+" 1") || !HasRelation("é "+word+" 1") {
			t.Errorf("%q is not seen in a line", word)
		}
	}
}
