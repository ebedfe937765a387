package agent

import (
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
		`(?i)(?:reset|resets|again|access|until|available)\s+(?:at|on|after)?\s*(\d{4}-\d\d-\d\d)(?:[T ]|\s+at\s+)(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?\s*(Z|UTC|GMT|[+-]\d\d:?\d\d)?`)
	// atText is a time of day, perhaps with a date before it and a zone behind: "resets 8:57am
	// (UTC)", "try again at Nov 25th, 2026 8:57 AM".
	atText = lazyregexp.New(
		`(?i)(?:resets|reset at|again at|available at)\s+(?:at\s+)?(?:([a-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(?:(\d{4})\s+)?(?:at\s+)?)?(\d{1,2})(?::(\d{2}))?\s*([ap]m)?(?:\s*\(([A-Za-z0-9_+/-]+)\))?`)
)

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
	m := atText.FindStringSubmatch(text)
	if m == nil {
		return time.Time{}
	}
	zone := now.Location()
	if m[7] != "" {
		z, err := time.LoadLocation(m[7])
		if err != nil {
			return time.Time{}
		}
		zone = z
	}
	return clock(m, now.In(zone))
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
	hour, _ := strconv.Atoi(m[4])
	minute, _ := strconv.Atoi(m[5])
	half := strings.ToLower(m[6])
	switch {
	case half == "" && m[5] == "", hour > 23, half != "" && (hour < 1 || hour > 12), minute > 59:
		return time.Time{} // a bare number is no time
	case half == "pm" && hour < 12:
		hour += 12
	case half == "am" && hour == 12:
		hour = 0
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
	day, _ := strconv.Atoi(m[2])
	year, _ := strconv.Atoi(m[3])
	if m[3] == "" {
		year = now.Year()
		if month.Month() < now.Month() {
			year++ // said in December, of January
		}
	}
	return soon(time.Date(year, month.Month(), day, hour, minute, 0, 0, now.Location()), now)
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
