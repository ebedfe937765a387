package tamper

import (
	"slices"

	"autobuild/internal/safefile"
)

// listing is a directory in which names that were not there may change what others mean.
type listing struct {
	Dir   string
	Kind  listingKind
	Stamp stamp
	Names map[string]bool
}

type listingKind string

const (
	programsIn listingKind = "programs" // a directory of PATH
	modulesIn  listingKind = "modules"  // a directory from which Python imports
)

// namesIn are the names in a directory, sorted, at most maxNames.
func namesIn(dir string) ([]string, error) {
	f, err := safefile.OpenDir(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	names, err := f.Readdirnames(maxNames)
	slices.Sort(names)
	return names, err
}
