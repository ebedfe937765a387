package dialect

import (
	"slices"

	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/reading"
	"autobuild/plan/markdown/words"
)

// dialect is one way of writing plans.
type dialect interface {
	name() string
	signs(d *document.Document) bool // whether the document looks like one of this dialect
	read(r *reading.Reading)         // finds the phases
}

// dialects lists the dialects in the order in which their signs are looked for: the particular
// before the general, because a general one would recognise the others as well.
func dialects() []dialect {
	list := []dialect{gsd{}, cursor{}, speckit{}, sisyphus{}, kiro{}, superplan{}, tabled{}, waves{}, prp{}, pdd{}}
	list = append(list, families()...)
	list = append(list, bmad{})
	for _, kind := range words.UnitKinds {
		list = append(list, headed{kind})
	}
	return append(list, openspec{}, sections{}, coded{}, bold{}, itemized{}, tickets{}, numberedBoxes{}, numberedHeads{}, steps{})
}

// Dialects lists the names that Options.Dialect accepts.
func Dialects() []string {
	var names []string
	for _, d := range dialects() {
		if !slices.Contains(names, d.name()) {
			names = append(names, d.name())
		}
	}
	return append(names, TaskmasterName)
}
