// Package dialect holds the ways in which people write plans, one file for each. A dialect has
// signs by which a document is recognised, and adds units to a reading. Read tries each dialect
// whose signs a document has, and takes the reading that accounts for most of it.
package dialect

import (
	"slices"

	"autobuild/plan"
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
	list := []dialect{
		gsd{},
		cursor{},
		speckit{},
		sisyphus{},
		kiro{},
		superplan{},
		tabled{},
		waves{},
		prp{},
		pdd{},
	}
	list = append(list, families()...)
	list = append(list, bmad{})
	for _, kind := range words.UnitKinds {
		list = append(list, headed{kind})
	}
	return append(list, openspec{}, sections{}, coded{}, bold{}, itemized{}, statedBoxes{},
		tickets{}, numberedBoxes{},
		numberedHeads{}, countedRows{}, plainLines{}, steps{})
}

// Names lists the names of the dialects, in the order in which they are tried.
func Names() []string {
	var names []string
	for _, d := range dialects() {
		if !slices.Contains(names, d.name()) {
			names = append(names, d.name())
		}
	}
	return append(names, taskmaster)
}

// Read reads a document in the chosen dialect, or, where chosen is empty, in the one whose reading
// accounts for most of it. The problem says why the document cannot be read at all.
func Read(src []byte, chosen string) (*reading.Reading, *plan.Problem) {
	if chosen == taskmaster || chosen == "" && isJSON(src) {
		return readTaskFile(src)
	}
	doc, problem := document.Read(src)
	if problem != nil {
		return nil, problem
	}
	r, rivals := choose(doc, chosen)
	if r == nil {
		r = &reading.Reading{Doc: doc}
	}
	r.Finish()
	reportRivals(r, rivals)
	return r, nil
}
