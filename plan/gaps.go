package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// counted is an id that ends with a number: what stands before it, and the number.
type counted struct {
	family string
	n, at  int
	width  int // digits of a number that begins with a zero
	letter bool
}

// countedID reads an id as one of a series: "pm-02.5" is the fifth of "pm-02.".
func countedID(id string, at int) (counted, bool) {
	core := strings.TrimRight(id, "abcdefghijklmnopqrstuvwxyz")
	begin := len(core)
	for begin > 0 && digit(core[begin-1]) {
		begin--
	}
	n, err := strconv.Atoi(core[begin:])
	if err != nil || n > maxEdges {
		return counted{}, false
	}
	c := counted{family: core[:begin], n: n, at: at}
	if core[begin] == '0' {
		c.width = len(core) - begin
	}
	return c, true
}

// letteredID reads an id that ends with one letter of its own: "2c" is the third of "2", "c" the
// third of all.
func letteredID(id string, at int) (counted, bool) {
	last := len(id) - 1
	if last < 0 || id[last] < 'a' || id[last] > 'z' || last > 0 && !digit(id[last-1]) &&
		id[last-1] != '-' {
		return counted{}, false
	}
	return counted{family: id[:last], n: int(id[last]-'a') + 1, at: at, letter: true}, true
}

// label is another id of the series.
func (c counted) label(n int) string {
	if c.letter {
		return c.family + string(rune('A'+n-1))
	}
	return fmt.Sprintf("%s%0*d", c.family, c.width, n)
}

// gaps reports numbers and letters that are missing in a series of ids, and an id in the place of a
// missing one: a heading or a row may be lost, or an id misspelt.
func (b *builder) gaps() {
	numbers := b.series(countedID)
	b.strayParts()
	for _, list := range numbers {
		if list[0].family == "" {
			b.parts(list)
		}
	}
	for _, list := range numbers {
		if !b.odd(list) {
			b.missing(list)
		}
	}
	for _, list := range b.series(letteredID) {
		b.missing(list)
	}
}

// series groups the phases by the family of their ids.
func (b *builder) series(read func(id string, at int) (counted, bool)) [][]counted {
	place := map[string]int{}
	var lists [][]counted
	for i := range b.phases {
		c, ok := read(b.phases[i].ID, i)
		if !ok {
			continue
		}
		at, known := place[c.family]
		if !known {
			at = len(lists)
			place[c.family], lists = at, append(lists, nil)
		}
		lists[at] = append(lists[at], c)
	}
	return lists
}

// parts reports a part of a phase whose number is beyond all phases: 27.1 among 1, 2 and 3.
func (b *builder) parts(whole []counted) {
	most := 0
	for _, c := range whole {
		most = max(most, c.n)
	}
	for i := range b.phases {
		p := &b.phases[i]
		n, err := strconv.Atoi(stem(p.ID))
		if _, rest, dotted := strings.Cut(p.ID, "."); err == nil && dotted && rest != "" &&
			len(whole) > 1 && n > most {
			b.problem("W-GAP", Warning, p.Pos, p.Width,
				fmt.Sprintf("phase %s is a part of phase %d, which is not there", p.Label, n),
				"correct its number, or add the phase")
			return
		}
	}
}

// strayParts reports a part of a phase that stands among parts of others: 27.1 between 1.2 and 2.2,
// or 27.2 without 27.1 at the end.
func (b *builder) strayParts() {
	var parts []counted
	for i := range b.phases {
		n, err := strconv.Atoi(stem(b.phases[i].ID))
		if _, part, dotted := strings.Cut(b.phases[i].ID, "."); err == nil && dotted && part != "" {
			parts = append(parts, counted{family: part, n: n, at: i})
		}
	}
	for k := 1; k < len(parts); k++ {
		before, c := parts[k-1].n, parts[k]
		last := k+1 == len(parts)
		if c.n > before+1 && (!last && parts[k+1].n <= before+1 || last && c.family != "0" &&
			c.family != "1") {
			p := &b.phases[c.at]
			b.problem("W-GAP", Warning, p.Pos, p.Width,
				fmt.Sprintf("phase %s stands among the parts of phase %d", p.Label, before),
				"correct its number, or add the phases between")
			return
		}
	}
}

// odd reports an id between two neighbours that it does not fit: 1, 27, 3.
func (b *builder) odd(list []counted) bool {
	have := map[int]bool{}
	for _, c := range list {
		have[c.n] = true
	}
	complete := true // 1 to the last, if in another order
	for n := range list {
		complete = complete && have[n+1]
	}
	if complete {
		return false
	}
	for k := 1; k < len(list); k++ {
		before, c := list[k-1], list[k]
		due := before.n + 1
		follows := k+1 < len(list) && list[k+1].n == due+1 ||
			k+1 == len(list) && (k > 1 || before.n <= 1) && c.n > due+1
		if c.n == due || c.n == due+1 || c.n == before.n || have[due] || !follows {
			continue
		}
		p := &b.phases[c.at]
		b.problem("W-GAP", Warning, p.Pos, p.Width,
			fmt.Sprintf("phase %s stands where phase %s would", p.Label, c.label(due)),
			"did you mean "+c.label(due)+"?")
		return true
	}
	first := len(list) == 2 || len(list) > 2 && list[2].n == list[1].n+1
	if first && list[0].n > list[1].n && list[1].n > 0 && !have[list[1].n-1] {
		p := &b.phases[list[0].at]
		b.problem("W-GAP", Warning, p.Pos, p.Width,
			fmt.Sprintf("phase %s stands where phase %s would", p.Label,
				list[1].label(list[1].n-1)),
			"did you mean "+list[1].label(list[1].n-1)+"?")
		return true
	}
	return false
}

// missing reports up to three numbers that a series leaves out. A series with more gaps is not
// reported.
func (b *builder) missing(list []counted) {
	const most = 3
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(x, y counted) int { return x.n - y.n })
	var holes []string
	where := -1
	if len(list) > 1 && list[0].n == 2 && list[1].n == 3 && !list[0].letter {
		holes, where = append(holes, list[0].label(1)), list[0].at
	}
	for k := 1; k < len(list); k++ {
		for n := list[k-1].n + 1; n < list[k].n && len(holes) <= most; n++ {
			holes = append(holes, list[k].label(n))
			if where < 0 {
				where = list[k].at
			}
		}
	}
	// numbers of a tracker, which other things have as well
	tracked := list[0].n > most && 2*len(holes) > len(list)
	if len(holes) == 0 || len(holes) > most || len(holes) >= len(list) || tracked {
		return
	}
	p := &b.phases[where]
	b.problem("W-GAP", Warning, p.Pos, p.Width,
		fmt.Sprintf("there %s no %s, though there is phase %s", verb("is", "are", holes),
			phases(holes), p.Label),
		"if its heading or row was lost, give it back: its tasks would belong to the phase before")
}
