package knowledge

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"autobuild/failure"
)

// index computes the similarity of a text and each entry's trigger: the cosine of their masked
// character 3- to 5-grams, weighted by how rare each is among the entries. Grams of characters
// forgive wording, and masking what differs between two sightings is most of the matter; which
// measure it is hardly counts.
type index struct {
	postings map[uint64][]posting
	idf      map[uint64]float64
	unseen   float64 // the weight of a gram that no entry has
	n        int
	patterns []pattern // of the entries; nil for one that has none
}

// pattern is an entry's compiled match.
type pattern = *regexp.Regexp

// posting is one entry that has a gram, and how much of its unit vector that gram is.
type posting struct {
	entry  int32
	weight float32
}

// gram is one gram of a text and how often it has it.
type gram struct {
	hash  uint64
	times int
}

func newIndex(entries []Entry) *index {
	x := &index{
		postings: make(map[uint64][]posting), idf: make(map[uint64]float64),
		n: len(entries),
	}
	texts := make([][]gram, len(entries))
	x.patterns = make([]pattern, len(entries))
	for i, e := range entries {
		x.patterns[i], _ = e.pattern() // checked when the entry came in
		texts[i] = grams(e.Trigger)
		for _, g := range texts[i] {
			x.idf[g.hash]++
		}
	}
	x.unseen = x.rarity(0)
	for h, df := range x.idf {
		x.idf[h] = x.rarity(df)
	}
	for i, text := range texts {
		length := x.length(text)
		for _, g := range text {
			w := float32(x.weight(g) / length)
			x.postings[g.hash] = append(x.postings[g.hash], posting{int32(i), w})
		}
	}
	return x
}

func (x *index) rarity(df float64) float64 { return math.Log((1+float64(x.n))/(1+df)) + 1 }

func (x *index) weight(g gram) float64 {
	idf, ok := x.idf[g.hash]
	if !ok {
		idf = x.unseen
	}
	return float64(g.times) * idf
}

func (x *index) length(text []gram) float64 {
	sum := 0.0
	for _, g := range text {
		w := x.weight(g)
		sum += w * w
	}
	return math.Sqrt(sum)
}

// similarity is, for every entry, how alike its trigger and the likest of the lines are, from 0 to 1.
func (x *index) similarity(lines []string) []float64 {
	best, now := make([]float64, x.n), make([]float64, x.n)
	for _, l := range lines {
		clear(now)
		text := grams(l)
		length := x.length(text)
		for _, g := range text {
			w := x.weight(g) / length
			for _, p := range x.postings[g.hash] {
				now[p.entry] += w * float64(p.weight)
			}
		}
		for i, s := range now {
			best[i] = max(best[i], min(s, 1))
		}
	}
	return best
}

// grams are the 3- to 5-grams of a masked text, sorted: sums of floats depend on their order, and a
// match may not.
func grams(s string) []gram {
	s = norm(s)
	if s == "" {
		return nil
	}
	r := []rune(" " + s + " ")
	hashes := make([]uint64, 0, 3*len(r))
	for n := 3; n <= 5; n++ {
		for i := 0; i+n <= len(r); i++ {
			hashes = append(hashes, hash(r[i:i+n]))
		}
	}
	slices.Sort(hashes)
	var out []gram
	for _, h := range hashes {
		if last := len(out) - 1; last >= 0 && out[last].hash == h {
			out[last].times++
			continue
		}
		out = append(out, gram{h, 1})
	}
	return out
}

// norm is a text as similarity sees it: masked, in small letters, of words and single blanks.
func norm(s string) string {
	return strings.Join(strings.Fields(strings.ToLower(failure.Mask(s))), " ")
}

// hash is FNV-1a over characters.
func hash(r []rune) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range r {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}
