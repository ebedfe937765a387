package render

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"autobuild/state"
)

// duration is "12s", "4m31s" or "2h05m": what a person compares, no more.
func duration(d time.Duration) string {
	d = max(d, 0)
	switch {
	case d < 10*time.Second:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + "s"
	case d < time.Minute:
		return strconv.Itoa(int(d.Seconds())) + "s"
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}

// cost is "$0.42", or empty when nothing is known.
func cost(u state.Usage) string {
	if u.CostUSD <= 0 {
		return ""
	}
	return fmt.Sprintf("$%.2f", u.CostUSD)
}

// spent is the cost and the tokens, as far as agents told them.
func spent(u state.Usage) string {
	money, n := cost(u), u.InputTokens+u.OutputTokens
	switch {
	case n <= 0:
		return money
	case money == "":
		return thousands(n) + " tokens"
	}
	return money + " and " + thousands(n) + " tokens"
}

func thousands(n int64) string {
	switch {
	case n >= 1_000_000:
		return fmt.Sprintf("%.1fM", float64(n)/1e6)
	case n >= 10_000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return strconv.FormatInt(n, 10)
}

// count is "1 phase" or "6 phases".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if strings.HasSuffix(noun, "ch") {
		return strconv.Itoa(n) + " " + noun + "es"
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// both joins names as a sentence does: "2A", "2A and 2B", "2A, 2B and 2C".
func both(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// some joins names and counts those beyond the limit.
func some(names []string, limit int) string {
	if len(names) <= limit {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:limit], ", ") + fmt.Sprintf(" and %d more", len(names)-limit)
}

// subject is the first line of a commit message.
func subject(message string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
	return line
}

// short is the start of a commit's name, as git abbreviates it.
func short(sha string) string {
	return sha[:min(len(sha), 7)]
}
