package text_test

import (
	"testing"
	"time"

	"autobuild/internal/text"
)

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		9 * time.Minute:             "9m",
		2 * time.Hour:               "2h",
		2*time.Hour + time.Minute:   "2h1m",
		10 * time.Second:            "10s",
		50 * time.Millisecond:       "50ms",
		time.Minute + 5*time.Second: "1m5s",
	} {
		if got := text.Duration(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}
