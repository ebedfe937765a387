package document

import (
	"maps"
	"slices"

	"autobuild/plan/markdown/words"
)

// itemSeries gives an id to the boxes that begin with a code and no separator, "be-1 Model" or "#12
// Lexer", where every box of a list does. One alone may be any name: "S3 bucket".
func (d *Document) itemSeries() {
	lists := map[int][]int{} // by the line of the heading above
	for i := range d.Items {
		if it := &d.Items[i]; it.Box != 0 && it.Depth == 0 && !it.Quoted {
			above := d.HeadingAbove(it.Line)
			if above.Title.Kind == "" || slices.Contains(words.GroupKinds, above.Title.Kind) {
				lists[above.Line] = append(lists[above.Line], i)
			}
		}
	}
	several := false
	titles := map[int]words.Title{} // by item
	for _, list := range lists {
		if coded := d.codedItems(list); len(coded) == len(list) {
			several = several || len(list) > 1
			maps.Copy(titles, coded)
		}
	}
	for i, t := range titles {
		if several {
			d.Items[i].Series = &t
		}
	}
}

// codedItems reads items up to one that does not begin with a code of its own.
func (d *Document) codedItems(list []int) map[int]words.Title {
	titles, seen := map[int]words.Title{}, map[string]bool{}
	for _, i := range list {
		t := words.CodedTitle(d.Items[i].Raw)
		task := words.IsShortTask(t.Label) && len(d.HeadingKinds()) > 0
		id := words.NormalID(t.Label)
		other := slices.Contains(words.NotPhasePrefixes, words.IDPrefix(t.Label))
		if t.Label == "" || seen[id] || task || other {
			break
		}
		titles[i], seen[id] = t, true
	}
	return titles
}
