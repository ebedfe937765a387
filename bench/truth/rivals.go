package main

import (
	"fmt"
	"slices"
	"strings"
)

// rivals are the programs that have a column where they are on PATH.
var rivals = []string{"ralphex", "ralph-tui", "orkestra"}

// choose picks columns by name; absent has a line for each rival that is not there.
func (c *contest) choose(names string) (columns []column, absent []string, err error) {
	all := ownColumns()
	for _, rival := range rivals {
		if c.find(rival) == "" {
			absent = append(absent, rival+": not installed")
		}
	}
	if names == "" {
		return all, absent, nil
	}
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(all, func(col column) bool { return col.name == name })
		if i < 0 {
			return nil, nil, fmt.Errorf("column %s is not known", name)
		}
		columns = append(columns, all[i])
	}
	return columns, absent, nil
}
