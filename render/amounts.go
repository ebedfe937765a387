package render

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"autobuild/state"
)

// Duration is "12s", "4m31s" or "2h05m": precise enough to compare, no more.
func Duration(d time.Duration) string {
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

// Cost is "$0.42", or empty when nothing is known.
func Cost(u state.Usage) string {
	if u.CostUSD <= 0 {
		return ""
	}
	return fmt.Sprintf("$%.2f", u.CostUSD)
}

// Spent is the cost and the tokens that agents reported.
func Spent(u state.Usage) string {
	money, n := Cost(u), u.InputTokens+u.OutputTokens
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

// CommitSubject is the first line of a commit message.
func CommitSubject(message string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
	return line
}

// ShortSHA is the start of a commit's name, as git abbreviates it.
func ShortSHA(sha string) string {
	return sha[:min(len(sha), 7)]
}

// Have is the verb behind a list of names: "has" for one name, "have" for more.
func Have(names []string) string {
	if len(names) == 1 {
		return " has"
	}
	return " have"
}
