package state

import (
	"fmt"
	"maps"
	"slices"

	"autobuild/internal/text"
)

// Bounds of the stored data of one attempt, so that a phase's file and a line of the diary stay
// loadable however much an agent produces. Omitted entries are counted; git has all of them,
// between base and commit.
const (
	maxPaths   = 1000     // of its changes, and as many of its claim
	maxListed  = 100      // gates that it claims, findings of a gate
	maxReferee = 300      // changes of tests and gates, those first that a person is to look at
	maxNotes   = 100      // warnings
	maxTexts   = 64 << 10 // bytes of a list of paths
	maxNote    = 600      // bytes of one text in a list
)

// Bounded is the attempt as it is stored. It shares nothing with the receiver that it changes.
func (a Attempt) Bounded() Attempt {
	a.Changes = a.Changes.bounded()
	if a.Report != nil {
		r := a.Report.bounded()
		a.Report = &r
	}
	if a.Commit != nil {
		c := *a.Commit
		var more int
		c.Overlap, more = kept(c.Overlap, maxPaths, 0)
		c.Obstacle = c.Obstacle.bounded()
		a.Commit = &c
		a.leaveOut(more, "merged file")
	}
	gates := make([]Gate, len(a.Gates))
	for i := range a.Gates {
		gates[i] = a.Gates[i].Bounded()
	}
	if a.Gates != nil {
		a.Gates = gates
	}
	if a.Review != nil {
		a.Review = a.Review.bounded()
	}
	if len(a.Referee) > maxReferee {
		first := slices.Clone(a.Referee)
		slices.SortStableFunc(first,
			func(x, y RefereeChange) int { return x.urgency() - y.urgency() })
		a.Referee = first[:maxReferee]
		a.leaveOut(len(first)-maxReferee, "change of tests and gates")
	}
	for i, r := range a.Referee {
		if len(r.File)+len(r.Test)+len(r.What)+len(r.Why)+len(r.Group) > maxNote {
			a.Referee = slices.Clone(a.Referee)
			for _, field := range []*string{&r.File, &r.Test, &r.What, &r.Why, &r.Group} {
				*field = text.Clip(*field, maxNote)
			}
			a.Referee[i] = r
		}
	}
	if more := len(a.Warnings) - maxNotes; more > 0 {
		a.Warnings = append(slices.Clone(a.Warnings[:maxNotes-1]),
			fmt.Sprintf("left out here: %d more of these", more+1))
	}
	a.Warnings, _ = kept(a.Warnings, maxNotes, 0)
	return a
}

// leaveOut says before all other warnings how many of something are not stored.
func (a *Attempt) leaveOut(n int, what string) {
	if n > 0 {
		a.Warnings = slices.Insert(slices.Clone(a.Warnings), 0,
			fmt.Sprintf("left out here: %d × %s; the commit has all", n, what))
	}
}

// urgency orders changes of the referee: those that the user must review come first.
func (c RefereeChange) urgency() int {
	switch c.Ruling {
	case RulingContested, RulingRefused:
		return 0
	case RulingRecorded, RulingAdapted, RulingAsked:
	}
	return 1
}

// Bounded is the run of a gate as it is stored.
func (g Gate) Bounded() Gate {
	g.Tests = g.Tests[:min(len(g.Tests), maxListed)]
	g.Places = g.Places[:min(len(g.Places), maxListed)]
	return g
}

func (c Changes) bounded() Changes {
	for _, list := range []*[]string{&c.Created, &c.Modified, &c.Deleted} {
		*list, c.Omitted = kept(*list, maxPaths/4, c.Omitted)
	}
	c.Standing, _ = kept(c.Standing, maxPaths/4, 0)
	return c
}

func (r Report) bounded() Report {
	for _, list := range []*[]string{&r.Created, &r.Modified, &r.Deleted} {
		*list, r.Omitted = kept(*list, maxPaths/4, r.Omitted)
	}
	if len(r.Gates) > maxListed {
		first := make(map[string]bool, maxListed)
		for _, name := range slices.Sorted(maps.Keys(r.Gates))[:maxListed] {
			first[name] = r.Gates[name]
		}
		r.Omitted += len(r.Gates) - maxListed
		r.Gates = first
	}
	if more := len(r.RefereeChanges) - maxReferee; more > 0 {
		r.RefereeChanges = r.RefereeChanges[:maxReferee]
		r.Omitted += more
	}
	return r
}

// kept are the first of a list that are not too many or too long together, and how many were left
// out in all where it had been so many before.
func kept(list []string, most, omitted int) ([]string, int) {
	size, n := 0, 0
	for n < min(len(list), most) && size+min(len(list[n]), maxNote) <= maxTexts {
		size += min(len(list[n]), maxNote)
		n++
	}
	omitted += len(list) - n
	list = list[:n]
	if slices.ContainsFunc(list, func(s string) bool { return len(s) > maxNote }) {
		list = slices.Clone(list)
		for i := range list {
			list[i] = text.Clip(list[i], maxNote)
		}
	}
	return list, omitted
}
