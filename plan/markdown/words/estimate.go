package words

import (
	"strconv"
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/inline"
)

// sizes are the weights of shirt sizes.
var sizes = map[string]float64{
	"xs": 1, "s": 2, "m": 3, "l": 5, "xl": 8, "xxl": 13,
	"tiny": 1, "small": 2, "low": 2, "medium": 3, "large": 5, "high": 5, "trivial": 1,
}

// hours are the units of time, in hours: a working day has eight.
var hours = map[string]float64{
	"m": 1.0 / 60, "min": 1.0 / 60, "mins": 1.0 / 60, "minute": 1.0 / 60, "minutes": 1.0 / 60,
	"h": 1, "hr": 1, "hrs": 1, "hour": 1, "hours": 1, "d": 8, "day": 8, "days": 8, "w": 40,
	"week": 40, "weeks": 40,
}

// Estimate reads "5", "5 points", "2-4h", "M". A range weighs as much as its middle.
func Estimate(text string) plan.Estimate {
	text = inline.WithoutEmoji(inline.Plain(text))
	text = strings.Trim(text, "~≈ ")
	e := plan.Estimate{Text: text}
	lower := strings.ToLower(text)
	if first, _, _ := strings.Cut(lower, " "); sizes[strings.Trim(first, "().,")] > 0 {
		e.Weight = sizes[strings.Trim(first, "().,")]
		return e
	}
	low, rest, ok := number(lower)
	if !ok {
		if lower == "" || strings.Trim(lower, "-–—") == "" {
			return plan.Estimate{}
		}
		return e
	}
	e.Weight = low
	trimmed := strings.TrimLeft(rest, " ")
	for _, dash := range []string{"-", "–", "—", "to "} {
		if after, found := strings.CutPrefix(trimmed, dash); found {
			if high, tail, ok := number(strings.TrimLeft(after, " ")); ok {
				e.Weight, rest = (low+high)/2, tail
			}
			break
		}
	}
	unit := strings.FieldsFunc(rest, func(r rune) bool { return r < 'a' || r > 'z' })
	if len(unit) > 0 && hours[unit[0]] > 0 {
		e.Weight *= hours[unit[0]]
	}
	return e
}

func number(s string) (value float64, rest string, ok bool) {
	end := 0
	for end < len(s) && end < 9 && (s[end] >= '0' && s[end] <= '9' || s[end] == '.') {
		end++
	}
	value, err := strconv.ParseFloat(strings.TrimSuffix(s[:end], "."), 64)
	return value, s[end:], err == nil
}
