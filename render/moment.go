package render

import (
	"time"

	"autobuild/state"
)

// Stamp is a moment where the reader lives: resets are waited for by people.
func (s Style) Stamp(t time.Time, layout string) string {
	zone := s.Zone
	if zone == nil {
		zone = time.UTC
	}
	return t.In(zone).Format(layout + " MST")
}

// Moment is a time of day, with the date where the day differs from the other moment's, and how far
// it is away.
func (s Style) Moment(t, now time.Time) string {
	const day, full = "15:04", "2006-01-02 15:04"
	text := s.Stamp(t, full)
	if s.Stamp(t, time.DateOnly) == s.Stamp(now, time.DateOnly) {
		text = s.Stamp(t, day)
	}
	if !t.After(now) {
		return text
	}
	return text + " (in " + Duration(t.Sub(now).Round(time.Second)) + ")"
}

// FallbackSuffix names those that work while the agent of a run cannot: ", else codex".
func FallbackSuffix(c state.Config) string {
	text := ""
	for _, name := range c.Fallbacks {
		text += ", else " + name
	}
	return text
}
