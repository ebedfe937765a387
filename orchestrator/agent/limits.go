package agent

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"autobuild/internal/lazyregexp"
)

// resetWords stand before the moment at which a limit ends, or before the time until then.
var resetWords = lazyregexp.New(`(?i)\b(?:resets?|resetting|again|retry(?:ing)?|wait(?:ing)?` +
	`|available|access|allowed|possible|until|refresh(?:e[sd])?|renew(?:s|ed)?|come back|limit reached\|)`)

// The parts of a moment, each at the beginning of a text.
var (
	filler = lazyregexp.New(
		`(?i)^(?:[\s:=,"'~·-]+|(?:at|on|after|in|by|until|again|is|be|about|next|the)\b)`)
	secondsPart = lazyregexp.New(`(?i)^[-_ ]after["']?\s*[:=]\s*["']?(\d{1,6})\b`)
	epochPart   = lazyregexp.New(`^(\d{10})(?:\d{3})?\b`)
	spanPart    = lazyregexp.New(`(?i)^(?:[\s,]*(?:and\s+)?)(\d+(?:\.\d+)?)\s*([a-z]+)`)
	isoPart     = lazyregexp.New(`^(\d{4})-(\d\d)-(\d\d)(?:T|\b)`)
	monthPart   = lazyregexp.New(
		`(?i)^(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+` +
			`(\d{1,2})(?:st|nd|rd|th)?\b(?:,?\s+(\d{4})\b)?`)
	dayPart = lazyregexp.New(`(?i)^(\d{1,2})(?:st|nd|rd|th)?\s+` +
		`(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b\.?(?:,?\s+(\d{4})\b)?`)
	weekdayPart = lazyregexp.New(
		`(?i)^(sun|mon|tue|wed|thu|fri|sat)(?:day|sday|nesday|rsday|urday|s|rs?)?\b\.?`)
	tomorrowPart = lazyregexp.New(`(?i)^(today|tomorrow)\b`)
	clockPart    = lazyregexp.New(
		`(?i)^(\d{1,2})(?::(\d\d))?(?::(\d\d)(?:\.\d+)?)?(?:\s*([ap])\.?m\b\.?)?`)
	namedPart = lazyregexp.New(`(?i)^(midnight|noon)\b`)
	zonePart  = lazyregexp.New(
		`^\s*(\()?((?:UTC|GMT)?[+-]\d\d?(?::?\d\d)?\b|[A-Za-z_]+(?:/[A-Za-z0-9_+-]+)*)`)
)

// resetTime finds in the text of a usage limit when it ends. Zero means that it does not say, or
// not in a way that is understood. A time without a zone is meant where this program runs; one
// without a date is the next such time.
func resetTime(text string, now time.Time) time.Time {
	for _, at := range resetWords.FindAllStringIndex(text, -1) {
		m := moment{rest: text[at[1]:], now: now}
		if t := m.read(); t.After(now) && t.Sub(now) <= 366*24*time.Hour {
			return t
		}
	}
	return time.Time{}
}

// moment reads a point in time from the beginning of a text, part by part.
type moment struct {
	rest string
	now  time.Time

	month, day, year int // 0: not said
	weekday          int // 0: not said; else Sunday is 1
	ahead            int // days from today; -1: not said
	second           int
	hour, minute     int // the hour is -1 where it is not said
	zone             *time.Location
}

// take removes what the pattern matches from the rest, and returns its groups; nil where it does
// not match.
func (m *moment) take(p *lazyregexp.Regexp) []string {
	found := p.FindStringSubmatch(m.rest)
	if found != nil {
		m.rest = m.rest[len(found[0]):]
	}
	return found
}

func (m *moment) skip() {
	for m.take(filler) != nil {
		continue
	}
}

// read returns the moment; zero where there is none.
func (m *moment) read() time.Time {
	m.hour, m.ahead = -1, -1
	if header := m.take(secondsPart); header != nil { // Retry-After: 3600
		m.rest = header[1] + "s"
	}
	m.skip()
	if e := m.take(epochPart); e != nil {
		seconds, _ := strconv.ParseInt(e[1], 10, 64)
		return time.Unix(seconds, 0).In(m.now.Location())
	}
	if d := m.span(); d > 0 {
		return m.now.Add(d)
	}
	for m.date() || m.clock() {
		m.skip()
	}
	return m.time()
}

// span adds up "1h 2 minutes". Anything beyond a month is taken for a mistake.
func (m *moment) span() time.Duration {
	var total time.Duration
	for {
		part := spanPart.FindStringSubmatch(m.rest)
		if part == nil {
			return total
		}
		n, err := strconv.ParseFloat(part[1], 64)
		unit := unitOf(strings.ToLower(part[2]))
		if err != nil || unit == 0 || n > float64(31*24*time.Hour/unit) {
			return total
		}
		total += time.Duration(n * float64(unit))
		m.rest = m.rest[len(part[0]):]
	}
}

// unitOf is the length of a unit of time; 0 where the word is none.
func unitOf(word string) time.Duration {
	switch word {
	case "d", "day", "days":
		return 24 * time.Hour
	case "h", "hr", "hrs", "hour", "hours":
		return time.Hour
	case "m", "min", "mins", "minute", "minutes":
		return time.Minute
	case "s", "sec", "secs", "second", "seconds":
		return time.Second
	case "ms":
		return time.Millisecond
	}
	return 0
}

var (
	months = []string{
		"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
	}
	weekdays = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}
)

// date reads a date, and reports whether there was one.
func (m *moment) date() bool {
	number := func(s string) int {
		n, _ := strconv.Atoi(s)
		return n
	}
	if m.day+m.weekday > 0 || m.ahead >= 0 {
		return false
	}
	if d := m.take(isoPart); d != nil {
		m.year, m.month, m.day = number(d[1]), number(d[2]), number(d[3])
	} else if d = m.take(monthPart); d != nil {
		m.month, m.day, m.year = slices.Index(months, strings.ToLower(d[1]))+1, number(d[2]),
			number(d[3])
	} else if d = m.take(dayPart); d != nil {
		m.day, m.month, m.year = number(d[1]), slices.Index(months, strings.ToLower(d[2]))+1,
			number(d[3])
	} else if d = m.take(weekdayPart); d != nil {
		m.weekday = slices.Index(weekdays, strings.ToLower(d[1])) + 1
	} else if d = m.take(tomorrowPart); d != nil {
		m.ahead = strings.Index("today tomorrow", strings.ToLower(d[1])) / len("today ")
	} else {
		return false
	}
	return true
}

// clock reads a time of day and its zone, and reports whether there was one. A bare number is none.
func (m *moment) clock() bool {
	if m.hour >= 0 {
		return false
	}
	if named := m.take(namedPart); named != nil {
		m.hour = 12 * (strings.Index("midnight noon", strings.ToLower(named[1])) / len("midnight "))
		return m.within()
	}
	c := clockPart.FindStringSubmatch(m.rest)
	if c == nil || c[2] == "" && c[4] == "" {
		return false
	}
	hour, _ := strconv.Atoi(c[1])
	m.minute, _ = strconv.Atoi(c[2])
	m.second, _ = strconv.Atoi(c[3])
	half := strings.ToLower(c[4])
	if hour > 23 || m.minute > 59 || m.second > 59 || half != "" && (hour < 1 || hour > 12) {
		return false
	}
	if m.hour = hour; half != "" {
		m.hour = hour % 12
		if half == "p" {
			m.hour += 12
		}
	}
	m.rest = m.rest[len(c[0]):]
	return m.within()
}

// within reads the zone of a time of day. A word that is no zone belongs to the text, unless it
// stands in parentheses: then the time is not understood.
func (m *moment) within() bool {
	z := zonePart.FindStringSubmatch(m.rest)
	if z == nil {
		return true
	}
	zone := zoneOf(z[2])
	if zone != nil {
		m.zone, m.rest = zone, m.rest[len(z[0]):]
	} else if z[1] != "" {
		m.hour, m.day, m.weekday, m.ahead = -1, 0, 0, -1
		return false
	}
	return true
}

// offsets are abbreviations of zones that mean the same everywhere, by their hours from UTC.
var offsets = map[string]int{
	"UTC": 0, "GMT": 0, "Z": 0, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6,
	"PST": -8, "PDT": -7, "CET": 1, "CEST": 2, "BST": 1, "JST": 9, "KST": 9,
}

// regions are zones that providers name after a part of a country.
var regions = map[string]string{
	"pacific": "America/Los_Angeles", "pt": "America/Los_Angeles",
	"mountain": "America/Denver", "mt": "America/Denver",
	"central": "America/Chicago", "ct": "America/Chicago",
	"eastern": "America/New_York", "et": "America/New_York",
}

// zoneOf is the zone of a name or an offset; nil where there is none.
func zoneOf(name string) *time.Location {
	if hours, ok := offsets[strings.ToUpper(name)]; ok {
		return time.FixedZone(strings.ToUpper(name), hours*3600)
	}
	if region, ok := regions[strings.ToLower(name)]; ok {
		name = region
	}
	offset := strings.TrimPrefix(strings.TrimPrefix(name, "UTC"), "GMT")
	for _, layout := range []string{"-07:00", "-0700", "-07", "-7"} {
		if t, err := time.Parse(layout, offset); err == nil {
			return t.Location()
		}
	}
	if strings.EqualFold(name, "local") {
		return nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil
	}
	return zone
}

// time puts the parts together. A day whose time is not said is over when it begins; a time without
// a day is the next one, and so is a day without its year.
func (m *moment) time() time.Time {
	dated := m.day+m.weekday > 0 || m.ahead >= 0
	if !dated && m.hour < 0 {
		return time.Time{}
	}
	now := m.now
	if m.zone != nil {
		now = now.In(m.zone)
	}
	on := func(year int, month time.Month, day int) time.Time {
		return time.Date(year, month, day, max(m.hour, 0), m.minute, m.second, 0, now.Location())
	}
	today := on(now.Date())
	switch {
	case m.day > 0 && m.year > 0:
		return on(m.year, time.Month(m.month), m.day)
	case m.day > 0: // said in December, of January
		year := now.Year()
		if time.Month(m.month) < now.Month() {
			year++
		}
		return on(year, time.Month(m.month), m.day)
	case m.weekday > 0:
		t := today.AddDate(0, 0, (m.weekday-1-int(now.Weekday())+7)%7)
		if !t.After(now) {
			t = t.AddDate(0, 0, 7)
		}
		return t
	case m.ahead >= 0:
		return today.AddDate(0, 0, m.ahead)
	case today.After(now):
		return today
	case now.Sub(today) < lateness:
		return now.Add(time.Minute)
	}
	return today.AddDate(0, 0, 1)
}

// lateness is how far back a time of day may lie that is still today's: agents cut off its seconds,
// and clocks differ.
const lateness = 10 * time.Minute
