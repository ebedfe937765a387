package agent

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"autobuild/internal/lazyregexp"
)

// resetWords stand before the moment at which a limit ends, or before the time until then.
var resetWords = lazyregexp.New(`(?i)(?:\b|_|quota)(?:(resets?|resetting|refresh(?:e[sd])?` +
	`|renew(?:s|ed)?|refill(?:s|ed)?|replenish(?:e[sd])?|restored` +
	`` +
	`|starts? over|new (?:credits|quota|grant)|next (?:grant|reset|refill)|(?:cycle|window) (?:ends|starts|begins|opens))` +
	`|again|retry|wait(?:ing)?|available|access|allowed|possible|until|comes? back` +
	`|back ?off|cool-?down|limit reached\|)|将[在于]|请`)

// allowanceKey is the beginning of a header that says how an allowance fills up, met or not.
var allowanceKey = lazyregexp.New(`(?i)[\w-]*rate-?limit[\w-]*$`)

// googleDay matches Google's names of quotas for a day. Its servers add a pause of seconds, after
// which such a quota is as empty as before.
var googleDay = lazyregexp.New(`PerDayPer[A-Z]`)

// The parts of a moment, each at the beginning of a text.
var (
	filler = lazyregexp.New(`(?i)^(?:[\s:=,"'~·-]+|(?:at|on|after|in|by|until|again|is|be|about` +
		`|approx(?:imately)?\.?|around|roughly|another|within|least|for|next|the|daily)\b)`)
	// the end of the name of a field, and the characters before its value
	keyPart   = lazyregexp.New(`^([\w-]{0,40})["']?\s*(?:[:=]|\{ ?seconds:)\s*["']?`)
	countKey  = lazyregexp.New(`(?i)count|attempt|able|policy|max|num|limit|remaining`)
	barePart  = lazyregexp.New(`^(\d{1,8}(?:\.\d+)?)(?:["',;)}\]\s]|$)`)
	clockSpan = lazyregexp.New(`^(?:(\d{1,3})\.)?(\d{1,2}):(\d\d):(\d\d)\b`)
	epochPart = lazyregexp.New(`^(\d{10})(?:\d{3})?\b`)
	spanPart  = lazyregexp.New(
		`(?i)^(?:[\s,]*(?:and\s+)?)(\d+(?:\.\d+)?|` +
			`(?:an?|half an?|one|two|three|four|five|six|ten|twelve)\b)(?:\s*|-)([a-z]+)`)
	isoSpan   = lazyregexp.New(`^PT?(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.\d+)?S)?\b`)
	isoPart   = lazyregexp.New(`^(\d{4})[-/](\d\d)[-/](\d\d)(?:T|\b)`)
	slashPart = lazyregexp.New(`^(\d{1,2})/(\d{1,2})/(\d{4})\b`)
	monthPart = lazyregexp.New(
		`(?i)^(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+` +
			`(\d{1,2})(?:st|nd|rd|th)?\b(?:,?\s+(\d{4})\b)?`)
	dayPart = lazyregexp.New(`(?i)^(\d{1,2})(?:st|nd|rd|th)?\s+` +
		`(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b\.?(?:,?\s+(\d{4})\b)?`)
	weekdayPart = lazyregexp.New(
		`(?i)^(sun|mon|tue|wed|thu|fri|sat)(?:day|sday|nesday|rsday|urday|s|rs?)?\b\.?`)
	tomorrowPart  = lazyregexp.New(`(?i)^(?:(today)\b|tomorrow\b|明天)`)
	nextMonthPart = lazyregexp.New(
		`(?i)^(?:(?:1st|first|start|beginning)(?: day)? of )?(?:the )?(?:next )?month\b`)
	clockPart = lazyregexp.New(
		`(?i)^(\d{1,2})(?::(\d\d))?(?::(\d\d)(?:\.\d+)?)?(?:\s*([ap])\.?m\b\.?)?`)
	namedPart = lazyregexp.New(`(?i)^(midnight|noon)\b`)
	zonePart  = lazyregexp.New(
		`^\s*(\()?((?:UTC|GMT)?[+-]\d\d?(?::?\d\d)?\b|[A-Za-z_]+(?:/[A-Za-z0-9_+-]+)*)`)
)

// nextTry is when the next try may succeed.
type nextTry struct {
	at     time.Time // zero: unsaid, or not understood
	spoken bool      // the error itself says it, rather than a header about an allowance
	firm   bool      // … by a word such as "resets", or as the value of a field
}

// nextTryIn finds in the text of an error when the next try may succeed. A time without a zone is
// meant where this program runs; one without a date is the next such time.
func nextTryIn(text string, now time.Time) (next nextTry) {
	for _, at := range resetWords.FindAllStringSubmatchIndex(text, -1) {
		m := moment{rest: text[at[1]:], now: now}
		t := m.read()
		if !t.After(now) || t.Sub(now) > 366*24*time.Hour {
			continue
		}
		resets := at[2] >= 0
		header := allowanceKey.FindString(text[max(0, at[0]-60):at[0]])
		switch {
		case header != "":
			if !next.spoken && t.After(next.at) &&
				!remains(text, header+text[at[0]:at[1]]+m.key) {
				next.at = t
			}
		case !next.spoken, resets && next.at.Sub(now) <= longPause && t.After(next.at):
			// a pause of seconds may stand beside the reset that counts
			next = nextTry{t, true, resets || m.field}
		}
	}
	if next.at.Sub(now) <= longPause && googleDay.MatchString(text) {
		m := moment{rest: "midnight Pacific", now: now}
		next = nextTry{m.read(), true, true}
	}
	return next
}

// remains reports whether the headers say that something is left of the allowance of which the
// named one says when it is full again.
func remains(text, reset string) bool {
	name := strings.Replace(strings.ToLower(reset), "reset", "remaining", 1)
	_, rest, ok := strings.Cut(strings.ToLower(text), name)
	return ok && left.MatchString(rest)
}

// left is a number above zero as the value of a field.
var left = lazyregexp.New(`^["']?\s*[:=]\s*["']?0*[1-9]`)

// moment reads a point in time from the beginning of a text, part by part.
type moment struct {
	rest string
	now  time.Time
	// the value of a field says it, and this is the rest of the field's name
	field bool
	key   string

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

// skip removes words without a meaning, and reports whether the last one was "in".
func (m *moment) skip() (in bool) {
	for {
		word := m.take(filler)
		if word == nil {
			return in
		}
		if w := strings.TrimSpace(word[0]); w != "" {
			in = strings.EqualFold(w, "in")
		}
	}
}

// read returns the moment; zero where there is none.
func (m *moment) read() time.Time {
	m.hour, m.ahead = -1, -1
	in := false
	if key := m.take(keyPart); key != nil {
		m.field, m.key = true, key[1]
		name := strings.ToLower(m.key)
		if countKey.MatchString(name) {
			return time.Time{}
		}
		if n := m.take(barePart); n != nil {
			unit := "s"
			if strings.HasSuffix(name, "ms") || strings.Contains(name, "milli") {
				unit = "ms"
			}
			m.rest = n[1] + unit
		}
		in = strings.HasSuffix(name, "after") || strings.HasSuffix(name, "delay")
	}
	in = m.skip() || in
	if e := m.take(epochPart); e != nil {
		seconds, _ := strconv.ParseInt(e[1], 10, 64)
		return time.Unix(seconds, 0).In(m.now.Location())
	}
	if c := clockSpan.FindStringSubmatch(m.rest); c != nil && in { // d.hh:mm:ss
		m.rest = cmp.Or(c[1], "0") + "d" + c[2] + "h" + c[3] + "m" + c[4] + "s"
	}
	if c := isoSpan.FindStringSubmatch(m.rest); c != nil { // P1DT2H
		m.rest = cmp.Or(c[1], "0") + "d" + cmp.Or(c[2], "0") + "h" + cmp.Or(c[3], "0") + "m" +
			cmp.Or(c[4], "0") + "s"
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
		if err != nil {
			n = cmp.Or(numbers[strings.ToLower(part[1])], 1)
		}
		unit := unitOf(strings.ToLower(part[2]))
		if unit == 0 || n > float64(31*24*time.Hour/unit) {
			return total
		}
		total += time.Duration(n * float64(unit))
		m.rest = m.rest[len(part[0]):]
	}
}

// numbers are words for numbers other than 1.
var numbers = map[string]float64{
	"half a": 0.5, "half an": 0.5, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "ten": 10,
	"twelve": 12,
}

// unitOf is the length of a unit of time; 0 where the word is none.
func unitOf(word string) time.Duration {
	switch word {
	case "w", "week", "weeks":
		return 7 * 24 * time.Hour
	case "d", "day", "days":
		return 24 * time.Hour
	case "h", "hr", "hrs", "hour", "hours":
		return time.Hour
	case "m", "min", "mins", "minute", "minutes":
		return time.Minute
	case "s", "sec", "secs", "second", "seconds":
		return time.Second
	case "ms", "millisecond", "milliseconds":
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
	if m.day > 0 || m.ahead >= 0 {
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
	} else if d = m.take(slashPart); d != nil { // the month first, where it can be one
		m.month, m.day, m.year = number(d[1]), number(d[2]), number(d[3])
		if m.month > 12 {
			m.month, m.day = m.day, m.month
		}
	} else if m.take(nextMonthPart) != nil {
		first := time.Date(m.now.Year(), m.now.Month()+1, 1, 0, 0, 0, 0, time.UTC)
		m.year, m.month, m.day = first.Year(), int(first.Month()), 1
	} else if m.weekday > 0 {
		return false
	} else if d = m.take(weekdayPart); d != nil {
		m.weekday = slices.Index(weekdays, strings.ToLower(d[1])) + 1
	} else if d = m.take(tomorrowPart); d != nil {
		if m.ahead = 1; d[1] != "" {
			m.ahead = 0
		}
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
