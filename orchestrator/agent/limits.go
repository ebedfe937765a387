package agent

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"autobuild/internal/lazyregexp"
)

var (
	// inText is a span: "try again in 2 hours 5 minutes", "reset after 1h2m3s".
	inText = lazyregexp.New(
		`(?i)(?:in|after)\s+((?:\d+(?:\.\d+)?\s*(?:days?|hours?|hrs?|minutes?|mins?|seconds?|secs?|[dhms])\b[\s,and]*|\d+[dhms])+)`)
	spanPart = lazyregexp.New(`(?i)(\d+(?:\.\d+)?)\s*([dhms])`)
	// epochText is a moment in seconds: "usage limit reached|1795295820".
	epochText = lazyregexp.New(`limit reached\|(\d{10})\b`)
	// dayText is a date and a time: "will reset at 2026-11-23 18:00:00", "regain access on
	// 2026-12-01 at 00:00 UTC".
	dayText = lazyregexp.New(
		`(?i)(?:resets?|again|access|until|available|allowed|possible)\s+(?:at|on|after)?\s*(\d{4}-\d\d-\d\d)(?:[T ]|\s+at\s+)(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?\s*(Z|UTC|GMT|[+-]\d\d:?\d\d)?`)
	// atText is a time of day, perhaps with a date before it and a zone behind: "resets 8:57am
	// (UTC)", "try again at Nov 25th, 2026 8:57 AM".
	atText = lazyregexp.New(
		`(?i)(?:resets|reset at|again at|available at)\s+(?:(?:at|on)\s+)?(?:([a-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(?:(\d{4})\s+)?(?:at\s+)?)?(\d{1,2})(?::(\d{2}))?\s*([ap]m)?(?:\s*\(([A-Za-z0-9_+/-]+)\))?`)
)

// dateText is a day without its year, or of the week, perhaps with a time of day and a zone behind:
// "resets on Dec 1", "resets Thu 9am".
var dateText = lazyregexp.New(
	`(?i)(?:resets?|again|available|allowed|until)\s+(?:on\s+)?(?:(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?\b(?:,?\s+(\d{4})\b)?|(sun|mon|tue|wed|thu|fri|sat)[a-z]*\b\.?)(?:,?\s+(?:at\s+)?(\d{1,2})(?::(\d{2}))?\s*([ap]m)?\b)?(?:\s*\(([A-Za-z0-9_+/-]+)\))?`)

// resetTime finds in the text of a usage limit when it ends. Zero means that it does not say, or
// not in a way that is understood. A time without a zone is meant where this program runs; one
// without a date is the next such time.
func resetTime(text string, now time.Time) time.Time {
	if m := inText.FindStringSubmatch(text); m != nil {
		if d := span(m[1]); d > 0 {
			return soon(now.Add(d), now)
		}
	}
	if m := epochText.FindStringSubmatch(text); m != nil {
		seconds, _ := strconv.ParseInt(m[1], 10, 64)
		return soon(time.Unix(seconds, 0).In(now.Location()), now)
	}
	if m := dayText.FindStringSubmatch(text); m != nil {
		return day(m[1]+" "+m[2], m[3], now)
	}
	if m := atText.FindStringSubmatch(text); m != nil {
		if zone, ok := zoneOf(m[7], now); ok {
			if t := clock(m, now.In(zone)); !t.IsZero() {
				return t
			}
		}
	}
	if m := dateText.FindStringSubmatch(text); m != nil {
		if zone, ok := zoneOf(m[8], now); ok {
			return date(m, now.In(zone))
		}
	}
	return time.Time{}
}

// zoneOf is the zone of a name; that of now where there is none.
func zoneOf(name string, now time.Time) (zone *time.Location, ok bool) {
	if name == "" {
		return now.Location(), true
	}
	zone, err := time.LoadLocation(name)
	return zone, err == nil
}

// weekdays are the days of the week by how their names begin, Sunday first.
var weekdays = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

// date makes a time of the parts of dateText, in now's zone. A day whose time is not said is over
// when it begins; the day of now is that of the next week where its time has passed.
func date(m []string, now time.Time) time.Time {
	hour, minute, ok := hourOf(m[5], m[6], m[7])
	if !ok {
		hour, minute = 0, 0
	}
	if m[4] == "" {
		month, err := time.Parse("Jan", m[1][:3])
		if err != nil {
			return time.Time{}
		}
		return inYear(month.Month(), m[2], m[3], hour, minute, now)
	}
	ahead := slices.Index(weekdays, strings.ToLower(m[4])) - int(now.Weekday())
	t := time.Date(now.Year(), now.Month(), now.Day()+(ahead+7)%7, hour, minute, 0, 0,
		now.Location())
	if !t.After(now) {
		t = t.AddDate(0, 0, 7)
	}
	return t
}

// inYear is a day of a month; where its year is not said, of the year in which it comes next.
func inYear(month time.Month, day, year string, hour, minute int, now time.Time) time.Time {
	d, _ := strconv.Atoi(day)
	y, _ := strconv.Atoi(year)
	if year == "" {
		y = now.Year()
		if month < now.Month() {
			y++ // said in December, of January
		}
	}
	return soon(time.Date(y, month, d, hour, minute, 0, 0, now.Location()), now)
}

// hourOf reads a time of day. A bare number is none.
func hourOf(hours, minutes, half string) (hour, minute int, ok bool) {
	hour, _ = strconv.Atoi(hours)
	minute, _ = strconv.Atoi(minutes)
	half = strings.ToLower(half)
	switch {
	case half == "" && minutes == "", hour > 23, half != "" && (hour < 1 || hour > 12), minute > 59:
		return 0, 0, false
	case half == "pm" && hour < 12:
		hour += 12
	case half == "am" && hour == 12:
		hour = 0
	}
	return hour, minute, true
}

// day reads a date with a time, in the zone that is said, else in now's.
func day(text, zone string, now time.Time) time.Time {
	at := now.Location()
	switch {
	case zone == "":
	case strings.ContainsAny(zone, "+-"):
		offset, err := time.Parse("-0700", strings.ReplaceAll(zone, ":", ""))
		if err != nil {
			return time.Time{}
		}
		at = offset.Location()
	default:
		at = time.UTC
	}
	t, err := time.ParseInLocation("2006-01-02 15:04", text, at)
	if err != nil {
		return time.Time{}
	}
	return soon(t, now)
}

// clock makes a time of the parts of atText, in now's zone.
func clock(m []string, now time.Time) time.Time {
	hour, minute, ok := hourOf(m[4], m[5], m[6])
	if !ok {
		return time.Time{}
	}
	if m[1] == "" {
		t := time.Date(now.Year(), now.Month(), now.Day(), hour, minute, 0, 0, now.Location())
		if !t.After(now) {
			t = t.AddDate(0, 0, 1)
		}
		return t
	}
	month, err := time.Parse("Jan", m[1][:3])
	if err != nil {
		return time.Time{}
	}
	return inYear(month.Month(), m[2], m[3], hour, minute, now)
}

// soon is t, or nothing where it cannot be meant: no limit is reset in the past, or in years.
func soon(t, now time.Time) time.Time {
	if !t.After(now) || t.Sub(now) > 366*24*time.Hour {
		return time.Time{}
	}
	return t
}

// span adds up "1h 2 minutes". Anything beyond a month is taken for a mistake.
func span(s string) time.Duration {
	units := map[string]time.Duration{
		"d": 24 * time.Hour, "h": time.Hour, "m": time.Minute,
		"s": time.Second,
	}
	var total time.Duration
	for _, m := range spanPart.FindAllStringSubmatch(s, -1) {
		n, err := strconv.ParseFloat(m[1], 64)
		unit := units[strings.ToLower(m[2])]
		if err != nil || n > float64(31*24*time.Hour/unit) {
			return 0
		}
		total += time.Duration(n * float64(unit))
	}
	return total
}
